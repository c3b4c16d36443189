"""Bounds on regret: lower bounds for all learners, and proven upper bounds for some."""

from math import e, inf, log, sqrt

import numpy as np
from numpy.typing import ArrayLike

from duelist.duel import FloatArray
from duelist.errors import (
    ParameterError,
    PreferenceError,
    require_confidence,
    require_positive,
    require_whole,
)
from duelist.preferences import gaps

__all__ = [
    "asymptotic_lower_bound",
    "bernoulli_divergence",
    "gradient_descent_upper_bound",
    "sparring_exp4p_upper_bound",
]

LOGISTIC_SLOPE = 0.25
LOGISTIC_BEND = 1.0 / (6.0 * sqrt(3.0))  # the largest first and second derivative of the logistic function


def asymptotic_lower_bound(matrix: ArrayLike) -> float:
    """Return the constant C such that the regret of any consistent learner grows at least as C log(T).

    To rule out that arm i is the best, a learner must show that it loses to some arm j, which takes
    log(T) / d(p_ij, 1/2) duels. The bound uses, for every arm, the opponent with the least total regret. It
    is a bound on strong regret: the mean of the gaps of both arms to the winner.

    Parameters
    ----------
    matrix : array of shape (K, K)
        `matrix[i, j]`, or p_ij, is the probability that arm i beats arm j; one arm must beat all others.

    Returns
    -------
    float
        The constant C.

    Raises
    ------
    PreferenceError
        If the matrix is invalid or has no Condorcet winner.

    References
    ----------
    Komiyama, Honda, Kashima, Nakagawa (2015). Regret lower bound and optimal algorithm in dueling bandit
    problem. COLT. Theorem 2.

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
            "matrix has no Condorcet winner (an arm that beats all others), so this lower bound is not "
            "defined; check with duelist.winners.condorcet first."
        )
    evidence = bernoulli_divergence(0.5 + edges, 0.5)
    costs = np.full_like(edges, np.inf)
    np.divide(
        regrets[:, np.newaxis] + regrets, 2.0 * evidence, out=costs, where=(edges < 0.0) & (evidence > 0.0)
    )
    return float(costs[others].min(axis=1).sum())


def bernoulli_divergence(p: ArrayLike, q: ArrayLike) -> FloatArray:
    """Return the Kullback-Leibler divergence d(p, q) of two Bernoulli variables, element by element.

    The divergence is p log(p / q) + (1 - p) log((1 - p) / (1 - q)) with 0 log 0 = 0. It is infinite if an
    outcome has probability 0 under q but not under p.

    Parameters
    ----------
    p, q : array
        Probabilities, which are broadcast against each other.

    Returns
    -------
    array
        The divergences.

    Raises
    ------
    ParameterError
        If a value lies outside [0, 1].

    Examples
    --------
    >>> bernoulli_divergence([0.0, 0.5, 1.0], 0.5).round(4)
    array([0.6931, 0.    , 0.6931])
    """
    p, q = np.asarray(p, dtype=np.float64), np.asarray(q, dtype=np.float64)
    for name, value in (("p", p), ("q", q)):
        if not np.all((value >= 0.0) & (value <= 1.0)):
            raise ParameterError(f"{name} must lie in [0, 1], because it is a probability; got {value}.")
    # some values that np.where discards are 0 / 0 or log 0
    with np.errstate(all="ignore"):
        wins = np.where(p > 0.0, p * _log_ratio(p, q, p - q), 0.0)
        losses = np.where(p < 1.0, (1.0 - p) * _log_ratio(1.0 - p, 1.0 - q, q - p), 0.0)
    # Pinsker's bound: if p is close to q, the sum loses all its digits; at q = 1/2 the bound has them
    return np.asarray(np.maximum(wins + losses, 2.0 * (p - q) ** 2))


def _log_ratio(p: FloatArray, q: FloatArray, difference: FloatArray) -> FloatArray:
    """Return log(p / q), computed from the difference of nearly equal values for precision."""
    return np.where(np.abs(difference) < q / 2.0, np.log1p(difference / q), np.log(p) - np.log(q))


def gradient_descent_upper_bound(
    horizon: int, d: int, radius: float, utility_lipschitz: float, convex: bool = False
) -> float:
    """Return the bound on the expected strong regret of `DuelingBanditGradientDescent` with a logistic link.

    The step sizes are those of `for_horizon` with the Lipschitz constant of the preferences, which is a
    quarter of that of the utility. Regret is the mean of the two gaps, so the bound is half of the paper's.

    Parameters
    ----------
    horizon : int
        Number of rounds T.
    d : int
        Dimension of the space.
    radius : float
        Radius R of a ball that contains the space.
    utility_lipschitz : float
        Lipschitz constant of the utility.
    convex : bool, default False
        Use Corollary 2, which assumes that the smoothed loss is convex, instead of Theorem 2.

    Returns
    -------
    float
        The bound; infinite if the horizon is too short for Theorem 2.

    Raises
    ------
    ParameterError
        If a value is out of range.

    References
    ----------
    Yue, Joachims (2009). Interactively Optimizing Information Retrieval Systems as a Dueling Bandits Problem.
    ICML. Theorem 2, Corollary 2.

    Examples
    --------
    >>> round(gradient_descent_upper_bound(10**6, d=50, radius=10.0, utility_lipschitz=20.0, convex=True))
    5000000
    """
    require_whole("horizon", horizon, 1)
    require_whole("d", d, 1)
    require_positive("radius", radius)
    require_positive("utility_lipschitz", utility_lipschitz)
    lipschitz = LOGISTIC_SLOPE * utility_lipschitz
    if convex:
        return float(horizon**0.75 * sqrt(10.0 * radius * d * lipschitz))
    slow = LOGISTIC_SLOPE * sqrt(13.0 * lipschitz) * horizon**0.25
    loss = utility_lipschitz * LOGISTIC_BEND * sqrt(2.0 * radius * d)
    if slow <= loss:
        return inf
    return float(slow / (slow - loss) * horizon**0.75 * sqrt(26.0 * radius * d * lipschitz))


def sparring_exp4p_upper_bound(horizon: int, k: int, policies: int, delta: float = 0.05) -> float:
    """Return the bound on the regret of `SparringEXP4P` that holds with probability 1 - delta.

    Regret is defined as in the paper: the mean over rounds of (P(pi, a) + P(pi, b)) / 2, where a and b were
    shown, P ranges from -1 to 1, and pi is the best policy of the class in hindsight.

    Parameters
    ----------
    horizon : int
        Number of rounds T, the learner's `horizon`.
    k : int
        Number K of actions.
    policies : int
        Number N of policies.
    delta : float, default 0.05
        Probability that the bound fails.

    Returns
    -------
    float
        The bound, at most 1.

    Raises
    ------
    ParameterError
        If a value is out of range.

    Notes
    -----
    The theorem (Dudik et al. 2015) does not give the constant, and the constant of EXP4.P (6, Beygelzimer et
    al. 2011) needs a class with a policy that chooses at random. docs/proofs.md proves this bound without it.

    References
    ----------
    Dudik, Hofmann, Schapire, Slivkins, Zoghi (2015). Contextual dueling bandits. COLT. SparringEXP4.P.
    Beygelzimer, Langford, Li, Reyzin, Schapire (2011). Contextual bandit algorithms with supervised learning
    guarantees. AISTATS. Theorem 2.

    Examples
    --------
    >>> round(sparring_exp4p_upper_bound(10**6, k=10, policies=1000), 3)
    0.113
    """
    require_whole("horizon", horizon, 1)
    require_whole("k", k, 2)
    require_whole("policies", policies, 2)
    require_confidence(delta, "delta", usual=0.05)
    part = delta / 4.0
    wide = sqrt(k * horizon * log(policies / part))
    narrow = sqrt(k * horizon * log(policies))
    rest = log(policies / part) + log(1.0 / part)
    one_copy = 2.0 * wide + (3.0 + (e - 1.0) * (e - 2.0)) * narrow + (e - 2.0) * rest
    return min(2.0 * one_copy / horizon, 1.0)
