"""Contexts with and without a cycle, learning from their logs, and measuring the learned policies."""

from functools import cache
from itertools import product
from math import ceil

import numpy as np

from duelist.duel import FloatArray
from duelist.estimators import SparringFPL, SparringPGD
from duelist.estimators import sparring_fpl as fpl
from duelist.estimators.game import CompactGame, CountedOracle
from duelist.kernels.contexts import ContextWorld, largest_gain
from duelist.logs import DuelLog
from duelist.policies import FinitePolicies
from duelist.problems.contextual import FiniteContexts
from duelist.problems.cyclic_contexts import cyclic_contexts


@cache
def problem() -> FiniteContexts:
    """Two contexts with a cycle of actions, two with a best action."""
    return cyclic_contexts(hard=2, easy=2, k=3, epsilon=0.3, rng=0)


@cache
def policies() -> FinitePolicies:
    """Return all policies: every choice of an action per context."""
    return FinitePolicies(list(product(range(problem().k), repeat=problem().contexts)))


@cache
def world() -> ContextWorld:
    """Return what is true."""
    true, table = problem(), policies().actions
    return ContextWorld(true.matrices, true.chances, true.cumulated, true.order, table)


def gain_over(chances: FloatArray) -> float:
    """Return the margin of the best policy over these chances of actions per context."""
    return float(largest_gain(world(), world().chances[:, np.newaxis] * chances))


def gap_on(log: DuelLog, chances: FloatArray) -> float:
    """Return the margin of the best policy over these chances on a log, however they were learned.

    Computed from a table of estimated margins, policy by policy, without the learners' game or an oracle.
    """
    margins = np.zeros_like(problem().matrices)
    numbers = log.contexts[:, 0].astype(np.int64)
    stakes = log.signs / (2.0 * log.propensities * len(log))
    np.add.at(margins, (numbers, log.left, log.right), stakes)
    np.subtract.at(margins, (numbers, log.right, log.left), stakes)
    places = np.arange(problem().contexts)
    return max(float((margins[places, actions] * chances).sum()) for actions in policies().actions)


def learn(
    learner: str, log: DuelLog, calls: int, seed: int, eta: float | None = None
) -> tuple[FloatArray, dict[str, float]]:
    """Learn from a log; return the chance of each action in each context, and measurements of it.

    If a step is given, use it with the projections of the theory. The measurements are the `error`, the true
    margin of the best policy; the `gap`, the gain of a best response on the log, measured here and not by
    the learner; the `support`, the number of different policies in the mixture; and oracle calls as counted
    by the oracle, `over` the requested number and `untold` by the learner.
    """
    oracle = CountedOracle(policies().oracle())
    if learner == "SparringFPL":
        winner = SparringFPL(oracle, calls, eta, workers=1).fit(log, seed, progress=False)
    else:
        projecting = 1 if eta is None else None
        winner = SparringPGD(oracle, calls, projecting, eta).fit(log, seed, progress=False)
    chances = winner.chances(np.arange(problem().contexts, dtype=np.float64)[:, np.newaxis])
    return chances, {
        "error": gain_over(chances),
        "gap": gap_on(log, chances),
        "support": len(winner.merged().policies),
        "over": oracle.calls - calls,
        "untold": oracle.calls - int(winner.made["calls"]),
    }


def theory(learner: str, log: DuelLog, gap: float) -> tuple[int, float]:
    """Return the number of calls after which theory guarantees a gap on a log, and the step.

    PGD's theory requires millions of calls in projections; these are fewer: two per step of its outer
    loop. With B the length of the largest gradient and the step `gap / B^2`, a point's squared distance
    from the winner, at most 2, falls by `gap^2 / (2 B^2)` in a step, unless the gap is reached.
    """
    game, oracle = CompactGame(log), policies().oracle()
    if learner == "SparringFPL":
        reach = game.reach(oracle, 1)
        calls = fpl.promised_calls(len(log), reach, gap)
        return calls, fpl.best_eta(reach, calls // 2)
    size = game.reach(oracle, 2)
    return 1 + 2 * ceil(4.0 * size / gap**2), gap / size
