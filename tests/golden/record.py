"""Golden trajectories: the first hundred duels of every learner, so that a change of results is seen.

Run this file to record them anew, and write a line under "Changed results" in the changelog.
"""

import json
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import default_rng

from duelist.menus import Documents
from duelist.problems import bradley_terry, cyclic_contexts, p1
from duelist.registry import LEARNERS

RECORDED = Path(__file__).parent / "trajectories.json"
DUELS = 100

# a Gaussian process differs from one build of linear algebra to the next; a followed mixture does not learn
NOT_RECORDED = {"PreferentialOptimization", "FollowMixture"}

STEPS = {"exploration": 0.5, "exploitation": 0.1}
SETTINGS: dict[str, list[dict[str, Any]]] = {
    # narrow bounds and strong preferences, so that a hundred duels see arms removed and incumbents replaced
    "BeatTheMean": [{"horizon": 1}],
    "CondorcetSavage": [{"horizon": 1, "delta": 0.9}],
    "DoubleThompsonSampling": [{}, {"plus": True}],
    "InterleavedFilter1": [{"horizon": 10, "factor": 0.3}],
    "InterleavedFilter2": [{"horizon": 10, "factor": 0.3}],
    "BGD1": [STEPS],
    "BGD2": [STEPS],
    "DuelingBanditGradientDescent": [{**STEPS, "comparisons": 2}],
    "MultileavingGradientDescent": [{**STEPS, "points": 3}],
    "LogisticDuels": [{}, {"choice": "optimistic"}],
    "SparringEXP4P": [{"policies": list(product(range(3), repeat=2)), "horizon": DUELS}],
    "DuelingGradientRanker": [{"exploitation": 0.2, "length": 4}],
    "MultileavingGradientRanker": [{"exploitation": 0.2, "neighbours": 3, "length": 4}],
    "PairwiseGradientRanker": [{"length": 4}],
}
"""Hyperparameters to record with; a learner that is not named here is recorded as its card's example."""


def lists(learner: Any) -> list[list[float]]:
    """The lists shown for a query of eight documents, and below 0 those not clicked."""
    menu = Documents(default_rng(3).random((8, 3)))
    rng, world_rng = default_rng(20), default_rng(14)
    state = learner.init(menu, rng)
    shown = []
    for _ in range(DUELS):
        impression = learner.ask(state, menu, rng)
        clicked = [one for one in impression.documents if world_rng.random() < menu.features[one, 0]]
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


def duels_of(problem: Any, learner: Any) -> list[list[float]]:
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


RECORDERS: dict[str, Callable[[Any], list[list[float]]]] = {
    "arms": partial(duels_of, bradley_terry([1.0, 3.0, 9.0, 27.0])),
    "points of a space": partial(duels_of, p1(d=2, radius=1.0)),
    "contexts": duels_in_contexts,
    "rankings": lists,
}


def golden() -> list[Any]:
    """Every learner that is recorded."""
    kinds = {name: kind for name, kind in LEARNERS.items() if name not in NOT_RECORDED}
    return [
        kind(**settings)
        for name, kind in kinds.items()
        for settings in SETTINGS.get(name, [kind.card.example])
    ]


def trajectory(learner: Any) -> list[list[float]]:
    return RECORDERS[learner.card.setting](learner)


def all_trajectories() -> dict[str, list[list[float]]]:
    return {repr(learner): trajectory(learner) for learner in golden()}


if __name__ == "__main__":
    lines = [f"{json.dumps(name)}: {json.dumps(duels)}" for name, duels in all_trajectories().items()]
    RECORDED.write_text("{\n" + ",\n".join(lines) + "\n}\n")
