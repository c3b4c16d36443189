"""Upper bounds: regret that learners are proven not to exceed."""

from math import e, inf, log, sqrt

from duelist.errors import require_confidence, require_positive, require_whole

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


def sparring_exp4p_upper_bound(horizon: int, k: int, policies: int, delta: float = 0.05) -> float:
    """Return the bound on `SparringEXP4P`'s regret that holds with probability 1 - delta.

    Regret is the paper's: a round's mean of (P(pi, a) + P(pi, b)) / 2, where a and b were shown, P is from -1
    to 1, and pi is the best policy of the class in hindsight.
    The bound is at most 1, which no regret exceeds.

    Parameters
    ----------
    horizon, k, policies, delta
        The number of rounds T, for which the learner was set, of actions K and of policies N, and its delta.

    Notes
    -----
    The theorem (Dudik et al. 2015) leaves the constant open, and the one of EXP4.P (6, Beygelzimer
    et al. 2011) is proven for classes with a policy that chooses at random. This one needs neither. Write g
    for p_min = sqrt(ln N / (K T)), d = delta / 4, L = ln(N / d) and c = sqrt(L / (K T)); take g <= 1 / K and
    c <= 1, because otherwise the bound exceeds 1. Throughout, exp(x) <= 1 + x + (e - 2) x^2 for x <= 1.

    One copy, with rewards from 0 to 1 that may depend on all that came before and on the other copy's action:

    1. The estimates are not far too low. X = (mean reward of pi) - y_pi has mean 0, is at most 1, and its
       variance is at most v_pi. So, with probability 1 - d, for all pi at once, the sum of mean rewards is
       G_pi <= sum y_pi + (e - 2) c sum v_pi + ln(N / d) / c <= sum (y_pi + c v_pi) + sqrt(K T L).
    2. The weights grow with the learner's own reward G. The exponent (g / 2)(y + c v) is at most 1; with
       q_a <= p_a / (1 - K g), sum_a q_a / p_a <= K / (1 - K g) and 1 / p_a <= 1 / g,
       (1 - K g) (2 / g) ln(W_T / W_0) <= G + c K T + (e - 2) g S + (e - 2) c^2 K T, where S is the sum of
       rewards over their chances, and c K T = sqrt(K T L), c^2 K T = L.
    3. S is not far too large. A term's mean is at most K, its size 1 / g, its variance K / g. So, with
       probability 1 - d, g S <= (e - 1) g K T + ln(1 / d) = (e - 1) sqrt(K T ln N) + ln(1 / d).
    4. The weights grow with every policy's estimates: ln(W_T / W_0) >= (g / 2) sum (y_pi + c v_pi) - ln N.

    Together, as K g G_pi <= sqrt(K T ln N) and 2 ln(N) / g = 2 sqrt(K T ln N): with probability 1 - 2 d,
    G_pi - G <= B = 2 sqrt(K T L) + (3 + (e - 1)(e - 2)) sqrt(K T ln N) + (e - 2)(L + ln(1 / d)).

    Both copies: pi's mean reward is (1 + P(pi, b)) / 2 in the left place, (1 + P(pi, a)) / 2 in the right
    one, and the copies' own rewards in a round add up to 1, whatever the outcome. Adding both inequalities,
    the sum over rounds of (P(pi, a) + P(pi, b)) / 2 is at most 2 B, with probability 1 - 4 d = 1 - delta.

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
