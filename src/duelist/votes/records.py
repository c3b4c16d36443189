"""Recorded comparisons as columns: what every reader of them returns."""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from duelist.duel import FloatArray, IntArray

Texts: TypeAlias = NDArray[np.object_]  # an array of strings that share what is equal


class Records(NamedTuple):
    """Comparisons, one a row, or many alike; arms are numbered as they were given or appeared."""

    arms: tuple[str, ...]
    left: IntArray
    right: IntArray
    outcomes: FloatArray
    """1 left won, 0 right won, 0.5 a tie."""
    counts: FloatArray
    """How many times; halves too, where a tie is written as half a win each way."""
    voters: Texts | None = None
    items: Texts | None = None
    tickets: Texts | None = None
    times: Texts | None = None
    rankings: Texts | None = None
    """Which ranking of several arms a comparison is a part of."""

    def wins(self) -> FloatArray:
        """Return who beat whom how often; a tie is half a win each way."""
        return count_wins(len(self.arms), self.left, self.right, self.outcomes, self.counts)


def count_wins(
    k: int, left: IntArray, right: IntArray, outcomes: FloatArray, counts: FloatArray | IntArray
) -> FloatArray:
    """Return who of k arms beat whom how often; a tie is half a win each way."""
    of_left, of_right = left * k + right, right * k + left
    won = np.bincount(of_left, weights=outcomes * counts, minlength=k * k)
    lost = np.bincount(of_right, weights=(1.0 - outcomes) * counts, minlength=k * k)
    return np.asarray(won + lost, np.float64).reshape(k, k)
