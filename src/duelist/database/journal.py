"""The journal of one study in a database."""

from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from operator import index
from threading import Lock
from typing import TYPE_CHECKING, Any

from duelist.database.commits import Request, removed
from duelist.database.connections import FORK_AWARE, Connections, as_json
from duelist.database.open_duels import SharedOpenDuels
from duelist.errors import FileError, StorageError
from duelist.journal import Event, Journal, Recorded
from duelist.journal.codec import decode
from duelist.journal.protocol import SnapshotStore

if TYPE_CHECKING:
    from duelist.database.database import Database

MOST_RECENT = 1_000
"""Number of recent events kept in memory (up to twice as many), to save reads."""

NUMBER = "SELECT id FROM studies WHERE name = :name"
LAST = "SELECT last FROM studies WHERE id = :study"
# one row without an event if there is nothing new; no row if there is no study
READ = (
    "SELECT seq, event FROM studies LEFT JOIN events ON study = id AND seq > :since "
    "WHERE id = :study ORDER BY seq"
)
SNAPSHOT = (
    "SELECT body FROM snapshots JOIN studies ON studies.id = snapshots.study WHERE studies.name = :name"
)
KEEP = (
    "INSERT INTO snapshots (study, seq, body) SELECT id, :seq, :body FROM studies WHERE name = :name "
    "ON CONFLICT (study) DO UPDATE SET seq = excluded.seq, body = excluded.body "
    "WHERE snapshots.seq < excluded.seq"
)


class DatabaseJournal(Journal):
    """A journal in a database of SQLite or PostgreSQL, which threads, processes and machines may share.

    Parameters
    ----------
    database : Database
        The database.
    name : str
        The study's name in the database; the study is created when the first event is appended.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from duelist import Study
    >>> from duelist.database import Database
    >>> with TemporaryDirectory() as folder, Database(f"{folder}/studies.db") as database:
    ...     study = Study(arms=["tea", "coffee"], journal=database.journal("drinks"))
    ...     study.tell(study.ask(), "left")
    ...     print(Study.open(database.journal("drinks")).answers)
    1
    """

    def __init__(self, database: "Database", name: str) -> None:
        self.database, self.name = database, name
        self.key_store = database.ticket_keys
        self.snapshot_store: SnapshotStore | None = SnapshotRow(database.connections, name)
        self.open_duels = SharedOpenDuels(database, name) if database.is_shared else None
        self._study: int | None = None
        self._recent: list[Recorded] = []
        self._last = 0
        self._version: tuple[int, int] | None = None
        self._lock = Lock()
        FORK_AWARE.add(self)

    def after_fork(self) -> None:
        """Drop a lock that another thread of the parent process may hold."""
        self._lock, self._version = Lock(), None

    def __str__(self) -> str:
        return f"study {self.name} in {self.database.location}"

    @property
    def is_begun(self) -> bool:
        """Whether it is known to have events."""
        return self._last > 0

    def append(self, events: Sequence[Event]) -> int:
        """Append all events or none, durably. See `Journal.append`.

        Parameters
        ----------
        events : sequence of Event
            The events to append.

        Returns
        -------
        int
            The number of the last event.
        """
        request = self.request(events)
        if request.events:
            self.database.committer.append(request)
            self.note(request)
            return request.recorded[-1].seq
        self.fetch()
        return self._last

    def request(self, events: Sequence[Event]) -> Request:
        """Return a request to append events, for a caller that batches requests."""
        return Request(self.name, self._study, [*events])

    def note(self, request: Request) -> None:
        """Keep committed events, which saves reading them again; raise the error if the request failed."""
        if request.error is not None:
            raise request.error
        with self._lock:
            self._study, recorded = request.study, request.recorded
            if recorded and self._last and recorded[0].seq == self._last + 1:
                self._extend(recorded)

    def read(self, since: int = 0, keys: Collection[str] | None = None) -> list[Recorded]:
        """Return events in order. See `Journal.read`.

        Parameters
        ----------
        since : int, default 0
            Return only events after this number.
        keys : collection of str, optional
            Return only events with one of these keys.

        Returns
        -------
        list of Recorded
            The events with their numbers.
        """
        since = max(index(since), 0)
        if keys is None:
            self.fetch()
            return self.recent(since)
        # all keys are ASCII; databases may reject other text
        wanted = {key for key in keys if isinstance(key, str) and key.isascii() and "\0" not in key}
        number = self._number()
        if number is None:
            return []
        keyed = as_json([(self.name, key) for key in wanted])
        rows = self._select(self.database.connections.find, keys=keyed)
        found = self._decoded((seq, line) for study, seq, line in rows if study == number)
        return sorted(one for one in found if one.seq > since)

    def fetch(self) -> None:
        """Fetch events that others have appended since the last fetch."""
        with self._lock:
            version = self.database.connections.changes()
            last = 0 if self._study is None else self.database.committer.last.get(self._study, 0)
            if version is not None and version == self._version and last <= self._last:
                return
            number = self._number()
            if number is None:
                return
            if self._last == 0:
                # a long history is read on demand, and not kept
                self._last = self._last_of(number)
            else:
                self._extend(self._read_after(number, self._last))
            if version is not None:
                self._version = version

    def recent(self, since: int) -> list[Recorded]:
        """Return the fetched events after number `since`; only old ones are read from the database."""
        with self._lock:
            first = self._last - len(self._recent)
            if since >= first:
                return self._recent[since - first :]
            number, last = self._study, self._last
        assert number is not None  # for there are events
        return [one for one in self._read_after(number, since) if one.seq <= last]

    def _extend(self, recorded: list[Recorded]) -> None:
        if recorded:
            self._recent += recorded
            if len(self._recent) > 2 * MOST_RECENT:
                del self._recent[:-MOST_RECENT]
            self._last = recorded[-1].seq

    def _number(self) -> int | None:
        """Return the study's number, which tells it from a later study with the same name."""
        if self._study is None:
            rows = self._select(NUMBER, name=self.name)
            self._study = rows[0][0] if rows else None
        return self._study

    def _last_of(self, number: int) -> int:
        rows = self._select(LAST, study=number)
        if not rows:
            raise removed(self.name)
        last: int = rows[0][0]
        return last

    def _read_after(self, number: int, since: int) -> list[Recorded]:
        rows = self._select(READ, study=number, since=since)
        if not rows:
            raise removed(self.name)
        return self._decoded(rows) if rows[0][0] is not None else []

    def _select(self, statement: str, **values: object) -> list[tuple[Any, ...]]:
        with self.database.connections.reading() as connection:
            return connection.execute(statement, values).fetchall()

    def _decoded(self, rows: Iterable[tuple[Any, ...]]) -> list[Recorded]:
        try:
            return [Recorded(seq, decode(line.encode())) for seq, line in rows]
        except FileError as error:
            raise FileError(f"{self}: {error}. Restore a backup.") from error


class SnapshotRow:
    """The latest snapshot of a study, in a table shared by all workers."""

    def __init__(self, connections: Connections, name: str) -> None:
        self._connections, self._name = connections, name

    def read(self) -> bytes:
        """Return the last snapshot; empty if there is none."""
        with self._connections.reading() as connection:
            row = connection.execute(SNAPSHOT, {"name": self._name}).fetchone()
        return b"" if row is None else bytes(row[0])

    def write(self, seq: int, body: bytes) -> None:
        """Store a snapshot of the first `seq` events, unless a later one is stored."""
        values = {"seq": seq, "body": body, "name": self._name}
        with self._connections.writing() as connection:
            connection.execute(KEEP, values)


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

    def __init__(self, database: "Database", name: str, threads: Executor) -> None:
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
