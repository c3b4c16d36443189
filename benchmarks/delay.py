"""What batches and late answers cost, with and without regard to open duels."""

from collections import Counter, deque
from collections.abc import Iterator
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.random import default_rng

from benchmarks.table import Table
from duelist import RUCB, Arms, Auto, CondorcetSavage, DoubleThompsonSampling
from duelist.problems import worst_case
from duelist.stopping import verdict_on

K, GAP, VOTES, LIMIT, RUNS = 16, 0.2, 1_000, 3_000, 60
NAMES = [str(arm) for arm in range(K)]
LOOK = 10
"""After so many votes it is looked whether they prove a winner."""

SETTINGS = ((1, 0), (10, 0), (50, 0), (1, 10), (1, 100))
"""How many duels are asked at once, and how many others are asked before one is told."""


class Played(NamedTuple):
    """What came of a run: its cost and its answer after `VOTES` votes, and when it was sure."""

    regret: float
    right: bool
    until_sure: float  # infinite beyond the limit


def tables(runs: int) -> list[Table]:
    columns = ("right winners", "regret", "votes until sure, median")
    return [
        Table(
            f"Batches and late answers, {runs} runs",
            (
                "learner",
                "asked at once",
                "told after others",
                *(part for column in columns for part in (column, "ignoring open duels")),
            ),
            rows(runs),
        )
    ]


def rows(runs: int) -> Iterator[tuple[str, ...]]:
    for learner in (Auto(), DoubleThompsonSampling(), RUCB(), CondorcetSavage(horizon=VOTES)):
        for batch, delay in SETTINGS:
            ours, blind = (
                summary([play(learner, batch, delay, looks, seed) for seed in range(runs)])
                for looks in (True, False)
            )
            pairs = (part for both in zip(ours, blind, strict=True) for part in both)
            yield type(learner).__name__, f"{batch}", f"{delay}", *pairs


def summary(played: list[Played]) -> tuple[str, str, str]:
    regret, right, until_sure = np.array(played).T
    median = np.median(until_sure)
    sure = f"{median:,.0f}" if median < inf else f"over {LIMIT:,}"
    return f"{right.mean():.0%}", f"{regret.mean():.0f}", sure


def play(learner: Any, batch: int, delay: int, looks: bool, seed: int) -> Played:
    """Play a run in which duels are asked `batch` at a time, and told after `delay` others were asked."""
    problem = worst_case(K, GAP)
    gaps, rng, world_rng = problem.matrix[0] - 0.5, default_rng([seed, 0]), default_rng([seed, 1])
    wins, ties, waiting = np.zeros((K, K)), np.zeros((K, K)), deque[Any]()
    counts = Counter[tuple[int, int]]()  # of open duels, as the menu sees them
    menu = Arms(K, self_duels=False, open=counts if looks else {}, wins=wins)
    state = learner.init(menu, rng)
    costs: list[float] = []
    told, right, until_sure = 0, False, inf
    while told < (VOTES if until_sure < inf else LIMIT):
        for _ in range(batch):
            duel = learner.ask(state, menu, rng)
            waiting.append(duel)
            counts[pair_of(duel)] += 1
            costs.append(0.5 * float(gaps[duel.left] + gaps[duel.right]))
        while len(waiting) > delay:
            duel = waiting.popleft()
            counts[pair_of(duel)] -= 1
            outcome = problem.play(duel, world_rng)
            wins[duel.left, duel.right] += outcome
            wins[duel.right, duel.left] += 1.0 - outcome
            learner.learn(state, duel, outcome)
            told += 1
            if told == VOTES:
                right = learner.best(state, menu) == 0
            if told % LOOK == 0 and until_sure == inf and verdict_on(NAMES, wins, ties).winner is not None:
                until_sure = told
    return Played(sum(costs[:VOTES]), right, until_sure)


def pair_of(duel: Any) -> tuple[int, int]:
    return min(duel[:2]), max(duel[:2])
