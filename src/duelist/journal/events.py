"""What happens to a study: the events a journal keeps, in the words of its file.

An event checks its fields when it is made, so that no journal holds one that could not be read again.
"""

from typing import Any

import msgspec

from duelist.defaults import ANSWER_TIMEOUT, INTERLEAVING
from duelist.errors import ParameterError
from duelist.journal.content import require_content
from duelist.journal.fields import (
    Choice,
    require_asked,
    require_choices,
    require_finite,
    require_name,
    require_places,
    require_share,
    require_study,
    require_ticket,
)

FORMAT = 1
"""The format of journals that this version writes, and the only one it reads."""


SETTINGS = ("seed", "answer_timeout", "interleaving")
"""The fields of `Created` that say how a study runs, whatever it compares."""


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
        Seconds since 1970, for people: it orders nothing.
    """

    time: float = 0.0

    def __post_init__(self) -> None:
        """Refuse fields that could not be kept."""
        require_finite("time", self.time)

    @property
    def key(self) -> str | None:
        """Return what may happen once only; None for what may happen again."""
        return None


class Created(Event, frozen=True, kw_only=True, tag="created", rename={"answer_timeout": "patience"}):
    """A study began: its learner, its choices and its seed."""

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
        """Refuse fields that could not be kept."""
        require_finite("time", self.time)
        require_finite("answer_timeout", self.answer_timeout)
        if type(self.format) is not int or self.format != FORMAT:
            raise ParameterError(
                f"format {self.format!r} is unknown; this version of duelist knows format {FORMAT}, "
                "a newer version may know it."
            )
        require_study(self.study)
        if type(self.seed) is not int or self.seed < 0:
            raise ParameterError(f"seed must be a whole number, at least 0; got {self.seed!r}.")
        require_name("package", self.package)
        require_name("interleaving", self.interleaving)

    @property
    def key(self) -> str:
        """Return the key of a beginning: there is one only."""
        return "created"

    @property
    def settings(self) -> dict[str, Any]:
        """Return how the study runs, by the names of `SETTINGS`."""
        return {name: getattr(self, name) for name in SETTINGS}


class ArmAdded(Event, frozen=True, kw_only=True, tag="arm_added"):
    """An arm joined; its number is the next one. It may have something to show besides its name."""

    arm: str
    text: str | None = None
    link: str | None = None
    image: str | None = None

    def __post_init__(self) -> None:
        """Refuse fields that could not be kept."""
        require_finite("time", self.time)
        require_name("arm", self.arm)
        require_content(self.text, self.link, self.image)


class ArmRetired(Event, frozen=True, kw_only=True, tag="arm_retired"):
    """An arm is shown no more."""

    arm: str

    def __post_init__(self) -> None:
        """Refuse fields that could not be kept."""
        require_finite("time", self.time)
        require_name("arm", self.arm)


class LearnerChanged(Event, frozen=True, kw_only=True, tag="learner_changed"):
    """Another learner took over; it learns from all that was answered before."""

    learner: dict[str, Any]
    example: dict[str, Any] = {}


class Answered(Event, frozen=True, kw_only=True, tag="answered"):
    """A duel was answered.

    Parameters
    ----------
    ticket : str
        The duel's own id, which is answered once.
    left, right : int or list of float
        What was compared: numbers of arms, or points.
    outcome : float
        1 where left was preferred, 0 where right was, 0.5 for a tie.
    voter : str, optional
        Who answered.
    flipped : bool
        Whether left was shown on the right.
    propensity : tuple of two floats, optional
        The chances with which the learner chose left and right.
    round : float, optional
        The round of the learner to which the duel belongs.
    note, context : optional
        What the learner must be reminded of, as plain values of JSON.
    learner : int
        How often the learner had been changed when the duel was asked.
    late : bool
        Whether the answer came after the study's answer_timeout had ended.
    clicked : tuple of int, optional
        Where clicks on a list were settled: its clicked places, from 0.
    item : str, optional
        What the two were compared on.

    Examples
    --------
    >>> Answered(ticket="dB1", left=0, right=3, outcome=1.0).key
    'dB1'
    >>> Answered(ticket="dB1", left=0, right=3, outcome=1.5)
    Traceback (most recent call last):
    duelist.errors.OutcomeError: outcome must lie in [0, 1]: 1 left wins, 0 right wins, 0.5 a tie; got 1.5.
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
        """Refuse fields that could not be kept."""
        require_asked(self)
        require_share(self.outcome)
        if self.clicked is not None:
            require_places("clicked", self.clicked)

    @property
    def key(self) -> str:
        """Return the ticket, which is answered or skipped once."""
        return self.ticket


class Skipped(Event, frozen=True, kw_only=True, tag="skipped"):
    """A duel was seen and not answered."""

    ticket: str
    left: Choice
    right: Choice
    voter: str | None = None
    item: str | None = None

    def __post_init__(self) -> None:
        """Refuse fields that could not be kept."""
        require_finite("time", self.time)
        require_ticket(self.ticket)
        require_choices(self.left, self.right)
        for field, name in (("voter", self.voter), ("item", self.item)):
            if name is not None:
                require_name(field, name)

    @property
    def key(self) -> str:
        """Return the ticket, which is answered or skipped once."""
        return self.ticket


class Retracted(Event, frozen=True, kw_only=True, tag="retracted"):
    """An answer was taken back; the record of it stays."""

    ticket: str

    def __post_init__(self) -> None:
        """Refuse fields that could not be kept."""
        require_finite("time", self.time)
        require_ticket(self.ticket)

    @property
    def key(self) -> str:
        """Return a key of its own: a ticket is retracted once."""
        return f"retracted {self.ticket}"


class Closed(Event, frozen=True, kw_only=True, tag="closed"):
    """The study ended."""

    @property
    def key(self) -> str:
        """Return the key of an end: there is one only."""
        return "closed"
