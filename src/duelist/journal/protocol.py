"""What a journal is: two methods, and the rules that every journal keeps."""

from collections.abc import Collection, Mapping, Sequence
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


class Journal(Protocol):
    """An append-only record of a study's events, which all its workers read alike.

    The first event is `Created`, and no other is. Keys are unique. A reader that has seen number s has seen
    every event up to s.
    """

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
        ...

    def read(self, since: int = 0, keys: Collection[str] | None = None) -> list[Recorded]:
        """Return the events after number `since`, in order; with keys, only those with one of these keys."""
        ...


def require_beginning(events: Sequence[Event]) -> None:
    """Refuse what an empty journal cannot begin with: it begins with `Created`.

    That no second `Created` follows is a matter of its key.
    """
    if events and type(events[0]) is not Created:
        raise ParameterError(
            f"a journal begins with Created; got {type(events[0]).__name__}. Append Created first."
        )


def numbered(
    events: Sequence[Event], last: int, taken: Mapping[str, Recorded]
) -> tuple[list[Recorded], dict[str, Recorded]]:
    """Return events with their numbers after the last one, and those that have a key by their keys.

    What cannot follow is refused: a beginning that is none, a key that is taken or stands twice among them.
    """
    if last == 0:
        require_beginning(events)
    recorded: list[Recorded] = []
    keys: dict[str, Recorded] = {}
    for seq, event in enumerate(events, last + 1):
        one = Recorded(seq, event)
        recorded.append(one)
        key = event.key
        if key is not None:
            if key in taken or key in keys:
                raise RepeatedEventError(taken.get(key) or keys[key])
            keys[key] = one
    return recorded, keys
