"""The win rate of a mixture of policies against its worst opponent, from duels it was not learned from.

It also says what a log shows at all: which actions differ, which of them a learned mixture beats, and so what
to do.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from duelist.duel import FloatArray
from duelist.errors import ParameterError, require_confidence
from duelist.estimators import CompactGame, Oracle
from duelist.logs import DuelLog
from duelist.metrics.off_policy import WinRate, list_rates
from duelist.metrics.rate_estimates import bound, estimate_rates
from duelist.policies import FinitePolicies, TreePolicy
from duelist.policies.mixture import PolicyMixture
from duelist.protocols import Policy
from duelist.text import Report, align, counted, enumeration, list_warnings

SHOWN = 10  # how many opponents are printed, the worst first
NAMED = 3  # how many doubtful opponents are named


@dataclass(frozen=True)
class LowestWinRate(Report):
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


def lowest_win_rate(
    mixture: PolicyMixture,
    opponents: Sequence[Policy] | FinitePolicies,
    log: DuelLog,
    confidence: float = 0.95,
    method: str = "doubly_robust",
) -> LowestWinRate:
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
    >>> from duelist.policies import FinitePolicies, PolicyMixture
    >>> policies = FinitePolicies([[0], [1], [2]])
    >>> rng = np.random.default_rng(0)
    >>> left, right = rng.integers(3, size=(2, 2000))
    >>> circle = np.array([[0.5, 0.9, 0.1], [0.1, 0.5, 0.9], [0.9, 0.1, 0.5]])
    >>> outcomes = rng.random(2000) < circle[left, right]
    >>> log = DuelLog(np.zeros((2000, 1)), left, right, outcomes, np.full(2000, 1 / 9), actions=3)
    >>> mixture = PolicyMixture(policies, [1 / 3, 1 / 3, 1 / 3], log.actions, log.columns)
    >>> print(lowest_win_rate(mixture, policies, log))
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
    return LowestWinRate(
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
    win_rates: dict[str, LowestWinRate]
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
            method: lowest_win_rate(mixture, opponents, held_out, confidence, method)
            for method in ("inverse_propensity", "doubly_robust")
        },
        f"Policies below {met} are those of the mixture, {met} is the best reply to it that the oracle finds "
        f"where it was learned, and {met + 1} to {met + k} take one action always: "
        f"{', '.join(held_out.actions)}.",
    )


class Effects(NamedTuple):
    """What is shown, with the confidence for all of it together."""

    differing: tuple[tuple[str, str], ...]
    """Pairs of actions of which the first beats the second, whatever the context."""
    beaten: tuple[str, ...]
    """Actions that the mixture beats, were they taken always."""
    losing: tuple[str, ...]
    """Actions that, taken always, beat the mixture, and that no other action seems to beat."""


def find_effects(mixture: PolicyMixture, log: DuelLog, confidence: float = 0.95) -> Effects:
    """Return what duels show that the mixture was not learned from.

    Notes
    -----
    Pairs are compared by inverse propensities, the mixture doubly robust. All pairs and actions together,
    n two-sided tests at (1 - confidence) / n each, are wrong with a chance of at most 1 - confidence
    (Bonferroni): on pure noise, nothing is shown at least that often.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> left, right = rng.integers(2, size=(2, 800))
    >>> outcomes = rng.random(800) < np.array([[0.5, 0.8], [0.2, 0.5]])[left, right]
    >>> log = DuelLog(np.zeros((800, 1)), left, right, outcomes, np.full(800, 0.25), actions=["tea", "milk"])
    >>> tea = PolicyMixture([TreePolicy.always(0)], [1.0], log.actions, log.columns)
    >>> find_effects(tea, log)
    Effects(differing=(('tea', 'milk'),), beaten=('milk',), losing=())
    """
    from scipy.special import ndtri

    require_confidence(confidence)
    k, names = log.k, log.actions
    level = 1.0 - (1.0 - confidence) / (k * (k - 1) + 2 * k)
    scores = pair_scores(log)
    differing = tuple((names[a], names[b]) for a, b in np.argwhere(scores > ndtri(level)))
    found = estimate_rates(mixture, [TreePolicy.always(action) for action in range(k)], log, "doubly_robust")
    lower, upper = bound(found, level)
    return Effects(
        differing,
        tuple(names[action] for action in np.flatnonzero(lower > 0.5)),
        tuple(names[action] for action in np.flatnonzero((upper < 0.5) & (scores.max(axis=0) <= 0.0))),
    )


def pair_scores(log: DuelLog) -> FloatArray:
    """Return by how many standard errors each action beats each other one, over all contexts."""
    game = CompactGame(log)
    sums, squares = np.zeros((2, log.k, log.k))
    for one, other, sign in ((log.left, log.right, 1.0), (log.right, log.left, -1.0)):
        np.add.at(sums, (one, other), sign * game.stakes)
        np.add.at(squares, (one, other), game.stakes**2)
    spread = np.sqrt(np.maximum(squares - sums**2 / len(log), 0.0))
    return np.divide(sums, spread, out=np.zeros_like(sums), where=spread > 0.0)


def advise(mixture: PolicyMixture, effects: Effects, log: DuelLog, confidence: float = 0.95) -> str:
    """Return what to do, and then why, in a few sentences."""
    sure = f"with {confidence:.0%} confidence"
    if effects.losing:
        return (
            f"Do not follow the learned policy: {enumeration(effects.losing)}, taken always, beats it, "
            f"{sure}. Learn with more duels or calls, or another oracle."
        )
    if not (effects.beaten or effects.differing):
        return (
            f"Keep what you do: no effect was shown. On {counted(len(log), 'duel')} held out, {sure}, no "
            "action beats another, and the learned policy beats none. Log more duels to tell smaller "
            "differences."
        )
    likely = mixture.chances(log.contexts).mean(axis=0)
    order = [place for place in np.argsort(-likely, kind="stable") if likely[place] > 0.0]
    shares = [f"{log.actions[place]} {likely[place]:.0%}" for place in order]
    taken = f"Follow the learned policy, which takes {enumeration(shares)} of the time."
    if len(order) == 1:
        taken = f"Take {log.actions[order[0]]} always."
    if effects.beaten:
        return f"{taken} It beats {enumeration(effects.beaten)}, were that taken always, {sure}."
    pairs = enumeration([f"{one} beats {other}" for one, other in effects.differing], limit=4)
    return f"{taken} It beats no single action for certain, but actions differ, {sure}: {pairs}."
