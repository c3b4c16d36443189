"""The words everything else is said in: choices, duels and outcomes."""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from duelist.errors import OutcomeError

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]
FeatureArray: TypeAlias = NDArray[np.float32]
"""Features of documents: single precision, because there are many."""

Choice: TypeAlias = Any  # what a duel shows on one side: an arm's index, its name in a study, or a point

LEFT_WINS, TIE, RIGHT_WINS = 1.0, 0.5, 0.0


class Duel(NamedTuple):
    """Two choices to be compared; carries all that `tell` will ever need.

    Examples
    --------
    >>> Duel("bm25", "dense").left
    'bm25'
    """

    left: Choice
    right: Choice
    propensity: tuple[float, float] | None = None
    """The chance with which each side was drawn; None where it is not known."""
    ticket: str | None = None
    """A study's sealed text, which carries the duel and by which a repeated answer is recognised."""
    note: Any = None
    """What the learner wants to be reminded of when it is told the outcome."""
    context: Any = None
    """What was known before the duel, where preferences depend on it."""
    round: float | None = None
    """The learner's time when it asked; None for a duel that it did not ask."""
    item: str | None = None
    """What the two are compared on, such as a question that both answer; None where they are shown alone."""


def require_arm(side: str, arm: object, k: int) -> int:
    """Return the number of an arm or action on one side of a duel, or say that there is none such."""
    if type(arm) is int and 0 <= arm < k:
        return arm
    if not isinstance(arm, int | np.integer) or not 0 <= arm < k:
        raise OutcomeError(f"duel.{side} is {arm!r}, but the arms are numbered 0 to {k - 1}.")
    return int(arm)
