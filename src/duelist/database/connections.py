"""Connections to a database of SQLite or PostgreSQL: a pool, transactions, and readable errors."""

import os
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from threading import BoundedSemaphore
from time import monotonic
from typing import Any, ClassVar, NamedTuple, Protocol
from weakref import WeakSet, finalize

import msgspec

from duelist.errors import FileError, StorageError

WAIT = 30.0
"""Seconds to wait for a lock that another process holds on the database."""
MOST = 32
"""Maximum number of connections in use; further callers wait."""
IDLE = 8
"""Maximum number of idle connections kept for reuse."""
REMEDY = "check that the database can be reached and written, then try again"


class Cursor(Protocol):
    """The result of a statement."""

    def fetchone(self) -> tuple[Any, ...] | None:
        """Return the next row; None after the last."""
        ...

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Return the remaining rows."""
        ...


class Connection(Protocol):
    """A connection to the database; statements have named parameters, such as `:name`."""

    def execute(self, statement: str, values: Mapping[str, object] | Sequence[object] = ..., /) -> Cursor:
        """Execute a statement."""
        ...

    def executemany(self, statement: str, rows: Sequence[Sequence[object]], /) -> object:
        """Execute a statement for each row of values."""
        ...

    def close(self) -> None:
        """Close the connection; uncommitted changes are rolled back."""
        ...


EventRow = tuple[int, int, str | None, str]
"""An event as a row: the study's number, the event's number, key and line."""


class Kept(NamedTuple):
    """An idle connection, and since when it has been idle."""

    connection: Connection
    since: float


class Connections(ABC):
    """Connections to one database: made on demand, kept for reuse, used by one thread at a time.

    Parameters
    ----------
    location : str
        Name of the database in messages, without passwords.
    """

    is_shared: ClassVar[bool]
    """Whether several machines may use it."""
    begin_writing: ClassVar[str]
    begin_reading: ClassVar[str]
    find: ClassVar[str]
    """Statement that finds events by `keys`, a JSON list of pairs of a study's name and a key.

    The study is compared as a sum, which keeps its index from being used: planners assume that studies are
    short, and would rather read a whole study than look up a few keys.
    """
    words: ClassVar[Mapping[str, str]]
    """Names of column types in this database."""

    def __init__(self, location: str) -> None:
        self.location = location
        self._idle: deque[Kept] = deque()
        self._slots = BoundedSemaphore(MOST)
        FORK_AWARE.add(self)
        finalize(self, close_all, self._idle)

    @abstractmethod
    def connect(self) -> Connection: ...

    @abstractmethod
    def errors(self) -> tuple[type[Exception], ...]:
        """Return the exception classes of the driver."""

    @abstractmethod
    def translate(self, error: Exception) -> FileError:
        """Return an error of the driver as one of the package, with a remedy."""

    @abstractmethod
    def is_of_one(self, error: BaseException | None) -> bool:
        """Return whether an error is due to the data written, rather than to the database."""

    @abstractmethod
    def look_up(
        self, connection: Connection, names: Sequence[str], keys: Sequence[tuple[str, str]]
    ) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
        """Return (number, name, last event) of studies by name, and (study, number, line) of events by key.

        The studies are locked against other writers until the end of the transaction.
        """

    @abstractmethod
    def insert_events(self, connection: Connection, rows: Sequence[EventRow]) -> None: ...

    def is_alive(self, kept: Kept) -> bool:
        """Return whether an idle connection can still be used."""
        return True

    def changes(self) -> tuple[int, int] | None:
        """Return a value that changes when other processes write; None if only reading can tell."""
        return None

    @abstractmethod
    def tables(self, connection: Connection) -> set[str]: ...

    @abstractmethod
    def lock_tables(self, connection: Connection) -> None:
        """Lock the schema against other processes until the end of the transaction."""

    @abstractmethod
    def configure(self) -> None:
        """Change settings of the database once it is known to be one of duelist."""

    def together(self, connection: Connection) -> AbstractContextManager[object]:
        """Pipeline the statements of the block, where the driver can."""
        return nullcontext()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Lend a connection for reading during the block."""
        with self.plain_errors(), self._lent() as connection:
            yield connection

    @contextmanager
    def reading_at_once(self) -> Iterator[Connection]:
        """Lend a connection that reads one consistent snapshot during the block."""
        with self.reading() as connection:
            connection.execute(self.begin_reading)
            yield connection
            connection.execute("ROLLBACK")

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open a transaction for the block; at its end everything written is on disk, or nothing."""
        with self.plain_errors(), self._lent() as connection, self.together(connection):
            connection.execute(self.begin_writing)
            yield connection
            connection.execute("COMMIT")

    @contextmanager
    def plain_errors(self) -> Iterator[None]:
        """Turn errors of the driver in the block into one-line errors with a remedy."""
        try:
            yield
        except self.errors() as error:
            raise self.translate(error) from error
        except OSError as error:
            raise StorageError(f"{self.location}: {error.strerror or error}; {REMEDY}.") from error

    def close(self) -> None:
        """Close all idle connections."""
        close_all(self._idle)

    @contextmanager
    def _lent(self) -> Iterator[Connection]:
        """Lend a connection for the block; after an error it is closed, not reused."""
        slots = self._slots
        if not slots.acquire(timeout=WAIT):
            raise StorageError(
                f"{self.location}: all connections have been in use for {WAIT:.0f} seconds; try again."
            )
        try:
            connection = self._take()
            try:
                yield connection
            except BaseException:
                with suppress(Exception):
                    connection.close()
                raise
            if len(self._idle) < IDLE:
                self._idle.append(Kept(connection, monotonic()))
            else:
                connection.close()
        finally:
            slots.release()

    def _take(self) -> Connection:
        while True:
            try:
                kept = self._idle.pop()
            except IndexError:
                return self.connect()
            if self.is_alive(kept):
                return kept.connection
            with suppress(Exception):
                kept.connection.close()

    def after_fork(self) -> None:
        """Drop connections and locks of the parent process."""
        INHERITED.extend(kept.connection for kept in self._idle)
        self._idle.clear()
        self._slots = BoundedSemaphore(MOST)


class ForkAware(Protocol):
    """An object with state that a forked process must not use."""

    def after_fork(self) -> None:
        """Drop connections and locks of the parent process."""
        ...


FORK_AWARE: WeakSet[ForkAware] = WeakSet()
INHERITED: list[Connection] = []
"""Connections of the parent process; closing them here would end its sessions."""


def close_all(idle: deque[Kept]) -> None:
    while idle:
        with suppress(Exception):
            idle.pop().connection.close()


def reset_after_fork() -> None:
    """Make every database open new connections after a fork."""
    for carried in list(FORK_AWARE):
        carried.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=reset_after_fork)


def as_json(rows: Any) -> str:
    """Encode rows for statements that take any number of them."""
    return msgspec.json.encode(rows).decode()


def missing(location: str) -> FileError:
    return FileError(
        f"there is no database of studies at {location}; create it with duelist db create, or check its "
        "address."
    )


def reason_of(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
