"""Small simulations of every kind, for any executor."""

from collections.abc import Callable
from typing import Any

import numpy as np

from duelist import (
    RUCB,
    DuelingBanditGradientDescent,
    PairwiseGradientRanker,
    RankingProblem,
    SparringEXP4P,
    Uniform,
    clicks,
    simulate,
)
from duelist.parallel import Executor
from duelist.problems import cyclic_contexts, p1, worst_case
from duelist.ranking import synthetic_ranking_data
from duelist.simulation.result import Results
from duelist.simulation.storage import arrays_of

POLICIES = np.indices((3, 3, 3)).reshape(3, -1).T


def on_arms(executor: Executor | None) -> Results[Any]:
    return simulate([RUCB(), Uniform()], worst_case(5, 0.2), 2_000, runs=11, seed=3, executor=executor)


def on_points(executor: Executor | None) -> Results[Any]:
    learner = DuelingBanditGradientDescent(exploration=0.5, exploitation=0.05)
    return simulate(learner, p1(d=3), 500, runs=9, executor=executor)


def on_rankings(executor: Executor | None) -> Results[Any]:
    data, others = (synthetic_ranking_data(queries=20, features=5, seed=seed) for seed in (1, 2))
    users = clicks.informational(grades=3)
    return simulate(
        PairwiseGradientRanker(), RankingProblem(data, users, held_out=others), 200, runs=5, executor=executor
    )


def in_contexts(executor: Executor | None) -> Results[Any]:
    learner = SparringEXP4P(POLICIES, 500)
    return simulate(
        learner, cyclic_contexts(hard=1, easy=2), 500, runs=9, executor=executor, against=POLICIES
    )


EXPERIMENTS: dict[str, Callable[[Executor | None], Results[Any]]] = {
    "arms": on_arms,
    "points": on_points,
    "rankings": on_rankings,
    "contexts": in_contexts,
}


def assert_same_bits(found: Results[Any], expected: Results[Any]) -> None:
    assert list(found) == list(expected)
    for name, runs in expected.items():
        assert found[name].description == runs.description
        mine, others = arrays_of([found[name]]), arrays_of([runs])
        assert mine.keys() == others.keys()
        for array, theirs in others.items():
            ours = mine[array]
            assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
            assert ours.tobytes() == theirs.tobytes()
