"""RUCB of the proceedings: the last arm that was the only possible champion is drawn half of the time."""

from collections import Counter
from copy import deepcopy
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng
from reference_learners.rucb import ReferenceRUCB
from scipy.stats import chisquare

from duelist import RUCB, Arms, Duel, simulate
from duelist.problems import bradley_terry, worst_case

REMEMBERING = RUCB(remembers_champion=True)


def told(learner: RUCB, state: Any, *answers: tuple[int, int, float], times: int = 1) -> Any:
    for _ in range(times):
        for left, right, outcome in answers:
            state = learner.tell(state, Duel(left, right), outcome)
    return state


def champions(learner: RUCB, state: Any, menu: Arms, asks: int = 4000) -> Counter[int]:
    rng = default_rng(5)
    return Counter(learner.ask(state, menu, rng).left for _ in range(asks))


def alone_and_then_not(learner: RUCB, k: int) -> Any:
    """Return a state in which arm 0 was the only possible champion, and all others have become possible."""
    state = learner.init(Arms(k), default_rng(0))
    state = told(learner, state, *[(0, rival, 1.0) for rival in range(1, k)], times=30)
    # the bounds of the others grow in every round, until none of them is ruled out
    return told(learner, state, *[(0, rival, 0.0) for rival in range(1, k)], times=28)


def test_half_of_the_draws_are_the_remembered_champion_and_the_others_share_the_rest() -> None:
    state = alone_and_then_not(REMEMBERING, 4)
    assert state.remembered.tolist() == [0]
    drawn = champions(REMEMBERING, state, Arms(4))
    observed = [drawn[arm] for arm in range(4)]
    assert sum(observed) == 4000
    assert chisquare(observed, [2000, 2000 / 3, 2000 / 3, 2000 / 3]).pvalue > 0.01
    # without the set B all four are equally likely
    plain = champions(RUCB(), alone_and_then_not(RUCB(), 4), Arms(4))
    assert chisquare([plain[arm] for arm in range(4)]).pvalue > 0.01


def test_who_is_ruled_out_is_forgotten_and_who_is_alone_takes_its_place() -> None:
    state = alone_and_then_not(REMEMBERING, 3)
    forgotten = told(REMEMBERING, state, (0, 1, 0.0), times=60)
    assert forgotten.remembered[0] != 0
    replaced = told(REMEMBERING, forgotten, (1, 0, 1.0), (1, 2, 1.0), times=60)
    assert replaced.remembered.tolist() == [1]


def test_without_a_possible_champion_nobody_is_remembered() -> None:
    state = alone_and_then_not(REMEMBERING, 3)
    state = told(REMEMBERING, state, (0, 1, 1.0), (1, 2, 1.0), (2, 0, 1.0), times=300)
    assert np.all(state.barrier > 0.51 * np.log(state.told[0] + 1))
    assert state.remembered.tolist() == [-1]
    drawn = champions(REMEMBERING, state, Arms(3))
    assert chisquare([drawn[arm] for arm in range(3)]).pvalue > 0.01


def test_a_remembered_champion_off_the_menu_is_not_drawn() -> None:
    state = alone_and_then_not(REMEMBERING, 4)
    drawn = champions(REMEMBERING, state, Arms(4, active=(1, 2, 3)))
    assert set(drawn) == {1, 2, 3}
    assert chisquare([drawn[arm] for arm in (1, 2, 3)]).pvalue > 0.01


def test_a_new_arm_changes_nothing_of_what_is_remembered() -> None:
    state = alone_and_then_not(REMEMBERING, 3)
    grown = REMEMBERING.grown(state, np.array([0.3, 0.1, 0.2, 0.9]))
    assert grown.remembered.tolist() == [0]
    drawn = champions(REMEMBERING, grown, Arms(4))
    observed = [drawn[arm] for arm in range(4)]
    assert chisquare(observed, [2000, 2000 / 3, 2000 / 3, 2000 / 3]).pvalue > 0.01


def test_by_default_nobody_is_remembered() -> None:
    assert alone_and_then_not(RUCB(), 3).remembered.tolist() == [-1]


@pytest.mark.parametrize("k", [2, 3, 6])
def test_rounds_passed_over_count_as_rounds_in_which_the_champion_was_alone(k: int) -> None:
    # no arm is remembered when rounds start to be skipped, and another arm is possible afterwards
    state = REMEMBERING.init(Arms(k), default_rng(0))
    state = told(REMEMBERING, state, *[(0, rival, 1.0) for rival in range(1, k)], times=12)
    state = state._replace(remembered=np.array([-1]))
    stepped = state
    while True:
        duel = REMEMBERING.ask(stepped, Arms(k), default_rng(1))
        if duel.left != duel.right:
            break
        stepped = REMEMBERING.tell(stepped, duel, 0.5)
    assert stepped.told[0] > state.told[0] + 5
    passed = REMEMBERING.ask(state, Arms(k, self_duels=False), default_rng(1))
    assert passed == duel
    for outcome in (0.0, 0.5, 1.0):
        one, other = (REMEMBERING.tell(before, duel, outcome) for before in (state, stepped))
        assert all(np.array_equal(*fields) for fields in zip(one, other, strict=True))
        assert one.remembered.tolist() == [0]


def test_a_batch_leaves_the_state_of_single_answers() -> None:
    problem, rng, world_rng = bradley_terry([1.0, 2.0, 4.0]), default_rng(0), default_rng(1)
    start = state = REMEMBERING.init(Arms(3), rng)
    duels, outcomes, seen = [], [], set()
    for _ in range(600):
        duels.append(REMEMBERING.ask(state, Arms(3, self_duels=False), rng))
        outcomes.append(problem.play(duels[-1], world_rng))
        state = REMEMBERING.tell(state, duels[-1], outcomes[-1])
        seen.add(int(state.remembered[0]))
    assert {-1, 2} <= seen
    folded: Any = deepcopy(start)
    REMEMBERING.fold(folded, duels, outcomes)
    assert all(np.array_equal(*fields) for fields in zip(folded, state, strict=True))


class Watched(ReferenceRUCB):
    """Return the reference, and the number of rounds with a remembered champion among several."""

    mattered = 0

    def pick_champion(self, pool: list[int], rng: np.random.Generator) -> int:
        champion = super().pick_champion(pool, rng)
        self.mattered += len(pool) > 1 and bool(self.last_alone)
        return champion


def test_comparisons_with_the_reference_see_rounds_in_which_it_matters() -> None:
    matrix, rng, world_rng = worst_case(5, 0.3).matrix, default_rng(5), default_rng([5, 1])
    reference = Watched(5, rng, 0.51, remembers=True)
    for _ in range(3000):
        left, right = reference.ask(rng)
        reference.tell(left, right, 0.5 if left == right else float(world_rng.random() < matrix[left, right]))
    assert reference.mattered > 50


def test_runs_differ_from_the_default() -> None:
    plain, remembering = (
        simulate({"it": one}, worst_case(5, 0.2), 5000, 3)["it"].plays for one in (RUCB(), REMEMBERING)
    )
    assert not np.array_equal(plain, remembering)
