"""What many people at once cost while answers are late, with and without a look at what is open."""

from collections import Counter, deque
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.random import default_rng

from benchmarks.table import Figure
from duelist import RUCB, Arms, CondorcetSavage
from duelist.problems import worst_case

K, GAP, VOTES, RUNS = 16, 0.2, 1_000, 60
DELAYS = (10, 100)


def play(learner: Any, delay: int, looks: bool, seed: int) -> tuple[float, bool]:
    """Return regret and whether the winner is right, where a vote is told after `delay` others were asked."""
    problem = worst_case(K, GAP)
    gaps, rng, world_rng = problem.matrix[0] - 0.5, default_rng([seed, 0]), default_rng([seed, 1])
    menu = Arms(K, self_duels=False, wins=np.zeros((K, K)))
    state, waiting, total = learner.init(menu, rng), deque[Any](), 0.0
    counts: Counter[tuple[int, int]] = Counter()
    for _ in range(VOTES):
        duel = learner.ask(state, replace(menu, open=counts) if looks else menu, rng)
        waiting.append(duel)
        counts[min(duel[:2]), max(duel[:2])] += 1
        total += 0.5 * float(gaps[duel.left] + gaps[duel.right])
        if len(waiting) > delay:
            told = waiting.popleft()
            pair = (min(told[:2]), max(told[:2]))
            counts[pair] -= 1
            if counts[pair] == 0:
                del counts[pair]
            outcome = problem.play(told, world_rng)
            assert menu.wins is not None
            menu.wins[told.left, told.right] += outcome
            menu.wins[told.right, told.left] += 1.0 - outcome
            learner.learn(state, told, outcome)
    return total, learner.best(state, menu) == 0


def late(learner: Any, delay: int) -> list[Figure]:
    ours, blind = (
        np.mean([play(learner, delay, looks, seed) for seed in range(RUNS)], axis=0)
        for looks in (True, False)
    )
    name, against = (
        f"{type(learner).__name__}, {delay} duels open, {VOTES:,} votes",
        "without a look at what is open",
    )
    return [
        Figure(f"{name}: regret", f"{ours[0]:.0f}", f"{blind[0]:.0f}", against, blind[0] / ours[0]),
        Figure(
            f"{name}: right winners",
            f"{ours[1]:.0%}",
            f"{blind[1]:.0%}",
            against,
            ours[1] / max(blind[1], 0.01),
        ),
    ]


def figures() -> list[Figure]:
    learners = (RUCB(), CondorcetSavage(horizon=VOTES))
    return [figure for learner in learners for delay in DELAYS for figure in late(learner, delay)]
