"""Sparring EXP4.P against a plain reference, the rules for learners, and its proven bound."""

from itertools import product
from math import exp, log, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import Generator, default_rng
from refusals import refused

from duelist.bounds import sparring_exp4p_upper_bound
from duelist.duel import Duel, FloatArray, IntArray
from duelist.errors import OutcomeError, ParameterError
from duelist.learners.contextual.sparring_exp4p import FAINTEST, SparringEXP4P, State, rules_for
from duelist.menus import Actions, Arms
from duelist.policies import FinitePolicies
from duelist.problems.contextual import FiniteContexts
from duelist.problems.cyclic_contexts import cyclic_contexts
from duelist.protocols import Learner

ALL = np.array(list(product(range(3), repeat=2)))


class ObviousEXP4P:
    """Beygelzimer et al. (2011), Algorithm 1, line by line, with the experts' advice as distributions."""

    def __init__(self, policies: IntArray, k: int, horizon: int, delta: float) -> None:
        self.policies, self.k = policies, k
        self.p_min = sqrt(log(len(policies)) / (k * horizon))
        self.width = sqrt(log(len(policies) / delta) / (k * horizon))
        self.logarithms = np.zeros(len(policies))

    def distribution(self) -> FloatArray:
        weights = np.exp(self.logarithms - self.logarithms.max())
        return np.asarray(weights / weights.sum())

    def chances(self, context: int) -> FloatArray:
        advice = np.eye(self.k)[self.policies[:, context]]
        return (1.0 - self.k * self.p_min) * (self.distribution() @ advice) + self.p_min

    def learn(self, context: int, chances: FloatArray, action: int, reward: float) -> None:
        advice = np.eye(self.k)[self.policies[:, context]]
        rewards = np.zeros(self.k)
        rewards[action] = reward / chances[action]
        y, v = advice @ rewards, (advice / chances).sum(axis=1)
        self.logarithms += self.p_min / 2.0 * (y + v * self.width)


def at(context: float, k: int = 3) -> Actions:
    return Actions(k, np.array([context]))


def drawn(chances: FloatArray, rng: Generator) -> int:
    return int(np.searchsorted(np.cumsum(chances), rng.random() * chances.sum(), side="right"))


def spar(learner: SparringEXP4P, problem: FiniteContexts, rounds: int, seed: int) -> tuple[State, list[Duel]]:
    rng, world_rng = default_rng(seed), default_rng(seed + 1)
    state = learner.init(problem.menu(world_rng), rng)
    duels = []
    for played in range(rounds):
        duel = learner.ask(state, problem.menu(world_rng, played), rng)
        state = learner.tell(state, duel, problem.play(duel, world_rng))
        duels.append(duel)
    return state, duels


@pytest.mark.parametrize("horizon", [200, 3000])
def test_it_plays_and_learns_like_the_obvious_version(horizon: int) -> None:
    problem = cyclic_contexts(hard=1, easy=2, k=4, rng=3)
    policies = default_rng(0).integers(0, 4, (20, 3))
    learner = SparringEXP4P(policies, horizon, delta=0.2, actions=4)
    state, duels = spar(learner, problem, 600, seed=7)
    copies = [ObviousEXP4P(policies, 4, horizon, 0.05) for _ in range(2)]
    rng, world_rng = default_rng(7), default_rng(8)
    problem.menu(world_rng)
    total = np.zeros(20)
    for played, duel in enumerate(duels):
        menu = problem.menu(world_rng, played)
        context = int(menu.context[0])
        chances = [copy.chances(context) for copy in copies]
        left, right = (drawn(chance, rng) for chance in chances)
        assert (duel.left, duel.right) == (left, right)
        assert duel.note == pytest.approx(np.array(chances), rel=1e-9)
        assert duel.propensity == pytest.approx((chances[0][left], chances[1][right]), rel=1e-9)
        outcome = problem.play(Duel(left, right, context=menu.context), world_rng)
        total += (copies[0].distribution() + copies[1].distribution()) / 2.0
        copies[0].learn(context, chances[0], left, outcome)
        copies[1].learn(context, chances[1], right, 1.0 - outcome)
    assert state.left == pytest.approx(copies[0].distribution(), rel=1e-9)
    assert state.right == pytest.approx(copies[1].distribution(), rel=1e-9)
    assert learner.winner(state).weights == pytest.approx(total / len(duels), rel=1e-9)


def test_the_paper_s_numbers() -> None:
    learner = SparringEXP4P(ALL, 5000, delta=0.4)
    assert learner.rules().least == pytest.approx(sqrt(log(9) / 15_000))
    assert learner.rules().bonus == pytest.approx(sqrt(log(9 / 0.1) / 15_000))
    duel = learner.ask(learner.init(at(0.0), default_rng(0)), at(1.0), default_rng(0))
    assert duel.note == pytest.approx(np.full((2, 3), 1 / 3))
    state = learner.tell(learner.init(at(0.0), default_rng(0)), duel, 1.0)
    gain = learner.rules().least / 2.0 * 3.0
    won, other = state.left[ALL[:, 1] == duel.left], state.left[ALL[:, 1] != duel.left]
    assert won[0] / other[0] == pytest.approx(exp(gain))
    assert state.right == pytest.approx(1 / 9)


def test_a_short_horizon_leaves_nothing_but_exploring() -> None:
    learner = SparringEXP4P(ALL, 5)
    assert learner.rules().least == pytest.approx(1 / 3)
    state, duels = spar(learner, cyclic_contexts(1, 1), 50, seed=0)
    for duel in duels:
        assert duel.note == pytest.approx(1 / 3)
    assert sparring_exp4p_upper_bound(5, 3, 9) == 1.0
    assert np.isfinite(state.left).all()


def test_asking_and_telling_leave_the_state_as_it_was() -> None:
    learner = SparringEXP4P(ALL, 500)
    assert isinstance(learner, Learner)
    state, _ = spar(learner, cyclic_contexts(1, 1), 50, seed=1)
    before = [part.copy() for part in state]
    duel = learner.ask(state, at(1.0), default_rng(3))
    again = learner.ask(state, at(1.0), default_rng(3))
    assert (duel.left, duel.right, duel.propensity) == (again.left, again.right, again.propensity)
    told = learner.tell(state, duel, 1.0)
    learner.best(state, at(1.0))
    learner.winner(state)
    for was, part in zip(before, state, strict=True):
        assert np.array_equal(was, part)
    assert told.told[0] == state.told[0] + 1


@settings(max_examples=10, deadline=None)
@given(st.permutations(range(12)), st.integers(0, 1000))
def test_late_answers_in_any_order_leave_the_same_weights(order: list[int], seed: int) -> None:
    learner = SparringEXP4P(ALL, 300)
    problem = cyclic_contexts(1, 1)
    rng = default_rng(seed)
    state, _ = spar(learner, problem, 40, seed)
    duels = [learner.ask(state, problem.menu(rng), rng) for _ in range(12)]
    outcomes = [problem.play(duel, rng) for duel in duels]
    in_time, late = state, state
    for place in range(12):
        in_time = learner.tell(in_time, duels[place], outcomes[place])
        late = learner.tell(late, duels[order[place]], outcomes[order[place]])
    assert late.left == pytest.approx(in_time.left, rel=1e-12)
    assert late.right == pytest.approx(in_time.right, rel=1e-12)
    assert late.told[0] == in_time.told[0] == 52


def test_swapping_sides_and_outcome_swaps_the_copies() -> None:
    learner = SparringEXP4P(ALL, 300)
    state, _ = spar(learner, cyclic_contexts(1, 1), 40, seed=2)
    swapped = State(state.right, state.left, state.totals, state.told)
    duel = learner.ask(state, at(0.0), default_rng(5))
    turned = Duel(duel.right, duel.left, note=duel.note[::-1], context=duel.context)
    one, other = learner.tell(state, duel, 0.8), learner.tell(swapped, turned, 0.2)
    assert one.left == pytest.approx(other.right, rel=1e-12)
    assert one.right == pytest.approx(other.left, rel=1e-12)
    assert one.totals == pytest.approx(other.totals, rel=1e-12)


def test_a_duel_of_someone_else_is_weighed_by_its_propensity() -> None:
    learner = SparringEXP4P(ALL, 300)
    state = learner.init(at(0.0), default_rng(0))
    told = learner.tell(state, Duel(0, 1, (0.25, 0.5), context=[0.0]), 1.0)
    note = np.full((2, 3), 1 / 3)
    note[0, 0], note[1, 1] = 0.25, 0.5
    same = learner.tell(state, Duel(0, 1, note=note, context=[0.0]), 1.0)
    assert np.array_equal(told.left, same.left)
    assert np.array_equal(told.right, same.right)


def test_weights_stay_a_distribution_and_a_policy_far_behind_comes_back() -> None:
    learner = SparringEXP4P([[0], [1]], 6)
    state = learner.init(at(0.0, k=2), default_rng(0))
    note = np.full((2, 2), 0.5)
    for favourite in (0, 1):
        for _ in range(8000):
            state = learner.tell(state, Duel(favourite, favourite, note=note, context=[0.0]), 1.0)
            assert abs(state.left.sum() - 1.0) < 1e-9
        assert state.left[favourite] == pytest.approx(1.0)
        assert state.left[1 - favourite] == FAINTEST


def test_memory_is_a_few_numbers_a_policy() -> None:
    policies = default_rng(0).integers(0, 3, (500, 2))
    learner = SparringEXP4P(policies, 1000)
    early = learner.init(at(0.0), default_rng(0))
    late, _ = spar(learner, cyclic_contexts(1, 1), 200, seed=0)
    sizes = [sum(part.nbytes for part in state) for state in (early, late)]
    assert sizes[0] == sizes[1] == 3 * 8 * 500 + 8


def test_best_and_winner_say_the_same() -> None:
    learner = SparringEXP4P(FinitePolicies(ALL), 4000, actions=["rock", "paper", "scissors"])
    problem = cyclic_contexts(hard=1, easy=1, epsilon=0.45)
    fresh = learner.init(problem.menu(default_rng(0)), default_rng(0))
    assert learner.winner(fresh).weights == pytest.approx(1 / 9)
    state, _ = spar(learner, problem, 4000, seed=4)
    mixture = learner.winner(state)
    assert mixture.actions == ("rock", "paper", "scissors")
    chances = mixture.chances([[0.0], [1.0]])
    assert chances.sum(axis=1) == pytest.approx(1.0)
    for context in (0.0, 1.0):
        assert learner.best(state, at(context)) == chances[int(context)].argmax()
    # the easy context's best action
    easy = int((problem.matrices[1].min(axis=1)).argmax())
    assert learner.best(state, at(1.0)) == easy


def test_the_bound_by_hand() -> None:
    # K T = 40,000, N = 100, delta / 4 = 0.01
    root, wide = sqrt(log(100.0)), sqrt(log(10_000.0))
    copy = 400.0 * wide + (3.0 + 1.718281828 * 0.718281828) * 200.0 * root
    copy += 0.718281828 * (log(10_000.0) + log(100.0))
    assert sparring_exp4p_upper_bound(10_000, 4, 100, 0.04) == pytest.approx(2.0 * copy / 10_000)
    long, longer = (sparring_exp4p_upper_bound(horizon, 4, 100) for horizon in (10**8, 10**10))
    assert long / longer == pytest.approx(10.0, rel=1e-2)


def test_hyperparameters_that_cannot_work_are_refused() -> None:
    wrong: Any
    with refused(ParameterError, "policies", 1):
        SparringEXP4P(FinitePolicies([[0, 1]]), 100)
    with refused(ParameterError, "horizon", 0):
        SparringEXP4P(FinitePolicies(ALL), 0)
    with refused(ParameterError, "delta", 1.0):
        SparringEXP4P(FinitePolicies(ALL), 100, delta=1.0)
    for wrong in (2, ["a", "b", "b"]):
        with refused(ParameterError, "actions", 3, wrong):
            SparringEXP4P(FinitePolicies(ALL), 100, actions=wrong)
    for field, value in (("k", 1), ("policies", 1), ("horizon", 0), ("delta", 0.0)):
        given: Any = {"horizon": 10, "k": 2, "policies": 2, field: value}
        with refused(ParameterError, field, value):
            sparring_exp4p_upper_bound(**given)


def test_menus_and_answers_that_make_no_sense_are_refused() -> None:
    learner = SparringEXP4P(FinitePolicies(ALL), 100)
    rng = default_rng(0)
    state = learner.init(at(0.0), rng)
    menu: Any
    for menu in (Arms(3), at(0.0, k=4), Actions(3, np.empty(0)), at(2.0)):
        with pytest.raises(ParameterError):
            learner.ask(state, menu, rng)
    asked = learner.ask(state, at(0.0), rng)
    wrong: list[tuple[Duel, float, tuple[object, ...]]] = [
        (asked, 1.5, ("outcome", 1.5)),
        (asked._replace(left=3), 1.0, ("duel.left", 3)),
        (asked._replace(right="a"), 1.0, ("duel.right", "'a'")),
        (asked._replace(context=None), 1.0, ("duel.context",)),
        (asked._replace(note=[0.5]), 1.0, ("duel.note", 3, "(1,)")),
        (asked._replace(note=np.zeros((2, 3))), 1.0, ("probabilities", "[[0. 0. 0.]")),
        (asked._replace(note=None, propensity=(0.0, 1.0)), 1.0, ("probabilities",)),
    ]
    for duel, outcome, facts in wrong:
        with refused(OutcomeError, *facts):
            learner.tell(state, duel, outcome)


def test_the_numbers_for_a_horizon_are_the_papers() -> None:
    rules = rules_for(np.array([[0, 1, 2]]), 3, 10_000, 0.05)
    assert (round(rules.least, 5), round(rules.bonus, 5)) == (0.00605, 0.01168)
