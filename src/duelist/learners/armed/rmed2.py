"""RMED2 (Komiyama, Honda, Kashima, Nakagawa 2015): regret decides whom suspects meet."""

from dataclasses import dataclass, replace

from duelist.learners.armed.rmed import RMED, require_alpha
from duelist.learners.armed.turns import Rules


@dataclass(frozen=True)
class RMED2(RMED):
    """Find the Condorcet winner at the least regret that is possible in the long run, at every horizon.

    As `RMED1`, but an arm meets the opponent that shows at the least regret that it loses to someone, which
    need not be the winner. To know the opponents, every pair is drawn alpha log log t times. Needs a
    Condorcet winner and nothing else.

    Parameters
    ----------
    alpha : float, default 3.0
        Every pair is drawn at least alpha log log t times; the default is that of the paper's experiments.
    scale : float, default 0.3
        The factor c of f(K) = c K^e, which keeps an arm in play longer.
    exponent : float, default 1.01
        The exponent e of f(K), above 1 (the paper's bounds) and at most 4.

    Notes
    -----
    Deviations from the paper: a pair that falls below alpha log log t is drawn at once, not before the next
    loop (line 10), since a loop whose answers are late or lost has no certain end. Where the paper is silent:
    pairs that were drawn least come first; log log t counts as 0 where it is negative; an arm that has lost
    to none has no b*, and Algorithm 2 chooses; N of i* with itself is 0. All else is as in `RMED1`.

    References
    ----------
    Komiyama, Honda, Kashima, Nakagawa (2015). Regret Lower Bound and Optimal Algorithm in Dueling Bandit
    Problem. COLT. Algorithms 1 and 3.

    Examples
    --------
    >>> from duelist import simulate
    >>> from duelist.problems import worst_case
    >>> simulate(RMED2(), worst_case(5, 0.2), horizon=20_000, runs=3, seed=0)["RMED2"].best.tolist()
    [0, 0, 0]
    """

    alpha: float = 3.0
    scale: float = 0.3
    exponent: float = 1.01

    card = replace(RMED.card, regret="none proven: that of `RMED2FH` in experiments")

    def __post_init__(self) -> None:
        """Refuse hyperparameters that cannot work."""
        super().__post_init__()
        require_alpha(self.alpha)

    def rules(self, k: int) -> Rules:
        """Return the numbers the kernels need."""
        return super().rules(k)._replace(alpha=float(self.alpha), weighs_regret=True)
