"""The index beside a journal of lines: where each line begins and which key it has, in SQLite.

It is a cache and never the truth. Every use first asks how far it goes, compares that with the file, and
follows the file from there. It needs no sync of its own: after a crash it may be behind, and catches up.
"""

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from weakref import finalize

VERSION = 1
PATIENCE = 30.0
"""Seconds for which another process may keep the index locked, such as while it rebuilds a long one."""
TABLES = """
CREATE TABLE IF NOT EXISTS lines (seq INTEGER PRIMARY KEY, start INTEGER NOT NULL, key TEXT UNIQUE);
CREATE TABLE IF NOT EXISTS covered
    (seq INTEGER, end INTEGER, start INTEGER, digest BLOB, inode TEXT, changed INTEGER);
"""
FIND = """
SELECT found.seq, found.start, coalesce(next.start, (SELECT end FROM covered), found.start)
FROM lines found LEFT JOIN lines next ON next.seq = found.seq + 1
WHERE found.key = ?
"""
UNWRITABLE = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_READONLY,
}
"""Errors after which a new file would be of no use, and the old one may be of use to others."""

T = TypeVar("T")


class Covered(NamedTuple):
    """How far a file is known: so many lines, up to a byte; where the last begins, and a digest of it.

    The file's inode and the time of its last change tell whether somebody replaced or edited it.
    """

    seq: int = 0
    end: int = 0
    start: int = 0
    digest: bytes = b""
    inode: str = ""
    changed: int = 0


class Span(NamedTuple):
    """Where a line is: its number, where it begins and where it ends."""

    seq: int
    start: int
    end: int


class LineIndex:
    """An index in a file, or in memory where there can be no file."""

    def __init__(self, path: Path) -> None:
        self._path: Path | None = path
        self._connection: sqlite3.Connection | None = None
        self._owner = 0

    def attempt(self, work: Callable[[], T]) -> T:
        """Do work that uses the index: if it fails, with a new index, and at last with one in memory."""
        for is_last in (False, True):
            try:
                return work()
            except sqlite3.Error as error:
                # errors that this package raises have no code: the index is not what it should be
                code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
                self._leave()
                if is_last or code in UNWRITABLE:
                    self._path = None
                else:
                    self._remove()
        return work()

    def covered(self) -> Covered:
        """Return how far the index goes."""
        row = self._database().execute("SELECT * FROM covered").fetchone()
        if row is None:
            return Covered()
        if [type(value) for value in row] != [int, int, int, bytes, str, int]:
            raise sqlite3.DatabaseError("not what an index holds")
        return Covered(*row)

    def find(self, key: str) -> Span | None:
        """Return where the line with a key is."""
        row = self._database().execute(FIND, (key,)).fetchone()
        return None if row is None else Span(*require_places(row))

    def start_of(self, seq: int) -> int | None:
        """Return where a line begins."""
        row = self._database().execute("SELECT start FROM lines WHERE seq = ?", (seq,)).fetchone()
        return None if row is None else require_places(row)[0]

    @contextmanager
    def changing(self) -> Iterator[Covered]:
        """Let nobody else change the index during the block; all its changes are made, or none."""
        database = self._database()
        database.execute("BEGIN IMMEDIATE")
        try:
            yield self.covered()
            database.execute("COMMIT")
        except BaseException:
            if database.in_transaction:
                database.execute("ROLLBACK")
            raise

    def clear(self) -> None:
        """Forget all lines."""
        self._database().execute("DELETE FROM lines")
        self._database().execute("DELETE FROM covered")

    def add(self, lines: Iterable[tuple[int, int, str | None]]) -> None:
        """Add lines: number, place, key; sqlite3.IntegrityError where a key is there already."""
        self._database().executemany("INSERT INTO lines VALUES (?, ?, ?)", lines)

    def cover(self, covered: Covered) -> None:
        """Write down how far the index goes."""
        self._database().execute("DELETE FROM covered")
        self._database().execute("INSERT INTO covered VALUES (?, ?, ?, ?, ?, ?)", covered)

    def _database(self) -> sqlite3.Connection:
        """Return the connection of this process: one must not be carried into a forked process."""
        if self._connection is None or self._owner != os.getpid():
            self._connection, self._owner = None, os.getpid()
            self._connection = self._connect()
        return self._connection

    def _connect(self) -> sqlite3.Connection:
        if self._path is not None and not self._path.exists():
            self._remove()
        connection = sqlite3.connect(
            ":memory:" if self._path is None else self._path,
            timeout=PATIENCE,
            isolation_level=None,
            check_same_thread=False,
        )
        finalize(self, close_in, os.getpid(), connection)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version == 0:
            connection.executescript(f"{TABLES} PRAGMA user_version = {VERSION};")
        elif version != VERSION:
            raise sqlite3.DatabaseError("an index of another version")
        return connection

    def _leave(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def _remove(self) -> None:
        """Remove the files of the index; a log without its database would be taken for part of a new one."""
        if self._path is not None:
            for ending in ("", "-wal", "-shm"):
                with suppress(OSError):
                    os.unlink(f"{self._path}{ending}")


def require_places(row: tuple[Any, ...]) -> tuple[int, ...]:
    """Return numbers from an index, or refuse what somebody else wrote into it."""
    if not all(type(number) is int and number >= 0 for number in row):
        raise sqlite3.DatabaseError("not what an index holds")
    return row


def close_in(process: int, connection: sqlite3.Connection) -> None:
    """Close a connection in the process that opened it."""
    if os.getpid() == process:
        connection.close()
