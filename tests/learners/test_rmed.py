"""RMED: evidence, skipped rounds, late and lost answers, changing menus and arms."""

from dataclasses import replace
from itertools import combinations
from math import log
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng
from reference_learners.rmed import ReferenceRMED
from reference_learners.twins import twin
from study.world import answer, fresh, known, same_folds

from duelist import RMED1, RMED2, RMED2FH, Arms, Duel, Study
from duelist.bounds import bernoulli_divergence
from duelist.learners.armed.divergences import NOBODY, NOW, OUT
from duelist.problems import bradley_terry, condorcet_cycle, worst_case

# A small f(K), with which arms leave and enter the list within a few rounds.
EVERY: list[Any] = [
    RMED1(),
    RMED1(scale=0.01),
    RMED2(),
    RMED2(alpha=1.0, scale=0.01),
    RMED2FH(horizon=1000),
    RMED2FH(horizon=100, alpha=1.0, scale=0.01),
]
every = pytest.mark.parametrize("learner", EVERY, ids=repr)
NEW_ARMS = [one for one in EVERY if one.card.arms_may_change]


def same(state: Any, other: Any) -> bool:
    return all(map(np.array_equal, state, other))


def after(learner: Any, k: int, *told: tuple[int, int, int]) -> Any:
    """The state after i has beaten j n times, for each (i, j, n)."""
    state = learner.init(Arms(k), default_rng(0))
    for i, j, n in told:
        for _ in range(n):
            learner.learn(state, Duel(i, j), 1.0)
    return state


def combinations_once(k: int) -> list[tuple[int, int, int]]:
    return [(i, j, 1) for i, j in combinations(range(k), 2)]


def test_evidence_is_the_divergence_of_the_pairs_that_are_lost() -> None:
    state, rng = RMED1().init(Arms(6), default_rng(0)), default_rng(1)
    for _ in range(5000):
        left, right = rng.choice(6, 2, replace=False).tolist()
        RMED1().learn(state, Duel(left, right), float(rng.choice([0.0, 0.5, 1.0], p=[0.5, 0.2, 0.3])))
    duels = state.wins + state.wins.T
    share = np.divide(state.wins, duels, out=np.ones((6, 6)), where=duels > 0)
    lost = np.where(share <= 0.5, duels * bernoulli_divergence(share, 0.5), 0.0)
    np.testing.assert_allclose(state.evidence, lost.sum(axis=1), rtol=1e-12)
    np.testing.assert_array_equal(state.duels, duels)
    np.testing.assert_array_equal(state.fewest, (duels + np.diag([np.inf] * 6)).min(axis=1))


@every
@pytest.mark.parametrize("k", [2, 3, 6])
def test_without_self_duels_the_informative_rounds_are_the_papers(learner: Any, k: int) -> None:
    problem, menu, live = bradley_terry(2.0 ** np.arange(k)), Arms(k), Arms(k, self_duels=False)
    rng, world_rng, passed, met = default_rng(k), default_rng([k, 1]), 0, 0
    papers, lives = (learner.init(menu, default_rng(k)) for _ in range(2))
    for _ in range(1500):
        duel, outcome = learner.ask(papers, menu, rng), 0.5
        if duel.left == duel.right:
            passed += 1
        else:
            met += 1
            assert learner.ask(lives, live, rng) == duel
            outcome = problem.play(duel, world_rng)
            learner.learn(lives, duel, outcome)
        learner.learn(papers, duel, outcome)
        if duel.left != duel.right:
            assert same(papers, lives)
    assert passed > 200
    assert met > 20


@every
def test_beyond_what_can_be_counted_time_is_the_logarithm(learner: Any) -> None:
    live, rng = Arms(3, self_duels=False), default_rng(0)
    state = after(learner, 3, (0, 1, 2000), (0, 2, 2500), (1, 2, 2000))
    slack = learner.rules(3).slack
    asked = set()
    for _ in range(700):
        duel = learner.ask(state, live, rng)
        assert duel.left != duel.right
        # the next arm is on the list once ln t + f(K) reaches the evidence against it
        assert -duel.round == pytest.approx(state.evidence[1:].min() - slack, rel=0.01)
        asked.add(frozenset(duel[:2]))
        learner.learn(state, duel, 1.0 if duel.left < duel.right else 0.0)
    assert frozenset((0, 1)) in asked
    assert learner.best(state, live) == 0
    assert state.evidence[1] > 2500 * log(2.0) - 2


@every
def test_many_open_asks_do_not_add_up_in_time(learner: Any) -> None:
    live, rng = Arms(2, self_duels=False), default_rng(0)
    state = after(learner, 2, (0, 1, 40))
    duels = [learner.ask(state, live, rng) for _ in range(50)]
    (time,) = {duel.round for duel in duels}
    assert time > state.told[0]
    for duel in duels:
        learner.learn(state, duel, 1.0 if duel.left == 0 else 0.0)
    assert state.told[0] == time + 50


@every
def test_late_lost_repeated_and_imported_answers_block_no_loop(learner: Any) -> None:
    problem, menu = bradley_terry([1.0, 2.0, 4.0, 8.0, 16.0]), Arms(5)
    for seed in range(2):
        rng, world_rng = default_rng(seed), default_rng([seed, 1])
        state, waiting = learner.init(menu, rng), list[Duel]()
        for turn in range(1500):
            duel = learner.ask(state, menu, rng)
            waiting += [duel] * int(world_rng.choice([0, 1, 2]))  # lost, or told once, or told twice
            if len(waiting) > 20:
                late = waiting.pop(int(world_rng.integers(len(waiting))))
                learner.learn(state, late, problem.play(late, world_rng))
            if turn % 10 == 0:
                vote = Duel(*world_rng.choice(5, 2, replace=False).tolist())
                learner.learn(state, vote, problem.play(vote, world_rng))
        assert learner.best(state, menu) == 4
        # the loop has not stopped: only the winner is left, and meets itself
        assert learner.ask(state, menu, rng)[:2] == (4, 4)


def test_an_answer_takes_one_turn_and_a_repeated_one_at_most_that_of_the_other_arm() -> None:
    learner, menu, rng = RMED1(), Arms(4), default_rng(0)
    state = after(learner, 4, *combinations_once(4))
    first, second, third, fourth = state.order.tolist()
    asked = learner.ask(state, menu, rng)
    assert asked.left == first
    assert asked == learner.ask(state, menu, rng)
    told = [Duel(first, third), Duel(third, first), Duel(first, third), Duel(second, fourth)]
    waiting = [{second, third, fourth}, {second, fourth}, {second, fourth}, {fourth}]
    for duel, remaining in zip(told, waiting, strict=True):
        learner.learn(state, duel, 0.5)
        assert set(np.flatnonzero(state.turn == NOW)) == remaining
    assert learner.ask(state, menu, rng).left == fourth


@every
def test_a_retired_arm_no_longer_speaks_against_anyone(learner: Any) -> None:
    # arm 1 lost to arm 0 a thousand times, and has hardly met arm 2
    state = after(learner, 3, (0, 1, 1000), (0, 2, 10), (2, 1, 3))
    without = Arms(3, active=(1, 2), self_duels=False)
    assert learner.best(state, Arms(3)) == 0
    assert learner.best(state, without) == 2
    rng, world_rng = default_rng(1), default_rng(2)
    for _ in range(80):
        duel = learner.ask(state, without, rng)
        assert {duel.left, duel.right} == {1, 2}
        learner.learn(state, duel, float((duel.left == 1) == (world_rng.random() < 0.8)))
    assert learner.best(state, without) == 1


@every
def test_on_a_smaller_menu_the_winner_of_the_rest_is_found_and_shown(learner: Any) -> None:
    problem, menu = bradley_terry([1.0, 2.0, 4.0, 8.0, 64.0, 16.0]), Arms(6, active=(0, 2, 3, 5))
    for seed in range(2):
        rng, world_rng = default_rng(seed), default_rng([seed, 1])
        state = learner.init(menu, rng)
        # half of the evidence is about arms that are no longer shown
        for _ in range(300):
            duel = learner.ask(state, Arms(6), rng)
            learner.learn(state, duel, problem.play(duel, world_rng))
        late = []
        for _ in range(1200):
            duel = learner.ask(state, menu, rng)
            learner.learn(state, duel, problem.play(duel, world_rng))
            late.append(duel[:2])
        assert learner.best(state, menu) == 5
        assert np.mean([pair == (5, 5) for pair in late[-400:]]) > 0.8
        assert {arm for pair in late for arm in pair} <= {0, 2, 3, 5}


@pytest.mark.parametrize("learner", NEW_ARMS, ids=repr)
def test_arms_that_join_in_the_middle_meet_all_others_and_then_wait_for_their_turn(learner: Any) -> None:
    problem, rng, world_rng = bradley_terry([3.0, 1.0, 2.0, 9.0, 4.0]), default_rng(0), default_rng(1)
    ranks = rng.random(5)
    state = learner.grown(learner.init(Arms(3), default_rng(0)), ranks[:3])
    reference = twin(learner, 3, default_rng(0))
    assert isinstance(reference, ReferenceRMED)
    reference.order = np.argsort(ranks[:3]).tolist()
    reference.loop = list(reference.order)
    for k in (3, 4, 5):
        if k > 3:
            state = learner.grown(state, ranks[:k])
            reference.add_arm(ranks[:k], learner.scale * k**learner.exponent)
        for _ in range(217):
            duel = learner.ask(state, Arms(k), rng)
            assert duel[:2] == reference.ask(rng)
            outcome = problem.play(duel, world_rng)
            learner.learn(state, duel, outcome)
            reference.tell(duel.left, duel.right, outcome)
            assert learner.best(state, Arms(k)) == reference.best()
    np.testing.assert_array_equal(state.wins, reference.wins)
    assert learner.best(state, Arms(5)) == 3


def test_a_horizon_fixes_the_opponents_of_rmed2() -> None:
    learner, problem, menu = RMED2FH(horizon=10**6), condorcet_cycle(), Arms(4)
    rng, world_rng = default_rng(3), default_rng(4)
    state = learner.init(menu, rng)
    for _ in range(6 * 8):  # 8 is 3 log log 10^6, rounded up
        assert (state.rival == NOBODY).all()
        duel = learner.ask(state, menu, rng)
        learner.learn(state, duel, problem.play(duel, world_rng))
    assert (state.duels + 8 * np.eye(4) == 8).all()
    # duels with the winner are expensive, but each other arm loses to some arm with certainty
    assert state.rival[1:].tolist() == [3, 1, 2]
    alone = state._replace(turn=np.array([OUT, NOW, OUT, OUT]))
    assert learner.ask(alone, menu, rng)[:2] == (1, 3)
    for _ in range(50):
        learner.learn(state, Duel(1, 3), 1.0)
    assert state.rival[1:].tolist() == [3, 1, 2]
    # but an arm that no longer leads is not an opponent
    alone = state._replace(turn=np.array([OUT, NOW, OUT, OUT]))
    assert 3 not in learner.ask(alone, menu, rng)[:2]


@every
@pytest.mark.parametrize("told", [0, 7])
def test_a_plan_is_the_pairs_that_are_due_in_the_order_of_asking(learner: Any, told: int) -> None:
    menu, rng = Arms(5), default_rng(2)
    start = learner.init(menu, rng)
    for _ in range(told):
        learner.learn(start, learner.ask(start, menu, rng), 1.0)
    plan = learner.plan(start, menu, rng, 200)
    assert len(plan) >= 10 - told
    for seed in range(3):
        world_rng = default_rng(seed)
        state = type(start)(*[part.copy() for part in start])
        for duel in plan:
            assert learner.ask(state, menu, rng)[:2] == duel[:2]
            learner.learn(state, duel, float(world_rng.random() < 0.5))
    smaller = learner.plan(start, replace(menu, active=(1, 2, 4)), rng, 200)
    assert {arm for duel in smaller for arm in duel[:2]} <= {1, 2, 4}


@pytest.mark.parametrize("learner", [RMED1(), RMED2(), RMED2FH(horizon=1000)], ids=repr)
def test_a_study_finds_the_winner_and_folds_to_the_same(learner: Any) -> None:
    study = Study(learner, ["b", "c", "d", "e"], seed=1)
    for turn in range(160):
        if turn == 60 and learner.card.arms_may_change:
            study.add_arm("a")
        if turn == 100:
            study.retire_arm("b")
        duel = study.ask()
        assert duel.left != duel.right
        study.tell(duel, answer(duel))
    assert study.best() == ("a" if learner.card.arms_may_change else "c")
    assert same_folds(fresh(study._journal), known(study))


def test_two_arms_that_are_equal_are_compared_for_ever() -> None:
    alike, live, rng = worst_case(2, 0.0001), Arms(2, self_duels=False), default_rng(0)
    state = RMED1().init(live, rng)
    for _ in range(300):
        duel = RMED1().ask(state, live, rng)
        RMED1().learn(state, duel, alike.play(duel, rng))
    assert state.duels[0, 1] == 300
