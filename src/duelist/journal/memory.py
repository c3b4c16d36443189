"""A journal in memory, which ends with its process."""

from collections.abc import Collection, Sequence
from threading import Lock

from duelist.journal.events import Event
from duelist.journal.protocol import Recorded, numbered


class MemoryJournal:
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
            new, keys = numbered(events, len(self._events), self._keys)
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
