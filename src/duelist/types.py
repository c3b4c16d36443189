"""The words everything else is said in: choices, duels, menus and outcomes."""

from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from duelist.errors import ParameterError

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]

Choice: TypeAlias = Any
"""What a duel shows on one side: an arm's index here, its name in a study."""

LEFT_WINS, TIE, RIGHT_WINS = 1.0, 0.5, 0.0


class Duel(NamedTuple):
    """Two choices to be compared; carries all that `tell` will ever need.

    Examples
    --------
    >>> Duel("bm25", "dense")
    Duel(left='bm25', right='dense', propensity=(1.0, 1.0), ticket=None)
    """

    left: Choice
    right: Choice
    propensity: tuple[float, float] = (1.0, 1.0)
    ticket: int | None = None
    """A study's own number of the question, by which a repeated answer is recognised."""


@dataclass(frozen=True)
class Arms:
    """The menu of a K-armed problem: the arms 0 to `k` - 1.

    Examples
    --------
    >>> Arms(3)
    Arms(k=3)
    """

    k: int

    def __post_init__(self) -> None:
        """Refuse a menu on which nothing can be compared."""
        if self.k < 2:
            raise ParameterError(f"k must be at least 2 arms, because a duel needs two; got {self.k}.")


Menu: TypeAlias = Arms
"""What may be chosen now."""
