"""Connections to a database, of SQLite or PostgreSQL: a pool of them, transactions, errors in words."""

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
"""Seconds for which another process may keep the database locked."""
MOST = 32
"""Connections that are used at once; who wants one more waits."""
IDLE = 8
"""Connections that are kept for the next who want one."""
REMEDY = "see that the database can be reached and written to, then try again"


class Cursor(Protocol):
    """What a statement gave."""

    def fetchone(self) -> tuple[Any, ...] | None:
        """Return the next row; None after the last."""
        ...

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Return all rows that are left."""
        ...


class Connection(Protocol):
    """What statements are sent through; their values stand in them by name, as `:name`."""

    def execute(self, statement: str, values: Mapping[str, object] | Sequence[object] = ..., /) -> Cursor:
        """Execute a statement."""
        ...

    def executemany(self, statement: str, rows: Sequence[Sequence[object]], /) -> object:
        """Execute a statement for each row of values."""
        ...

    def close(self) -> None:
        """Close it; what was not committed is taken back."""
        ...


EventRow = tuple[int, int, str | None, str]
"""An event as the number of its study, its own, its key and its line."""


class Kept(NamedTuple):
    """A connection that nobody uses, and since when."""

    connection: Connection
    since: float


class Connections(ABC):
    """Connections to one database: made when they are needed, kept, and used by one thread at a time.

    Parameters
    ----------
    place : str
        What the database is called in errors.
    """

    is_shared: ClassVar[bool]
    """Whether several machines may use it."""
    begin_writing: ClassVar[str]
    begin_reading: ClassVar[str]
    find: ClassVar[str]
    """Finds events by `keys`, a list in JSON of pairs of a study's name and a key.

    The study is compared as a sum, so that no index can be used for it: databases take studies to be short,
    and would rather read one as a whole than look up a few keys.
    """
    words: ClassVar[Mapping[str, str]]
    """What it calls the types of columns."""

    def __init__(self, place: str) -> None:
        self.place = place
        self._idle: deque[Kept] = deque()
        self._slots = BoundedSemaphore(MOST)
        CARRIED.add(self)
        finalize(self, close_all, self._idle)

    @abstractmethod
    def connect(self) -> Connection:
        """Return a new connection."""

    @abstractmethod
    def errors(self) -> tuple[type[Exception], ...]:
        """Return what the driver raises."""

    @abstractmethod
    def refusal(self, error: Exception) -> FileError:
        """Return what the database refused, and what to do."""

    @abstractmethod
    def is_of_one(self, error: BaseException | None) -> bool:
        """Return whether an error is about what was written, rather than about the database."""

    @abstractmethod
    def look_up(
        self, connection: Connection, names: Sequence[str], keys: Sequence[tuple[str, str]]
    ) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
        """Return number, name and last event of studies by their names, and number, seq and line of events.

        Until the end of the transaction nobody else appends to these studies.
        """

    @abstractmethod
    def insert_events(self, connection: Connection, rows: Sequence[EventRow]) -> None:
        """Write events."""

    def is_alive(self, kept: Kept) -> bool:
        """Return whether a connection that was kept can be used."""
        return True

    def changes(self) -> tuple[int, int] | None:
        """Return what is another one after other processes wrote; None where it takes reading to know."""
        return None

    @abstractmethod
    def tables(self, connection: Connection) -> set[str]:
        """Return the names of all tables."""

    @abstractmethod
    def lock_tables(self, connection: Connection) -> None:
        """Let nobody else change the tables until the end of the transaction."""

    @abstractmethod
    def settle(self) -> None:
        """Do what needs to be done once it is known whose database it is."""

    def together(self, connection: Connection) -> AbstractContextManager[object]:
        """Let statements of the block be sent without waiting for each, where that saves time."""
        return nullcontext()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Lend a connection to read from during the block."""
        with self.plain_errors(), self._lent() as connection:
            yield connection

    @contextmanager
    def reading_at_once(self) -> Iterator[Connection]:
        """Lend a connection that sees, during the block, what was there when it began to read."""
        with self.reading() as connection:
            connection.execute(self.begin_reading)
            yield connection
            connection.execute("ROLLBACK")

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open a transaction for the block: at its end all that is written in it is on disk, or nothing."""
        with self.plain_errors(), self._lent() as connection, self.together(connection):
            connection.execute(self.begin_writing)
            yield connection
            connection.execute("COMMIT")

    @contextmanager
    def plain_errors(self) -> Iterator[None]:
        """Turn what a database refuses in the block into one line that says what to do."""
        try:
            yield
        except self.errors() as error:
            raise self.refusal(error) from error
        except OSError as error:
            raise StorageError(f"{self.place}: {error.strerror or error}; {REMEDY}.") from error

    def close(self) -> None:
        """Close all connections that nobody uses."""
        close_all(self._idle)

    @contextmanager
    def _lent(self) -> Iterator[Connection]:
        """Lend a connection for the block; after any error it is closed, and another one is used next."""
        slots = self._slots
        if not slots.acquire(timeout=WAIT):
            raise StorageError(
                f"{self.place}: all connections have been in use for {WAIT:.0f} seconds; try again."
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

    def begin_anew(self) -> None:
        """Wait for nobody of the process that this one was forked from, and use nothing of it."""
        INHERITED.extend(kept.connection for kept in self._idle)
        self._idle.clear()
        self._slots = BoundedSemaphore(MOST)


class Carried(Protocol):
    """What a process carries into those that are forked from it."""

    def begin_anew(self) -> None:
        """Wait for nobody of the other process, and use nothing of it."""
        ...


CARRIED: WeakSet[Carried] = WeakSet()
INHERITED: list[Connection] = []
"""Connections of another process: to close them here would be to say goodbye in its name."""


def close_all(idle: deque[Kept]) -> None:
    """Close connections."""
    while idle:
        with suppress(Exception):
            idle.pop().connection.close()


def begin_all_anew() -> None:
    """Let every database make new connections after a fork."""
    for carried in list(CARRIED):
        carried.begin_anew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=begin_all_anew)


def as_json(rows: Any) -> str:
    """Return rows as statements for any number of them take them."""
    return msgspec.json.encode(rows).decode()


def missing(place: str) -> FileError:
    """Return that there is no database, and how to make one."""
    return FileError(f"there is no database of studies at {place}; duelist db create makes one.")


def reason_of(error: Exception) -> str:
    """Return the first line of an error."""
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
