"""The top cycle: the fewest arms that each beat every arm outside."""

import numpy as np
from numpy.typing import ArrayLike

from duelist.duel import IntArray
from duelist.kernels.compile import compiled
from duelist.preferences import beats


def top_cycle(matrix: ArrayLike) -> tuple[int, ...]:
    """Return the smallest set of arms of which each beats every arm outside, also called the Smith set.

    A Condorcet winner is alone in it. It holds all Copeland winners, and the support of von Neumann winners.

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
    """Return the fewest points an arm of the top cycle has, given all in descending order.

    A win is two points, a tie one. The first m arms meet each other for m (m - 1) points, however these are
    shared, and get the 2 m (K - m) points against the rest only if each of them beats each of the rest.
    """
    k = len(points)
    gained = 0
    for m in range(1, k):
        gained += points[m - 1]
        if gained == m * (m - 1) + 2 * m * (k - m):
            return int(points[m - 1])
    return int(points[k - 1])
