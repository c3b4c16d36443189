"""The asymptotic lower bound on regret, which no learner can beat."""

import numpy as np
from numpy.typing import ArrayLike

from duelist.duel import FloatArray
from duelist.errors import ParameterError, PreferenceError
from duelist.preferences import gaps


def asymptotic_lower_bound(matrix: ArrayLike) -> float:
    """Return the constant C such that any consistent learner's regret grows at least as C log(T).

    To rule out that an arm i is the best, it must be shown to lose to some arm j, which takes
    log(T) / d(P[i, j], 1/2) duels. The bound takes for every arm the opponent that makes this cheapest,
    and counts strong regret: the mean of both arms' gaps to the winner.

    Parameters
    ----------
    matrix : array_like, shape (K, K)
        `matrix[i, j]` is the probability that arm i beats arm j; one arm must beat all others, because
        otherwise this regret is not defined.

    References
    ----------
    Komiyama, Honda, Kashima, Nakagawa (2015). Regret lower bound and optimal algorithm in dueling
    bandit problem. COLT. Theorem 2.

    Examples
    --------
    >>> round(asymptotic_lower_bound([[0.5, 0.6, 0.6], [0.4, 0.5, 0.9], [0.4, 0.1, 0.5]]), 3)
    2.755
    """
    edges = gaps(matrix)
    winner = int(np.argmax((edges > 0.0).sum(axis=1)))
    others = np.arange(len(edges)) != winner
    regrets = edges[winner]
    if regrets[others].min() <= 0.0:
        raise PreferenceError(
            "matrix has no Condorcet winner, an arm that beats all others, so regret has no lower bound "
            "of this kind; check with duelist.winners.condorcet first."
        )
    evidence = bernoulli_divergence(0.5 + edges, 0.5)
    costs = np.full_like(edges, np.inf)
    np.divide(
        regrets[:, np.newaxis] + regrets, 2.0 * evidence, out=costs, where=(edges < 0.0) & (evidence > 0.0)
    )
    return float(costs[others].min(axis=1).sum())


def bernoulli_divergence(p: ArrayLike, q: ArrayLike) -> FloatArray:
    """Return the Kullback-Leibler divergence d(p, q) of two Bernoulli variables, entry by entry.

    Parameters
    ----------
    p, q : array_like
        Probabilities, broadcast against each other.

    Returns
    -------
    ndarray
        p log(p / q) + (1 - p) log((1 - p) / (1 - q)) with 0 log 0 = 0; infinite where q rules out
        what p allows.

    Examples
    --------
    >>> bernoulli_divergence([0.0, 0.5, 1.0], 0.5).round(4)
    array([0.6931, 0.    , 0.6931])
    """
    p, q = np.asarray(p, dtype=np.float64), np.asarray(q, dtype=np.float64)
    for name, value in (("p", p), ("q", q)):
        if not np.all((value >= 0.0) & (value <= 1.0)):
            raise ParameterError(f"{name} must lie in [0, 1], because it is a probability; got {value}.")
    # Of values that a where leaves out, some are 0 / 0 or log 0.
    with np.errstate(all="ignore"):
        wins = np.where(p > 0.0, p * _log_ratio(p, q, p - q), 0.0)
        losses = np.where(p < 1.0, (1.0 - p) * _log_ratio(1.0 - p, 1.0 - q, q - p), 0.0)
    # Pinsker's bound: where p is next to q the sum loses all digits, and at q = 1/2 this has them.
    return np.asarray(np.maximum(wins + losses, 2.0 * (p - q) ** 2))


def _log_ratio(p: FloatArray, q: FloatArray, difference: FloatArray) -> FloatArray:
    """Return log(p / q), precise for nearly equal values by their difference."""
    return np.where(np.abs(difference) < q / 2.0, np.log1p(difference / q), np.log(p) - np.log(q))
