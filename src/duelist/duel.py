"""Core types: choices, duels and outcomes."""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from duelist.errors import OutcomeError

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]
FeatureArray: TypeAlias = NDArray[np.float32]
"""Features of documents, in single precision to save memory."""

Choice: TypeAlias = Any  # one side of a duel: an arm's number, its name in a study, or a point

LEFT_WINS, TIE, RIGHT_WINS = 1.0, 0.5, 0.0


class Duel(NamedTuple):
    """Two choices to compare; holds everything that `tell` needs.

    Parameters
    ----------
    left, right : Choice
        The two choices: numbers of arms, names of arms in a study, or points.
    propensity : tuple of two floats, optional
        The probability with which each side was drawn, if known.
    ticket : str, optional
        The sealed text of a study, which contains the duel and identifies repeated answers.
    note : optional
        Data that the learner needs when it is told the outcome.
    context : array, optional
        The context, if preferences depend on one.
    round : float, optional
        The learner's time when it asked; None for a duel that it did not ask.
    item : str, optional
        What the two choices are compared on, such as a question that both answer.

    Examples
    --------
    >>> Duel("bm25", "dense").left
    'bm25'
    """

    left: Choice
    right: Choice
    propensity: tuple[float, float] | None = None
    ticket: str | None = None
    note: Any = None
    context: Any = None
    round: float | None = None
    item: str | None = None


def require_arm(side: str, arm: object, k: int) -> int:
    """Return the arm or action on one side of a duel as an int, after checking that it exists."""
    if type(arm) is int and 0 <= arm < k:
        return arm
    if not isinstance(arm, int | np.integer) or not 0 <= arm < k:
        raise OutcomeError(f"duel.{side} is {arm!r}, but the arms are numbered 0 to {k - 1}.")
    return int(arm)
