"""PostgreSQL, configured so that commits are on disk and every wait is bounded."""

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
"""Time-out for a new connection, in seconds."""
TEST_AFTER = 1.0
"""Seconds of idleness after which a connection is tested before reuse."""
LOCK = 0x6475656C
"""Number of the advisory lock for schema changes."""
SECRETS = ("password", "sslpassword")
"""Query parameters of an address that must not appear in messages."""
LOCKED = ("55P03", "40P01")
"""SQLSTATE codes for locks held by other processes."""
DISK_FULL = "53100"
VALUE = re.compile(r"(?<!:):([a-z_]+)")
SESSION_SETTINGS = """
SELECT set_config('lock_timeout', :wait, false),
    set_config('idle_in_transaction_session_timeout', :wait, false),
    -- never scan a whole table: a plan made for a short table stays cached when the table is long
    set_config('enable_seqscan', 'off', false),
    set_config('enable_hashjoin', 'off', false),
    set_config('enable_mergejoin', 'off', false),
    set_config('synchronous_commit',
        CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN 'on'
        ELSE current_setting('synchronous_commit') END, false)
"""


# this lock does not block writers of rows that refer to a study, such as open duels
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
    """A cursor with named parameters as in SQLite."""

    def execute(self, query: Any, params: Any = None, **options: Any) -> "NamedCursor":
        return super().execute(query if params is None else named(query), params, **options)


@lru_cache
def named(statement: str) -> bytes:
    """Return a statement with its parameters in psycopg's syntax."""
    return VALUE.sub(r"%(\1)s", statement.replace("%", "%%")).encode()


class PostgresqlServer(Connections):
    """Connections to a PostgreSQL database.

    Parameters
    ----------
    address : str
        URL such as `postgresql://user@host/name`.
    """

    is_shared = True
    begin_writing = "BEGIN"
    begin_reading = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
    find = FIND
    words: ClassVar = {"number": "serial PRIMARY KEY", "bytes": "bytea", "clustered": ""}

    def __init__(self, address: str) -> None:
        parts = parted(address)
        super().__init__(redacted(parts))
        self._address = parts._replace(scheme="postgresql").geturl()
        try:
            conninfo_to_dict(self._address)
        except psycopg.Error:
            # its message may contain a part of the password
            raise invalid_address() from None

    def connect(self) -> Connection:
        connection = psycopg.connect(
            self._address,
            autocommit=True,
            connect_timeout=CONNECTING,
            application_name="duelist",
            cursor_factory=NamedCursor,
        )
        made = cast(Connection, connection)
        made.execute(SESSION_SETTINGS, {"wait": f"{connections.WAIT:.0f}s"})
        return made

    def is_alive(self, kept: Kept) -> bool:
        """Return whether an idle connection can still be used; it is tested after a while."""
        try:
            if monotonic() - kept.since > TEST_AFTER:
                kept.connection.execute("SELECT 1")
        except psycopg.Error:
            return False
        return True

    def together(self, connection: Connection) -> AbstractContextManager[object]:
        """Pipeline statements: wait for the server only when a result is read."""
        return cast("psycopg.Connection[Any]", connection).pipeline()

    def look_up(
        self, connection: Connection, names: Sequence[str], keys: Sequence[tuple[str, str]]
    ) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
        """Return studies by name, and events by key. See `Connections.look_up`."""
        # each round trip costs a thread switch here and idle time on the server: one statement for any number
        # of rows, and both are sent before the first result is read
        studies = connection.execute(LOCK_STUDIES, {"names": as_json(names)})
        events = connection.execute(FIND, {"keys": as_json(keys)}) if keys else None
        return studies.fetchall(), [] if events is None else events.fetchall()

    def insert_events(self, connection: Connection, rows: Sequence[EventRow]) -> None:
        connection.execute(INSERT, {"rows": as_json(rows)})

    def tables(self, connection: Connection) -> set[str]:
        found = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")
        return {name for (name,) in found.fetchall()}

    def lock_tables(self, connection: Connection) -> None:
        """Lock the schema against other processes until the end of the transaction."""
        connection.execute("SELECT pg_advisory_xact_lock(:lock)", {"lock": LOCK})

    def configure(self) -> None:
        """Do nothing: settings belong to each connection."""

    def errors(self) -> tuple[type[Exception], ...]:
        return (psycopg.Error,)

    def is_of_one(self, error: BaseException | None) -> bool:
        """Return whether an error is due to the data written, rather than to the database."""
        return isinstance(error, psycopg.DataError | psycopg.IntegrityError)

    def translate(self, error: Exception) -> FileError:
        """Return an error of the driver as one of the package, with a remedy."""
        state, remedy = getattr(error, "sqlstate", None), REMEDY
        if state == DISK_FULL:
            remedy = "free disk space, then try again"
        elif state in LOCKED:
            remedy = "another process has held the lock for too long; end it, or try again"
        return StorageError(f"{self.location}: {reason_of(error)}; {remedy}.")


def parted(address: str) -> SplitResult:
    """Return the parts of a database URL; raise ParameterError if it is not one."""
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError as error:
        raise invalid_address() from error
    kind = parts.scheme.partition("+")[0]
    if kind != "postgresql":
        raise ParameterError(f"a database is the path of an SQLite file, or postgresql://...; got {kind}://.")
    if parts.netloc.count("@") > 1:
        # the text before the last @ is a part of the password, which messages would show as the host
        raise ParameterError("the database URL has more than one @; write @ in the password as %40.")
    return parts


def invalid_address() -> ParameterError:
    return ParameterError(
        "the database URL is invalid; write postgresql://user@host/name, with % in it as %25."
    )


def redacted(parts: SplitResult) -> str:
    """Return a database URL without its passwords."""
    user = unquote(parts.username or "")
    host = parts.netloc.rpartition("@")[2]
    query = [(name, value) for name, value in parse_qsl(parts.query) if name not in SECRETS]
    location = f"{quote(user)}@{host}" if user else host
    return SplitResult("postgresql", location, parts.path, urlencode(query, safe="/"), "").geturl()
