"""RMED2FH (Komiyama, Honda, Kashima, Nakagawa 2015): RMED2 for a horizon that is known."""

from dataclasses import dataclass, replace
from math import ceil, log

from duelist.errors import require_whole
from duelist.learners.armed.rmed import RMED, require_alpha
from duelist.learners.armed.turns import Rules


@dataclass(frozen=True)
class RMED2FH(RMED):
    """Find the Condorcet winner at the least regret that is possible in the long run, for a known horizon.

    As `RMED2`, but every pair is drawn alpha log log T times at the start, after which every arm's opponent
    is fixed. Needs a Condorcet winner and nothing else; as the horizon T grows, regret over log T reaches the
    lower bound that holds for all consistent learners (`duelist.bounds.asymptotic_lower_bound`).

    Parameters
    ----------
    horizon : int
        The number of rounds T.
    alpha : float, default 3.0
        Every pair is drawn alpha log log T times at the start, rounded up; the default is that of the paper's
        experiments.
    scale : float, default 0.3
        The factor c of f(K) = c K^e, which keeps an arm in play longer.
    exponent : float, default 1.01
        The exponent e of f(K), above 1 (the paper's bounds) and at most 4.

    Notes
    -----
    Deviations from the paper: none. Where it is silent: every pair is drawn once before any is drawn again;
    an arm that had lost to none when opponents were fixed, or whose opponent is no longer on the menu, meets
    the opponent that `RMED2` would choose; log log t counts as 0 where it is negative; N of i* with itself is
    0. Past the horizon it goes on. All else is as in `RMED1`.

    References
    ----------
    Komiyama, Honda, Kashima, Nakagawa (2015). Regret Lower Bound and Optimal Algorithm in Dueling Bandit
    Problem. COLT. Algorithms 1 and 3.

    Examples
    --------
    >>> from duelist import simulate
    >>> from duelist.problems import worst_case
    >>> learner = RMED2FH(horizon=20_000)
    >>> simulate(learner, worst_case(5, 0.2), horizon=20_000, runs=3, seed=0)["RMED2FH"].best.tolist()
    [0, 0, 0]
    """

    horizon: int
    alpha: float = 3.0
    scale: float = 0.3
    exponent: float = 1.01

    card = replace(
        RMED.card,
        regret="the lower bound, as T grows",
        needs_horizon=True,
        arms_may_change=False,
        example={"horizon": 50_000},
    )

    def __post_init__(self) -> None:
        """Refuse hyperparameters that cannot work."""
        super().__post_init__()
        require_whole("horizon", self.horizon, 1)
        require_alpha(self.alpha)

    def rules(self, k: int) -> Rules:
        """Return the numbers the kernels need."""
        draws = max(float(ceil(self.alpha * log(max(log(self.horizon), 1.0)))), 1.0)
        return super().rules(k)._replace(draws=draws, weighs_regret=True, fixes_rivals=True)
