"""How far what was counted may be from what is expected, by luck alone."""

import numpy as np
from scipy.stats import binom

from duelist.duel import FloatArray, IntArray


def surprise(counted: IntArray, tries: int, chance: FloatArray) -> FloatArray:
    """Return the two-sided p-value of each count, of n tries of a known chance.

    Examples
    --------
    >>> surprise(np.array([5, 10]), 10, np.array([0.5, 0.5]))
    array([1.        , 0.00195312])
    """
    tails = np.minimum(binom.cdf(counted, tries, chance), binom.sf(counted - 1, tries, chance))
    return np.asarray(np.minimum(1.0, 2.0 * tails))


def surprise_of_sum(counted: int, chances: FloatArray) -> float:
    """Return the two-sided p-value of how many of independent events happened, each of its own chance.

    Examples
    --------
    >>> round(surprise_of_sum(0, np.array([0.5, 0.9])), 3)  # happens with a chance of 0.5 * 0.1
    0.1
    """
    counts = np.ones(1)
    for chance in chances.ravel():
        counts = np.convolve(counts, [1.0 - chance, chance])
    tail = min(counts[: counted + 1].sum(), counts[counted:].sum())
    return min(1.0, 2.0 * float(tail))


def range_by_luck(tests: int, level: float, sure: float) -> tuple[int, int]:
    """Return how few and how many of n tests of nothing come out significant, either with a confidence.

    Examples
    --------
    >>> range_by_luck(tests=300, level=0.05, sure=0.999)
    (5, 28)
    """
    return int(binom.ppf(1.0 - sure, tests, level)), int(binom.ppf(sure, tests, level))


def chance_to_tell(duels: IntArray, wrong: FloatArray, level: float) -> FloatArray:
    """Return the chance that the two-sided sign test finds the expected winner in n duels without a tie.

    `wrong` is the chance that the other one wins a duel.

    Examples
    --------
    >>> chance_to_tell(np.array([5, 6]), np.array([0.1, 0.1]), level=0.05).round(3)  # six of six are enough
    array([0.   , 0.531])
    """
    most = binom.ppf(level / 2.0, duels, 0.5) - 1.0
    return np.asarray(binom.cdf(most, duels, wrong))
