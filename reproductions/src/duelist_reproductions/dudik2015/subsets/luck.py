"""How likely luck alone makes counts by size differ so much from what is expected."""

import numpy as np
from scipy.stats import chi2

from duelist.duel import FloatArray, IntArray

FEWEST = 5.0
"""Chi-square approximates the law of counts of which at least so many are expected (Cochran's rule)."""


def chance_of_counts(found: IntArray, drawn: IntArray, chance: FloatArray, fitted: int = 0) -> float:
    """Return how likely a chi-square over all sizes is as large, if so many are found of those drawn.

    It adds up what is little at every size, as a sampler leaves it that prefers an arm. Neighbouring sizes
    are put together until enough are expected. What has a chance of 0 or 1 has to come out exactly.

    Parameters
    ----------
    found, drawn : array of int
        How many subsets are of a kind, and how many there are, by size.
    chance : array of float
        Of a subset to be of that kind, by size.
    fitted : int, default 0
        How many numbers were fitted to the counts, to know the chance.

    Examples
    --------
    >>> drawn = np.array([100, 100])
    >>> round(chance_of_counts(np.array([60, 40]), drawn, np.array([0.5, 0.5])), 4)  # twice two deviations
    0.0183
    """
    if np.any((found > 0) & (chance == 0.0)) or np.any((found < drawn) & (chance == 1.0)):
        return 0.0
    group = groups(drawn * chance, drawn * (1.0 - chance))
    away = np.bincount(group, found - drawn * chance)
    variance = np.bincount(group, drawn * chance * (1.0 - chance))
    if not variance.any():
        return 1.0
    return float(chi2.sf((away**2 / variance).sum(), len(variance) - fitted))


def groups(hits: FloatArray, misses: FloatArray) -> IntArray:
    """Return the group of every size: neighbours that together expect enough hits and enough misses.

    Examples
    --------
    >>> groups(np.array([1.0, 4.0, 9.0, 2.0]), np.array([9.0, 9.0, 9.0, 9.0]))  # what is left joins the last
    array([0, 0, 1, 1])
    """
    group = np.zeros(len(hits), np.int64)
    full, hit, missed = 0, 0.0, 0.0
    for place in range(len(hits)):
        group[place] = full
        hit, missed = hit + hits[place], missed + misses[place]
        if min(hit, missed) >= FEWEST:
            full, hit, missed = full + 1, 0.0, 0.0
    return np.minimum(group, max(full - 1, 0))
