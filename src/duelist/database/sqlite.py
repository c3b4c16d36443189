"""A database in a file of SQLite, on a local disk: set so that what was committed is on disk."""

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
"""Kinds of file systems that several machines may write to: SQLite's locks cannot be relied on there."""
MOUNTS = Path("/proc/self/mounts")


STUDY = "SELECT id, name, last FROM studies WHERE name = ?"
FIND = """
SELECT study, seq, event FROM json_each(:keys) AS given CROSS JOIN studies CROSS JOIN events
WHERE name = json_extract(given.value, '$[0]') AND events.key = json_extract(given.value, '$[1]')
AND study + 0 = studies.id
"""
INSERT = "INSERT INTO events (study, seq, key, event) VALUES (?, ?, ?, ?)"
LOOK_EVERY = 0.05
"""Seconds after which a reader looks again whether the file is still the same one."""
_encode = msgspec.json.Encoder().encode


class SqliteFile(Connections):
    """Connections to a file of SQLite, which is made if it is not there.

    Parameters
    ----------
    path : path
        The file.
    create : bool
        Whether it may be made.
    """

    is_shared = False
    begin_writing = "BEGIN IMMEDIATE"  # waits for its turn at once, for later is too late
    begin_reading = "BEGIN"
    find = FIND
    words: ClassVar = {
        "number": "integer PRIMARY KEY AUTOINCREMENT",  # that of a study that was removed is not given again
        "bytes": "blob",
        "clustered": "WITHOUT ROWID",
    }

    def __init__(self, path: str | os.PathLike[str], create: bool) -> None:
        text = os.fspath(path)
        if not text or "\0" in text:
            raise ParameterError(f"give the path of a database, or postgresql://...; got {text!r}.")
        self._path = Path(os.path.abspath(text))
        super().__init__(str(self._path))
        if not create and not self._path.exists():
            raise missing(self.place)
        require_place(self._path)
        self._file: tuple[int, int] | None = None
        self._turn = Lock()
        """Held by who writes: it is one connection that writes, so that others' changes can be told apart."""
        self._writer: sqlite3.Connection | None = None
        self._writers = 0
        self._looked = -inf

    def connect(self) -> sqlite3.Connection:
        """Return a new connection."""
        if self._file is None and not self._path.exists():
            # tickets' keys are in it: readable by its owner alone
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
        """Open a transaction for the block: at its end all that is written in it is on disk, or nothing."""
        with self._turn:
            try:
                connection = self._writing_connection()
                connection.execute(self.begin_writing)
                yield connection
                self._require_same()
                connection.execute("COMMIT")
            except BaseException as error:
                self._close_writer()
                with (
                    self.plain_errors()
                ):  # which takes as long as a statement, and is entered when it is needed
                    raise error

    def changes(self) -> tuple[int, int] | None:
        """Return what is another one after others wrote, but for who writes here; None while one does."""
        if not self._turn.acquire(blocking=False):
            return None
        try:
            if monotonic() - self._looked > LOOK_EVERY:
                self._require_same()
            # changes are counted for one connection, and only those by others
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
        """Return studies by their names, and events by their keys. See `Connections.look_up`."""
        studies = [row for name in names for row in connection.execute(STUDY, (name,)).fetchall()]
        return studies, connection.execute(FIND, {"keys": _encode(keys).decode()}).fetchall() if keys else []

    def insert_events(self, connection: Connection, rows: Sequence[EventRow]) -> None:
        """Write events."""
        connection.executemany(INSERT, rows)

    def tables(self, connection: Connection) -> set[str]:
        """Return the names of all tables."""
        found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return {name for (name,) in found if not name.startswith("sqlite_")}

    def lock_tables(self, connection: Connection) -> None:
        """Do nothing: who writes is alone."""

    def settle(self) -> None:
        """Let SQLite write ahead of its file from now on, so that readers and a writer work side by side."""
        until = monotonic() + connections.WAIT
        while True:
            try:
                with self._lent() as connection:
                    connection.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                # for this alone SQLite does not wait until others have done the same
                if code_of(error) != sqlite3.SQLITE_BUSY or monotonic() > until:
                    raise
                sleep(0.01)

    def errors(self) -> tuple[type[Exception], ...]:
        """Return what the driver raises."""
        return (sqlite3.Error,)

    def is_of_one(self, error: BaseException | None) -> bool:
        """Return whether an error is about what was written, rather than about the database."""
        return isinstance(error, sqlite3.DataError | sqlite3.IntegrityError)

    def refusal(self, error: Exception) -> FileError:
        """Return what the database refused, and what to do."""
        code, reason, remedy = code_of(error), reason_of(error), REMEDY
        if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
            return FileError(f"{self.place} is not a database, or is damaged ({reason}); restore a backup.")
        if code == sqlite3.SQLITE_FULL:
            remedy = "make room, then try again"
        elif code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            remedy = "another process has been writing for long; end it, or try again"
        return StorageError(f"{self.place}: {reason}; {remedy}.")

    def close(self) -> None:
        """Close all connections that nobody uses."""
        with self._turn:
            self._close_writer()
        super().close()

    def begin_anew(self) -> None:
        """Wait for nobody of the process that this one was forked from, and use nothing of it."""
        super().begin_anew()
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
        """Refuse to go on with a file that was removed or replaced: what is written there is lost."""
        try:
            status = os.stat(self._path)
        except FileNotFoundError:
            status = None
        file = None if status is None else (status.st_dev, status.st_ino)
        self._looked = monotonic()
        if self._file is None:
            self._file = file
        elif file != self._file:
            raise RemovedError(f"{self.place} was removed or replaced while it was open; open it again.")


def require_place(path: Path) -> None:
    """Refuse where no file of SQLite can be."""
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


def code_of(error: BaseException) -> int:
    """Return which kind of error SQLite met."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF


def network_kind(path: str | os.PathLike[str], mounts: str | None = None) -> str | None:
    r"""Return the kind of network file system that a path is on; None for a local one, or where unknown.

    Parameters
    ----------
    path : path
        A file or folder, which need not be there.
    mounts : str, optional
        What is mounted where, as in /proc/self/mounts.

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
    place = os.path.realpath(path)
    deepest, found = -1, None
    for line in mounts.splitlines():
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        point = fields[1].replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\")
        inside = point == "/" or place == point or place.startswith(f"{point}/")
        if inside and len(point) >= deepest:  # of two mounted at one point, the later hides the earlier
            deepest, found = len(point), fields[2]
    return found if found in NETWORK else None
