"""Winners by comparing arms one by one: Condorcet, Copeland, Borda and random-walk winners.

`matrix[i, j]` is the probability that arm i beats arm j. Scores closer than 1e-12 tie, and winners are
returned in the order of the arms.

Condorcet and Borda: Urvoy, Clerot, Feraud, Naamane (2013). Generic exploration and K-armed voting bandits.
ICML. Copeland: Zoghi, Karnin, Whiteson, de Rijke (2015). Copeland dueling bandits. NIPS. Random walk: Dudik,
Hofmann, Schapire, Slivkins, Zoghi (2015). Contextual dueling bandits. COLT. Appendix.
"""

import numpy as np
from numpy.typing import ArrayLike

from duelist.duel import FloatArray
from duelist.preferences import as_preferences, beats, gaps, leaders


def condorcet(matrix: ArrayLike) -> int | None:
    """Return the arm that beats every other arm with probability above 1/2, or None.

    There is at most one, and often none: a cycle or a tie at the top is enough.

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
    """Return the arms with the largest Copeland score.

    A Condorcet winner, where there is one, is the only Copeland winner.

    Examples
    --------
    >>> copeland([[0.5, 0.6, 0.4], [0.4, 0.5, 0.9], [0.6, 0.1, 0.5]])
    (0, 1, 2)
    """
    return leaders(copeland_scores(matrix))


def copeland_scores(matrix: ArrayLike) -> FloatArray:
    """Return how many arms each arm beats with probability above 1/2, plus half for every tie.

    A pair that was never compared is 1/2 in an estimated matrix and counts as a tie: an arm does not lead for
    having met more opponents. Without ties, as in Zoghi et al. (2015), the score is the number of arms
    beaten.

    Examples
    --------
    >>> copeland_scores([[0.5, 0.6, 0.5], [0.4, 0.5, 0.9], [0.5, 0.1, 0.5]])
    array([1.5, 1. , 0.5])
    """
    signs = np.sign(gaps(matrix))  # wins minus losses, of K - 1 in all
    return np.asarray((signs.sum(axis=1) + len(signs) - 1.0) / 2.0)


def borda(matrix: ArrayLike) -> tuple[int, ...]:
    """Return the arms with the largest Borda score.

    A Borda winner may lose to the Condorcet winner: large victories over weak arms count as much as any.

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


def random_walk(matrix: ArrayLike) -> tuple[int, ...]:
    """Return the arms visited most by the random walk that moves to the winners.

    Examples
    --------
    >>> random_walk([[0.5, 0.6, 0.6], [0.4, 0.5, 1.0], [0.4, 0.0, 0.5]])
    (0,)
    """
    return leaders(random_walk_distribution(matrix))


def random_walk_distribution(matrix: ArrayLike) -> FloatArray:
    """Return the share of time the walk spends at each arm in the long run.

    From arm j the walk moves to arm i with probability proportional to `P[i, j]`: a win over a much visited
    arm counts for more. The distribution is unique. Of any two arms one can be reached from the other, so
    that only one set of arms is never left, and the diagonal of 1/2 keeps the walk from being periodic.

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
