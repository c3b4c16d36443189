"""Cycles, total order, stochastic transitivity and the triangle inequality.

The entry `P[i, j]` of the matrix is the probability that arm i beats arm j, and the gap of i over j is
`P[i, j]` - 1/2. Inequalities are checked with a tolerance of 1e-12 for rounding.

Yue, Broder, Kleinberg, Joachims (2012). The K-armed dueling bandits problem. JCSS. Section 3.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from duelist.duel import BoolArray, FloatArray
from duelist.preferences import ROUNDING, beats, gaps


class Cycle(NamedTuple):
    """A set of arms, each of which beats every other one, directly or through a chain of wins."""

    arms: tuple[int, ...]
    """All arms of the set, by number."""
    shortest: tuple[int, ...]
    """A shortest cycle: each arm beats the next, and the last beats the first."""


def cycles(matrix: ArrayLike) -> tuple[Cycle, ...]:
    """Return the sets of arms that are connected by cycles of wins, the strongest set first.

    These are the strongly connected components with more than one arm of the graph of wins; ties are not
    edges.

    Parameters
    ----------
    matrix : array of shape (K, K)
        `matrix[i, j]` is the probability that arm i beats arm j.

    Returns
    -------
    tuple of Cycle
        The sets, each with a shortest cycle.

    Raises
    ------
    PreferenceError
        If `matrix` is not a matrix of preferences.

    References
    ----------
    Moon (1968). Topics on tournaments. Section 3: irreducible tournaments.

    Examples
    --------
    Three arms in a cycle, and one that loses to all of them.

    >>> cycles([[0.5, 0.9, 0.1, 0.6], [0.1, 0.5, 0.9, 0.6], [0.9, 0.1, 0.5, 0.6], [0.4, 0.4, 0.4, 0.5]])
    (Cycle(arms=(0, 1, 2), shortest=(0, 1, 2)),)
    """
    wins = beats(matrix)
    reaches = wins
    for _ in range(len(wins).bit_length()):
        reaches = reaches | _follow(reaches, reaches)
    together = reaches & reaches.T
    parts = {tuple(np.flatnonzero(row).tolist()): None for row in together if row.any()}
    # an arm of a stronger set reaches every arm that an arm of a weaker set reaches, and more
    strongest_first = sorted(parts, key=lambda part: (-int(reaches[part[0]].sum()), part))
    return tuple(Cycle(part, _shortest(wins, part)) for part in strongest_first)


def _follow(first: BoolArray, then: BoolArray) -> BoolArray:
    """Compose two relations; the path counts are exact in floats."""
    return first.astype(np.float64) @ then.astype(np.float64) > 0.0


def _shortest(wins: BoolArray, part: tuple[int, ...]) -> tuple[int, ...]:
    """Return a shortest cycle of a strongly connected set."""
    inside = wins[np.ix_(part, part)]
    by_length = [inside]
    while not by_length[-1].diagonal().any():
        by_length.append(_follow(inside, by_length[-1]))
    way = [int(np.argmax(by_length[-1].diagonal()))]
    for rest in by_length[-2::-1]:
        way.append(int(np.argmax(inside[way[-1]] & rest[:, way[0]])))
    return tuple(part[arm] for arm in way)


def total_order(matrix: ArrayLike) -> tuple[int, ...] | None:
    """Return the arms from best to worst, each beating all arms after it.

    Parameters
    ----------
    matrix : array of shape (K, K)
        `matrix[i, j]` is the probability that arm i beats arm j.

    Returns
    -------
    tuple of int or None
        The numbers of the arms, best first; None if there is a tie or a cycle.

    Raises
    ------
    PreferenceError
        If `matrix` is not a matrix of preferences.

    Examples
    --------
    >>> total_order([[0.5, 0.4, 0.3], [0.6, 0.5, 0.4], [0.7, 0.6, 0.5]])
    (2, 1, 0)
    >>> total_order([[0.5, 0.6, 0.4], [0.4, 0.5, 0.6], [0.6, 0.4, 0.5]]) is None
    True
    """
    defeated = beats(matrix).sum(axis=1)
    order = np.argsort(-defeated)
    # in a total order, and only there, the numbers of defeated arms are K - 1, K - 2, ..., 0
    is_total = np.array_equal(defeated[order], np.arange(len(order))[::-1])
    return tuple(order.tolist()) if is_total else None


def strong_stochastic_transitivity(matrix: ArrayLike) -> bool:
    """Return whether, for all i beating j beating k, i beats k by at least the larger of the two gaps.

    This is equation 4 of Yue et al. (2012).

    Parameters
    ----------
    matrix : array of shape (K, K)
        `matrix[i, j]` is the probability that arm i beats arm j.

    Returns
    -------
    bool
        Whether it holds; False if the arms have no total order.

    Raises
    ------
    PreferenceError
        If `matrix` is not a matrix of preferences.

    Examples
    --------
    >>> strong_stochastic_transitivity([[0.5, 0.6, 0.7], [0.4, 0.5, 0.6], [0.3, 0.4, 0.5]])
    True
    >>> strong_stochastic_transitivity([[0.5, 0.6, 0.6], [0.4, 0.5, 0.7], [0.4, 0.3, 0.5]])
    False
    """
    ordered = _gaps_in_order(matrix)
    if ordered is None:
        return False
    upper = np.triu(ordered)
    largest_of_row = np.maximum.accumulate(upper, axis=1)
    largest_of_column = np.maximum.accumulate(upper[::-1], axis=0)[::-1]
    return bool(np.all(upper >= np.maximum(largest_of_row, largest_of_column) - ROUNDING))


def stochastic_triangle_inequality(matrix: ArrayLike) -> bool:
    """Return whether, for all i beating j beating k, i beats k by at most the sum of the two gaps.

    This is equation 5 of Yue et al. (2012).

    Parameters
    ----------
    matrix : array of shape (K, K)
        `matrix[i, j]` is the probability that arm i beats arm j.

    Returns
    -------
    bool
        Whether it holds; False if the arms have no total order.

    Raises
    ------
    PreferenceError
        If `matrix` is not a matrix of preferences.

    Examples
    --------
    >>> stochastic_triangle_inequality([[0.5, 0.6, 0.7], [0.4, 0.5, 0.6], [0.3, 0.4, 0.5]])
    True
    >>> stochastic_triangle_inequality([[0.5, 0.6, 0.9], [0.4, 0.5, 0.6], [0.1, 0.4, 0.5]])
    False
    """
    ordered = _gaps_in_order(matrix)
    if ordered is None:
        return False
    return all(
        bool(np.all(ordered[:j, j + 1 :] <= ordered[:j, j, np.newaxis] + ordered[j, j + 1 :] + ROUNDING))
        for j in range(1, len(ordered) - 1)
    )


def relaxed_gamma(matrix: ArrayLike) -> float | None:
    """Return the smallest gamma >= 1 for which relaxed stochastic transitivity holds.

    For all other arms j that beat k, the Condorcet winner's gap over k times gamma is at least its gap over j
    and at least the gap of j over k. Cycles among the other arms are allowed. Zoghi et al. (2014) report 47.3
    for the 64 rankers of NP2004, where this function returns 4.28: their value is for all pairs j < k in the
    order of the table, including those where k beats j.

    Parameters
    ----------
    matrix : array of shape (K, K)
        `matrix[i, j]` is the probability that arm i beats arm j.

    Returns
    -------
    float or None
        The value of gamma; None without a Condorcet winner.

    Raises
    ------
    PreferenceError
        If `matrix` is not a matrix of preferences.

    References
    ----------
    Yue, Joachims (2011). Beat the mean bandit. ICML.
    Zoghi, Whiteson, Munos, de Rijke (2014). Relative upper confidence bound. ICML. Section 8.1.

    Examples
    --------
    >>> round(relaxed_gamma([[0.5, 0.6, 0.6], [0.4, 0.5, 0.7], [0.4, 0.3, 0.5]]), 9)
    2.0
    >>> relaxed_gamma([[0.5, 0.6, 0.4], [0.4, 0.5, 0.6], [0.6, 0.4, 0.5]]) is None
    True
    """
    edges = gaps(matrix)
    winner = int(np.argmax((edges > 0.0).sum(axis=1)))
    others = np.arange(len(edges)) != winner
    over_others, among_others = edges[winner, others], edges[np.ix_(others, others)]
    if over_others.min() <= 0.0:
        return None
    needed = np.maximum(over_others[:, np.newaxis], among_others) / over_others
    return float(np.max(needed, where=among_others > 0.0, initial=1.0))


def _gaps_in_order(matrix: ArrayLike) -> FloatArray | None:
    """Return the gaps with arms sorted from best to worst, or None without a total order."""
    order = total_order(matrix)
    return None if order is None else gaps(matrix)[np.ix_(order, order)]
