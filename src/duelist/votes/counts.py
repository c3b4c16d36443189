"""Tables of counts, a row and a column for each arm."""

import numpy as np
from numpy.typing import ArrayLike

from duelist.duel import FloatArray
from duelist.errors import PreferenceError

MOST = 1e15  # the largest count: sums of larger ones lose single wins


def as_counts(name: str, counts: ArrayLike) -> FloatArray:
    """Return counts of pairs as a square array of numbers from 0 to `MOST`."""
    try:
        array = np.array(counts, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise PreferenceError(f"{name} is not a table of numbers ({error}); give K rows of K.") from error
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise PreferenceError(f"{name} has shape {array.shape}; give one row and one column for each arm.")
    for i, j in np.argwhere(~((array >= 0.0) & (array <= MOST))):
        raise PreferenceError(
            f"{name}[{i}, {j}] is {array[i, j]}; give finite counts, 0 or more, {MOST:.0e} at most."
        )
    return array
