"""Clicks on an interleaved list: as an event, which numbers the documents, and until they are settled."""

from collections.abc import Iterator
from hashlib import blake2b
from heapq import heappop, heappush
from typing import Any

import msgspec
from msgspec.structs import replace

from duelist.errors import ParameterError
from duelist.journal.events import Event
from duelist.journal.fields import Choice, is_finite, require_asked, require_places
from duelist.shown import Shown

TEAMS = (-1, 0, 1)


class NumberedList(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """How an event writes an interleaved list of two rankings, with numbers in the place of documents.

    Parameters
    ----------
    left, right : tuple of int
        The rankings of the two arms, best document first.
    documents : tuple of int
        What was shown, from the top.
    teams : tuple of int
        Of each place, whose it is: 0 the left arm's, 1 the right one's, -1 nobody's.
    propensities : tuple of float
        Of each place, the chance that it shows its document, given the documents above it.

    Examples
    --------
    >>> written = NumberedList((0, 1), (1, 2), documents=(1,), teams=(1,), propensities=(0.5,))
    >>> written.list
    Shown(documents=(1,), teams=(1,), propensities=(0.5,), rankings=((0, 1), (1, 2)))
    >>> NumberedList.of(written.list) == written
    True
    """

    left: tuple[int, ...]
    right: tuple[int, ...]
    documents: tuple[int, ...]
    teams: tuple[int, ...]
    propensities: tuple[float, ...]

    def __post_init__(self) -> None:
        """Refuse what is not an interleaved list."""
        for name in ("left", "right", "documents"):
            numbers = getattr(self, name)
            if any(type(number) is not int or number < 0 for number in numbers) or repeats(numbers):
                raise ParameterError(f"{name} must be documents by number, from 0, each once.")
        if not {*self.documents} <= {*self.left, *self.right}:
            raise ParameterError("documents must be of the rankings left and right.")
        if not len(self.documents) == len(self.teams) == len(self.propensities):
            raise ParameterError("documents, teams and propensities must be equally many.")
        if not {*self.teams} <= {*TEAMS}:
            raise ParameterError("teams must be 0 for left, 1 for right and -1 for nobody.")
        if not all(is_finite(chance) and 0.0 < chance <= 1.0 for chance in self.propensities):
            raise ParameterError("propensities must be chances above 0 and at most 1.")

    @classmethod
    def of(cls, shown: Shown) -> "NumberedList":
        """Return a list of two rankings as it is written."""
        left, right = shown.rankings
        return cls(left, right, *shown[:3])

    @property
    def list(self) -> Shown:
        """The list that was written."""
        return Shown(self.documents, self.teams, self.propensities, (self.left, self.right))


def repeats(numbers: tuple[Any, ...]) -> bool:
    """Return whether something stands twice."""
    return len({*numbers}) < len(numbers)


class Clicked(Event, frozen=True, kw_only=True, tag="clicked"):
    """A list was clicked; all clicks on it are settled later, as one answer.

    Parameters
    ----------
    ticket, left, right, voter, flipped, propensity, round, note, context, learner, late, item
        The duel whose arms ranked the list, as in `Answered`.
    shown : NumberedList
        All of the list that had been shown.
    places : tuple of int
        Where it was clicked, from 0.

    Examples
    --------
    >>> shown = NumberedList((0, 1), (1, 2), documents=(1, 0), teams=(1, 0), propensities=(0.5, 1.0))
    >>> click, again = (Clicked(ticket="dB1", left=0, right=3, shown=shown, places=(1,)) for _ in range(2))
    >>> click.key == again.key, click.key == "dB1"
    (True, False)
    """

    ticket: str
    left: Choice
    right: Choice
    shown: NumberedList
    places: tuple[int, ...]
    voter: str | None = None
    flipped: bool = False
    propensity: tuple[float, float] | None = None
    round: float | None = None
    note: Any = None
    context: Any = None
    learner: int = 0
    late: bool = False
    item: str | None = None

    def __post_init__(self) -> None:
        """Refuse fields that could not be kept."""
        require_asked(self)
        require_places("places", self.places)
        if self.places[-1] >= len(self.shown.documents):
            raise ParameterError(
                f"places must be below {len(self.shown.documents)}, the length of the list; got "
                f"{self.places[-1]}."
            )

    @property
    def key(self) -> str:
        """Return a key of the ticket and the places: the same clicks are on record once."""
        places = blake2b(repr(self.places).encode(), digest_size=16).hexdigest()
        return f"clicked {self.ticket} {places}"


class PendingClicks:
    """Pending clicks by ticket: of each list the first event, with the places of all and the longest list.

    A ticket is for one list. Clicks on another one, which two processes may have written at the same moment,
    are passed over.

    Examples
    --------
    >>> shown = NumberedList((0, 1), (1, 0), documents=(1, 0), teams=(1, 0), propensities=(0.5, 1.0))
    >>> pending = PendingClicks()
    >>> for place in (1, 0):
    ...     pending.add(Clicked(ticket="t", left=0, right=3, shown=shown, places=(place,), time=5.0 - place))
    >>> [(one.places, one.time) for one in pending]
    [((0, 1), 4.0)]
    """

    def __init__(self) -> None:
        self.by_ticket: dict[str, Clicked] = {}
        self._of_voter: dict[str, list[str]] = {}
        self._times: list[tuple[float, str]] = []  # a heap, in which what is settled stays until it is met

    def __len__(self) -> int:
        """Return the number of lists."""
        return len(self.by_ticket)

    def __iter__(self) -> Iterator[Clicked]:
        """Iterate over the lists, in the order of their first clicks."""
        return iter(self.by_ticket.values())

    def get(self, ticket: str) -> Clicked | None:
        """Return the clicks of a ticket; None if none are pending."""
        return self.by_ticket.get(ticket)

    def add(self, event: Clicked) -> None:
        """Collect clicks."""
        known = self.by_ticket.get(event.ticket)
        if known is not None:
            self.by_ticket[event.ticket] = united(known, event)
            return
        self.by_ticket[event.ticket] = event
        heappush(self._times, (event.time, event.ticket))
        if event.voter is not None:
            self._of_voter.setdefault(event.voter, []).append(event.ticket)

    def close(self, ticket: str) -> None:
        """Forget a ticket that was answered or skipped."""
        known = self.by_ticket.pop(ticket, None)
        if known is not None and known.voter is not None:
            tickets = self._of_voter[known.voter]
            tickets.remove(ticket)
            if not tickets:
                del self._of_voter[known.voter]

    def of(self, voter: str) -> list[Clicked]:
        """Return the clicks of a voter."""
        return [self.by_ticket[ticket] for ticket in self._of_voter.get(voter, ())]

    def until(self, moment: float) -> list[Clicked]:
        """Return the lists whose first click was at a moment or before it."""
        while self._times and self._times[0][1] not in self.by_ticket:
            heappop(self._times)
        if not self._times or self._times[0][0] > moment:
            return []
        return [one for one in self if one.time <= moment]


def united(first: Clicked, later: Clicked) -> Clicked:
    """Return clicks on one list together; those on another list are left out."""
    if not later.shown.list.is_same_list(first.shown.list):
        return first
    longest = max(first.shown, later.shown, key=lambda shown: len(shown.documents))
    return replace(first, shown=longest, places=tuple(sorted({*first.places, *later.places})))
