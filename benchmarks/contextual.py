"""How fast learners of contextual duels are, on two cores where oracles can use them."""

from importlib import import_module
from itertools import chain
from typing import Any

import numpy as np
from numpy.random import Generator, default_rng

from benchmarks.table import Figure, seconds
from duelist import DuelLog, SparringEXP4P, SparringFPL, SparringPGD, simulate
from duelist.estimators import RegressionOracle
from duelist.problems import FiniteContexts

CONTEXTS, ACTIONS, POLICIES, ROUNDS, SAMPLE = 50, 10, 1000, 100_000, 3000
CALLS = 200


def random_preferences(rng: Generator) -> FiniteContexts:
    above = np.triu(rng.random((CONTEXTS, ACTIONS, ACTIONS)), 1)
    below = np.tril(1.0 - above.transpose(0, 2, 1), -1)
    return FiniteContexts(above + below + 0.5 * np.eye(ACTIONS))


def sparring_exp4p() -> Figure:
    rng = default_rng(0)
    problem, policies = random_preferences(rng), rng.integers(ACTIONS, size=(POLICIES, CONTEXTS))
    learner = SparringEXP4P(policies, horizon=ROUNDS, actions=ACTIONS)

    def play(rounds: int) -> object:
        return simulate(learner, problem, rounds, runs=1, workers=1, progress=False, against=policies)

    play(10)
    elapsed = seconds(lambda: play(ROUNDS))
    plain = seconds(lambda: by_hand(learner, problem)) * ROUNDS / SAMPLE
    return Figure(
        f"SparringEXP4P, {POLICIES:,} policies, {ACTIONS} actions, {ROUNDS:,} rounds: seconds",
        f"{elapsed:.2f} s",
        f"{plain:.2f} s",
        f"the same through ask and tell, {SAMPLE:,} of them",
        plain / elapsed,
    )


def by_hand(learner: SparringEXP4P, problem: FiniteContexts) -> None:
    rng = default_rng(0)
    state = learner.init(problem.menu(rng), rng)
    for _ in range(SAMPLE):
        duel = learner.ask(state, problem.menu(rng), rng)
        state = learner.tell(state, duel, problem.play(duel, rng))


def logged(duels: int, columns: int = 10) -> DuelLog:
    rng = default_rng(0)
    contexts = rng.standard_normal((duels, columns))
    worth = contexts @ rng.standard_normal((columns, ACTIONS))
    left, right = rng.integers(ACTIONS, size=(2, duels))
    rows = np.arange(duels)
    chances = 1.0 / (1.0 + np.exp(worth[rows, right] - worth[rows, left]))
    propensities = np.full(duels, ACTIONS**-2.0)
    return DuelLog(contexts, left, right, rng.random(duels) < chances, propensities, ACTIONS)


def fitted(kind: Any, duels: int) -> list[Figure]:
    log = logged(duels)
    oracle = RegressionOracle(import_module("sklearn.tree").DecisionTreeRegressor(max_depth=4))
    kept: list[Any] = []
    elapsed = seconds(lambda: kept.append(kind(oracle, calls=CALLS).fit(log, progress=False)))
    costs = default_rng(1).random((duels, ACTIONS))
    alone = CALLS * seconds(lambda: oracle.cheapest(log.contexts, costs))
    gap, single = kept[0].made["gap"], kind(oracle, calls=2).fit(log, progress=False).made["gap"]
    name = f"{kind.__name__}, {duels:,} duels, {ACTIONS} actions, trees of depth 4, {CALLS} calls"
    return [
        Figure(
            f"{name}: seconds",
            f"{elapsed:.1f} s",
            f"{alone:.1f} s",
            "the oracle alone, one call times as many",
            alone / elapsed,
        ),
        Figure(f"{name}: gap on the log", f"{gap:.3f}", f"{single:.3f}", "after two calls", single / gap),
    ]


def figures() -> list[Figure]:
    fits = (fitted(kind, duels) for duels in (10_000, 100_000) for kind in (SparringFPL, SparringPGD))
    return [sparring_exp4p(), *chain.from_iterable(fits)]
