"""The win rate of a mixture of policies against its worst opponent, from held-out duels.

Also tests which effects a log shows, which actions differ and which of them a learned mixture beats, and
derives a recommendation.
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

PRINTED = 10  # maximum number of opponents that are printed, the worst first
NAMED = 3  # maximum number of doubtful opponents that are named


@dataclass(frozen=True)
class LowestWinRate(Report):
    """A mixture's win rate against each opponent, and a lower bound for all of them; prints as a table.

    Examples
    --------
    >>> rate = WinRate(0.6, 0.55, 0.65, 0.95, "doubly_robust", 0.025, 0.5, 300.0, 1.0, 0.01)
    >>> print(LowestWinRate(500, 0.95, "doubly_robust", (rate,), worst=0, lower=0.56, warnings=()))
    policy    won    95% interval  differs  duels
    0       60.0%  55.0% to 65.0%    50.0%    300
    At least 56.0% of duels are won against this policy, with 95% confidence.
    """

    log_size: int
    """The number of duels in the log."""
    confidence: float
    """The confidence level of each interval, and of the lower bound."""
    method: str
    """The method of estimation: "doubly_robust" or "inverse_propensity"."""
    rates: tuple[WinRate, ...]
    """One for each opponent; each interval has the confidence level on its own (not simultaneous)."""
    worst: int
    """The opponent against which the estimate is lowest."""
    lower: float
    """A lower confidence bound on the lowest of the true win rates."""
    warnings: tuple[str, ...]
    """The reasons to doubt the estimates; empty if there are none."""

    @property
    def value(self) -> float:
        """The lowest of the estimates; biased downwards, as the minimum of many estimates."""
        return self.rates[self.worst].value

    def __str__(self) -> str:
        """Return a table of the worst opponents, the bound and warnings."""
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
            for number, rate in order[:PRINTED]
        ]
        if len(order) > PRINTED:
            rows.append([f"and {len(order) - PRINTED:,} more", "", "", "", ""])
        opponents = "this policy" if len(order) == 1 else f"each of {counted(len(order), 'policy')}"
        summary = (
            f"At least {self.lower:.1%} of duels are won against {opponents}, with {self.confidence:.0%} "
            "confidence."
        )
        return f"{align(header, rows)}\n{summary}{list_warnings(self.warnings)}"


def lowest_win_rate(
    mixture: PolicyMixture,
    opponents: Sequence[Policy] | FinitePolicies,
    log: DuelLog,
    confidence: float = 0.95,
    method: str = "doubly_robust",
) -> LowestWinRate:
    """Estimate a mixture's win rate against each of many policies, with a lower bound for the lowest.

    Parameters
    ----------
    mixture : PolicyMixture
        The mixture to evaluate.
    opponents : sequence of Policy, or FinitePolicies
        The opponents; like the mixture, they must have been chosen without access to these duels.
    log : DuelLog
        Randomised duels.
    confidence : float, default 0.95
        The confidence level: of each opponent's own interval, and of the lower bound for all opponents
        simultaneously.
    method : str, default "doubly_robust"
        The method of estimation, as in `win_rate_against`.

    Returns
    -------
    LowestWinRate
        The win rate against each opponent, and the bound.

    Raises
    ------
    ParameterError
        If there are no opponents, or the arguments of `win_rate_against` would be invalid.
    UnknownNameError
        If there is no such method.

    Notes
    -----
    The bound is the minimum of the opponents' one-sided bounds. It needs no correction for the number of
    opponents, because it is wrong only if the bound of the truly worst opponent is wrong (an
    intersection-union test).

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
    At least 48.5% of duels are won against each of 3 policies, with 95% confidence.
    """
    policies = [opponents[number] for number in range(len(opponents))]
    if not policies:
        raise ParameterError("opponents is empty; give at least one policy.")
    found = estimate_rates(mixture, policies, log, method)
    rates = list_rates(found, confidence, method)
    doubts = [f"policy {number}: {rate.doubt}" for number, rate in enumerate(rates) if rate.doubt]
    if len(doubts) > NAMED:
        doubts[NAMED:] = [f"and {len(doubts) - NAMED:,} more policies have such a warning."]
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
    """The recommendation and its reason, as text."""
    duels: int
    win_rates: dict[str, LowestWinRate]
    """The win rates by method: inverse_propensity and doubly_robust."""
    opponents: str
    """An explanation of the policies' numbers, as text."""


def evaluate_held_out(
    mixture: PolicyMixture, oracle: Oracle, learned: DuelLog, held_out: DuelLog, confidence: float = 0.95
) -> HeldOutResult:
    """Return a mixture's win rates against its own policies, the best reply and each constant policy.

    The oracle finds the best reply on the duels that the mixture was `learned` from.
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
        f"Policies below {met} are those of the mixture; {met} is the best reply to it, found by the oracle "
        f"on the training duels; {met + 1} to {met + k} always take the same action: "
        f"{', '.join(held_out.actions)}.",
    )


class Effects(NamedTuple):
    """The effects that duels show, with simultaneous confidence."""

    differing: tuple[tuple[str, str], ...]
    """Pairs of actions of which the first beats the second, averaged over contexts."""
    beaten: tuple[str, ...]
    """Actions that lose to the mixture if always taken."""
    losing: tuple[str, ...]
    """Actions that beat the mixture if always taken, and that no other action appears to beat."""


def find_effects(mixture: PolicyMixture, log: DuelLog, confidence: float = 0.95) -> Effects:
    """Return the effects that held-out duels show.

    Notes
    -----
    Pairs of actions are compared by inverse propensity weighting, the mixture with each action by the doubly
    robust method. All n two-sided tests, of all pairs and actions, have level (1 - confidence) / n each, so
    the probability of any false finding is at most 1 - confidence (Bonferroni).

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
    """Return by how many standard errors each action beats each other action, averaged over contexts."""
    game = CompactGame(log)
    sums, squares = np.zeros((2, log.k, log.k))
    for one, other, sign in ((log.left, log.right, 1.0), (log.right, log.left, -1.0)):
        np.add.at(sums, (one, other), sign * game.stakes)
        np.add.at(squares, (one, other), game.stakes**2)
    spread = np.sqrt(np.maximum(squares - sums**2 / len(log), 0.0))
    return np.divide(sums, spread, out=np.zeros_like(sums), where=spread > 0.0)


def advise(mixture: PolicyMixture, effects: Effects, log: DuelLog, confidence: float = 0.95) -> str:
    sure = f"with {confidence:.0%} confidence"
    if effects.losing:
        losing = enumeration([f"always taking {action}" for action in effects.losing])
        beats = "beats" if len(effects.losing) == 1 else "each beat"
        return (
            f"Do not follow the learned policy: {losing} {beats} it, {sure}. Learn with more duels or calls, "
            "or with another oracle."
        )
    if not (effects.beaten or effects.differing):
        return (
            f"Keep your current policy: no effect was shown. On {counted(len(log), 'held-out duel')}, no "
            "action is shown to beat another, and the learned policy is not shown to beat any action, at "
            f"{confidence:.0%} confidence. Log more duels to detect smaller differences."
        )
    likely = mixture.chances(log.contexts).mean(axis=0)
    order = [action for action in np.argsort(-likely, kind="stable") if likely[action] > 0.0]
    shares = [f"{log.actions[action]} {likely[action]:.0%}" for action in order]
    taken = f"Follow the learned policy, which takes {enumeration(shares)} of the time."
    if len(order) == 1:
        taken = f"Always take {log.actions[order[0]]}."
    if effects.beaten:
        beaten = enumeration([f"always taking {action}" for action in effects.beaten])
        return f"{taken} It beats {beaten}, {sure}."
    pairs = enumeration([f"{one} beats {other}" for one, other in effects.differing], limit=4)
    return f"{taken} It is not shown to beat any single action, but actions differ, {sure}: {pairs}."
