"""Group commit: events of many callers and studies in one transaction, each judged by itself."""

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from sys import maxsize
from threading import Lock
from time import perf_counter

from duelist.database.connections import CARRIED, Connection, Connections, EventRow
from duelist.errors import DuelistError, RemovedError, StorageError
from duelist.journal import Created, Event, Recorded
from duelist.journal.codec import decode, encode
from duelist.journal.protocol import numbered, require_beginning

MOST = 1_000
"""Requests that are committed together."""

BEGIN = "INSERT INTO studies (name, last) VALUES (:name, 0) ON CONFLICT (name) DO NOTHING"
ADVANCE = "UPDATE studies SET last = :last WHERE id = :study"


class Request:
    """Events that one caller wants to append to a study, all or none; and, when it is done, what came of it.

    Parameters
    ----------
    name : str
        The study.
    study : int, optional
        The study's number, which another study of that name would not have; None if it is not known.
    events : sequence of Event
        What to append.
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
        """Return the events with their numbers, or raise why they were not appended."""
        if self.error is not None:
            raise self.error
        return self.recorded


Accepted = tuple[Request, "StudyRows", list[Recorded]]
"""A request that is written, its study, and its events with their numbers."""


class Committer:
    """Appends events to studies of a database, in one queue for those who wait and for those who are called.

    Whoever comes while others are being committed waits, and is then committed with all who wait. A thread
    that can wait calls `append`. An event loop calls `enqueue`, which returns at once, and has a thread call
    `drain`: it commits all that is in the queue, whoever put it there, and calls back.

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
        """The last event of each study that was written to from here, by its number."""
        CARRIED.add(self)
        self.is_failing = False
        """Whether the database could not write when it was last asked to."""
        self.observe: Callable[[Sequence[Request], float], None] | None = None
        """Called after every transaction, in the thread that made it, before those are told who wait for it.

        It is given the requests, which know what came of them, and the seconds that they took together.
        """

    def append(self, request: Request) -> list[Recorded]:
        """Append events, together with all that waits; return them with their numbers, or raise why not."""
        self._waiting.append(request)
        self._commit_until(request)
        return request.result()

    def enqueue(self, request: Request, then: Callable[[Request], None]) -> None:
        """Let events be appended by whoever commits next; see that `drain` is called after this.

        Parameters
        ----------
        request : Request
            What to append.
        then : callable
            Called once with the request when it is done, in the thread that committed it; it must be quick
            and raise nothing, such as `lambda request: loop.call_soon_threadsafe(...)`.
        """
        request.then = then
        self._waiting.append(request)

    def drain(self) -> None:
        """Commit all that waits, in this thread; where another one is at it, wait and do the rest."""
        self._commit_until()

    def _commit_until(self, last: Request | None = None) -> None:
        """Commit what waits, to a request or to the end."""
        with self._lock:
            while last is None or not last.done:
                # they are taken out when they are done: an interrupt in between leaves nobody behind
                while self._waiting and self._waiting[0].done:
                    self._waiting.popleft()
                if not self._waiting:
                    return
                started = perf_counter()
                requests = [self._waiting[place] for place in range(min(len(self._waiting), MOST))]
                try:
                    self._commit_each(requests)
                finally:
                    self.is_failing = any(isinstance(one.error, StorageError) for one in requests)
                    if self.observe is not None:
                        self.observe(requests, perf_counter() - started)
                    for request in requests:
                        if request.then is not None:
                            request.then(request)

    def _commit_each(self, requests: Sequence[Request]) -> None:
        """Append the events of requests in one transaction, each request's all or none.

        What is wrong with one request fails that one alone; what the database cannot do now fails all.
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
            # nobody may take what was perhaps not written for written
            for request in requests:
                if not request.recorded:
                    request.error = StorageError(
                        f"{self._connections.place}: writing was interrupted; try again."
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
        """Write the events of the requests that can be written; return them."""
        accepted: list[Accepted] = []
        for request in requests:
            request.error = None  # what an earlier attempt found may have been taken back
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
        """Let all who know a study see that it was removed, when they look next."""
        self.last[study] = maxsize

    def begin_anew(self) -> None:
        """Wait for nobody of the process that this one was forked from; it commits what waited there."""
        self._waiting.clear()
        self._lock = Lock()


class StudyRows:
    """A study in a transaction: its last number, the keys that are taken, and what will be written."""

    def __init__(self, study: int, last: int) -> None:
        self.study, self.last = study, last
        self.keys: dict[str, Recorded] = {}
        self.rows: list[EventRow] = []

    def add(self, request: Request) -> list[Recorded]:
        """Give the events of a request their numbers, or say why they cannot follow."""
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
    """Return the study to write to; refuse one that was removed, or another of the same name."""
    if ledger is None and request.study is None:
        require_beginning(request.events)
    if ledger is None or request.study not in (None, ledger.study):
        raise removed(request.name)
    return ledger


def removed(name: str) -> RemovedError:
    """Return that a study is not there any more, though another may have its name."""
    return RemovedError(f"the study {name!r} was removed by someone else; open it again.")
