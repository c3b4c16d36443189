"""Kemeny's rule: the ranking that agrees most with the preferences."""

import numpy as np
from numpy.typing import ArrayLike

from duelist.duel import FloatArray, IntArray
from duelist.errors import ParameterError
from duelist.preferences import gaps, leaders

MOST_ARMS = 12  # the work doubles with every arm


def kemeny(matrix: ArrayLike) -> tuple[int, ...]:
    """Return the Kemeny winners: the arms that come first in some optimal ranking.

    A ranking is optimal if it maximizes the sum of `P[i, j]` over all pairs in which it puts arm i above
    arm j. A Condorcet winner is the only Kemeny winner, and all winners lie in the top cycle.

    Finding an optimal ranking is NP-hard; it is computed exactly, for at most 12 arms.

    Parameters
    ----------
    matrix : array of shape (K, K)
        `matrix[i, j]` is the probability that arm i beats arm j; K is at most 12.

    Returns
    -------
    tuple of int
        The numbers of the winners.

    Raises
    ------
    PreferenceError
        If `matrix` is not a matrix of preferences.
    ParameterError
        If it has more than 12 arms.

    References
    ----------
    Kemeny (1959). Mathematics without numbers. Daedalus.
    Young (1988). Condorcet's theory of voting. American Political Science Review.

    Examples
    --------
    >>> kemeny([[0.5, 0.9, 0.4], [0.1, 0.5, 0.7], [0.6, 0.3, 0.5]])
    (0,)
    >>> kemeny([[0.5, 0.5, 0.9], [0.5, 0.5, 0.9], [0.1, 0.1, 0.5]])
    (0, 1)
    """
    sums, best = _solve(matrix)
    return leaders(_by_first(sums, best, np.array(len(best) - 1)))


def kemeny_order(matrix: ArrayLike) -> tuple[int, ...]:
    """Return Kemeny's optimal ranking of all arms; if there are several, the lexicographically smallest.

    Parameters
    ----------
    matrix : array of shape (K, K)
        `matrix[i, j]` is the probability that arm i beats arm j; K is at most 12.

    Returns
    -------
    tuple of int
        The numbers of all arms, best first.

    Raises
    ------
    PreferenceError
        If `matrix` is not a matrix of preferences.
    ParameterError
        If it has more than 12 arms.

    Examples
    --------
    >>> kemeny_order([[0.5, 0.3, 0.6], [0.7, 0.5, 0.1], [0.4, 0.9, 0.5]])
    (2, 1, 0)
    """
    sums, best = _solve(matrix)
    order: list[int] = []
    rest = len(best) - 1
    while rest:
        order.append(leaders(_by_first(sums, best, np.array(rest)))[0])
        rest ^= 1 << order[-1]
    return tuple(order)


def _solve(matrix: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return each arm's sum of gaps to every set of arms, and the score of the best ranking of every set.

    A set is a number whose bits are its arms. The best ranking of a set begins with one of its arms and
    continues with the best ranking of the others, so sets are solved from the smallest to the largest.
    """
    edges = gaps(matrix)
    k = len(edges)
    if k > MOST_ARMS:
        raise ParameterError(
            f"matrix has {k} arms; Kemeny's rule supports at most {MOST_ARMS}. Give only the arms of "
            "winners.top_cycle, which have the same winners, or use winners.schulze or winners.ranked_pairs."
        )
    sums, sizes = np.zeros((k, 2**k)), np.zeros(2**k, np.int64)
    for arm in range(k):
        # the sets whose largest arm is this one are the sets of smaller arms, plus this arm
        smaller, larger = slice(0, 2**arm), slice(2**arm, 2 ** (arm + 1))
        sums[:, larger] = sums[:, smaller] + edges[:, [arm]]
        sizes[larger] = sizes[smaller] + 1
    best = np.zeros(2**k)
    for size in range(1, k + 1):
        sets = np.flatnonzero(sizes == size)
        best[sets] = _by_first(sums, best, sets).max(axis=0)
    return sums, best


def _by_first(sums: FloatArray, best: FloatArray, sets: IntArray) -> FloatArray:
    """Return the score of the best ranking of each set that begins with each arm; -inf if not in the set."""
    bits = (1 << np.arange(len(sums))).reshape(-1, *(1 for _ in sets.shape))
    return np.where(sets & bits, sums[:, sets] + best[sets & ~bits], -np.inf)
