"""The words everything else is said in: choices, duels and outcomes."""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]
FeatureArray: TypeAlias = NDArray[np.float32]
"""Features of documents: single precision, because there are many."""

Choice: TypeAlias = Any
"""What a duel shows on one side: an arm's index, its name in a study, or a point."""

LEFT_WINS, TIE, RIGHT_WINS = 1.0, 0.5, 0.0


class Duel(NamedTuple):
    """Two choices to be compared; carries all that `tell` will ever need.

    Examples
    --------
    >>> Duel("bm25", "dense")
    Duel(left='bm25', right='dense', propensity=(1.0, 1.0), ticket=None, note=None, context=None)
    """

    left: Choice
    right: Choice
    propensity: tuple[float, float] = (1.0, 1.0)
    ticket: int | None = None
    """A study's own number of the question, by which a repeated answer is recognised."""
    note: Any = None
    """What the learner wants to be reminded of when it is told the outcome."""
    context: Any = None
    """What was known before the duel, where preferences depend on it."""
