"""The journal protocol: two methods, the rules of all journals, and optional stores next to the events."""

import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from threading import Lock
from typing import NamedTuple, Protocol

from duelist.errors import ConflictError, ParameterError
from duelist.journal.events import Created, Event

STUDY_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
"""The names of studies in databases and services, which fit into a URL."""


class Recorded(NamedTuple):
    """An event with its number: 1, 2, 3, … without gaps."""

    seq: int
    event: Event


class RepeatedEventError(ConflictError):
    """An event that may happen only once is already recorded; nothing was appended.

    Parameters
    ----------
    stored : Recorded
        The event with that key: the one in the journal or, if two of the events to append share a key, the
        first of these.
    """

    def __init__(self, stored: Recorded) -> None:
        super().__init__(stored)
        self.stored = stored

    def __str__(self) -> str:
        return (
            f"{self.stored.event.key!r} is already recorded as event {self.stored.seq} and may be recorded "
            "only once; nothing was appended."
        )


class KeyStore(Protocol):
    """Stores the keys of tickets, one a line; its text names the storage."""

    def begin(self, key: str) -> None:
        """Store a first key unless there is one; of several processes, one succeeds."""
        ...

    def add(self, key: str) -> None:
        """Add a key."""
        ...

    def read(self) -> str:
        """Return all keys, one a line, the newest last."""
        ...


class SnapshotStore(Protocol):
    """Stores the latest snapshot of a study."""

    def read(self) -> bytes:
        """Return the latest snapshot; empty if there is none."""
        ...

    def write(self, seq: int, body: bytes) -> None:
        """Store a snapshot of the first `seq` events; a failure loses nothing."""
        ...


class OpenDuelTable(Protocol):
    """Records which duel is open for a voter, for all processes that share the journal: best effort."""

    def offer(
        self, voter: str, ticket: str, now: float, timeout: float, instead_of: str | None = None
    ) -> str:
        """Store a sealed ticket for a voter unless another one is open; return the one that is open then.

        `instead_of` is the ticket of an open duel that may be replaced.
        """
        ...

    def of(self, voter: str, now: float, timeout: float) -> str | None:
        """Return the sealed ticket of a voter's open duel; None if there is none."""
        ...

    def expire(self, now: float, timeout: float) -> int:
        """Remove duels that have been open for too long; return their number."""
        ...


class Journal(ABC):
    """An append-only record of a study's events, the same for all its workers.

    The first event is `Created`, and only the first. Keys are unique. A reader that has seen number s has
    seen every event up to s.
    """

    key_store: KeyStore | None = None
    """Stores the keys of tickets; without it, they last as long as the process."""
    snapshot_store: SnapshotStore | None = None
    """Stores the latest snapshot; without it, snapshots last as long as the process."""
    open_duels: OpenDuelTable | None = None
    """Shares open duels; without it, each process remembers its own."""

    @abstractmethod
    def append(self, events: Sequence[Event]) -> int:
        """Append all events or none, durably; return the number of the last event of the journal.

        Raises
        ------
        RepeatedEventError
            If a key is already recorded, or occurs twice among the events.
        ParameterError
            If the first event of an empty journal is not `Created`, or an event cannot be stored.
        FileError
            If the journal cannot be written, or is damaged.
        """

    @abstractmethod
    def read(self, since: int = 0, keys: Collection[str] | None = None) -> list[Recorded]:
        """Return the events after number `since`, in order; with keys, only those with one of the keys."""


class MemoryJournal(Journal):
    """A journal in memory: for experiments, tests and short sessions.

    Events are stored as they are given: do not change their notes and contexts afterwards.

    Examples
    --------
    >>> from duelist.journal import Answered, Created
    >>> journal = MemoryJournal()
    >>> journal.append(
    ...     [
    ...         Created(format=1, study="0" * 32, seed=1, learner={}, choices={}, package="0.1.0"),
    ...         Answered(ticket="dB1", left=0, right=3, outcome=1.0),
    ...     ]
    ... )
    2
    >>> [recorded.seq for recorded in journal.read(keys=["dB1"])]
    [2]
    """

    def __init__(self) -> None:
        self._events: list[Recorded] = []
        self._keys: dict[str, Recorded] = {}
        self._lock = Lock()

    def __str__(self) -> str:
        """Return the name that error messages use."""
        return "the journal"

    def append(self, events: Sequence[Event]) -> int:
        """Append all events or none; return the number of the last. See `Journal.append`."""
        with self._lock:
            new, keys = numbered(events, [one.key for one in events], len(self._events), self._keys)
            # readers hold no lock: an event must be in the list before its key can be found
            self._events += new
            self._keys.update(keys)
            return len(self._events)

    def read(self, since: int = 0, keys: Collection[str] | None = None) -> list[Recorded]:
        """Return the events after number `since`, in order. See `Journal.read`."""
        if keys is None:
            return self._events[max(since, 0) :]
        found = [self._keys[key] for key in set(keys) if key in self._keys]
        return sorted((recorded for recorded in found if recorded.seq > since), key=lambda one: one.seq)


def require_beginning(events: Sequence[Event]) -> None:
    """Raise ParameterError unless the first event of a journal is `Created`.

    A second `Created` is excluded by its key.
    """
    if events and type(events[0]) is not Created:
        raise ParameterError(f"the first event of a journal must be Created; got {type(events[0]).__name__}.")


def numbered(
    events: Sequence[Event], own: Sequence[str | None], last: int, taken: Mapping[str, Recorded]
) -> tuple[list[Recorded], dict[str, Recorded]]:
    """Return events numbered from the last one on, and those that have a key by it, given all keys.

    Raise an error if the first event of a journal is not `Created`, or a key is recorded or occurs twice.
    """
    if last == 0:
        require_beginning(events)
    recorded: list[Recorded] = []
    keys: dict[str, Recorded] = {}
    for seq, (event, key) in enumerate(zip(events, own, strict=True), last + 1):
        one = Recorded(seq, event)
        recorded.append(one)
        if key is not None:
            if key in taken or key in keys:
                raise RepeatedEventError(taken.get(key) or keys[key])
            keys[key] = one
    return recorded, keys


def require_study_name(name: object) -> str:
    """Return the name of a study; raise ParameterError unless it fits into a URL."""
    if not isinstance(name, str) or STUDY_NAME.fullmatch(name) is None:
        raise ParameterError(
            "the name of a study must be 1 to 100 characters of A-Z a-z 0-9 _ . -, and begin with a letter "
            f"or digit; got {str(name)[:60]!r}."
        )
    return name
