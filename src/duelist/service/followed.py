"""A journal as far as it was fetched: readers never wait for the database."""

from collections.abc import Collection, Sequence
from concurrent.futures import Executor
from contextlib import suppress

from duelist.database import Database, DatabaseJournal
from duelist.errors import StorageError
from duelist.journal import Event, Recorded
from duelist.journal.protocol import SnapshotStore


class FollowedJournal(DatabaseJournal):
    """A journal that reads from the database only when `fetch` is called.

    Parameters
    ----------
    database : Database
        The database with the study.
    name : str
        The study's name.
    threads : Executor
        Writes snapshots in the background.
    """

    def __init__(self, database: Database, name: str, threads: Executor) -> None:
        super().__init__(database, name)
        if self.snapshot_store is not None:
            self.snapshot_store = BackgroundSnapshots(self.snapshot_store, threads)

    def read(self, since: int = 0, keys: Collection[str] | None = None) -> list[Recorded]:
        """Return fetched events after number `since`; events by key are looked up in the database."""
        if keys is not None or not self.is_begun:
            return super().read(since, keys)
        return self.recent(since)

    def append(self, events: Sequence[Event]) -> int:
        """Append all events or none, then fetch new events."""
        last = super().append(events)
        self.fetch()
        return last


class BackgroundSnapshots:
    """A snapshot store that writes in a background thread."""

    def __init__(self, store: SnapshotStore, threads: Executor) -> None:
        self._store, self._threads = store, threads

    def read(self) -> bytes:
        return self._store.read()

    def write(self, seq: int, body: bytes) -> None:
        self._threads.submit(self._write, seq, body)

    def _write(self, seq: int, body: bytes) -> None:
        with suppress(StorageError):  # a lost snapshot only costs time
            self._store.write(seq, body)
