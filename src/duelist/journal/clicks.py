"""Clicks on lists: events that number the documents, and the pending clicks of a study."""

from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from heapq import heappop, heappush
from typing import Any, TypeAlias, TypeGuard

import msgspec
from msgspec.structs import asdict, replace

from duelist.errors import ParameterError
from duelist.journal.events import (
    Answered,
    Choice,
    Event,
    is_finite,
    require_asked,
    require_list_asked,
    require_places,
)
from duelist.shown import Shown
from duelist.text import shortened

TEAMS = (-1, 0, 1)


class NumberedList(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """An interleaved list of two rankings in the form that events write, with numbers instead of documents.

    Parameters
    ----------
    left, right : tuple of int
        The rankings of the two arms, best document first.
    documents : tuple of int
        The documents shown, from the top.
    teams : tuple of int
        The arm that each place is credited to: 0 for left, 1 for right, -1 for neither.
    propensities : tuple of float
        The probability of each place to show its document, given the documents above it.

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
        for name in ("left", "right", "documents"):
            require_numbers(name, getattr(self, name))
        if not {*self.documents} <= {*self.left, *self.right}:
            raise ParameterError("documents must be in the rankings left and right.")
        if not len(self.documents) == len(self.teams) == len(self.propensities):
            raise ParameterError("documents, teams and propensities must have equal lengths.")
        if not {*self.teams} <= {*TEAMS}:
            raise ParameterError("teams must be 0 for left, 1 for right or -1 for neither.")
        if not all(is_finite(chance) and 0.0 < chance <= 1.0 for chance in self.propensities):
            raise ParameterError("propensities must be probabilities above 0 and at most 1.")

    @classmethod
    def of(cls, shown: Shown) -> "NumberedList":
        """Return a list of two rankings in the form that an event writes."""
        left, right = shown.rankings
        return cls(left, right, *shown[:3])

    @property
    def list(self) -> Shown:
        """The list, as interleaving knows it."""
        return Shown(self.documents, self.teams, self.propensities, (self.left, self.right))

    def is_same_list(self, other: object) -> bool:
        """Return whether another list is this one, or fewer or more pages of it."""
        return isinstance(other, NumberedList) and self.list.is_same_list(other.list)


class RankedList(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A list that a learner of rankings made, in the form that events write.

    Parameters
    ----------
    documents : tuple of int
        The documents shown, from the top, as rows of the query's features.
    content : bytes
        Everything that the learner needs besides the clicks: features, page and note, packed by
        `duelist.study.documents`.
    """

    documents: tuple[int, ...]
    content: bytes

    def __post_init__(self) -> None:
        require_numbers("documents", self.documents)

    def is_same_list(self, other: object) -> bool:
        """Return whether another list is this one: it is shown whole."""
        return isinstance(other, RankedList) and self.documents == other.documents


def require_numbers(name: str, numbers: tuple[Any, ...]) -> None:
    """Raise ParameterError unless documents are given by number, each once."""
    if any(type(number) is not int or number < 0 for number in numbers) or len({*numbers}) < len(numbers):
        raise ParameterError(
            f"{name} must be distinct document numbers, counted from 0; got {shortened(numbers)}."
        )


class Clicked(Event, frozen=True, kw_only=True, tag="clicked"):
    """An interleaved list was clicked; all clicks on it are settled later, as one answer.

    Parameters
    ----------
    ticket, left, right, voter, flipped, propensity, round, note, context, learner, late, item
        The duel whose arms ranked the list, as in `Answered`.
    shown : NumberedList
        The list, as far as it had been shown.
    places : tuple of int
        The places that were clicked, from 0.

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
        require_asked(self)
        require_places("places", self.places)
        require_on_list(self.places, self.shown.documents)

    @property
    def key(self) -> str:
        """Return a key made of the ticket and the places: the same clicks are recorded once."""
        return key_of_clicks(self.ticket, self.places)

    def settled(self, outcome: Callable[[Shown, Sequence[int]], float]) -> Answered:
        """Return the clicks as one answer to the duel, given when the first of them was.

        Parameters
        ----------
        outcome : callable
            Returns who wins, given a list and the documents that were clicked.
        """
        documents = [self.shown.documents[place] for place in self.places]
        duel = {name: value for name, value in asdict(self).items() if name not in ("shown", "places")}
        return Answered(**duel, outcome=outcome(self.shown.list, documents), clicked=self.places)


class DocumentsClicked(Event, frozen=True, kw_only=True, tag="documents_clicked"):
    """A list that a learner of rankings made was clicked; once the clicks are final, the learner learns.

    Parameters
    ----------
    ticket : str
        The list's own id, which is settled once.
    shown : RankedList
        The list.
    places : tuple of int
        The places that were clicked, from 0; empty if the list was not clicked, which is final.
    voter : str, optional
        Who clicked.
    learner : int
        How often the learner had been changed before it made the list.
    late : bool
        Whether the clicks came after the answer_timeout.
    final : bool
        Whether these are all clicks on the list.

    Examples
    --------
    >>> click = DocumentsClicked(ticket="dB1", shown=RankedList((4, 2), b""), places=(1,))
    >>> click.key == "dB1", click.settled().key == "dB1"
    (False, True)
    """

    ticket: str
    shown: RankedList
    places: tuple[int, ...] = ()
    voter: str | None = None
    learner: int = 0
    late: bool = False
    final: bool = False

    def __post_init__(self) -> None:
        require_list_asked(self)
        if self.places or not self.final:
            require_places("places", self.places)
            require_on_list(self.places, self.shown.documents)

    @property
    def key(self) -> str:
        """Return the ticket if the clicks are final; otherwise a key made of the ticket and the places."""
        return self.ticket if self.final else key_of_clicks(self.ticket, self.places)

    def settled(self, outcome: object = None) -> "DocumentsClicked":
        """Return the clicks as final; an outcome is not needed."""
        return replace(self, final=True)


Clicks: TypeAlias = Clicked | DocumentsClicked
"""Clicks on a list of either kind."""


def is_answer(event: Event) -> TypeGuard[Answered | DocumentsClicked]:
    """Return whether the learner learns from an event; only such events can be retracted."""
    return type(event) is Answered or (type(event) is DocumentsClicked and event.final)


def clicked_places(event: Event) -> tuple[int, ...] | None:
    """Return the places of clicks, pending or settled; None for other events."""
    return event.clicked if isinstance(event, Answered) else getattr(event, "places", None)


def require_on_list(places: tuple[int, ...], documents: tuple[int, ...]) -> None:
    """Raise ParameterError if a place lies below the end of the list."""
    if places[-1] >= len(documents):
        raise ParameterError(
            f"places must be below {len(documents)}, the length of the list; got {places[-1]}."
        )


def key_of_clicks(ticket: str, places: tuple[int, ...]) -> str:
    return f"clicked {ticket} {blake2b(repr(places).encode(), digest_size=16).hexdigest()}"


class PendingClicks:
    """Pending clicks by ticket: the first event of each list, with all clicked places and the longest list.

    A ticket is for one list. Clicks on another list, which two processes may have recorded at the same
    moment, are ignored.

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
        self.by_ticket: dict[str, Clicks] = {}
        self._of_voter: dict[str, list[str]] = {}
        self._times: list[tuple[float, str]] = []  # a heap, from which settled lists are removed lazily

    def __len__(self) -> int:
        return len(self.by_ticket)

    def __iter__(self) -> Iterator[Clicks]:
        """Iterate over the lists in the order of their first clicks."""
        return iter(self.by_ticket.values())

    def get(self, ticket: str) -> Clicks | None:
        return self.by_ticket.get(ticket)

    def add(self, event: Clicks) -> None:
        known = self.by_ticket.get(event.ticket)
        if known is not None:
            self.by_ticket[event.ticket] = united(known, event)
            return
        self.by_ticket[event.ticket] = event
        heappush(self._times, (event.time, event.ticket))
        if event.voter is not None:
            self._of_voter.setdefault(event.voter, []).append(event.ticket)

    def close(self, ticket: str) -> None:
        """Remove a ticket that was answered or skipped."""
        known = self.by_ticket.pop(ticket, None)
        if known is not None and known.voter is not None:
            tickets = self._of_voter[known.voter]
            tickets.remove(ticket)
            if not tickets:
                del self._of_voter[known.voter]

    def of(self, voter: str) -> list[Clicks]:
        """Return the pending clicks of a voter."""
        return [self.by_ticket[ticket] for ticket in self._of_voter.get(voter, ())]

    def until(self, moment: float) -> list[Clicks]:
        """Return the lists whose first click came at a moment or before it."""
        while self._times and self._times[0][1] not in self.by_ticket:
            heappop(self._times)
        if not self._times or self._times[0][0] > moment:
            return []
        return [one for one in self if one.time <= moment]


def united(first: Clicks, later: Clicks) -> Clicks:
    """Return the clicks on one list together; clicks on another list are dropped."""
    if not later.shown.is_same_list(first.shown):
        return first
    longest = max(first.shown, later.shown, key=lambda shown: len(shown.documents))
    return replace(first, shown=longest, places=tuple(sorted({*first.places, *later.places})))
