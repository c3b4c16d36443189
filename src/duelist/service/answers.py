"""What the service answers."""

from typing import Literal

from pydantic import BaseModel, ConfigDict


class Answer(BaseModel):
    """What the service answers."""

    model_config = ConfigDict(use_attribute_docstrings=True)


class DuelAnswer(Answer):
    """Two choices to show, and the ticket that comes back with what was preferred."""

    left: str | dict[str, int | float]
    """What to show on the left: an arm's name, or a value for each knob."""
    right: str | dict[str, int | float]
    """What to show on the right."""
    ticket: str
    """A sealed text, to be sent back with the answer; it tells nothing about the arms."""
    propensity: tuple[float, float] | None = None
    """The chance with which each side was drawn, where it is known."""
    item: str | None = None
    """What the two are to be compared on, if items were sent along."""


class DuelsAnswer(Answer):
    """Several duels."""

    duels: list[DuelAnswer]
    """As many as were asked for."""


class RecordedAnswer(Answer):
    """What was sent is on record."""

    recorded: Literal[True] = True
    """Always true: what was not recorded is answered with an error."""
    late: bool = False
    """Whether it came after the study's patience had ended."""


class ErrorAnswer(Answer):
    """What was wrong, and what to do."""

    error: str
    """The kind of error, as in the Python package: ConflictError, TicketError and so on."""
    detail: str
    """What was wrong and what to do, in a sentence."""


class BestAnswer(Answer):
    """What is believed to be the best."""

    best: str | dict[str, int | float]
    """An arm's name, or a value for each knob."""


class StudiesAnswer(Answer):
    """The names of all studies."""

    studies: list[str]
    """In the order of the alphabet."""


class ExhaustedAnswer(Answer):
    """Whether there is anything left to ask a voter."""

    exhausted: bool
    """Whether they have seen every pair of arms, on every item."""


class ImportedAnswer(Answer):
    """What came of an import."""

    new: int
    """How many of the votes were not on record before."""


class ListAnswer(Answer):
    """One list of two rankings, and the ticket that comes back with the clicks on it."""

    documents: list[str | int]
    """From the top of the page to its end."""
    ticket: str
    """A sealed text, to be sent back with the clicks, or for the next page."""
