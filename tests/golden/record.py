"""Golden trajectories: the first hundred duels of every learner, so that a change of results is seen.

Run this file to record them anew, and write a line under "Changed results" in the changelog.
"""

import json
from collections.abc import Callable
from itertools import product
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
    DuelingGradientRanker,
    InterleavedFilter1,
    InterleavedFilter2,
    LogisticDuels,
    MultileavingGradientDescent,
    MultileavingGradientRanker,
    PairwiseGradientRanker,
    SparringEXP4P,
    Uniform,
)
from duelist.problems import bradley_terry, cyclic_contexts, p1
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


def golden_contextual_learners() -> list[Any]:
    return [
        LogisticDuels(),
        LogisticDuels(choice="optimistic"),
        SparringEXP4P(list(product(range(3), repeat=2)), horizon=DUELS),
    ]


def golden_ranking_learners() -> list[Any]:
    return [
        DuelingGradientRanker(exploitation=0.2, length=4),
        MultileavingGradientRanker(exploitation=0.2, neighbours=3, length=4),
        PairwiseGradientRanker(length=4),
    ]


def lists(learner: Any) -> list[list[float]]:
    """The lists shown for a query of eight documents, and below 0 those not clicked."""
    features = default_rng(3).random((8, 3))
    rng, world_rng = default_rng(20), default_rng(14)
    state = learner.init(3, rng)
    shown = []
    for _ in range(DUELS):
        impression = learner.ask(state, features, rng)
        clicked = [one for one in impression.documents if world_rng.random() < features[one, 0]]
        state = learner.tell(state, impression, clicked)
        shown.append([float(one if one in clicked else -1 - one) for one in impression.documents])
    return shown


def duels_in_contexts(learner: Any) -> list[list[float]]:
    problem = cyclic_contexts(hard=1, easy=1)
    rng, world_rng = default_rng(20), default_rng(14)
    state = learner.init(problem.menu(world_rng), rng)
    duels = []
    for _ in range(DUELS):
        menu = problem.menu(world_rng)
        duel = learner.ask(state, menu, rng)
        outcome = problem.play(duel, world_rng)
        state = learner.tell(state, duel, outcome)
        duels.append([float(menu.context[0]), duel.left, duel.right, outcome])
    return duels


def trajectory(learner: Learner[Any]) -> list[list[float]]:
    on_arms = learner in golden_learners()
    problem = bradley_terry([1.0, 3.0, 9.0, 27.0]) if on_arms else p1(d=2, radius=1.0)
    menu = problem.menu()
    rng, world_rng = default_rng(20), default_rng(14)
    state = learner.init(menu, rng)
    duels = []
    for _ in range(DUELS):
        duel = learner.ask(state, menu, rng)
        outcome = problem.play(duel, world_rng)
        state = learner.tell(state, duel, outcome)
        duels.append([*np.ravel([duel.left, duel.right]).tolist(), outcome])
    return duels


def all_trajectories() -> dict[str, list[list[float]]]:
    return {repr(learner): record(learner) for learner, record in golden().items()}


def golden() -> dict[Any, Callable[[Any], list[list[float]]]]:
    """Every learner that is recorded, and how."""
    return (
        dict.fromkeys([*golden_learners(), *golden_point_learners()], trajectory)
        | dict.fromkeys(golden_contextual_learners(), duels_in_contexts)
        | dict.fromkeys(golden_ranking_learners(), lists)
    )


if __name__ == "__main__":
    lines = [f"{json.dumps(name)}: {json.dumps(duels)}" for name, duels in all_trajectories().items()]
    RECORDED.write_text("{\n" + ",\n".join(lines) + "\n}\n")
