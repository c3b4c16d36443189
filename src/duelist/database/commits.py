"""Group commit: events of many callers and studies in one transaction, each judged by itself."""

from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Sequence
from threading import Lock
from typing import Any

import msgspec
from sqlalchemy import Connection, Engine, TextClause, text
from sqlalchemy.exc import DataError, IntegrityError

from duelist.database.engines import writing
from duelist.errors import DuelistError, RemovedError, StorageError
from duelist.journal import Created, Event, Recorded, RepeatedEventError
from duelist.journal.codec import decode, encode
from duelist.journal.protocol import require_beginning

MOST = 1_000
"""Requests that are committed together."""

BEGIN = text("INSERT INTO studies (name, last) VALUES (:name, 0) ON CONFLICT (name) DO NOTHING")
INSERT = text("INSERT INTO events (study, seq, key, event) VALUES (:study, :seq, :key, :event)")
ADVANCE = text("UPDATE studies SET last = :last WHERE id = :study")


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

    __slots__ = ("done", "error", "events", "lines", "name", "recorded", "study")

    def __init__(self, name: str, study: int | None, events: Sequence[Event]) -> None:
        self.name, self.study, self.events = name, study, events
        self.lines = [encode(event).decode().rstrip("\n") for event in events]
        self.done = False
        self.error: DuelistError | None = None
        self.recorded: list[Recorded] = []

    def result(self) -> list[Recorded]:
        """Return the events with their numbers, or raise why they were not appended."""
        if self.error is not None:
            raise self.error
        return self.recorded


class Committer:
    """Appends events to studies of a database.

    Whoever comes while others are being committed waits, and is then committed with all who wait.
    """

    def __init__(self, engine: Engine, place: str) -> None:
        self._engine, self._place = engine, place
        self._waiting: deque[Request] = deque()
        self._lock = Lock()
        # whoever writes rows that refer to a study, such as open duels, need not wait for this lock
        lock = "FOR NO KEY UPDATE" if engine.dialect.name == "postgresql" else ""
        values = values_of(engine, ":names")
        self._locked = text(
            "SELECT id, name, last FROM studies "
            f"WHERE name IN (SELECT value FROM {values}) ORDER BY id {lock}"
        )
        self._find = find_by_key(engine)

    def append(self, request: Request) -> list[Recorded]:
        """Append events, together with those of other threads that wait."""
        self._waiting.append(request)
        with self._lock:
            while not request.done:
                # they are taken out when they are done: an interrupt in between leaves nobody behind
                while self._waiting[0].done:
                    self._waiting.popleft()
                count = min(len(self._waiting), MOST)
                self._commit_each([self._waiting[place] for place in range(count)])
        return request.result()

    def commit(self, requests: Sequence[Request]) -> None:
        """Append the events of many requests; each of them then knows what came of it."""
        with self._lock:
            for start in range(0, len(requests), MOST):
                self._commit_each(requests[start : start + MOST])

    def _commit_each(self, requests: Sequence[Request]) -> None:
        """Append the events of requests in one transaction, each request's all or none.

        What is wrong with one request fails that one alone; what the database cannot do now fails all.
        """
        try:
            self._commit(requests)
        except DuelistError as error:
            if len(requests) > 1 and isinstance(error.__cause__, DataError | IntegrityError):
                for request in requests:
                    self._commit_each([request])
                return
            for request in requests:
                request.error = error
        except BaseException:
            # nobody may take what was perhaps not written for written
            for request in requests:
                if not request.recorded:
                    request.error = StorageError(f"{self._place}: writing was interrupted; try again.")
            raise
        finally:
            for request in requests:
                request.done = True

    def _commit(self, requests: Sequence[Request]) -> None:
        accepted: list[tuple[Request, Ledger, list[Recorded]]] = []
        with writing(self._engine, self._place) as connection:
            begun = {one.name for one in requests if one.events and type(one.events[0]) is Created}
            for name in sorted(begun):
                connection.execute(BEGIN, {"name": name})
            studies = {
                name: Ledger(connection, study, last)
                for study, name, last in connection.execute(
                    self._locked, {"names": as_json({one.name for one in requests})}
                )
            }
            self._look_up(studies, requests)
            for request in requests:
                request.error = None  # what an earlier attempt found may have been taken back
                try:
                    ledger = require_same(request, studies.get(request.name))
                    accepted.append((request, ledger, ledger.add(request)))
                except DuelistError as error:
                    request.error = error
            for ledger in studies.values():
                ledger.write()
        for request, ledger, recorded in accepted:
            request.study, request.recorded = ledger.study, recorded

    def _look_up(self, studies: "dict[str, Ledger]", requests: Iterable[Request]) -> None:
        keys: defaultdict[str, set[str]] = defaultdict(set)
        for request in requests:
            keys[request.name].update(event.key for event in request.events if event.key is not None)
        for name, ledger in studies.items():
            ledger.find(self._find, keys[name])


class Ledger:
    """A study in a transaction: its last number, the keys that are taken, and what will be written."""

    def __init__(self, connection: Connection, study: int, last: int) -> None:
        self._connection = connection
        self.study, self.last = study, last
        self._keys: dict[str, Recorded] = {}
        self._rows: list[dict[str, Any]] = []

    def find(self, statement: TextClause, keys: Collection[str]) -> None:
        """Learn which of these keys are on record."""
        if keys:
            wanted = {"study": self.study, "keys": as_json(keys)}
            for seq, line in self._connection.execute(statement, wanted):
                event = decode(line.encode())
                self._keys[str(event.key)] = Recorded(seq, event)

    def add(self, request: Request) -> list[Recorded]:
        """Give the events of a request their numbers, or say why they cannot follow."""
        if self.last == 0:
            require_beginning(request.events)
        new: dict[str, Recorded] = {}
        recorded = []
        for seq, event in enumerate(request.events, self.last + 1):
            one = Recorded(seq, event)
            recorded.append(one)
            key = event.key
            if key is not None:
                if key in self._keys or key in new:
                    raise RepeatedEventError(self._keys.get(key) or new[key])
                new[key] = one
        self._keys |= new
        for one, line in zip(recorded, request.lines, strict=True):
            self._rows.append({"study": self.study, "seq": one.seq, "key": one.event.key, "event": line})
        self.last += len(recorded)
        return recorded

    def write(self) -> None:
        """Write what was added."""
        if self._rows:
            self._connection.execute(INSERT, self._rows)
            self._connection.execute(ADVANCE, {"last": self.last, "study": self.study})


def require_same(request: Request, ledger: Ledger | None) -> Ledger:
    """Return the study to write to; refuse one that was removed, or another of the same name."""
    if ledger is None and request.study is None:
        require_beginning(request.events)
    if ledger is None or request.study not in (None, ledger.study):
        raise removed(request.name)
    return ledger


def removed(name: str) -> RemovedError:
    """Return that a study is not there any more, though another may have its name."""
    return RemovedError(f"the study {name!r} was removed by someone else; open it again.")


def find_by_key(engine: Engine) -> TextClause:
    """Return the statement that finds events of a study by their keys, a list in JSON.

    The keys are looked up one by one. To a list behind IN, SQLite prefers to read all events of the study,
    because it takes studies to be short.
    """
    return text(
        f"SELECT seq, event FROM {values_of(engine, ':keys')} CROSS JOIN events "
        "WHERE study = :study AND events.key = value"
    )


def values_of(engine: Engine, given: str) -> str:
    """Return the table with a column `value` that a list of texts in JSON is to a database."""
    if engine.dialect.name == "postgresql":
        return f"jsonb_array_elements_text(CAST({given} AS jsonb)) AS wanted (value)"
    return f"json_each({given})"


def as_json(texts: Iterable[str]) -> str:
    """Return texts as a list in JSON, sorted."""
    return msgspec.json.encode(sorted(texts)).decode()
