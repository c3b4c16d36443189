"""Golden trajectories: the first hundred duels of every learner, so that a change of results is seen.

Run this file to record them anew, and write a line under "Changed results" in the changelog.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import default_rng

from duelist import (
    BGD1,
    BGD2,
    RUCB,
    BeatTheMean,
    CondorcetSavage,
    DuelingBanditGradientDescent,
    InterleavedFilter1,
    InterleavedFilter2,
    MultileavingGradientDescent,
    Uniform,
)
from duelist.problems import bradley_terry, p1
from duelist.protocols import Learner

RECORDED = Path(__file__).parent / "trajectories.json"
DUELS = 100


def golden_learners() -> list[Learner[Any]]:
    # narrow bounds and strong preferences, so that a hundred duels see arms removed and incumbents replaced
    return [
        BeatTheMean(horizon=1),
        CondorcetSavage(horizon=1, delta=0.9),
        InterleavedFilter1(horizon=10, factor=0.3),
        InterleavedFilter2(horizon=10, factor=0.3),
        RUCB(),
        Uniform(),
    ]


def golden_point_learners() -> list[Learner[Any]]:
    return [
        BGD1(exploration=0.5, exploitation=0.1),
        BGD2(exploration=0.5, exploitation=0.1),
        DuelingBanditGradientDescent(exploration=0.5, exploitation=0.1, comparisons=2),
        MultileavingGradientDescent(exploration=0.5, exploitation=0.1, points=3),
    ]


def trajectory(learner: Learner[Any]) -> list[list[float]]:
    on_arms = learner in golden_learners()
    problem = bradley_terry([1.0, 3.0, 9.0, 27.0]) if on_arms else p1(d=2, radius=1.0)
    menu = problem.menu()
    rng, nature = default_rng(20), default_rng(14)
    state = learner.init(menu, rng)
    duels = []
    for _ in range(DUELS):
        duel = learner.ask(state, menu, rng)
        outcome = problem.play(duel, nature)
        state = learner.tell(state, duel, outcome)
        duels.append([*np.ravel([duel.left, duel.right]).tolist(), outcome])
    return duels


def all_trajectories() -> dict[str, list[list[float]]]:
    return {repr(learner): trajectory(learner) for learner in [*golden_learners(), *golden_point_learners()]}


if __name__ == "__main__":
    lines = [f"{json.dumps(name)}: {json.dumps(duels)}" for name, duels in all_trajectories().items()]
    RECORDED.write_text("{\n" + ",\n".join(lines) + "\n}\n")
