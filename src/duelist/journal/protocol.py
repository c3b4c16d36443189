"""What a journal is: two methods, the rules that every journal keeps, and what may lie beside its events."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from threading import Lock
from typing import NamedTuple, Protocol

from duelist.errors import ConflictError, ParameterError
from duelist.journal.events import Created, Event


class Recorded(NamedTuple):
    """An event and its number: 1, 2, 3, … without holes."""

    seq: int
    event: Event


class RepeatedEventError(ConflictError):
    """What may happen once only happened before; nothing was appended.

    Parameters
    ----------
    stored : Recorded
        The event under that key: the one in the journal or, where a key stands twice among the events to
        append, the first of them.
    """

    def __init__(self, stored: Recorded) -> None:
        super().__init__(stored)
        self.stored = stored

    def __str__(self) -> str:
        """Say which event stands in the way."""
        return (
            f"{self.stored.event.key!r} is on record as event {self.stored.seq}, and can be so once only; "
            "nothing was appended."
        )


class KeyStore(Protocol):
    """Where the keys of tickets are kept, one a line; its text says where that is."""

    def begin(self, key: str) -> None:
        """Keep a first key, unless there is one; of several processes one succeeds."""
        ...

    def add(self, key: str) -> None:
        """Keep one more key."""
        ...

    def read(self) -> str:
        """Return all keys, the newest last, one a line."""
        ...


class SnapshotStore(Protocol):
    """Where the last snapshot of a study is kept."""

    def read(self) -> bytes:
        """Return the last snapshot; nothing if there is none."""
        ...

    def write(self, seq: int, body: bytes) -> None:
        """Keep a snapshot of the first `seq` events; where that is not possible, nothing is lost."""
        ...


class OpenDuelTable(Protocol):
    """Which duel is open for a voter, known to all processes that share the journal: best effort."""

    def offer(
        self, voter: str, ticket: str, now: float, timeout: float, instead_of: str | None = None
    ) -> str:
        """Keep a sealed ticket for a voter unless another one is open; return the one that is open then.

        `instead_of` is the ticket of an open duel that may be replaced.
        """
        ...

    def of(self, voter: str, now: float, timeout: float) -> str | None:
        """Return the sealed ticket of a voter's open duel; None if there is none."""
        ...

    def expire(self, now: float, timeout: float) -> int:
        """Forget what was opened too long ago; return how many."""
        ...


class Journal(ABC):
    """An append-only record of a study's events, which all its workers read alike.

    The first event is `Created`, and no other is. Keys are unique. A reader that has seen number s has seen
    every event up to s.
    """

    key_store: KeyStore | None = None
    """Where the keys of tickets are kept; without, they last as long as the process."""
    snapshot_store: SnapshotStore | None = None
    """Where the last snapshot is kept; without, it lasts as long as the process."""
    open_duels: OpenDuelTable | None = None
    """Where open duels are shared; without, each process remembers its own."""

    @abstractmethod
    def append(self, events: Sequence[Event]) -> int:
        """Append all events or none, durably; return the number of the last event of the journal.

        Raises
        ------
        RepeatedEventError
            If the key of one was used before, or twice among them.
        ParameterError
            If the first event of an empty journal is not `Created`, or an event cannot be kept.
        FileError
            If the journal cannot be written, or was damaged.
        """

    @abstractmethod
    def read(self, since: int = 0, keys: Collection[str] | None = None) -> list[Recorded]:
        """Return the events after number `since`, in order; with keys, only those with one of these keys."""


class MemoryJournal(Journal):
    """A journal that is kept in memory and not on disk: for experiments, tests and short sessions.

    Events are kept as they are given: notes and contexts must not be changed afterwards.

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
        """Return what errors call it."""
        return "the journal"

    def append(self, events: Sequence[Event]) -> int:
        """Append all events or none; return the number of the last. See `Journal.append`."""
        with self._lock:
            new, keys = numbered(events, [one.key for one in events], len(self._events), self._keys)
            # readers hold no lock: an event is in the list before its key can be found
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
    """Refuse what an empty journal cannot begin with: it begins with `Created`.

    That no second `Created` follows is a matter of its key.
    """
    if events and type(events[0]) is not Created:
        raise ParameterError(
            f"a journal begins with Created; got {type(events[0]).__name__}. Append Created first."
        )


def numbered(
    events: Sequence[Event], own: Sequence[str | None], last: int, taken: Mapping[str, Recorded]
) -> tuple[list[Recorded], dict[str, Recorded]]:
    """Return events with their numbers after the last one, and those that have a key by it, given all keys.

    What cannot follow is refused: a beginning that is none, a key that is taken or stands twice among them.
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
