"""Clicks on an interleaved list, as an event: documents are numbers, their names are not kept."""

from hashlib import blake2b
from typing import Any

import msgspec

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
