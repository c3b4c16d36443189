"""Restricted menus: inactive arms, no self-duels, open pairs."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng
from refusals import refused
from scipy.stats import chisquare

from duelist import (
    RMED1,
    RMED2,
    RMED2FH,
    RUCB,
    Arms,
    Auto,
    BeatTheMean,
    CondorcetSavage,
    DoubleThompsonSampling,
    Duel,
    InterleavedFilter1,
    InterleavedFilter2,
    TopTwoBradleyTerry,
    Uniform,
    WidestInterval,
)
from duelist.errors import OutcomeError, ParameterError
from duelist.kernels.arms import arm_menu
from duelist.kernels.duels import arm_buffer
from duelist.kernels.live import interpreted_kernels
from duelist.problems import bradley_terry

LEARNERS: list[Any] = [
    RUCB(),
    Uniform(),
    DoubleThompsonSampling(),
    BeatTheMean(1),
    CondorcetSavage(1, delta=0.9),
    InterleavedFilter1(10, factor=0.3),
    InterleavedFilter2(10, factor=0.3),
    RMED1(),
    RMED2(),
    RMED2FH(100),
    Auto(),
    TopTwoBradleyTerry(),
    WidestInterval(),
]
every_learner = pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: type(one).__name__)
PROBLEM = bradley_terry([1.0, 3.0, 9.0, 27.0, 81.0])


def played(learner: Any, menu: Arms, rounds: int, seed: int = 0) -> tuple[list[Duel], Any]:
    rng, world_rng = default_rng([seed, 0]), default_rng([seed, 1])
    state, duels = learner.init(menu, rng), []
    for _ in range(rounds):
        duels.append(learner.ask(state, menu, rng))
        state = learner.tell(state, duels[-1], PROBLEM.play(duels[-1], world_rng))
    return duels, state


@every_learner
def test_only_what_is_on_the_menu_is_shown(learner: Any) -> None:
    menu = Arms(5, active=(0, 2, 3), self_duels=False)
    duels, state = played(learner, menu, 400)
    assert {arm for duel in duels for arm in duel[:2]} <= {0, 2, 3}
    assert all(duel.left != duel.right for duel in duels)
    assert menu.active is not None
    assert learner.best(state, menu) in menu.active


@every_learner
def test_a_learner_goes_on_with_informative_duels_after_it_has_finished(learner: Any) -> None:
    menu = Arms(5, self_duels=False)
    duels, state = played(learner, menu, 600)
    assert all(duel.left != duel.right for duel in duels)
    assert learner.best(state, menu) == 4
    # without the restriction, every learner that looks for a winner shows it against itself
    late = played(learner, Arms(5), 600)[0][-50:]
    assert any(duel.left == duel.right for duel in late) != isinstance(learner, Uniform | WidestInterval)


@every_learner
def test_open_pairs_are_avoided_where_others_will_do(learner: Any) -> None:
    rng = default_rng(3)
    state = learner.init(Arms(5), rng)
    asked = Counter[tuple[int, int]]()
    for _ in range(4):
        duel = learner.ask(state, Arms(5, self_duels=False, open=asked), rng)
        asked[duel.left, duel.right] += 1
    assert len({frozenset(pair) for pair in asked}) == 4


def test_where_all_pairs_are_open_the_one_with_the_fewest_open_duels_is_asked() -> None:
    menu = Arms(3, self_duels=False, open={(0, 1): 9, (0, 2): 8, (1, 2): 1})
    state = Uniform().init(menu, default_rng(0))
    for seed in range(20):
        duel = Uniform().ask(state, menu, default_rng(seed))
        assert {duel.left, duel.right} == {1, 2}


def test_beat_the_mean_without_self_duels_draws_from_the_others_that_remain() -> None:
    learner, duel, rng = BeatTheMean(1), arm_buffer(), default_rng(0)
    state = learner.init(Arms(5), rng)
    learner.eliminate(state, 1)
    state.met[[0, 2]] = 7  # arm 3 or 4 must be on the left
    state.ties[0] = 2
    drawn = Counter[tuple[int, ...]]()
    for _ in range(6_000):
        learner.kernels.ask(learner.rules_for(state), state, arm_menu(Arms(5, self_duels=False)), duel, rng)
        drawn[tuple(duel.sides.tolist())] += 1
    assert set(drawn) == {(3, 0), (3, 2), (3, 4), (4, 0), (4, 2), (4, 3)}
    assert chisquare(list(drawn.values())).pvalue > 0.01
    for other in (0, 2, 3):
        learner.eliminate(state, other)
    learner.kernels.ask(learner.rules_for(state), state, arm_menu(Arms(5, self_duels=False)), duel, rng)
    assert duel.sides.tolist() == [4, 4]


@pytest.mark.parametrize("learner", [RUCB(), RUCB(remembers_champion=True)], ids=repr)
def test_rucb_without_self_duels_plays_the_informative_rounds_of_the_paper(learner: RUCB) -> None:
    # with two arms only the leader can be champion, so the rounds agree exactly
    problem, menu, live = bradley_terry([1.0, 2.0]), Arms(2), Arms(2, self_duels=False)
    for seed in range(5):
        runs = []
        for shown in (menu, live):
            world_rng, state, rounds = default_rng(seed), learner.init(menu, default_rng(0)), list[float]()
            while len(rounds) < 12:
                duel = learner.ask(state, shown, default_rng(seed))
                if duel.left != duel.right:
                    rounds.append(duel.round or 0.0)
                    state = learner.tell(state, duel, problem.play(duel, world_rng))
                    assert state.told[0] == rounds[-1] + 1
                else:
                    assert shown is menu
                    state = learner.tell(state, duel, 0.5)
            runs.append((rounds, state.wins.tolist(), state.remembered.tolist()))
        assert runs[0] == runs[1]


def test_many_open_asks_do_not_add_up_in_time() -> None:
    learner, live, rng = RUCB(), Arms(2, self_duels=False), default_rng(0)
    state = learner.init(live, rng)
    for _ in range(30):
        state = learner.tell(state, Duel(0, 1), 1.0)
    duels = [learner.ask(state, live, rng) for _ in range(50)]
    (time,) = {duel.round for duel in duels}
    assert time is not None
    assert time > state.told[0]
    for duel in duels:
        state = learner.tell(state, duel, 1.0)
    assert state.told[0] == time + 50


def test_a_winner_that_nothing_can_overtake_still_meets_a_rival() -> None:
    learner, live, rng = RUCB(), Arms(3, self_duels=False), default_rng(0)
    state = learner.init(live, rng)
    for _ in range(2000):
        for rival in (1, 2):
            state = learner.tell(state, Duel(0, rival), 1.0)
        state = learner.tell(state, Duel(1, 2), 1.0)
    duel = learner.ask(state, live, rng)
    assert duel.left != duel.right
    # 2,000 duels without a defeat: alpha ln t must reach 2000 / 4
    assert duel.round is not None
    assert -duel.round == pytest.approx(500.0 / 0.51)
    later = learner.tell(state, Duel(0, 1, round=duel.round), 1.0)
    again = learner.ask(later, live, rng)
    assert 2 in (again.left, again.right)
    assert later.told[0] <= duel.round
    assert again.round is not None
    assert again.round <= later.told[0]


def test_a_retired_arm_no_longer_stands_in_the_way() -> None:
    learner, rng = RUCB(), default_rng(0)
    state = learner.init(Arms(3), rng)
    for _ in range(200):
        for duel in (Duel(0, 1), Duel(0, 2), Duel(1, 2)):
            state = learner.tell(state, duel, 1.0)
    assert learner.best(state, Arms(3)) == 0
    without = Arms(3, active=(1, 2))
    assert learner.best(state, without) == 1
    assert {learner.ask(state, without, rng).left for _ in range(20)} == {1}


def test_uniform_draws_the_pairs_of_a_menu_alike() -> None:
    menu, rng = Arms(6, active=(1, 4, 5)), default_rng(0)
    state = Uniform().init(menu, rng)
    counts = np.zeros((6, 6))
    for _ in range(3000):
        duel = Uniform().ask(state, menu, rng)
        counts[duel.left, duel.right] += 1
    assert chisquare(counts[counts > 0]).pvalue > 0.01
    assert np.count_nonzero(counts) == 6


@pytest.mark.parametrize(
    ("settings", "facts"),
    [
        ({"active": (1,)}, ("active", "2 arms", (1,))),
        ({"active": (1, 1)}, ("active", "2 arms", (1, 1))),
        ({"active": (0, 7)}, ("arms", 0, 4, 7)),
        ({"open": {(0, 9): 1}}, ("arms", 0, 4, 9)),
        ({"active": "ab"}, ("arms", 0, 4, "'a'")),
        ({"active": (0, 1.5)}, ("arms", 0, 4, 1.5)),
        ({"k": 2.5}, ("k", "2 arms", 2.5)),
    ],
)
def test_a_menu_on_which_nothing_can_be_compared_is_refused(
    settings: dict[str, Any], facts: tuple[object, ...]
) -> None:
    with refused(ParameterError, *facts):
        Arms(**{"k": 5, **settings})


def committed(learner: Any, k: int, told: int, seed: int) -> tuple[list[Duel], Any, Any]:
    rng, world_rng = default_rng([seed, 0]), default_rng([seed, 1])
    problem = bradley_terry([float(2**arm) for arm in range(k)])
    state = learner.init(Arms(k), rng)
    for _ in range(told):
        duel = learner.ask(state, Arms(k), rng)
        state = learner.tell(state, duel, problem.play(duel, world_rng))
    return learner.plan(state, Arms(k), rng, 60), state, rng


@pytest.mark.parametrize(
    "learner",
    [CondorcetSavage(20), InterleavedFilter1(20, factor=1.0), InterleavedFilter2(20, factor=1.0)],
    ids=lambda one: type(one).__name__,
)
@pytest.mark.parametrize("told", [0, 7, 40])
def test_a_plan_is_what_would_be_asked_whatever_the_outcomes(learner: Any, told: int) -> None:
    plan, start, rng = committed(learner, 4, told, seed=5)
    assert len(plan) > 1
    for seed in range(20):
        world_rng, state = default_rng(seed), start
        for duel in plan:
            asked = learner.ask(state, Arms(4), rng)
            assert asked[:2] == duel[:2]
            outcome = float(world_rng.random() < (0.0, 0.5, 1.0)[seed % 3])
            state = learner.tell(state, duel, outcome)


@pytest.mark.parametrize(
    "learner",
    [CondorcetSavage(1, delta=0.9), InterleavedFilter1(10, factor=0.3)],
    ids=lambda one: type(one).__name__,
)
def test_a_plan_ends_within_a_sweep_of_the_first_that_may_decide(learner: Any) -> None:
    plan, state, _ = committed(learner, 4, 0, seed=5)
    pairs = list(dict.fromkeys(duel[:2] for duel in plan))
    assert len(plan) < 60
    before = state.remains.sum()
    for left, right in [*(duel[:2] for duel in plan), *pairs]:
        state = learner.tell(state, Duel(left, right), 1.0 if left < right else 0.0)
    assert state.remains.sum() < before


def test_beat_the_mean_plans_until_an_arm_may_be_removed() -> None:
    learner = BeatTheMean(2, gamma=1.0)
    plan, start, _ = committed(learner, 3, 0, seed=5)
    assert len(plan) == 60
    for seed in range(5):
        state = start
        for duel in plan:
            state = learner.tell(state, duel, float(default_rng(seed).random() < 0.5))
        assert state.remains.all()
        assert state.met.max() - state.met.min() <= 1


def test_random_play_plans_everything_and_rucb_one() -> None:
    rng = default_rng(0)
    expected: list[tuple[Any, int]] = [(Uniform(), 60), (RUCB(), 1)]
    for learner, n in expected:
        state = learner.init(Arms(4), rng)
        assert len(learner.plan(state, Arms(4), rng, 60)) == n


def test_a_plan_stays_on_the_menu() -> None:
    menu, rng = Arms(4, active=(0, 1, 3), self_duels=False), default_rng(0)
    for learner in LEARNERS:
        plan = learner.plan(learner.init(menu, rng), menu, rng, 30)
        assert plan
        assert all(menu.allows(duel.left, duel.right) for duel in plan)


@pytest.mark.parametrize("learner", LEARNERS[3:7], ids=lambda one: type(one).__name__)
def test_a_plan_after_the_winner_is_known_ends_interpreted_too(learner: Any) -> None:
    menu, rng = Arms(2), default_rng(0)
    state = learner.init(menu, rng)
    for _ in range(200):
        state = learner.tell(learner.tell(state, Duel(0, 1), 1.0), Duel(1, 0), 0.0)
    with interpreted_kernels():
        assert learner.plan(state, menu, rng, 5) == [Duel(0, 0)]


@every_learner
@pytest.mark.parametrize("menu", [Arms(3), Arms(7), Arms(3, active=(0, 1)), Arms(7, active=(5, 6))], ids=repr)
def test_a_menu_of_other_arms_than_the_state_is_refused(learner: Any, menu: Arms) -> None:
    rng = default_rng(0)
    state = learner.init(Arms(5), rng)
    with refused(ParameterError, "menu", f"{menu.k} arms", "state", 5):
        learner.ask(state, menu, rng)
    with refused(ParameterError, "menu", f"{menu.k} arms", "state", 5):
        learner.best(state, menu)
    with refused(ParameterError, "menu", f"{menu.k} arms", "state", 5):
        learner.plan(state, menu, rng, 4)


def test_lists_of_arms_and_pairs_are_as_good_as_tuples() -> None:
    listed: Any = [0, 2]
    assert Arms(3, active=listed, open={(2, 0): 1, (0, 2): 2}) == Arms(3, active=(0, 2), open={(0, 2): 3})


@pytest.mark.parametrize("time", [float("inf"), float("nan"), -5, "late", 1e300])
def test_a_round_that_no_learner_wrote_is_refused(time: Any) -> None:
    state = RUCB().init(Arms(2), default_rng(0))
    with refused(OutcomeError, "duel.round", repr(time)):
        RUCB().tell(state, Duel(0, 1, round=time), 1.0)


@pytest.mark.parametrize("n", [0, -1, 2.5])
def test_a_plan_of_no_duels_is_refused(n: Any) -> None:
    with refused(ParameterError, "n", 1, n):
        Uniform().plan(Uniform().init(Arms(2), default_rng(0)), Arms(2), default_rng(0), n)
