"""Off-policy evaluation: a mixture's win rate against a policy, from duels that neither of them chose."""

from dataclasses import dataclass

import numpy as np

from duelist.errors import require_confidence
from duelist.logs import DuelLog
from duelist.metrics.rate_estimates import FEW, ROUNDING, RateEstimates, bound, estimate_rates
from duelist.policies.mixture import PolicyMixture
from duelist.protocols import Policy
from duelist.text import Report

SIGNIFICANT = 5.0  # standard errors from 1 at which a sum of weights is suspicious


@dataclass(frozen=True)
class WinRate(Report):
    """An estimate of how often the mixture's action beats the policy's, with a tie as half a win.

    Examples
    --------
    >>> print(WinRate(0.6, 0.55, 0.65, 0.95, "doubly_robust", 0.025, 0.5, 300.0, 1.0, 0.01))
    60.0% won (95% interval 55.0% to 65.0%)
    """

    value: float
    """The unbiased estimate; unlike the interval, it is not clipped to [0, 1]."""
    lower: float
    """The lower end of the confidence interval."""
    upper: float
    """The upper end of the confidence interval."""
    confidence: float
    """The confidence level of the interval."""
    method: str
    """The method of estimation: "doubly_robust" or "inverse_propensity"."""
    error: float
    """The standard error of the value."""
    differs: float
    """How often the two take different actions; in the other cases they tie."""
    duels: float
    """The effective sample size: the number of duels of equal weight that are as informative as the log."""
    weight: float
    """The sum of the weights, including ties; 1 up to sampling error if the propensities are right."""
    weight_error: float
    """The standard error of the weight."""

    @property
    def doubt(self) -> str:
        """The reason why the estimate should not be trusted; empty if there is none."""
        if self.differs > 0.0 and self.duels < FEW:
            return (
                f"the effective number of duels between their actions is {self.duels:.1f}; the interval only "
                "reflects how often the actions differ."
            )
        if abs(self.weight - 1.0) > SIGNIFICANT * self.weight_error + ROUNDING:
            return (
                f"the weights of the duels sum to {self.weight:.2f} instead of 1; some pairs were never "
                "presented, or only on one side, or the propensities are wrong."
            )
        return ""

    def __str__(self) -> str:
        """Return the estimate, its interval, and a warning if there is a doubt."""
        text = f"{self.value:.1%} won ({self.confidence:.0%} interval {self.lower:.1%} to {self.upper:.1%})"
        return text + (f"\nWarning: {self.doubt}" if self.doubt else "")


def win_rate_against(
    mixture: PolicyMixture,
    policy: Policy,
    log: DuelLog,
    confidence: float = 0.95,
    method: str = "doubly_robust",
) -> WinRate:
    """Estimate how often a mixture's action beats a policy's, from held-out randomised duels.

    Parameters
    ----------
    mixture : PolicyMixture
        The mixture to evaluate. It must not have been learned from these duels.
    policy : Policy
        Its opponent.
    log : DuelLog
        Duels with their propensities. Every pair of actions must have had a positive probability of being
        presented, either way round.
    confidence : float, default 0.95
        The confidence level of the interval.
    method : str, default "doubly_robust"
        "inverse_propensity" weights the duels between the actions of the two by the inverse of their
        propensity. "doubly_robust" also predicts every duel from the folds of the log without it, and weights
        the residuals; with a good prediction the interval is narrower, with a bad one it is still valid.

    Returns
    -------
    WinRate
        The estimate, with its confidence interval.

    Raises
    ------
    ParameterError
        If the actions or columns of mixture and log differ, the log has fewer than two duels, or the policy
        returns invalid actions.
    UnknownNameError
        If there is no such method.

    Notes
    -----
    The outcome r in [-1, 1] of a duel of a with b, with propensity p, counts r / 2p for a against b and
    -r / 2p for b against a; if both would take the same action, there is a tie. The interval is Student's,
    with the effective number of duels minus one as degrees of freedom. With fewer than two effective duels it
    covers everything that is possible given how often the two differ (Wilson's upper bound). If some pairs
    are expected only once or twice in the log, intervals can be too narrow.

    References
    ----------
    Dudík, Langford, Li (2011). Doubly robust policy evaluation and learning. ICML. Dudík, Hofmann, Schapire,
    Slivkins, Zoghi (2015). Contextual dueling bandits. COLT.

    Examples
    --------
    >>> import numpy as np
    >>> from duelist.policies import FinitePolicies, PolicyMixture
    >>> first, second = FinitePolicies([[0], [1]])
    >>> rng = np.random.default_rng(0)
    >>> left, right = rng.integers(2, size=(2, 800))
    >>> outcomes = rng.random(800) < np.array([[0.5, 0.8], [0.2, 0.5]])[left, right]
    >>> log = DuelLog(np.zeros((800, 1)), left, right, outcomes, np.full(800, 0.25), actions=2)
    >>> print(win_rate_against(PolicyMixture([first], [1.0], log.actions, log.columns), second, log))
    79.5% won (95% interval 75.5% to 83.5%)
    """
    [rate] = list_rates(estimate_rates(mixture, [policy], log, method), confidence, method)
    return rate


def list_rates(found: RateEstimates, confidence: float, method: str) -> tuple[WinRate, ...]:
    require_confidence(confidence)
    rows = np.column_stack([found.value, *bound(found, (1.0 + confidence) / 2.0), *found[2:]]).tolist()
    return tuple(
        WinRate(value, low, high, float(confidence), method, *rest) for value, low, high, *rest in rows
    )
