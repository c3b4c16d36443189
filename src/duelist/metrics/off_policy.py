"""How often a mixture of policies would beat a policy, from logged duels that neither of them chose."""

from dataclasses import dataclass

import numpy as np

from duelist.errors import require_confidence
from duelist.logs import DuelLog
from duelist.metrics.rate_estimates import FEW, ROUNDING, RateEstimates, bound, estimate_rates
from duelist.policies.mixture import PolicyMixture
from duelist.protocols import Policy
from duelist.text import Report

SURE = 5.0  # a sum of weights this many standard errors from 1 is no accident


@dataclass(frozen=True)
class WinRate(Report):
    """How often the mixture's action beats the policy's, ties counted half, as far as a log can tell."""

    value: float
    """Without bias, and so not confined to [0, 1] as the interval is."""
    lower: float
    upper: float
    confidence: float
    method: str
    error: float
    """The standard error of the value."""
    differs: float
    """How often the two take different actions; all else is a tie."""
    duels: float
    """How many duels of equal weight between the two would say as much as those of the log."""
    weight: float
    """The sum of the weights, ties included; 1 up to chance, if the propensities are right."""
    weight_error: float

    @property
    def doubt(self) -> str:
        """Why the estimate should not be trusted, or an empty string."""
        if self.differs > 0.0 and self.duels < FEW:
            return "hardly a duel is between their actions; the interval tells only how often they differ."
        if abs(self.weight - 1.0) > SURE * self.weight_error + ROUNDING:
            return (
                f"the weights of its duels add up to {self.weight:.2f} and not to 1; some pairs were never "
                "shown, or on one side only, or the propensities are wrong."
            )
        return ""

    def __str__(self) -> str:
        """Return the estimate, its interval and what speaks against it."""
        text = f"{self.value:.1%} won ({self.confidence:.0%} interval {self.lower:.1%} to {self.upper:.1%})"
        return text + (f"\nWarning: {self.doubt}" if self.doubt else "")


def win_rate_against(
    mixture: PolicyMixture,
    policy: Policy,
    log: DuelLog,
    confidence: float = 0.95,
    method: str = "doubly_robust",
) -> WinRate:
    """Estimate how often a mixture's action beats a policy's, from randomised duels held out of learning.

    Parameters
    ----------
    mixture : PolicyMixture
        What is evaluated. It must not have been learned from these duels.
    policy : Policy
        Its opponent.
    log : DuelLog
        Duels with the chances they were shown with. Every two actions must have had a chance to be shown,
        both on either side.
    confidence : float, default 0.95
        How often the interval should hold the truth.
    method : str, default "doubly_robust"
        "inverse_propensity" weights duels between actions of the two by the inverse of their chance.
        "doubly_robust" predicts all duels, each from folds of the log without it, and weights what was
        left to explain; with a good prediction the interval is narrower, with a bad one it still holds.

    Notes
    -----
    The outcome r, from -1 to 1, of a duel of a with b, shown with chance p, counts r / 2p for a against b and
    -r / 2p for b against a; where both would take the same action, there is a tie. The interval is Student's
    with as many degrees of freedom as effective duels, less one; of fewer than two duels it is all that is
    possible, given how often the two differ (Wilson's upper bound). Where some pairs are expected only once
    or twice in the log, intervals can be too narrow.

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
    """Return a win rate with its interval for each policy."""
    require_confidence(confidence)
    rows = np.column_stack([found.value, *bound(found, (1.0 + confidence) / 2.0), *found[2:]]).tolist()
    return tuple(
        WinRate(value, low, high, float(confidence), method, *rest) for value, low, high, *rest in rows
    )
