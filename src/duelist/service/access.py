"""Who may do what: keys with a role, or everybody on this machine where that was asked for."""

from collections.abc import Callable, Coroutine
from time import monotonic
from typing import Any, Literal

from fastapi import Request, Response
from fastapi.routing import APIRoute

from duelist.database import Database
from duelist.database.keys import ApiKey
from duelist.service.bodies import JsonRequest
from duelist.service.failures import Refused
from duelist.service.gate import caller_of

Role = Literal["read", "play", "admin"]
ROLES: tuple[Role, ...] = ("read", "play", "admin")
"""Each may do what those before it may."""
REMEMBERED = 5.0
"""Seconds after which a key that was revoked is not known any more."""
MOST = 10_000
FIELD = "x-role"
"""The field of a route's description that names the role it needs."""
SCHEME = {"type": "http", "scheme": "bearer", "description": "A key that `duelist keys create` made."}


class Access:
    """Knows the keys of a database.

    Parameters
    ----------
    database : Database
        Where keys are.
    is_open : bool
        Whether no key is needed.
    """

    def __init__(self, database: Database, is_open: bool) -> None:
        self.is_open = is_open
        self._keys = database.api_keys
        self._known: dict[str, tuple[float, ApiKey]] = {}
        self._valid: set[str] = set()
        self._valid_until = 0.0

    async def key_of(self, request: Request) -> ApiKey:
        """Return the key that a request brings, or refuse one that is not known."""
        scheme, _, secret = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not secret:
            request.app.state.rates.count(caller_of(request.scope))
            raise Refused(401, "KeyError", "give a key: Authorization: Bearer duelist_...")
        return await self.find(request, secret)

    async def find(self, request: Request, secret: str) -> ApiKey:
        """Return the key of a secret, or refuse one that is not known."""
        expires, key = self._known.get(secret, (0.0, None))
        if key is None or expires < monotonic():
            key = await request.app.state.live.in_thread(self._keys.find, secret)
            if key is None:
                self._known.pop(secret, None)
                # a guess counts against the address, whatever key it tries
                request.app.state.rates.count(caller_of(request.scope))
                raise Refused(401, "KeyError", "the key is not known, or was revoked; ask for a new one.")
            if len(self._known) >= MOST:
                self._known.clear()
            self._known[secret] = monotonic() + REMEMBERED, key
        return key

    async def is_known(self, request: Request, key: str) -> bool:
        """Return whether a key, by its id, was not revoked."""
        if self._valid_until < monotonic():
            keys = await request.app.state.live.in_thread(self._keys.list)
            self._valid = {one.id for one in keys if one.revoked is None}
            self._valid_until = monotonic() + REMEMBERED
        return key in self._valid


class GuardedRoute(APIRoute):
    """A route that a role may use: named before the request is read, because strangers may send anything."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler, behind a look at the key."""
        handle = super().get_route_handler()
        role: Role = (self.openapi_extra or {})[FIELD]

        async def guarded(request: Request) -> Response:
            await authorize(request, role)
            return await handle(JsonRequest(request.scope, request.receive))

        return guarded


async def authorize(request: Request, role: Role) -> None:
    """Refuse a request whose key may not do this; `role_of` then tells what it may."""
    access: Access = request.app.state.access
    state = request.scope["state"]
    state["role"] = "admin"
    if access.is_open:
        request.app.state.rates.count(caller_of(request.scope))
    else:
        key = await access.key_of(request)
        request.app.state.rates.count(key.id)
        state["key"], state["role"] = key.id, key.role
        if key.role not in ROLES or ROLES.index(key.role) < ROLES.index(role):
            raise Refused(403, "RoleError", f"the key may {key.role}; this needs one that may {role}.")


def role_of(request: Request) -> str:
    """Return the role of the key that a request brought."""
    role: str = request.scope["state"]["role"]
    return role


def allowed(role: Role) -> dict[str, Any]:
    """Return, for the description of a route, which role it needs."""
    return {"openapi_extra": {FIELD: role, "security": [{"key": []}]}}
