"""The upper bound on the expected regret of Dueling Bandit Gradient Descent."""

from math import inf, sqrt

from duelist.errors import require_positive, require_whole

LOGISTIC_SLOPE = 0.25
LOGISTIC_BEND = 1.0 / (6.0 * sqrt(3.0))
"""The largest first and second derivative of the logistic function."""


def gradient_descent_upper_bound(
    horizon: int, d: int, radius: float, utility_lipschitz: float, convex: bool = False
) -> float:
    """Return the bound on expected strong regret over a horizon, with a logistic link.

    Parameters
    ----------
    horizon : int
        The number of rounds T, for which the step sizes are set: `for_horizon` with the Lipschitz constant of
        the preferences, a quarter of the utility's.
    d : int
        The dimension of the space.
    radius : float
        The radius R of the ball that holds the space.
    utility_lipschitz : float
        The Lipschitz constant L_v of the utility.
    convex : bool, default False
        Whether the smoothed loss is taken to be convex: Corollary 2, else Theorem 2.

    Returns
    -------
    float
        In this library's convention, the mean of the two gaps: half of the paper's number. Infinite where
        Theorem 2 does not apply because the horizon is too short.

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
