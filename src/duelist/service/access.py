"""Authorization and rate limits: API keys with roles, or open access for this machine only."""

from collections import OrderedDict
from time import monotonic, perf_counter
from typing import Any, Literal

from starlette.requests import Request

from duelist.database import Database
from duelist.database.keys import ApiKey
from duelist.service.failures import Refused

Role = Literal["read", "play", "admin"]
ROLES: tuple[Role, ...] = ("read", "play", "admin")
"""Each role includes those before it."""
REMEMBERED = 5.0
"""Seconds for which a key is cached; a revoked key is rejected after that time."""
MOST = 10_000
MOST_CALLERS = 10_000
AHEAD = 2.0
"""Seconds by which a caller may be ahead of the rate limit: the size of a burst."""


class Access:
    """The API keys of a database, cached for a few seconds.

    Parameters
    ----------
    database : Database
        The database with the keys.
    is_open : bool
        Whether requests need no key.
    """

    def __init__(self, database: Database, is_open: bool) -> None:
        self.is_open = is_open
        self._keys = database.api_keys
        self._known: dict[str, tuple[float, ApiKey]] = {}
        self._valid: set[str] = set()
        self._valid_until = 0.0

    async def key_of(self, request: Request) -> ApiKey:
        scheme, _, secret = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not secret:
            request.app.state.rates.count(caller_of(request.scope))
            raise Refused(
                401,
                "KeyError",
                "the request has no API key; send the header Authorization: Bearer duelist_...",
            )
        return await self.find(request, secret)

    async def find(self, request: Request, secret: str) -> ApiKey:
        expires, key = self._known.get(secret, (0.0, None))
        if key is None or expires < monotonic():
            key = await request.app.state.live.in_thread(self._keys.find, secret)
            if key is None:
                self._known.pop(secret, None)
                # failed attempts count against the address, whatever key was tried
                request.app.state.rates.count(caller_of(request.scope))
                raise Refused(401, "KeyError", "the key is unknown or was revoked; ask for a new one.")
            if len(self._known) >= MOST:
                self._known.clear()
            self._known[secret] = monotonic() + REMEMBERED, key
        return key

    async def is_known(self, request: Request, key: str) -> bool:
        """Return whether the key with this id exists and was not revoked."""
        if self._valid_until < monotonic():
            keys = await request.app.state.live.in_thread(self._keys.list)
            self._valid = {one.id for one in keys if one.revoked is None}
            self._valid_until = monotonic() + REMEMBERED
        return key in self._valid


async def authorize(request: Request, role: Role) -> None:
    """Check that a request's key has a role, and note the key's own role for `role_of`."""
    access: Access = request.app.state.access
    state = request.scope["state"]
    state["role"] = "admin"
    if access.is_open:
        if request.app.state.settings.rate:
            request.app.state.rates.count(caller_of(request.scope))
    else:
        key = await access.key_of(request)
        request.app.state.rates.count(key.id)
        state["key"], state["role"] = key.id, key.role
        if key.role not in ROLES or ROLES.index(key.role) < ROLES.index(role):
            raise Refused(403, "RoleError", f"the key has the role {key.role}; this needs the role {role}.")


def role_of(request: Request) -> str:
    role: str = request.scope["state"]["role"]
    return role


class Rates:
    """Rate limits of callers: known keys, or addresses.

    Parameters
    ----------
    rate : float
        Requests per second and caller; 0 for no limit.
    """

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._callers: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def count(self, caller: str) -> None:
        """Count a request, and raise Refused if the caller is over the limit."""
        if self._rate == 0.0:
            return
        now, most = perf_counter(), AHEAD * self._rate
        left, before = self._callers.pop(caller, (most, now))
        left = min(left + (now - before) * self._rate, most) - 1.0
        self._callers[caller] = (max(left, 0.0), now)
        if len(self._callers) > MOST_CALLERS:
            self._callers.popitem(last=False)
        if left < 0.0:
            raise Refused(
                429, "RateError", f"more than {self._rate:g} requests per second; wait, then try again."
            )


def caller_of(scope: Any) -> str:
    return scope["client"][0] if scope.get("client") else ""
