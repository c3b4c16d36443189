"""Copeland winners: the arms that beat the most other arms."""

import numpy as np
from numpy.typing import ArrayLike

from duelist.duel import FloatArray
from duelist.preferences import beats, leaders


def copeland(matrix: ArrayLike) -> tuple[int, ...]:
    """Return the arms that beat the most other arms.

    A Condorcet winner, where there is one, is the only Copeland winner.

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
    Zoghi, Karnin, Whiteson, de Rijke (2015). Copeland dueling bandits. NIPS.

    Examples
    --------
    >>> copeland([[0.5, 0.6, 0.4], [0.4, 0.5, 0.9], [0.6, 0.1, 0.5]])
    (0, 1, 2)
    """
    return leaders(copeland_scores(matrix))


def copeland_scores(matrix: ArrayLike) -> FloatArray:
    """Return how many arms each arm beats with probability above 1/2; a tie counts for neither.

    Examples
    --------
    >>> copeland_scores([[0.5, 0.6, 0.5], [0.4, 0.5, 0.9], [0.5, 0.1, 0.5]])
    array([1., 1., 0.])
    """
    return np.asarray(beats(matrix).sum(axis=1), dtype=np.float64)
