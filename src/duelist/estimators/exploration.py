"""How long to explore: statistical guarantees for logs of uniformly random duels.

Dudik, Hofmann, Schapire, Slivkins, Zoghi (2015). Contextual dueling bandits. COLT. Statistical guarantees of
uniform exploration, and the theorem on regret with a horizon.
"""

from math import cbrt, ceil, log, sqrt

from duelist.errors import require_confidence, require_whole


def estimation_error(duels: int, k: int, policies: int, delta: float = 0.05) -> float:
    """Return a bound on the error of a log's estimates about any two policies.

    The bound fails with probability `delta`. A mixture whose gap on the log is g is then a von Neumann winner
    of the class up to an error of g plus this bound.

    Parameters
    ----------
    duels : int
        Number m of duels in the log, of pairs drawn uniformly from all K^2 ordered pairs.
    k : int
        Number K of actions.
    policies : int
        Number N of policies, or `2**b` if each is described by b bits.
    delta : float, default 0.05
        Probability that the bound fails.

    Returns
    -------
    float
        The bound.

    Raises
    ------
    ParameterError
        If a value is out of range.

    Notes
    -----
    This is Bernstein's inequality for all N^2 pairs at once: `sqrt(2 v L / m) + 2 c L / (3 m)` with
    `L = ln(N^2 / delta)`. The skew-symmetric estimate of an entry is `K^2 / 2` or its negation with
    probability `2 / K^2`, and 0 otherwise. Its variance v is at most `K^2 / 2`, half of the paper's, and its
    distance from the mean is at most `c = K^2 / 2 + 1`.

    Examples
    --------
    >>> round(estimation_error(100_000, k=3, policies=2**10), 3)
    0.04
    """
    require_whole("duels", duels, 1)
    spread, union = _spread_and_union(k, policies, delta)
    return sqrt(2.0 * spread * union / duels) + 2.0 * (spread + 1.0) * union / (3.0 * duels)


def explore_rounds(horizon: int, k: int, policies: int, delta: float = 0.05) -> int:
    """Return the number of rounds to explore before computing and following a von Neumann winner.

    Parameters
    ----------
    horizon : int
        Total number of rounds T.
    k : int
        Number K of actions.
    policies : int
        Number N of policies, or `2**b` if each is described by b bits.
    delta : float, default 0.05
        Probability that the bound on the error fails; see `estimation_error`.

    Returns
    -------
    int
        A number of rounds, at most the horizon.

    Raises
    ------
    ParameterError
        If a value is out of range.

    Notes
    -----
    A round of exploration costs at most 1. Each later round costs the error of the log, which is
    `sqrt(K^2 L / m)` to first order. The mean regret `m / T + sqrt(K^2 L / m)` has its minimum,
    `3 (K^2 L / (4 T))^(1/3)`, at `m = (K^2 L T^2 / 4)^(1/3)`: the paper's rates, with constants.

    Examples
    --------
    >>> explore_rounds(1_000_000, k=3, policies=2**10)
    33600
    """
    require_whole("horizon", horizon, 1)
    spread, union = _spread_and_union(k, policies, delta)
    return min(horizon, ceil(cbrt(spread * union * float(horizon) ** 2 / 2.0)))


def _spread_and_union(k: int, policies: int, delta: float) -> tuple[float, float]:
    require_whole("k", k, 2)
    require_whole("policies", policies, 1)
    require_confidence(delta, "delta", 0.05)
    return k**2 / 2.0, 2.0 * log(policies) - log(delta)
