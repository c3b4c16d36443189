"""Borda winners: the arms most likely to beat an opponent drawn at random."""

import numpy as np
from numpy.typing import ArrayLike

from duelist.duel import FloatArray
from duelist.preferences import as_preferences, leaders


def borda(matrix: ArrayLike) -> tuple[int, ...]:
    """Return the arms with the largest Borda score; scores closer than 1e-12 tie.

    A Borda winner may lose to the Condorcet winner: large victories over weak arms count as much as
    any.

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
    Urvoy, Clerot, Feraud, Naamane (2013). Generic exploration and K-armed voting bandits. ICML.

    Examples
    --------
    Arm 0 beats everyone, by little; arm 1 crushes the last.

    >>> borda([[0.5, 0.6, 0.6], [0.4, 0.5, 1.0], [0.4, 0.0, 0.5]])
    (1,)
    """
    return leaders(borda_scores(matrix))


def borda_scores(matrix: ArrayLike) -> FloatArray:
    """Return each arm's probability of beating an arm drawn uniformly from the others.

    Examples
    --------
    >>> borda_scores([[0.5, 0.6, 0.6], [0.4, 0.5, 1.0], [0.4, 0.0, 0.5]])
    array([0.6, 0.7, 0.2])
    """
    preferences = as_preferences(matrix)
    others = np.asarray(preferences.sum(axis=1) - preferences.diagonal())
    return others / (len(preferences) - 1)
