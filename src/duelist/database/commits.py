"""Group commit: events of many callers and studies in one transaction, each accepted or rejected alone."""

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from sys import maxsize
from threading import Lock
from time import perf_counter

from duelist.database.connections import FORK_AWARE, Connection, Connections, EventRow
from duelist.errors import DuelistError, RemovedError, StorageError
from duelist.journal import Created, Event, Recorded
from duelist.journal.codec import decode, encode
from duelist.journal.protocol import numbered, require_beginning

MOST = 1_000
"""Maximum number of requests in one transaction."""

BEGIN = "INSERT INTO studies (name, last) VALUES (:name, 0) ON CONFLICT (name) DO NOTHING"
ADVANCE = "UPDATE studies SET last = :last WHERE id = :study"


class Request:
    """Events that one caller appends to a study, all or none; and, once done, the result.

    Parameters
    ----------
    name : str
        The study's name.
    study : int, optional
        The study's number, which tells it from a later study with the same name; None if unknown.
    events : sequence of Event
        The events to append.
    """

    __slots__ = ("done", "error", "events", "keys", "lines", "name", "recorded", "study", "then")

    def __init__(self, name: str, study: int | None, events: Sequence[Event]) -> None:
        self.name, self.study, self.events = name, study, events
        self.keys: list[str | None] = []
        self.lines: list[str] = []
        for event in events:
            self.keys.append(event.key)
            self.lines.append(encode(event).decode().rstrip("\n"))
        self.done = False
        self.error: DuelistError | None = None
        self.recorded: list[Recorded] = []
        self.then: Callable[[Request], None] | None = None

    def result(self) -> list[Recorded]:
        """Return the events with their numbers, or raise the error."""
        if self.error is not None:
            raise self.error
        return self.recorded


Accepted = tuple[Request, "StudyRows", list[Recorded]]
"""An accepted request, its study, and its events with their numbers."""


class Committer:
    """Append events to the studies of a database, in one queue for blocking callers and for callbacks.

    Requests that arrive during a commit wait, and are committed together next. A thread that may block calls
    `append`. An event loop calls `enqueue`, which returns at once, and has a thread call `drain`, which
    commits everything in the queue and calls the callbacks.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from duelist.database import Database
    >>> from duelist.journal import Created
    >>> created = Created(format=1, study="0" * 32, seed=1, learner={}, choices={}, package="0.1.0")
    >>> with TemporaryDirectory() as folder, Database(f"{folder}/studies.db") as database:
    ...     request = database.journal("tea").request([created])
    ...     database.committer.enqueue(request, lambda request: print(request.recorded[-1].seq))
    ...     database.committer.drain()
    1
    """

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._waiting: deque[Request] = deque()
        self._lock = Lock()
        self.last: dict[int, int] = {}
        """Number of the last event of each study written from here, by the study's number."""
        FORK_AWARE.add(self)
        self.is_failing = False
        """Whether the last write to the database failed."""
        self.observe: Callable[[Sequence[Request], float], None] | None = None
        """Callback `(requests, seconds)` after each transaction.

        It is called in the committing thread, before waiting callers resume; the requests hold their results.
        """

    def append(self, request: Request) -> list[Recorded]:
        """Append events, with everything else in the queue; return them with their numbers, or raise."""
        self._waiting.append(request)
        self._commit_until(request)
        return request.result()

    def enqueue(self, request: Request, then: Callable[[Request], None]) -> None:
        """Queue events for the next commit; the caller must have `drain` called afterwards.

        Parameters
        ----------
        request : Request
            The events to append.
        then : callable
            Callback, called once with the finished request in the committing thread. It must be quick and
            must not raise, such as `lambda request: loop.call_soon_threadsafe(...)`.
        """
        request.then = then
        self._waiting.append(request)

    def drain(self) -> None:
        """Commit everything in the queue, in this thread, after any commit that is under way."""
        self._commit_until()

    def _commit_until(self, last: Request | None = None) -> None:
        """Commit the queue, up to a request or to its end."""
        with self._lock:
            while last is None or not last.done:
                # requests leave the queue when they are done: an interrupt in between loses none
                while self._waiting and self._waiting[0].done:
                    self._waiting.popleft()
                if not self._waiting:
                    return
                started = perf_counter()
                requests = [self._waiting[index] for index in range(min(len(self._waiting), MOST))]
                try:
                    self._commit_each(requests)
                finally:
                    self.is_failing = False
                    for request in requests:
                        self.is_failing |= isinstance(request.error, StorageError)
                    if self.observe is not None:
                        self.observe(requests, perf_counter() - started)
                    for request in requests:
                        if request.then is not None:
                            request.then(request)

    def _commit_each(self, requests: Sequence[Request]) -> None:
        """Append the events of requests in one transaction, the events of each request all or none.

        An invalid request fails alone; a failure of the database fails all of them.
        """
        try:
            self._commit(requests)
        except DuelistError as error:
            if len(requests) > 1 and self._connections.is_of_one(error.__cause__):
                for request in requests:
                    self._commit_each([request])
                return
            for request in requests:
                request.error = error
        except BaseException:
            # an event that may not have been written must not count as written
            for request in requests:
                if not request.recorded:
                    request.error = StorageError(
                        f"{self._connections.location}: writing was interrupted; try again."
                    )
            raise
        finally:
            for request in requests:
                request.done = True

    def _commit(self, requests: Sequence[Request]) -> None:
        begun = {one.name for one in requests if one.events and type(one.events[0]) is Created}
        names, keys = sorted({one.name for one in requests}), keys_of(requests)
        with self._connections.writing() as connection:
            for name in sorted(begun):
                connection.execute(BEGIN, {"name": name})
            studies, found = self._connections.look_up(connection, names, keys)
            ledgers = {name: StudyRows(study, last) for study, name, last in studies}
            by_number = {ledger.study: ledger for ledger in ledgers.values()}
            for study, seq, line in found:
                event = decode(line.encode())
                by_number[study].keys[str(event.key)] = Recorded(seq, event)
            written = self._write(connection, requests, ledgers)
        for request, ledger, recorded in written:
            request.study, request.recorded = ledger.study, recorded
            self.last[ledger.study] = ledger.last

    def _write(
        self, connection: Connection, requests: Sequence[Request], ledgers: Mapping[str, "StudyRows"]
    ) -> list[Accepted]:
        """Write the events of all valid requests; return these requests."""
        accepted: list[Accepted] = []
        for request in requests:
            request.error = None  # an earlier attempt may have been rolled back
            try:
                ledger = require_same(request, ledgers.get(request.name))
                accepted.append((request, ledger, ledger.add(request)))
            except DuelistError as error:
                request.error = error
        written = [ledger for ledger in ledgers.values() if ledger.rows]
        if written:
            self._connections.insert_events(connection, [row for one in written for row in one.rows])
        for ledger in written:
            connection.execute(ADVANCE, {"last": ledger.last, "study": ledger.study})
        return accepted

    def forget(self, study: int) -> None:
        """Let all journals of a study notice its removal when they next look."""
        self.last[study] = maxsize

    def after_fork(self) -> None:
        """Drop requests of the parent process, which commits them itself, and its lock."""
        self._waiting.clear()
        self._lock = Lock()


class StudyRows:
    """A study in a transaction: its last number, its known keys, and the rows to write."""

    def __init__(self, study: int, last: int) -> None:
        self.study, self.last = study, last
        self.keys: dict[str, Recorded] = {}
        self.rows: list[EventRow] = []

    def add(self, request: Request) -> list[Recorded]:
        """Assign numbers to the events of a request, or raise the reason why they cannot follow."""
        recorded, new = numbered(request.events, request.keys, self.last, self.keys)
        self.keys |= new
        for (seq, _), key, line in zip(recorded, request.keys, request.lines, strict=True):
            self.rows.append((self.study, seq, key, line))
        self.last += len(recorded)
        return recorded


def keys_of(requests: Iterable[Request]) -> list[tuple[str, str]]:
    """Return the keys of all events that have one, each with its study's name."""
    return sorted({(one.name, key) for one in requests for key in one.keys if key is not None})


def require_same(request: Request, ledger: StudyRows | None) -> StudyRows:
    """Return the study to write to; raise RemovedError if it was removed, even if its name is reused."""
    if ledger is None and request.study is None:
        require_beginning(request.events)
    if ledger is None or request.study not in (None, ledger.study):
        raise removed(request.name)
    return ledger


def removed(name: str) -> RemovedError:
    return RemovedError(f"the study {name!r} was removed by another process; open it again.")
