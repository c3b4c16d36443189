"""How long to explore: what a log of uniformly explored duels says of a whole class of policies.

Dudik, Hofmann, Schapire, Slivkins, Zoghi (2015). Contextual dueling bandits. COLT. Statistical guarantees of
uniform exploration, and the theorem on regret with a horizon.
"""

from math import cbrt, ceil, log, sqrt

from duelist.errors import require_confidence, require_whole


def estimation_error(duels: int, k: int, policies: int, delta: float = 0.05) -> float:
    """Return a bound on the error of a log about any two policies, which fails with probability `delta`.

    The log has m `duels`, of pairs drawn uniformly from all K^2 of `k` actions; there are N `policies`, or
    `2**b` if each is written in b bits. A mixture whose gap on the log is g is then a von Neumann winner of
    the class up to g plus this.

    Notes
    -----
    Bernstein's inequality for all N^2 pairs at once: `sqrt(2 v L / m) + 2 c L / (3 m)` with
    `L = ln(N^2 / delta)`. The skew-symmetric estimate of an entry is `K^2 / 2` or its negation with chance
    `2 / K^2`, else 0: its variance v is at most `K^2 / 2`, half of the paper's, and it is at most
    `c = K^2 / 2 + 1` from its mean.

    Examples
    --------
    >>> round(estimation_error(100_000, k=3, policies=2**10), 3)
    0.04
    """
    require_whole("duels", duels, 1)
    spread, union = _spread_and_union(k, policies, delta)
    return sqrt(2.0 * spread * union / duels) + 2.0 * (spread + 1.0) * union / (3.0 * duels)


def explore_rounds(horizon: int, k: int, policies: int, delta: float = 0.05) -> int:
    """Return how many of a horizon's rounds to explore before a von Neumann winner is computed and followed.

    The horizon is T; for the others, see `estimation_error`.

    Notes
    -----
    An explored round costs at most 1, each of the others the error of the log, `sqrt(K^2 L / m)` to the first
    order. The mean regret `m / T + sqrt(K^2 L / m)` is least at `m = (K^2 L T^2 / 4)^(1/3)`, where it is
    `3 (K^2 L / (4 T))^(1/3)`: the paper's rates, with constants. Never more than the horizon.

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
