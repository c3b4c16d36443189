"""SQLite in a file on a local disk, configured so that commits are on disk."""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from math import inf
from pathlib import Path
from threading import Lock
from time import monotonic, sleep
from typing import Any, ClassVar

import msgspec

from duelist.database import connections
from duelist.database.connections import (
    INHERITED,
    REMEDY,
    Connection,
    Connections,
    EventRow,
    missing,
    reason_of,
)
from duelist.errors import FileError, ParameterError, RemovedError, StorageError

NETWORK = {
    *("9p", "afs", "beegfs", "ceph", "cifs", "coda", "davfs", "fuse.ceph", "fuse.glusterfs", "fuse.rclone"),
    *("fuse.s3fs", "fuse.sshfs", "gfs2", "glusterfs", "lustre", "ncpfs", "nfs", "nfs4", "ocfs2", "orangefs"),
    *("smb3", "smbfs", "virtiofs", "vboxsf"),
}
"""Network file systems, on which SQLite's locks are unreliable."""
MOUNTS = Path("/proc/self/mounts")


STUDY = "SELECT id, name, last FROM studies WHERE name = ?"
FIND = """
SELECT study, seq, event FROM json_each(:keys) AS given CROSS JOIN studies CROSS JOIN events
WHERE name = json_extract(given.value, '$[0]') AND events.key = json_extract(given.value, '$[1]')
AND study + 0 = studies.id
"""
INSERT = "INSERT INTO events (study, seq, key, event) VALUES (?, ?, ?, ?)"
LOOK_EVERY = 0.05
"""Seconds between checks that the file was not replaced."""
_encode = msgspec.json.Encoder().encode


class SqliteFile(Connections):
    """Connections to an SQLite file, which is created if missing.

    Parameters
    ----------
    path : path
        The file.
    create : bool
        Whether it may be created.
    """

    is_shared = False
    begin_writing = "BEGIN IMMEDIATE"  # takes the lock at once: upgrading a read lock later can fail
    begin_reading = "BEGIN"
    find = FIND
    words: ClassVar = {
        "number": "integer PRIMARY KEY AUTOINCREMENT",  # numbers of removed studies are not reused
        "bytes": "blob",
        "clustered": "WITHOUT ROWID",
    }

    def __init__(self, path: str | os.PathLike[str], create: bool) -> None:
        text = os.fspath(path)
        if not text or "\0" in text:
            raise ParameterError(
                f"location must be the path of a database, or postgresql://...; got {text!r}."
            )
        self._path = Path(os.path.abspath(text))
        self._file: tuple[int, int] | None = None
        self._turn = Lock()
        """Held while writing: all writes use one connection, which tells them from writes of other
        processes."""
        self._writer: sqlite3.Connection | None = None
        self._writers = 0
        self._looked = -inf
        super().__init__(str(self._path))
        if not create and not self._path.exists():
            raise missing(self.location)
        require_usable(self._path)

    def connect(self) -> sqlite3.Connection:
        if self._file is None and not self._path.exists():
            # it holds ticket keys: readable by its owner only
            os.close(os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600))
        self._require_same()
        connection = sqlite3.connect(
            self._path, timeout=connections.WAIT, isolation_level=None, check_same_thread=False
        )
        for setting in ("synchronous = FULL", "foreign_keys = ON"):
            connection.execute(f"PRAGMA {setting}")
        return connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open a transaction for the block; at its end everything written is on disk, or nothing."""
        with self._turn:
            try:
                connection = self._writing_connection()
                connection.execute(self.begin_writing)
                yield connection
                self._require_same()
                connection.execute("COMMIT")
            except BaseException as error:
                self._close_writer()
                # entered only here, because it costs as much time as a statement
                with self.plain_errors():
                    raise error

    def changes(self) -> tuple[int, int] | None:
        """Return a value that changes when other processes write; None while this process writes."""
        if not self._turn.acquire(blocking=False):
            return None
        try:
            if monotonic() - self._looked > LOOK_EVERY:
                self._require_same()
            # data_version counts, per connection, the changes made by others
            version = self._writing_connection().execute("PRAGMA data_version").fetchone()
            return self._writers, version[0]
        except (sqlite3.Error, OSError) as error:
            with self.plain_errors():
                raise error
        finally:
            self._turn.release()

    def look_up(
        self, connection: Connection, names: Sequence[str], keys: Sequence[tuple[str, str]]
    ) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
        """Return studies by name, and events by key. See `Connections.look_up`."""
        studies = [row for name in names for row in connection.execute(STUDY, (name,)).fetchall()]
        return studies, connection.execute(FIND, {"keys": _encode(keys).decode()}).fetchall() if keys else []

    def insert_events(self, connection: Connection, rows: Sequence[EventRow]) -> None:
        connection.executemany(INSERT, rows)

    def tables(self, connection: Connection) -> set[str]:
        found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return {name for (name,) in found if not name.startswith("sqlite_")}

    def lock_tables(self, connection: Connection) -> None:
        """Do nothing: a writer is alone."""

    def configure(self) -> None:
        """Enable the write-ahead log, with which readers and a writer work at the same time."""
        until = monotonic() + connections.WAIT
        while True:
            try:
                with self._lent() as connection:
                    connection.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                # SQLite does not apply its busy time-out to this statement
                if code_of(error) != sqlite3.SQLITE_BUSY or monotonic() > until:
                    raise
                sleep(0.01)

    def errors(self) -> tuple[type[Exception], ...]:
        return (sqlite3.Error,)

    def is_of_one(self, error: BaseException | None) -> bool:
        """Return whether an error is due to the data written, rather than to the database."""
        return isinstance(error, sqlite3.DataError | sqlite3.IntegrityError)

    def translate(self, error: Exception) -> FileError:
        """Return an error of the driver as one of the package, with a remedy."""
        code, reason, remedy = code_of(error), reason_of(error), REMEDY
        if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
            return FileError(
                f"{self.location} is not a database, or is damaged ({reason}); restore a backup."
            )
        if code == sqlite3.SQLITE_FULL:
            remedy = "free disk space, then try again"
        elif code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            remedy = "another process has held the lock for too long; end it, or try again"
        return StorageError(f"{self.location}: {reason}; {remedy}.")

    def close(self) -> None:
        """Close all idle connections."""
        with self._turn:
            self._close_writer()
        super().close()

    def after_fork(self) -> None:
        """Drop connections and locks of the parent process."""
        super().after_fork()
        self._turn = Lock()
        if self._writer is not None:
            INHERITED.append(self._writer)
            self._writer = None

    def _writing_connection(self) -> sqlite3.Connection:
        if self._writer is None:
            self._writer = self.connect()
            self._writers += 1
        return self._writer

    def _close_writer(self) -> None:
        writer, self._writer = self._writer, None
        if writer is not None:
            with suppress(sqlite3.Error):
                writer.close()

    def _require_same(self) -> None:
        """Raise RemovedError if the file was removed or replaced: writes to it would be lost."""
        try:
            status = os.stat(self._path)
        except FileNotFoundError:
            status = None
        file = None if status is None else (status.st_dev, status.st_ino)
        self._looked = monotonic()
        if self._file is None:
            self._file = file
        elif file != self._file:
            raise RemovedError(f"{self.location} was removed or replaced while it was open; open it again.")


def require_usable(path: Path) -> None:
    """Check that an SQLite file can be at a path."""
    kind = network_kind(path)
    if kind is not None:
        raise FileError(
            f"{path} is on a network file system ({kind}), where SQLite can lose data; choose a local disk, "
            "or PostgreSQL: postgresql://..."
        )
    if not path.parent.is_dir():
        raise FileError(f"{path}: there is no folder {path.parent}; create it first.")
    if path.is_dir():
        raise FileError(f"{path} is a folder; give a file in it, such as {path / 'studies.db'}.")


def code_of(error: BaseException) -> int:
    """Return the primary error code of SQLite."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF


def network_kind(path: str | os.PathLike[str], mounts: str | None = None) -> str | None:
    r"""Return the network file system that a path is on; None if it is local or unknown.

    Parameters
    ----------
    path : path
        A file or folder, which need not exist.
    mounts : str, optional
        The mount table, in the format of /proc/self/mounts.

    Examples
    --------
    >>> network_kind("/srv/votes/studies.db", "/dev/sda1 / ext4 rw 0 0\nnas:/votes /srv/votes nfs4 rw 0 0")
    'nfs4'
    """
    if mounts is None:
        try:
            mounts = MOUNTS.read_text(errors="surrogateescape")
        except OSError:
            return None
    resolved = os.path.realpath(path)
    deepest, found = -1, None
    for line in mounts.splitlines():
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        point = fields[1].replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\")
        inside = point == "/" or resolved == point or resolved.startswith(f"{point}/")
        if inside and len(point) >= deepest:  # of two mounted at one point, the later hides the earlier
            deepest, found = len(point), fields[2]
    return found if found in NETWORK else None
