"""Random-walk winners: the arms where a walk that moves to the winners spends the most time."""

import numpy as np
from numpy.typing import ArrayLike

from duelist.duel import FloatArray
from duelist.preferences import as_preferences, leaders


def random_walk(matrix: ArrayLike) -> tuple[int, ...]:
    """Return the arms visited most by the random walk; shares closer than 1e-12 tie.

    Parameters
    ----------
    matrix : array_like, shape (K, K)
        `matrix[i, j]` is the probability that arm i beats arm j.

    Returns
    -------
    tuple of int
        All winners, in the order of the arms.

    References
    ----------
    Dudik, Hofmann, Schapire, Slivkins, Zoghi (2015). Contextual dueling bandits. COLT. Appendix.

    Examples
    --------
    >>> random_walk([[0.5, 0.6, 0.6], [0.4, 0.5, 1.0], [0.4, 0.0, 0.5]])
    (0,)
    """
    return leaders(random_walk_distribution(matrix))


def random_walk_distribution(matrix: ArrayLike) -> FloatArray:
    """Return the share of time the walk spends at each arm in the long run.

    From arm j the walk moves to arm i with probability proportional to `P[i, j]`, so it stays away
    from arms that lose, and a win over a much visited arm counts for more.

    Notes
    -----
    The distribution is unique for every preference matrix. Of any two arms one can be reached from the
    other, as `P[i, j]` and `P[j, i]` are not both 0, so only one set of arms is never left; and the
    diagonal of 1/2 keeps the walk from being periodic.

    Examples
    --------
    >>> random_walk_distribution([[0.5, 0.6, 0.6], [0.4, 0.5, 1.0], [0.4, 0.0, 0.5]]).round(3)
    array([0.431, 0.395, 0.174])
    """
    preferences = as_preferences(matrix)
    k = len(preferences)
    # the equations of a stationary distribution add up to nothing: that of the sum stands in for the last
    stationary = preferences / preferences.sum(axis=0) - np.eye(k)
    stationary[-1] = 1.0
    shares: FloatArray = np.maximum(np.linalg.solve(stationary, np.eye(k)[-1]), 0.0)
    return shares / float(shares.sum())
