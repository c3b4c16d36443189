"""Connections to SQLite and PostgreSQL, set so that what was committed is on disk."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError, TimeoutError
from sqlalchemy.pool import QueuePool

from duelist.database.mounts import network_kind
from duelist.errors import FileError, ParameterError, StorageError

PATIENCE = 30.0
"""Seconds for which another process may keep the database locked."""
CONNECTING = 10
"""Seconds for which a server may keep a new connection waiting."""
SECRETS = ("password", "sslpassword")
"""What an address may hold behind its question mark, and nobody may see."""
SCANS = ("enable_seqscan", "enable_hashjoin", "enable_mergejoin")
"""Ways to read a whole table, wanted by nobody: a plan made for a short table is kept for a long one."""
REMEDY = "see that the database can be reached and written to, then try again"
LOCKED = ("55P03", "40P01")
"""What PostgreSQL says when another process keeps what is wanted."""


def as_url(place: str | os.PathLike[str]) -> URL:
    """Return a database's address: of a file for SQLite, or as given."""
    text = os.fspath(place)
    if "://" not in text:
        if not text or "\0" in text:
            raise ParameterError(f"give the path of a database, or postgresql://...; got {text!r}.")
        return URL.create("sqlite", database=os.path.abspath(text))
    try:
        url = make_url(text)
    except (ArgumentError, ValueError) as error:
        raise ParameterError(
            "the address of the database is not one: postgresql://user@host/name is."
        ) from error
    kind = url.get_backend_name()
    if kind == "sqlite" and url.database:
        return URL.create("sqlite", database=os.path.abspath(url.database))
    if kind != "postgresql":
        raise ParameterError(f"a database is a file for SQLite, or postgresql://...; got {kind}://.")
    if "@" in (url.host or ""):
        # what comes before it is a part of the password, and must not be shown as one of the host
        raise ParameterError("in the address of the database, write @ in the password as %40.")
    return url.set(drivername="postgresql+psycopg")


def called(url: URL) -> str:
    """Return what a database is called: its path, or its address without the password."""
    if url.get_backend_name() == "sqlite":
        return str(url.database)
    query = {name: value for name, value in url.query.items() if name not in SECRETS}
    shown = URL.create("postgresql", url.username, None, url.host, url.port, url.database, query)
    return shown.render_as_string()


def connect_to(url: URL, create: bool = True) -> Engine:
    """Return connections to a database; they are made when they are first needed, a new file only then."""
    if url.get_backend_name() == "sqlite":
        path = Path(str(url.database))
        if not create and not path.exists():
            raise missing(str(path))
        return connect_to_sqlite(path)
    engine = create_engine(
        url,
        isolation_level="READ COMMITTED",
        pool_pre_ping=True,
        pool_size=4,
        max_overflow=16,
        pool_timeout=PATIENCE,
        connect_args={"connect_timeout": CONNECTING, "application_name": "duelist"},
    )
    event.listen(engine, "connect", keep_promises)
    return engine


def keep_promises(connection: Any, _: object) -> None:
    """Let PostgreSQL answer a commit only when it is on disk, and nobody wait for ever for one who hangs."""
    with connection.cursor() as cursor:
        for setting in ("lock_timeout", "idle_in_transaction_session_timeout"):
            cursor.execute("SELECT set_config(%s, %s, false)", (setting, f"{PATIENCE:.0f}s"))
        for setting in SCANS:
            cursor.execute("SELECT set_config(%s, 'off', false)", (setting,))
        cursor.execute(
            "SELECT set_config('synchronous_commit', 'on', false) "
            "WHERE current_setting('synchronous_commit') IN ('off', 'local')"
        )
    connection.commit()


def connect_to_sqlite(path: Path) -> Engine:
    """Return connections to a file, which is made if it is not there."""
    kind = network_kind(path)
    if kind is not None:
        raise FileError(
            f"{path} is on a network drive ({kind}), where SQLite can lose what was written; choose a local "
            "disk, or PostgreSQL: postgresql://..."
        )
    if not path.parent.is_dir():
        raise FileError(f"{path}: there is no folder {path.parent}; make it first.")
    if path.is_dir():
        raise FileError(f"{path} is a folder; name a file in it, such as {path / 'studies.db'}.")

    def connect() -> sqlite3.Connection:
        # tickets' keys are in it: readable by its owner alone
        if not path.exists():
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        connection = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
        for setting in ("synchronous = FULL", "foreign_keys = ON"):
            connection.execute(f"PRAGMA {setting}")
        return connection

    engine = create_engine(
        "sqlite://",
        paramstyle="named",
        creator=connect,
        poolclass=QueuePool,
        pool_size=8,
        max_overflow=32,
        pool_timeout=PATIENCE,
    )
    event.listen(engine, "begin", begin)
    return engine


def write_ahead(engine: Engine) -> None:
    """Let SQLite write ahead of its file from now on, so that readers and a writer work side by side."""
    until = monotonic() + PATIENCE
    while True:
        try:
            with engine.connect() as connection:
                connection.exec_driver_sql("PRAGMA journal_mode = WAL")
            return
        except OperationalError as error:
            # for this alone SQLite does not wait until others have done the same
            if code_of(error.orig) != sqlite3.SQLITE_BUSY or monotonic() > until:
                raise
            sleep(0.01)


def begin(connection: Connection) -> None:
    """Begin a transaction; one that will write waits for its turn at once, for later is too late."""
    if connection.get_execution_options().get("writing"):
        connection.exec_driver_sql("BEGIN IMMEDIATE")


@contextmanager
def reading(engine: Engine, place: str) -> Iterator[Connection]:
    """Open a connection to read from during the block."""
    with plain_errors(place), engine.connect() as connection:
        yield connection


@contextmanager
def reading_at_once(engine: Engine, place: str) -> Iterator[Connection]:
    """Open a connection to read from during the block, which sees what was there when it began to read."""
    with plain_errors(place), engine.connect() as connection:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql("BEGIN")
        else:
            connection = connection.execution_options(isolation_level="REPEATABLE READ")
        yield connection.execution_options(stream_results=True)


@contextmanager
def writing(engine: Engine, place: str) -> Iterator[Connection]:
    """Open a transaction for the block: all that is written in it is on disk at its end, or nothing is."""
    with (
        plain_errors(place),
        engine.connect().execution_options(writing=True) as connection,
        connection.begin(),
    ):
        yield connection


@contextmanager
def plain_errors(place: str) -> Iterator[None]:
    """Turn what a database refuses in the block into one line that says what to do."""
    try:
        yield
    except DBAPIError as error:
        raise refusal(place, error.orig) from error
    except TimeoutError as error:
        raise StorageError(
            f"{place}: all connections have been in use for {PATIENCE:.0f} seconds; try again."
        ) from error
    except sqlite3.Error as error:
        raise refusal(place, error) from error
    except OSError as error:
        raise StorageError(f"{place}: {error.strerror or error}; {REMEDY}.") from error


def refusal(place: str, error: BaseException | None) -> FileError:
    """Return what a database refused, and what to do."""
    code = code_of(error)
    state = getattr(error, "sqlstate", None) or ""
    reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
        return FileError(f"{place} is not a database, or is damaged ({reason}); restore a backup.")
    remedy = REMEDY
    if code == sqlite3.SQLITE_FULL or state == "53100":
        remedy = "make room, then try again"
    elif code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) or state in LOCKED:
        remedy = "another process has been writing for long; end it, or try again"
    return StorageError(f"{place}: {reason}; {remedy}.")


def missing(place: str) -> FileError:
    """Return that there is no database, and how to make one."""
    return FileError(f"there is no database of studies at {place}; duelist db create makes one.")


def code_of(error: BaseException | None) -> int:
    """Return which kind of error SQLite met; 0 if it was not SQLite."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF
