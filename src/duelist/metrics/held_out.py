"""A mixture of policies on duels it was not learned from, against the opponents that could beat it."""

from dataclasses import dataclass

from duelist.estimators import CompactGame, Oracle
from duelist.logs import DuelLog
from duelist.metrics.worst_case import WorstCase, worst_case
from duelist.policies import TreePolicy
from duelist.policies.mixture import PolicyMixture


@dataclass(frozen=True)
class HeldOutResult:
    """A mixture's win rates on held-out duels, by each method of estimation."""

    duels: int
    win_rates: dict[str, WorstCase]
    """By method: inverse_propensity and doubly_robust."""
    opponents: str
    """Which policy each number stands for, in words."""


def evaluate_held_out(
    mixture: PolicyMixture, oracle: Oracle, learned: DuelLog, held_out: DuelLog, confidence: float = 0.95
) -> HeldOutResult:
    """Return a mixture's win rates against its own policies, the best reply to it, and every single action.

    Parameters
    ----------
    mixture : PolicyMixture
        What an estimator has learned.
    oracle : Oracle
        Finds the best reply, in the duels of `learned`.
    learned, held_out : DuelLog
        The duels that the mixture was learned from, and others to measure on.
    confidence : float, default 0.95
        Of the bounds on win rates.
    """
    game = CompactGame(learned)
    reply, _ = game.ask(oracle, game.costs(mixture.chances(learned.contexts)))
    met, k = len(mixture.policies), held_out.k
    opponents = [*mixture.policies, reply, *(TreePolicy.always(action) for action in range(k))]
    return HeldOutResult(
        len(held_out),
        {
            method: worst_case(mixture, opponents, held_out, confidence, method)
            for method in ("inverse_propensity", "doubly_robust")
        },
        f"Policies below {met} are those of the mixture, {met} is the best reply to it that the oracle finds "
        f"where it was learned, and {met + 1} to {met + k} take one action always: "
        f"{', '.join(held_out.actions)}.",
    )
