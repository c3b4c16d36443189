"""A journal in a file of JSON lines, which several processes may share."""

import errno
import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from operator import index
from pathlib import Path
from threading import Lock

from duelist.errors import FileError
from duelist.journal.beside import KeyFile, SnapshotFile
from duelist.journal.codec import encode
from duelist.journal.events import Event
from duelist.journal.following import Follower
from duelist.journal.lines import append_lines, cut_tail, exclusively, is_beginning, opened, sync_folder
from duelist.journal.protocol import Recorded, numbered

PATIENCE = 60.0
"""Seconds for which another process may keep the journal to itself."""
NO_ROOM = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)


class JsonLinesJournal:
    """A journal in a file, one event a line, which several threads and processes may share.

    An event that was appended is on disk. Beside the file lie `<path>.lock`, by which writers take turns, and
    `<path>.index`, a cache that is built again where it is missing. The folder must be there.

    Parameters
    ----------
    path : str or os.PathLike
        The file; it is made when the first event is appended.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from duelist.journal import Answered, Created
    >>> with TemporaryDirectory() as folder:
    ...     journal = JsonLinesJournal(Path(folder) / "votes.jsonl")
    ...     number = journal.append(
    ...         [
    ...             Created(format=1, study="0" * 32, seed=1, learner={}, choices={}, package="0.1.0"),
    ...             Answered(ticket="dB1", left=0, right=3, outcome=1.0),
    ...         ]
    ...     )
    ...     print(number, journal.path.read_text().splitlines()[1])
    2 {"event":"answered","ticket":"dB1","left":0,"right":3,"outcome":1.0}
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        # the same files under every name, and after a change of the working directory
        self._file = Path(os.path.realpath(self.path))
        self._follower = Follower(self._file, self.path, self._beside("index"))
        self.key_store = KeyFile(Path(f"{self.path}.key"))
        self.snapshot_store = SnapshotFile(Path(f"{self.path}.snapshot"))
        self._lock = Lock()
        self._turn = Lock()
        self._is_writing = False

    def __str__(self) -> str:
        """Return the path as it was given."""
        return str(self.path)

    def append(self, events: Sequence[Event]) -> int:
        """Append all events or none, durably; return the number of the last. See `Journal.append`."""
        events = [*events]
        lines = [encode(event) for event in events]
        try:
            if lines:
                with self._turn, self._only_writer():
                    return self._append(events, lines)
            with self._lock:
                self._look()
                return self._follower.covered.seq
        except OSError as error:
            raise self._refusal(error) from error

    def read(self, since: int = 0, keys: Collection[str] | None = None) -> list[Recorded]:
        """Return the events after number `since`, in order. See `Journal.read`."""
        since = max(index(since), 0)
        try:
            with self._lock:
                if keys is None:
                    return self._read_after(since)
                self._look(thoroughly=True)
                return [recorded for recorded in self._follower.find(set(keys)) if recorded.seq > since]
        except OSError as error:
            raise self._refusal(error) from error

    def _append(self, events: Sequence[Event], lines: Sequence[bytes]) -> int:
        try:
            with self._lock:
                self._look(thoroughly=True)
                last = self._follower.covered.seq
                stored = self._follower.find({event.key for event in events if event.key is not None})
                numbered(events, last, {str(one.event.key): one for one in stored})
                self._is_writing = True
            self._write(lines)
        finally:
            self._is_writing = False
        # the events are on disk, whatever becomes of the index
        with suppress(FileError, OSError), self._lock:
            self._look(thoroughly=True)
        return last + len(lines)

    def _read_after(self, since: int) -> list[Recorded]:
        before = self._follower.covered
        fresh = self._look(keep=True)
        covered = self._follower.covered
        if since >= covered.seq:
            return []
        if fresh and fresh[0].seq <= since + 1:
            return fresh[since + 1 - fresh[0].seq :]
        known = {before.seq: before.end, covered.seq - 1: covered.start}
        return self._follower.read_after(since, known.get(since))

    def _look(self, *, thoroughly: bool = False, keep: bool = False) -> list[Recorded]:
        """Look at what was appended; not while this process writes, because that may be taken back."""
        return [] if self._is_writing else self._follower.look(thoroughly=thoroughly, keep=keep)

    def _write(self, lines: Sequence[bytes]) -> None:
        """Write lines after the last whole one, to the disk."""
        covered = self._follower.covered
        creating = 0 if covered.seq else os.O_CREAT
        with opened(self._file, os.O_RDWR | creating) as file:
            status = os.fstat(file)
            if covered.seq and (str(status.st_ino) != covered.inode or status.st_size < covered.end):
                raise self._follower.replaced()
            if covered.seq == 0:
                sync_folder(self._file.parent)
            if covered.seq == 0 and not is_beginning(file):
                raise FileError(f"{self.path} is not a journal; name another file.")
            if status.st_size > covered.end:
                cut_tail(file, covered.end, status.st_size, self._beside("torn"))
            append_lines(file, covered.end, lines)

    @contextmanager
    def _only_writer(self) -> Iterator[None]:
        """Let no other process append during the block; one that is killed lets go."""
        # importing it takes longer than everything else here, and readers do not need it
        from filelock import FileLock, Timeout

        # the lock would make the folder
        if not self._file.parent.is_dir():
            raise FileError(f"{self.path}: there is no folder {self.path.parent}; make it first.")
        lock = FileLock(self._beside("lock"), timeout=PATIENCE, poll_interval=0.001)
        try:
            lock.acquire()
        except Timeout:
            raise FileError(
                f"another process has been writing to {self.path} for {PATIENCE:.0f} seconds; "
                "end it, then try again."
            ) from None
        try:
            with exclusively(self._file):
                yield
        finally:
            lock.release()

    def _beside(self, kind: str) -> Path:
        """Return the path of a file that lies beside the journal."""
        return self._file.with_name(f"{self._file.name}.{kind}")

    def _refusal(self, error: OSError) -> FileError:
        """Return what the system refused, and what to do."""
        remedy = "choose a file that can be read and written, in a folder that can be written to"
        if error.errno in NO_ROOM:
            remedy = "make room, then try again"
        return FileError(f"{self.path}: {error.strerror}; {remedy}.")
