"""Keys in a database: API keys, stored as digests, and the keys that seal tickets."""

import re
import secrets
from collections.abc import Sequence
from hashlib import sha256
from hmac import compare_digest
from time import time
from typing import NamedTuple

from duelist.database.connections import Connections
from duelist.errors import ParameterError, UnknownNameError

ROLES = ("read", "play", "admin")
"""Roles of API keys; each includes those before it."""
SECRET = re.compile(r"duelist_([0-9a-f]{12})_[A-Za-z0-9_-]{43}")
LONGEST_NAME = 200
NO_DIGEST = bytes(32)
"""Digest of no secret, to compare with if a key is unknown."""

ADD = "INSERT INTO api_keys (id, name, role, digest, created) VALUES (:id, :name, :role, :digest, :created)"
FIND = "SELECT id, name, role, created, revoked, digest FROM api_keys WHERE id = :id"
LIST = "SELECT id, name, role, created, revoked FROM api_keys ORDER BY created, id"
REVOKE = "UPDATE api_keys SET revoked = coalesce(revoked, :now) WHERE id = :id"
FIRST_KEY = "INSERT INTO ticket_keys (number, key) VALUES (1, :key) ON CONFLICT (number) DO NOTHING"
NEXT_KEY = "INSERT INTO ticket_keys (number, key) SELECT max(number) + 1, :key FROM ticket_keys"
KEYS = "SELECT key FROM ticket_keys ORDER BY number"


class ApiKey(NamedTuple):
    """An API key without its secret.

    Examples
    --------
    >>> key = ApiKey("3f2a90c4d1b7", "kiosk in the hall", "play", created=1789000000.0, revoked=None)
    >>> key.may("read"), key.may("admin")
    (True, False)
    """

    id: str
    name: str
    role: str
    created: float
    """Creation time, in seconds since 1970."""
    revoked: float | None
    """Time of revocation; None if the key is valid."""

    def may(self, role: str) -> bool:
        """Return whether the key's role includes a role.

        Parameters
        ----------
        role : str
            "admin", "play" or "read".

        Returns
        -------
        bool
            Whether operations that need the role are allowed.
        """
        return ROLES.index(self.role) >= ROLES.index(role)


class ApiKeys:
    """The API keys of a database.

    Parameters
    ----------
    connections : Connections
        The connections to the database.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from duelist.database import Database
    >>> with TemporaryDirectory() as folder, Database(f"{folder}/studies.db") as database:
    ...     secret = database.api_keys.create("kiosk in the hall", "play")
    ...     print(database.api_keys.find(secret).name)
    ...     database.api_keys.revoke(database.api_keys.list()[0].id)
    ...     print(database.api_keys.find(secret))
    kiosk in the hall
    None
    """

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def create(self, name: str, role: str) -> str:
        """Create a key and return its secret, which cannot be displayed again.

        Parameters
        ----------
        name : str
            Description of the key's owner.
        role : str
            "admin", "play" or "read".

        Returns
        -------
        str
            The secret, such as duelist_3f2a90c4d1b7_...
        """
        if role not in ROLES:
            raise UnknownNameError("role", role, ROLES)
        if not isinstance(name, str) or not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
            raise ParameterError(
                f"name must be one line of 1 to {LONGEST_NAME} printable characters; got {str(name)[:60]!r}."
            )
        identity = secrets.token_hex(6)
        secret = f"duelist_{identity}_{secrets.token_urlsafe(32)}"
        values = {"id": identity, "name": name, "role": role, "digest": digest(secret), "created": time()}
        with self._connections.writing() as connection:
            connection.execute(ADD, values)
        return secret

    def find(self, secret: str) -> ApiKey | None:
        """Return the key of a secret.

        Parameters
        ----------
        secret : str
            The secret that `create` returned.

        Returns
        -------
        ApiKey or None
            None if the secret is unknown or its key was revoked.
        """
        form = SECRET.fullmatch(secret)
        row = None
        if form is not None:
            with self._connections.reading() as connection:
                row = connection.execute(FIND, {"id": form[1]}).fetchone()
        # constant time: the duration must not reveal how much of a secret was right
        same = compare_digest(digest(secret), NO_DIGEST if row is None else bytes(row[5]))
        found = None if row is None or not same else ApiKey(*row[:5])
        return found if found is not None and found.revoked is None else None

    def list(self) -> Sequence[ApiKey]:
        """Return all keys, including revoked ones, the oldest first.

        Returns
        -------
        sequence of ApiKey
            The keys.
        """
        with self._connections.reading() as connection:
            return [ApiKey(*row) for row in connection.execute(LIST).fetchall()]

    def revoke(self, id: str) -> None:
        """Revoke a key permanently; revoking it again has no effect.

        Parameters
        ----------
        id : str
            The key's id, as `list` returns it.

        Raises
        ------
        UnknownNameError
            There is no key with this id.
        """
        known = [key.id for key in self.list()]
        if id not in known:
            raise UnknownNameError("key", id, known)
        with self._connections.writing() as connection:
            connection.execute(REVOKE, {"id": id, "now": time()})


def digest(secret: str) -> bytes:
    """Return the stored digest of a secret; a random secret of this length needs no slow hash."""
    return sha256(secret.encode(errors="surrogatepass")).digest()


class TicketKeyRows:
    """Ticket keys in a table, shared by all studies of the database."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def __str__(self) -> str:
        return f"the ticket keys in {self._connections.location}"

    def begin(self, key: str) -> None:
        """Add a first key, unless there is one."""
        with self._connections.reading() as connection:
            if connection.execute(KEYS).fetchone() is not None:
                return
        self._write(FIRST_KEY, key)

    def add(self, key: str) -> None:
        self._write(NEXT_KEY, key)

    def bring(self, text: str) -> int:
        """Add keys of another store, one per line, that are not here yet; return their number."""
        known = self.read().splitlines()
        keys = [key for key in map(str.strip, text.splitlines()) if key and key not in known]
        for index, key in enumerate(keys):
            self.add(key) if known or index else self.begin(key)
        return len(keys)

    def read(self) -> str:
        """Return all keys, the newest last, one per line."""
        with self._connections.reading() as connection:
            return "\n".join(key for (key,) in connection.execute(KEYS).fetchall())

    def _write(self, statement: str, key: str) -> None:
        with self._connections.writing() as connection:
            connection.execute(statement, {"key": key.strip()})
