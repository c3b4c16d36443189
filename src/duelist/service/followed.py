"""A journal as far as it was fetched: who reads it never waits for the database."""

from collections.abc import Collection, Sequence
from concurrent.futures import Executor
from contextlib import suppress

from duelist.database import Database, DatabaseJournal
from duelist.errors import StorageError
from duelist.journal import Event, Recorded
from duelist.journal.protocol import SnapshotStore


class FollowedJournal(DatabaseJournal):
    """A journal that reads from the database only when it is told to, by `fetch`.

    Parameters
    ----------
    database : Database
        Where it is.
    name : str
        The study's name.
    threads : Executor
        Where snapshots are written, for which nobody waits.
    """

    def __init__(self, database: Database, name: str, threads: Executor) -> None:
        super().__init__(database, name)
        if self.snapshot_store is not None:
            self.snapshot_store = WrittenLater(self.snapshot_store, threads)

    def read(self, since: int = 0, keys: Collection[str] | None = None) -> list[Recorded]:
        """Return the events after number `since` that were fetched; those with keys are looked up."""
        if keys is not None or not self.is_begun:
            return super().read(since, keys)
        return self.recent(since)

    def append(self, events: Sequence[Event]) -> int:
        """Append all events or none, and fetch what is new."""
        last = super().append(events)
        self.fetch()
        return last


class WrittenLater:
    """A place for snapshots that are written when a thread has time."""

    def __init__(self, store: SnapshotStore, threads: Executor) -> None:
        self._store, self._threads = store, threads

    def read(self) -> bytes:
        """Return the last snapshot; nothing if there is none."""
        return self._store.read()

    def write(self, seq: int, body: bytes) -> None:
        """Have a snapshot kept."""
        self._threads.submit(self._write, seq, body)

    def _write(self, seq: int, body: bytes) -> None:
        with suppress(StorageError):  # a snapshot saves time and nothing else
            self._store.write(seq, body)
