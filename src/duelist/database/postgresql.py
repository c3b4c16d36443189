"""A database of PostgreSQL: set so that what was committed is on disk, and nobody waits for ever."""

import re
from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import lru_cache
from time import monotonic
from typing import Any, ClassVar, cast
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlencode, urlsplit

import psycopg
from psycopg.conninfo import conninfo_to_dict

from duelist.database import connections
from duelist.database.connections import (
    REMEDY,
    Connection,
    Connections,
    EventRow,
    Kept,
    as_json,
    reason_of,
)
from duelist.errors import FileError, ParameterError, StorageError

CONNECTING = 10
"""Seconds for which a server may keep a new connection waiting."""
KEPT = 1.0
"""Seconds of idleness after which a connection is tried before it is used."""
LOCK = 0x6475656C
"""The number of the lock under which tables are made and changed."""
SECRETS = ("password", "sslpassword")
"""What an address may hold behind its question mark, and nobody may see."""
LOCKED = ("55P03", "40P01")
"""What is said when another process keeps what is wanted."""
NO_ROOM = "53100"
VALUE = re.compile(r"(?<!:):([a-z_]+)")
PROMISES = """
SELECT set_config('lock_timeout', :wait, false),
    set_config('idle_in_transaction_session_timeout', :wait, false),
    -- to read a whole table is wanted by nobody: a plan made for a short table is kept for a long one
    set_config('enable_seqscan', 'off', false),
    set_config('enable_hashjoin', 'off', false),
    set_config('enable_mergejoin', 'off', false),
    set_config('synchronous_commit',
        CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN 'on'
        ELSE current_setting('synchronous_commit') END, false)
"""


# who writes rows that refer to a study, such as open duels, need not wait for this lock
LOCK_STUDIES = """
SELECT id, name, last FROM studies
WHERE name IN (SELECT value #>> '{}' FROM jsonb_array_elements(CAST(:names AS jsonb)) AS given (value))
ORDER BY id FOR NO KEY UPDATE
"""
FIND = """
SELECT study, seq, event FROM jsonb_array_elements(CAST(:keys AS jsonb)) AS given (value)
CROSS JOIN studies CROSS JOIN events
WHERE name = given.value ->> 0 AND events.key = given.value ->> 1 AND study + 0 = studies.id
"""
INSERT = """
INSERT INTO events (study, seq, key, event)
SELECT CAST(given.value ->> 0 AS integer), CAST(given.value ->> 1 AS bigint),
    given.value ->> 2, given.value ->> 3
FROM jsonb_array_elements(CAST(:rows AS jsonb)) AS given (value)
"""


class NamedCursor(psycopg.Cursor[Any]):
    """A cursor whose values are named as in SQLite."""

    def execute(self, query: Any, params: Any = None, **options: Any) -> "NamedCursor":
        """Execute a statement."""
        return super().execute(query if params is None else named(query), params, **options)


@lru_cache
def named(statement: str) -> bytes:
    """Return a statement with its values as psycopg names them."""
    return VALUE.sub(r"%(\1)s", statement.replace("%", "%%")).encode()


class PostgresqlServer(Connections):
    """Connections to a database of PostgreSQL.

    Parameters
    ----------
    address : str
        Such as `postgresql://user@host/name`.
    """

    is_shared = True
    begin_writing = "BEGIN"
    begin_reading = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
    find = FIND
    words: ClassVar = {"number": "serial PRIMARY KEY", "bytes": "bytea", "clustered": ""}

    def __init__(self, address: str) -> None:
        parts = parted(address)
        super().__init__(shown(parts))
        self._address = parts._replace(scheme="postgresql").geturl()
        try:
            conninfo_to_dict(self._address)
        except psycopg.Error:
            # whose words may hold a part of the password
            raise no_address() from None

    def connect(self) -> Connection:
        """Return a new connection."""
        connection = psycopg.connect(
            self._address,
            autocommit=True,
            connect_timeout=CONNECTING,
            application_name="duelist",
            cursor_factory=NamedCursor,
        )
        made = cast(Connection, connection)
        made.execute(PROMISES, {"wait": f"{connections.WAIT:.0f}s"})
        return made

    def is_alive(self, kept: Kept) -> bool:
        """Return whether a connection that was kept can be used; it is tried after a while."""
        try:
            if monotonic() - kept.since > KEPT:
                kept.connection.execute("SELECT 1")
        except psycopg.Error:
            return False
        return True

    def together(self, connection: Connection) -> AbstractContextManager[object]:
        """Send one statement after the other, and wait for the server when an answer is read."""
        return cast("psycopg.Connection[Any]", connection).pipeline()

    def look_up(
        self, connection: Connection, names: Sequence[str], keys: Sequence[tuple[str, str]]
    ) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
        """Return studies by their names, and events by their keys. See `Connections.look_up`."""
        # after each statement a thread waits for its turn again, and the server for the next one: so there is
        # one for any number of rows, and both are sent before one is waited for
        studies = connection.execute(LOCK_STUDIES, {"names": as_json(names)})
        events = connection.execute(FIND, {"keys": as_json(keys)}) if keys else None
        return studies.fetchall(), [] if events is None else events.fetchall()

    def insert_events(self, connection: Connection, rows: Sequence[EventRow]) -> None:
        """Write events."""
        connection.execute(INSERT, {"rows": as_json(rows)})

    def tables(self, connection: Connection) -> set[str]:
        """Return the names of all tables."""
        found = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")
        return {name for (name,) in found.fetchall()}

    def lock_tables(self, connection: Connection) -> None:
        """Let nobody else change the tables until the end of the transaction."""
        connection.execute("SELECT pg_advisory_xact_lock(:lock)", {"lock": LOCK})

    def settle(self) -> None:
        """Do nothing: connections are set when they are made."""

    def errors(self) -> tuple[type[Exception], ...]:
        """Return what the driver raises."""
        return (psycopg.Error,)

    def is_of_one(self, error: BaseException | None) -> bool:
        """Return whether an error is about what was written, rather than about the database."""
        return isinstance(error, psycopg.DataError | psycopg.IntegrityError)

    def refusal(self, error: Exception) -> FileError:
        """Return what the database refused, and what to do."""
        state, remedy = getattr(error, "sqlstate", None), REMEDY
        if state == NO_ROOM:
            remedy = "make room, then try again"
        elif state in LOCKED:
            remedy = "another process has been writing for long; end it, or try again"
        return StorageError(f"{self.place}: {reason_of(error)}; {remedy}.")


def parted(address: str) -> SplitResult:
    """Return the parts of an address, or refuse what is none."""
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError as error:
        raise no_address() from error
    kind = parts.scheme.partition("+")[0]
    if kind != "postgresql":
        raise ParameterError(f"a database is a file for SQLite, or postgresql://...; got {kind}://.")
    if parts.netloc.count("@") > 1:
        # what comes before the last is a part of the password, and must not be shown as one of the host
        raise ParameterError("in the address of the database, write @ in the password as %40.")
    return parts


def no_address() -> ParameterError:
    """Return that an address is none."""
    return ParameterError(
        "the address of the database is not one: postgresql://user@host/name is, with % in it as %25."
    )


def shown(parts: SplitResult) -> str:
    """Return an address without its passwords."""
    user = unquote(parts.username or "")
    host = parts.netloc.rpartition("@")[2]
    query = [(name, value) for name, value in parse_qsl(parts.query) if name not in SECRETS]
    place = f"{quote(user)}@{host}" if user else host
    return SplitResult("postgresql", place, parts.path, urlencode(query, safe="/"), "").geturl()
