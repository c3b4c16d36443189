"""Winners by score: Condorcet, Copeland, Borda and random-walk winners.

`matrix[i, j]` is the probability that arm i beats arm j. Scores that differ by less than 1e-12 are tied, and
winners are returned in the order of the arms.

Condorcet and Borda: Urvoy, Clerot, Feraud, Naamane (2013). Generic exploration and K-armed voting bandits.
ICML. Copeland: Zoghi, Karnin, Whiteson, de Rijke (2015). Copeland dueling bandits. NIPS. Random walk: Dudik,
Hofmann, Schapire, Slivkins, Zoghi (2015). Contextual dueling bandits. COLT. Appendix.
"""

import numpy as np
from numpy.typing import ArrayLike

from duelist.duel import FloatArray
from duelist.preferences import as_preferences, beats, gaps, leaders


def condorcet(matrix: ArrayLike) -> int | None:
    """Return the Condorcet winner: the arm that beats every other arm with probability above 1/2.

    There is at most one. A cycle or a tie at the top suffices for there to be none.

    Parameters
    ----------
    matrix : array of shape (K, K)
        `matrix[i, j]` is the probability that arm i beats arm j.

    Returns
    -------
    int or None
        The number of the winner; None if there is none.

    Raises
    ------
    PreferenceError
        If `matrix` is not a matrix of preferences.

    Examples
    --------
    >>> condorcet([[0.5, 0.6, 0.7], [0.4, 0.5, 0.9], [0.3, 0.1, 0.5]])
    0
    >>> condorcet([[0.5, 0.5], [0.5, 0.5]]) is None
    True
    """
    defeated = beats(matrix).sum(axis=1)
    leader = int(np.argmax(defeated))
    return leader if defeated[leader] == len(defeated) - 1 else None


def copeland(matrix: ArrayLike) -> tuple[int, ...]:
    """Return the Copeland winners: the arms with the highest Copeland score.

    If there is a Condorcet winner, it is the only Copeland winner.

    Parameters
    ----------
    matrix : array of shape (K, K)
        `matrix[i, j]` is the probability that arm i beats arm j.

    Returns
    -------
    tuple of int
        The numbers of the winners.

    Raises
    ------
    PreferenceError
        If `matrix` is not a matrix of preferences.

    Examples
    --------
    >>> copeland([[0.5, 0.6, 0.4], [0.4, 0.5, 0.9], [0.6, 0.1, 0.5]])
    (0, 1, 2)
    """
    return leaders(copeland_scores(matrix))


def copeland_scores(matrix: ArrayLike) -> FloatArray:
    """Return the number of arms that each arm beats with probability above 1/2, with a tie as one half.

    A pair that was never compared is 1/2 in an estimated matrix and counts as a tie, so an arm does not gain
    by having met more opponents. Without ties, as in Zoghi et al. (2015), the score is the number of arms
    beaten.

    Parameters
    ----------
    matrix : array of shape (K, K)
        `matrix[i, j]` is the probability that arm i beats arm j.

    Returns
    -------
    array of shape (K,)
        The Copeland score of each arm.

    Raises
    ------
    PreferenceError
        If `matrix` is not a matrix of preferences.

    Examples
    --------
    >>> copeland_scores([[0.5, 0.6, 0.5], [0.4, 0.5, 0.9], [0.5, 0.1, 0.5]])
    array([1.5, 1. , 0.5])
    """
    signs = np.sign(gaps(matrix))  # wins minus losses, of K - 1 in all
    return np.asarray((signs.sum(axis=1) + len(signs) - 1.0) / 2.0)


def borda(matrix: ArrayLike) -> tuple[int, ...]:
    """Return the Borda winners: the arms with the highest Borda score.

    A Borda winner may lose to the Condorcet winner, because large victories over weak arms count as much as
    any others.

    Parameters
    ----------
    matrix : array of shape (K, K)
        `matrix[i, j]` is the probability that arm i beats arm j.

    Returns
    -------
    tuple of int
        The numbers of the winners.

    Raises
    ------
    PreferenceError
        If `matrix` is not a matrix of preferences.

    Examples
    --------
    Arm 0 beats both other arms narrowly; arm 1 always beats the last.

    >>> borda([[0.5, 0.6, 0.6], [0.4, 0.5, 1.0], [0.4, 0.0, 0.5]])
    (1,)
    """
    return leaders(borda_scores(matrix))


def borda_scores(matrix: ArrayLike) -> FloatArray:
    """Return each arm's probability of beating an arm drawn uniformly from the others.

    Parameters
    ----------
    matrix : array of shape (K, K)
        `matrix[i, j]` is the probability that arm i beats arm j.

    Returns
    -------
    array of shape (K,)
        The Borda score of each arm.

    Raises
    ------
    PreferenceError
        If `matrix` is not a matrix of preferences.

    Examples
    --------
    >>> borda_scores([[0.5, 0.6, 0.6], [0.4, 0.5, 1.0], [0.4, 0.0, 0.5]])
    array([0.6, 0.7, 0.2])
    """
    preferences = as_preferences(matrix)
    others = np.asarray(preferences.sum(axis=1) - preferences.diagonal())
    return others / (len(preferences) - 1)


def random_walk(matrix: ArrayLike) -> tuple[int, ...]:
    """Return the arms that a random walk towards winners visits most often.

    Parameters
    ----------
    matrix : array of shape (K, K)
        `matrix[i, j]` is the probability that arm i beats arm j.

    Returns
    -------
    tuple of int
        The numbers of the winners.

    Raises
    ------
    PreferenceError
        If `matrix` is not a matrix of preferences.

    Examples
    --------
    >>> random_walk([[0.5, 0.6, 0.6], [0.4, 0.5, 1.0], [0.4, 0.0, 0.5]])
    (0,)
    """
    return leaders(random_walk_distribution(matrix))


def random_walk_distribution(matrix: ArrayLike) -> FloatArray:
    """Return the stationary distribution of the random walk that moves towards winners.

    From arm j the walk moves to arm i with probability proportional to `P[i, j]`, so a win over a frequently
    visited arm counts for more. The distribution is unique: of any two arms, one can be reached from the
    other, so there is a single closed class, and the diagonal of 1/2 makes the walk aperiodic.

    Parameters
    ----------
    matrix : array of shape (K, K)
        `matrix[i, j]` is the probability that arm i beats arm j.

    Returns
    -------
    array of shape (K,)
        The long-run share of visits to each arm.

    Raises
    ------
    PreferenceError
        If `matrix` is not a matrix of preferences.

    Examples
    --------
    >>> random_walk_distribution([[0.5, 0.6, 0.6], [0.4, 0.5, 1.0], [0.4, 0.0, 0.5]]).round(3)
    array([0.431, 0.395, 0.174])
    """
    preferences = as_preferences(matrix)
    k = len(preferences)
    # the stationarity equations are linearly dependent: normalization replaces the last one
    stationary = preferences / preferences.sum(axis=0) - np.eye(k)
    stationary[-1] = 1.0
    shares: FloatArray = np.maximum(np.linalg.solve(stationary, np.eye(k)[-1]), 0.0)
    return shares / float(shares.sum())
