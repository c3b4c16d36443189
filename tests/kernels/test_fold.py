"""Telling a batch of duels gives the same state as telling them one by one."""

from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng

from duelist import (
    RMED1,
    RMED2FH,
    RUCB,
    Auto,
    BeatTheMean,
    CondorcetSavage,
    DoubleThompsonSampling,
    Duel,
    DuelingBanditGradientDescent,
    InterleavedFilter2,
    MultileavingGradientDescent,
    SparringEXP4P,
    Uniform,
)
from duelist.errors import OutcomeError
from duelist.problems import bradley_terry, cyclic_contexts, p1

ON_ARMS = [
    RUCB(),
    DoubleThompsonSampling(),
    RMED1(),
    RMED2FH(50),
    Auto(),
    Uniform(),
    BeatTheMean(50),
    CondorcetSavage(50),
    InterleavedFilter2(50, factor=0.5),
]
ON_POINTS = [DuelingBanditGradientDescent(0.5, 0.1, comparisons=2), MultileavingGradientDescent(0.5, 0.1)]
IN_CONTEXTS = [SparringEXP4P([[a, b] for a in range(3) for b in range(3)], horizon=500)]


def problem_for(learner: Any) -> Any:
    if learner in ON_ARMS:
        return bradley_terry([8.0, 4.0, 2.0, 1.0])
    return p1(d=3, radius=1.0) if learner in ON_POINTS else cyclic_contexts(hard=1, easy=1)


@pytest.mark.parametrize("learner", [*ON_ARMS, *ON_POINTS, *IN_CONTEXTS], ids=lambda one: type(one).__name__)
def test_a_fold_is_telling_one_after_the_other(learner: Any) -> None:
    problem, rng, world_rng = problem_for(learner), default_rng(1), default_rng(2)
    menu = problem.menu(world_rng)
    state = begun = learner.init(menu, rng)
    kept = type(begun)(*[part.copy() for part in begun])
    duels, outcomes = list[Duel](), list[float]()
    for _ in range(200):
        menu = problem.menu(world_rng)
        duels.append(learner.ask(state, menu, rng))
        outcomes.append(problem.play(duels[-1], world_rng))
        state = learner.tell(state, duels[-1], outcomes[-1])
    learner.fold(kept, duels, np.array(outcomes))
    assert all(map(np.array_equal, kept, state))
    assert not all(map(np.array_equal, kept, begun))


def test_a_wrong_duel_or_outcome_in_a_batch_changes_nothing() -> None:
    learner = RUCB()
    state = learner.init(bradley_terry([2.0, 1.0]).menu(), default_rng(0))
    wrong = [
        ([Duel(0, 1), Duel(0, 2)], [1.0, 1.0]),
        ([Duel(0, 1), Duel(1, 0)], [1.0, 7.0]),
        ([Duel(0, 1)], [1.0, 0.0]),
        ([Duel(0, 1), Duel(1, 0)], [1.0]),
    ]
    for duels, outcomes in wrong:
        with pytest.raises(OutcomeError):
            learner.fold(state, duels, np.array(outcomes))
    assert state.wins.sum() == 0.0


def test_duels_without_chances_are_left_out_where_they_are_needed() -> None:
    (learner,) = IN_CONTEXTS
    menu, rng = cyclic_contexts(hard=1, easy=1).menu(default_rng(0)), default_rng(0)
    state = learner.init(menu, rng)
    unknown = Duel(0, 1, context=[0.0])
    assert learner.tell(state, unknown, 1.0) is state
    learner.fold(state, [unknown, unknown], np.ones(2))
    assert state.told[0] == 0
    learner.fold(state, [unknown, learner.ask(state, menu, rng)], np.array([1.0, 0.0]))
    assert state.told[0] == 1
