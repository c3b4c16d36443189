"""The top cycle: the smallest set of arms that each beat every arm outside it."""

import numpy as np
from numpy.typing import ArrayLike

from duelist.duel import IntArray
from duelist.kernels.compile import compiled
from duelist.preferences import beats


def top_cycle(matrix: ArrayLike) -> tuple[int, ...]:
    """Return the Smith set: the smallest nonempty set of arms that each beat every arm outside it.

    If there is a Condorcet winner, it is the only member. The set contains all Copeland winners and the
    support of every von Neumann winner.

    Parameters
    ----------
    matrix : array of shape (K, K)
        `matrix[i, j]` is the probability that arm i beats arm j.

    Returns
    -------
    tuple of int
        The numbers of the arms in the set.

    Raises
    ------
    PreferenceError
        If `matrix` is not a matrix of preferences.

    References
    ----------
    Smith (1973). Aggregation of preferences with variable electorate. Econometrica.
    Landau (1953). On dominance relations and the structure of animal societies. III. The condition for a
    score structure. Bulletin of Mathematical Biophysics.

    Examples
    --------
    Three arms in a cycle, and one that loses to all of them.

    >>> top_cycle([[0.5, 0.9, 0.1, 0.6], [0.1, 0.5, 0.9, 0.6], [0.9, 0.1, 0.5, 0.6], [0.4, 0.4, 0.4, 0.5]])
    (0, 1, 2)
    """
    wins = beats(matrix).astype(np.int64)
    points = (wins - wins.T).sum(axis=1) + len(wins) - 1
    lowest = lowest_at_the_top(np.sort(points)[::-1])
    return tuple(np.flatnonzero(points >= lowest).tolist())


@compiled
def lowest_at_the_top(points: IntArray) -> int:
    """Return the lowest score in the top cycle, given all scores in descending order.

    A win scores two points, a tie one. The first m arms share m (m - 1) points from the duels among them, and
    gain 2 m (K - m) points against the other arms only if each of them beats each of the others.
    """
    k = len(points)
    gained = 0
    for m in range(1, k):
        gained += points[m - 1]
        if gained == m * (m - 1) + 2 * m * (k - m):
            return int(points[m - 1])
    return int(points[k - 1])
