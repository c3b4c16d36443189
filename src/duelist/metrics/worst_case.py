"""The win rate of a mixture of policies against its worst opponent, from duels it was not learned from."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from duelist.errors import ParameterError
from duelist.estimators import CompactGame, Oracle
from duelist.logs import DuelLog
from duelist.metrics.effects import advise, find_effects
from duelist.metrics.off_policy import WinRate, list_rates
from duelist.metrics.rate_estimates import bound, estimate_rates
from duelist.policies import FinitePolicies, TreePolicy
from duelist.policies.mixture import PolicyMixture
from duelist.protocols import Policy
from duelist.text import Report, align, counted, list_warnings

SHOWN = 10  # how many opponents are printed, the worst first
NAMED = 3  # how many doubtful opponents are named


@dataclass(frozen=True)
class WorstCase(Report):
    """A mixture's win rate against each of its opponents, and a bound for them all; prints as a table."""

    log_size: int
    confidence: float
    method: str
    rates: tuple[WinRate, ...]
    """One for each opponent; each interval by itself has the confidence."""
    worst: int
    """The opponent against which the estimate is lowest."""
    lower: float
    """With the confidence, no opponent's true win rate is below."""
    warnings: tuple[str, ...]

    @property
    def value(self) -> float:
        """The lowest of the estimates: somewhat too low, as lowest of many."""
        return self.rates[self.worst].value

    def __str__(self) -> str:
        """Return the worst opponents, the bound and warnings."""
        header = ["policy", "won", f"{self.confidence:.0%} interval", "differs", "duels"]
        order = sorted(enumerate(self.rates), key=lambda one: one[1].value)
        rows = [
            [
                str(number),
                f"{rate.value:.1%}",
                f"{rate.lower:.1%} to {rate.upper:.1%}",
                f"{rate.differs:.1%}",
                f"{rate.duels:,.0f}",
            ]
            for number, rate in order[:SHOWN]
        ]
        if len(order) > SHOWN:
            rows.append([f"and {len(order) - SHOWN:,} more", "", "", "", ""])
        verdict = (
            f"Against each of {counted(len(order), 'policy')} at least {self.lower:.1%} are won, with "
            f"{self.confidence:.0%} confidence."
        )
        return f"{align(header, rows)}\n{verdict}{list_warnings(self.warnings)}"


def worst_case(
    mixture: PolicyMixture,
    opponents: Sequence[Policy] | FinitePolicies,
    log: DuelLog,
    confidence: float = 0.95,
    method: str = "doubly_robust",
) -> WorstCase:
    """Estimate a mixture's win rate against each of many policies, and bound the lowest from below.

    Parameters
    ----------
    mixture : PolicyMixture
        What is evaluated.
    opponents : sequence of Policy, or FinitePolicies
        Policies that were, like the mixture, chosen without a look at these duels.
    log : DuelLog
        Randomised duels.
    confidence : float, default 0.95
        Of each interval by itself, and of the bound for all opponents together.
    method : str, default "doubly_robust"
        As in `win_rate_against`.

    Notes
    -----
    The bound is the lowest of the opponents' one-sided bounds. It needs no correction for their number, as it
    is wrong only if that of one opponent is, the truly worst, whatever the log (an intersection-union test).

    References
    ----------
    Berger (1982). Multiparameter hypothesis testing and acceptance sampling. Technometrics 24(4).

    Examples
    --------
    >>> from duelist.learners.contextual import FinitePolicies, PolicyMixture
    >>> policies = FinitePolicies([[0], [1], [2]])
    >>> rng = np.random.default_rng(0)
    >>> left, right = rng.integers(3, size=(2, 2000))
    >>> circle = np.array([[0.5, 0.9, 0.1], [0.1, 0.5, 0.9], [0.9, 0.1, 0.5]])
    >>> outcomes = rng.random(2000) < circle[left, right]
    >>> log = DuelLog(np.zeros((2000, 1)), left, right, outcomes, np.full(2000, 1 / 9), actions=3)
    >>> mixture = PolicyMixture(policies, [1 / 3, 1 / 3, 1 / 3], log.actions, log.columns)
    >>> print(worst_case(mixture, policies, log))
    policy    won    95% interval  differs  duels
    2       49.5%  48.3% to 50.8%    66.7%    900
    1       49.7%  48.4% to 51.0%    66.7%    893
    0       50.8%  49.4% to 52.1%    66.7%    927
    Against each of 3 policies at least 48.5% are won, with 95% confidence.
    """
    policies = [opponents[number] for number in range(len(opponents))]
    if not policies:
        raise ParameterError("opponents must hold at least one policy.")
    found = estimate_rates(mixture, policies, log, method)
    rates = list_rates(found, confidence, method)
    doubts = [f"policy {number}: {rate.doubt}" for number, rate in enumerate(rates) if rate.doubt]
    if len(doubts) > NAMED:
        doubts[NAMED:] = [f"and {len(doubts) - NAMED:,} more policies of which this or the like holds."]
    return WorstCase(
        log_size=len(log),
        confidence=float(confidence),
        method=method,
        rates=rates,
        worst=int(np.argmin(found.value)),
        lower=float(bound(found, confidence)[0].min()),
        warnings=tuple(doubts),
    )


@dataclass(frozen=True)
class HeldOutResult:
    """A mixture's win rates on held-out duels, by each method of estimation."""

    advice: str
    """What to do, and then why, in words."""
    duels: int
    win_rates: dict[str, WorstCase]
    """By method: inverse_propensity and doubly_robust."""
    opponents: str
    """Which policy each number stands for, in words."""


def evaluate_held_out(
    mixture: PolicyMixture, oracle: Oracle, learned: DuelLog, held_out: DuelLog, confidence: float = 0.95
) -> HeldOutResult:
    """Return a mixture's win rates against its own policies, the best reply to it, and every single action.

    The oracle finds the best reply in the duels that the mixture was `learned` from.
    """
    game = CompactGame(learned)
    reply, _ = game.ask(oracle, game.costs(mixture.chances(learned.contexts)))
    met, k = len(mixture.policies), held_out.k
    opponents = [*mixture.policies, reply, *(TreePolicy.always(action) for action in range(k))]
    effects = find_effects(mixture, held_out, confidence)
    return HeldOutResult(
        advise(mixture, effects, held_out, confidence),
        len(held_out),
        {
            method: worst_case(mixture, opponents, held_out, confidence, method)
            for method in ("inverse_propensity", "doubly_robust")
        },
        f"Policies below {met} are those of the mixture, {met} is the best reply to it that the oracle finds "
        f"where it was learned, and {met + 1} to {met + k} take one action always: "
        f"{', '.join(held_out.actions)}.",
    )
