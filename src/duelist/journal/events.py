"""The events of a study, with the names that journals use for them.

An event checks its fields when it is made: no journal contains one that it could not read back.
"""

import re
import sys
from itertools import pairwise
from typing import Any

import msgspec

from duelist.defaults import ANSWER_TIMEOUT, INTERLEAVING
from duelist.errors import OutcomeError, ParameterError
from duelist.journal.content import require_content
from duelist.text import shortened

FORMAT = 1
"""The format of journals that this version reads and writes."""


SETTINGS = ("seed", "answer_timeout", "interleaving")
"""The fields of `Created` that configure a study, whatever it compares."""

TICKET = re.compile(r"[A-Za-z0-9_-]{1,64}")
STUDY = re.compile(r"[0-9a-f]{32}")
RESERVED = ("created", "closed")
"""Keys of events without tickets, which no ticket may have."""
UNFIT = re.compile("[\0-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Control characters, line breaks and lone surrogates, which no name may contain."""
LARGEST_ARM = 2**63 - 1
LARGEST_FLOAT = sys.float_info.max

Choice = int | list[float]
"""One side of a duel: the number of an arm, or a point."""


class Event(
    msgspec.Struct,
    frozen=True,
    gc=False,
    kw_only=True,
    tag_field="event",
    omit_defaults=True,
    forbid_unknown_fields=True,
):
    """Something that happened to a study.

    Parameters
    ----------
    time : float, default 0.0
        Seconds since 1970, for information only: it does not order events.
    """

    time: float = 0.0

    def __post_init__(self) -> None:
        """Check the fields: no event is made that a journal could not read back."""
        require_finite("time", self.time)

    @property
    def key(self) -> str | None:
        """Return the key of an event that may happen only once; None for an event that may repeat."""
        return None


class Created(Event, frozen=True, kw_only=True, tag="created", rename={"answer_timeout": "patience"}):
    """A study began, with its learner, its choices and its seed."""

    format: int
    study: str
    seed: int
    learner: dict[str, Any]
    choices: dict[str, Any]
    package: str
    example: dict[str, Any] = {}
    answer_timeout: float = ANSWER_TIMEOUT
    interleaving: str = INTERLEAVING

    def __post_init__(self) -> None:
        require_finite("time", self.time)
        require_finite("answer_timeout", self.answer_timeout)
        if type(self.format) is not int or self.format != FORMAT:
            raise ParameterError(
                f"format {self.format!r} is unknown; this version of duelist reads format {FORMAT}. Try a "
                "newer version."
            )
        require_study(self.study)
        if type(self.seed) is not int or self.seed < 0:
            raise ParameterError(f"seed must be a whole number, at least 0; got {self.seed!r}.")
        require_name("package", self.package)
        require_name("interleaving", self.interleaving)

    @property
    def key(self) -> str:
        """Return a fixed key: a study begins once."""
        return "created"

    @property
    def settings(self) -> dict[str, Any]:
        """Return the settings of the study, by the names in `SETTINGS`."""
        return {name: getattr(self, name) for name in SETTINGS}


class ArmAdded(Event, frozen=True, kw_only=True, tag="arm_added"):
    """An arm was added; it gets the next number. It may show a text, a link or an image."""

    arm: str
    text: str | None = None
    link: str | None = None
    image: str | None = None

    def __post_init__(self) -> None:
        require_finite("time", self.time)
        require_name("arm", self.arm)
        require_content(self.text, self.link, self.image)


class ArmRetired(Event, frozen=True, kw_only=True, tag="arm_retired"):
    """An arm was retired: it is no longer shown."""

    arm: str

    def __post_init__(self) -> None:
        require_finite("time", self.time)
        require_name("arm", self.arm)


class LearnerChanged(Event, frozen=True, kw_only=True, tag="learner_changed"):
    """Another learner took over; it learns from all earlier answers."""

    learner: dict[str, Any]
    example: dict[str, Any] = {}


class Answered(Event, frozen=True, kw_only=True, tag="answered"):
    """A duel was answered.

    Parameters
    ----------
    ticket : str
        The id of the duel, which is answered only once.
    left, right : int or list of float
        The choices that were compared: numbers of arms, or points.
    outcome : float
        1 where left was preferred, 0 where right was, 0.5 for a tie.
    voter : str, optional
        Who answered.
    flipped : bool
        Whether the sides were swapped after the learner had chosen them.
    propensity : tuple of two floats, optional
        The probabilities with which the learner chose left and right.
    round : float, optional
        The learner's round when it asked.
    note, context : optional
        What the learner needs again in `tell`, as plain JSON values.
    learner : int
        How often the learner had been changed before the duel was asked.
    late : bool
        Whether the answer came after the answer_timeout.
    clicked : tuple of int, optional
        For settled clicks on a list, the clicked places, from 0.
    item : str, optional
        The item on which the two were compared.

    Examples
    --------
    >>> Answered(ticket="dB1", left=0, right=3, outcome=1.0).key
    'dB1'
    >>> Answered(ticket="dB1", left=0, right=3, outcome=1.5)
    Traceback (most recent call last):
    duelist.errors.OutcomeError: outcome must lie in [0, 1] (1: left wins, 0: right wins, 0.5: tie); got 1.5.
    """

    ticket: str
    left: Choice
    right: Choice
    outcome: float
    voter: str | None = None
    flipped: bool = False
    propensity: tuple[float, float] | None = None
    round: float | None = None
    note: Any = None
    context: Any = None
    learner: int = 0
    late: bool = False
    clicked: tuple[int, ...] | None = None
    item: str | None = None

    def __post_init__(self) -> None:
        require_asked(self)
        require_share(self.outcome)
        if self.clicked is not None:
            require_places("clicked", self.clicked)

    @property
    def key(self) -> str:
        """Return the ticket: it is answered or skipped only once."""
        return self.ticket


class Skipped(Event, frozen=True, kw_only=True, tag="skipped"):
    """A duel was shown and skipped."""

    ticket: str
    left: Choice
    right: Choice
    voter: str | None = None
    item: str | None = None

    def __post_init__(self) -> None:
        require_finite("time", self.time)
        require_ticket(self.ticket)
        require_choices(self.left, self.right)
        for field, name in (("voter", self.voter), ("item", self.item)):
            if name is not None:
                require_name(field, name)

    @property
    def key(self) -> str:
        """Return the ticket: it is answered or skipped only once."""
        return self.ticket


class Retracted(Event, frozen=True, kw_only=True, tag="retracted"):
    """An answer was retracted; its event stays in the journal."""

    ticket: str

    def __post_init__(self) -> None:
        require_finite("time", self.time)
        require_ticket(self.ticket)

    @property
    def key(self) -> str:
        """Return a separate key: a ticket is retracted only once."""
        return f"retracted {self.ticket}"


class Closed(Event, frozen=True, kw_only=True, tag="closed"):
    """The study ended."""

    @property
    def key(self) -> str:
        """Return a fixed key: a study ends once."""
        return "closed"


def require_ticket(ticket: Any) -> None:
    """Raise ParameterError unless a ticket can be a key of events."""
    if type(ticket) is not str or TICKET.fullmatch(ticket) is None or ticket in RESERVED:
        raise ParameterError(
            f"ticket must be 1 to 64 characters of A-Z a-z 0-9 _ -, and neither 'created' nor 'closed'; "
            f"got {shortened(ticket)}."
        )


def require_name(field: str, name: Any) -> None:
    """Raise ParameterError if a name is empty or does not fit on one line."""
    # fast for nearly all names; the expression also admits joiners and unusual spaces
    if type(name) is str and name and (name.isprintable() or UNFIT.search(name) is None):
        return
    raise ParameterError(
        f"{field} must be a non-empty string without line breaks, control characters or lone surrogates; got "
        f"{shortened(name)}."
    )


def require_choices(left: Any, right: Any) -> None:
    """Raise ParameterError unless the sides are two arms, or two points of one space."""
    if not (is_arm(left) and is_arm(right)) and not (
        is_point(left) and is_point(right) and len(left) == len(right)
    ):
        raise ParameterError(
            "left and right must be two arms (whole numbers from 0) or two points (lists of finite numbers, "
            f"of equal length); got {shortened(left)} and {shortened(right)}."
        )


def is_arm(side: Any) -> bool:
    return type(side) is int and 0 <= side <= LARGEST_ARM


def is_point(side: Any) -> bool:
    return type(side) is list and bool(side) and all(map(is_finite, side))


def require_share(outcome: Any) -> None:
    """Raise OutcomeError unless an outcome is a plain number in [0, 1]."""
    if type(outcome) not in (float, int) or not 0.0 <= outcome <= 1.0:
        raise OutcomeError(
            f"outcome must lie in [0, 1] (1: left wins, 0: right wins, 0.5: tie); got {shortened(outcome)}."
        )


def require_asked(event: Any) -> None:
    """Check the fields that an event copies from a duel that was asked."""
    require_list_asked(event)
    require_choices(event.left, event.right)
    if event.item is not None:
        require_name("item", event.item)
    if event.propensity is not None:
        require_propensity(event.propensity)
    if event.round is not None:
        require_finite("round", event.round)


def require_list_asked(event: Any) -> None:
    """Check the fields that say when, to whom and by which learner a list was shown."""
    require_finite("time", event.time)
    require_ticket(event.ticket)
    if event.voter is not None:
        require_name("voter", event.voter)
    if type(event.learner) is not int or event.learner < 0:
        raise ParameterError(f"learner must be a whole number, at least 0; got {event.learner!r}.")


def require_places(field: str, places: Any) -> None:
    """Raise ParameterError unless places are positions in a list, from 0, in order and each once."""
    if not (
        type(places) is tuple
        and places
        and all(type(place) is int and place >= 0 for place in places)
        and all(upper < lower for upper, lower in pairwise(places))
    ):
        raise ParameterError(
            f"{field} must be places on a list: distinct whole numbers from 0, in increasing order; got "
            f"{shortened(places)}."
        )


def require_propensity(propensity: Any) -> None:
    if type(propensity) is tuple and len(propensity) == 2:
        first, second = propensity
        if is_finite(first) and is_finite(second) and 0.0 < first <= 1.0 and 0.0 < second <= 1.0:
            return
    raise ParameterError(
        f"propensity must be a pair of probabilities above 0 and at most 1; got {shortened(propensity)}."
    )


def require_finite(field: str, number: Any) -> None:
    if not is_finite(number):
        raise ParameterError(f"{field} must be a finite number; got {shortened(number)}.")


def is_finite(number: Any) -> bool:
    """Return whether a value is a plain number that a float can hold."""
    return type(number) in (float, int) and -LARGEST_FLOAT <= number <= LARGEST_FLOAT


def require_study(study: Any) -> None:
    if type(study) is not str or STUDY.fullmatch(study) is None:
        raise ParameterError(f"study must be 32 hexadecimal digits (0-9 a-f); got {shortened(study)}.")
