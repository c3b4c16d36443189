"""Who may do what: keys with a role, or everybody on this machine where that was asked for."""

from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Annotated, Any, Literal

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from duelist.database import Database
from duelist.database.api_keys import ApiKey
from duelist.service.gate import Refused

Role = Literal["read", "play", "admin"]
ROLES: tuple[Role, ...] = ("read", "play", "admin")
"""Each may do what those before it may."""
REMEMBERED = 5.0
"""Seconds after which a key that was revoked is not known any more."""
MOST = 10_000

bearer = HTTPBearer(auto_error=False, description="A key that `duelist keys create` made.")
Credentials = Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]


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
        self._known: dict[str, tuple[float, ApiKey | None]] = {}

    async def role_of(self, secret: str | None, in_thread: Callable[..., Awaitable[Any]]) -> ApiKey:
        """Return the key of a secret, or refuse one that is not known."""
        if secret is None:
            raise Refused(401, "KeyError", "give a key: Authorization: Bearer duelist_...")
        expires, key = self._known.get(secret, (0.0, None))
        if expires < monotonic():
            key = await in_thread(self._keys.find, secret)
            if len(self._known) >= MOST:
                self._known.clear()
            if key is not None:
                self._known[secret] = monotonic() + REMEMBERED, key
        if key is None:
            raise Refused(401, "KeyError", "the key is not known, or was revoked; ask for a new one.")
        return key


def require(role: Role) -> Any:
    """Return the dependency of a route that a role may use."""
    least = ROLES.index(role)

    async def check(request: Request, credentials: Credentials) -> Role:
        access: Access = request.app.state.access
        if access.is_open:
            return "admin"
        secret = None if credentials is None else credentials.credentials
        key = await access.role_of(secret, request.app.state.live.in_thread)
        request.scope["state"]["key"] = key.id
        found = next((one for one in ROLES if one == key.role), None)
        if found is None or ROLES.index(found) < least:
            raise Refused(403, "RoleError", f"the key may {key.role}; this needs one that may {role}.")
        return found

    return Depends(check)
