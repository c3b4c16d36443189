"""After how many votes a share of runs is there: order statistics, and intervals that assume nothing."""

from math import ceil, inf, isinf

import numpy as np

from duelist.duel import FloatArray
from duelist.errors import ParameterError, number_or_nan

CONFIDENCE = 0.95


def as_votes(number: float) -> int | None:
    """Return a number of votes; None where there is none that would do."""
    return None if isinf(number) else int(number)


def votes_until(needed: FloatArray, share: float) -> int | None:
    """Return after how many votes this share of runs has what it needed; None if it never has.

    Parameters
    ----------
    needed : array of shape (runs,)
        The votes that each run needed, inf where none were enough.
    share : float
        The share of runs, above 0 and at most 1.

    Examples
    --------
    >>> votes_until(np.array([30.0, 10.0, np.inf, 20.0]), 0.5)
    20
    """
    if not 0.0 < number_or_nan(share) <= 1.0:
        raise ParameterError(f"share must lie above 0 and be at most 1, such as 0.9; got {share!r}.")
    # rounding may not ask for one run more: 0.55 * 100 is more than 55
    runs = ceil(share * len(needed) * (1.0 - 1e-12))
    return as_votes(float(np.sort(needed)[runs - 1]))


def interval_of(needed: FloatArray, share: float) -> tuple[int | None, int | None]:
    """Return a 95% confidence interval for what `votes_until` would return of infinitely many runs.

    Its ends are votes that runs needed: how many runs need at most the true quantile is binomial, whatever
    their distribution. Where there are too few runs to tell, the lower end is 1 and the upper end None.

    Examples
    --------
    >>> interval_of(np.arange(1.0, 101.0), 0.5)
    (40, 61)
    """
    from scipy.special import bdtr

    order, tail = np.concatenate([[1.0], np.sort(needed), [inf]]), 0.5 * (1.0 - CONFIDENCE)
    fewer = bdtr(
        np.arange(len(needed)), len(needed), share
    )  # the chance that at most 0, 1, ... runs are there
    low, high = np.searchsorted(fewer, tail, side="right"), np.searchsorted(fewer, 1.0 - tail) + 1
    return as_votes(float(order[low])), as_votes(float(order[high]))
