"""Choosing and learning with linear utilities, in contexts with features of actions and without."""

from typing import Any, get_args

import numpy as np
import pytest
from numpy.random import Generator, default_rng
from numpy.testing import assert_allclose
from refusals import refused
from scipy.special import expit

from duelist import clicks
from duelist.duel import Duel, FloatArray
from duelist.errors import OutcomeError, ParameterError, UnknownNameError
from duelist.learners.contextual.logistic import Choice, LogisticDuels, State, features_of
from duelist.logs import DuelLog
from duelist.menus import Actions, Arms
from duelist.problems import RankerDuel
from duelist.problems.query_contexts import QueryContexts
from duelist.ranking import RankingData

NOTHING = np.empty(0)


class Linear:
    """New menus in every round, and answers by a utility that is linear in features."""

    def __init__(self, k: int, truth: FloatArray, columns: int | None = None) -> None:
        self.k, self.truth, self.columns = k, truth, columns

    def menu(self, rng: Generator) -> Actions:
        if self.columns is not None:
            return Actions(self.k, rng.standard_normal(self.columns))
        features = rng.standard_normal((self.k, len(self.truth)))
        return Actions(self.k, NOTHING, features / np.linalg.norm(features, axis=1, keepdims=True))

    def gaps(self, menu: Actions) -> FloatArray:
        utilities = features_of(menu) @ self.truth
        return np.asarray(expit(utilities.max() - utilities) - 0.5)

    def play(self, duel: Duel, rng: Generator) -> float:
        return float(rng.random() < expit(duel.note @ self.truth))


def regrets(learner: LogisticDuels | None, problem: Linear, rounds: int, seed: int = 0) -> FloatArray:
    """Return the cost of each round; without a learner, pairs are random."""
    rng, world_rng = default_rng(seed).spawn(2)
    menu = problem.menu(world_rng)
    state = None if learner is None else learner.init(menu, rng)
    costs = np.empty(rounds)
    for played in range(rounds):
        gaps = problem.gaps(menu)
        if learner is None:
            costs[played] = gaps[rng.integers(problem.k, size=2)].mean()
        else:
            assert state is not None
            duel = learner.ask(state, menu, rng)
            costs[played] = (gaps[duel.left] + gaps[duel.right]) / 2.0
            state = learner.tell(state, duel, problem.play(duel, world_rng))
        menu = problem.menu(world_rng)
    return costs


def after(learner: LogisticDuels, problem: Linear, rounds: int, seed: int = 0) -> tuple[State, list[Duel]]:
    rng = default_rng(seed)
    state, asked = learner.init(problem.menu(rng), rng), []
    for _ in range(rounds):
        duel = learner.ask(state, problem.menu(rng), rng)
        state = learner.tell(state, duel, problem.play(duel, rng))
        asked.append(duel)
    return state, asked


TRUTH = 5.0 * np.array([0.6, -0.5, 0.4, 0.3, -0.3, 0.2])
FEATURED = Linear(8, TRUTH)
CROSSED = Linear(3, np.array([2.0, 0.0, 0.5, -2.0, 1.0, 0.0, 0.0, -2.0, 0.2]), columns=2)


@pytest.mark.parametrize("choice", get_args(Choice))
@pytest.mark.parametrize("problem", [FEATURED, CROSSED], ids=["features", "contexts"])
def test_regret_is_far_below_blind_play_and_flattens(choice: Choice, problem: Linear) -> None:
    rounds = 4000
    blind = regrets(None, problem, rounds).sum()
    costs = regrets(LogisticDuels(choice), problem, rounds)
    assert costs.sum() < 0.12 * blind
    # if regret grew like the root of time, the last three quarters would have half of it
    assert costs[rounds // 4 :].sum() < costs[: rounds // 4].sum()


@pytest.mark.parametrize("choice", get_args(Choice))
def test_a_menu_that_stays_the_same_does_not_stop_the_learning(choice: Choice) -> None:
    utilities = np.array([0.0, 0.4, 1.0, 0.6])
    menu = Actions(4, NOTHING)
    for seed in range(10):
        rng = default_rng(seed)
        learner = LogisticDuels(choice)
        state = learner.init(menu, rng)
        for _ in range(1500):
            duel = learner.ask(state, menu, rng)
            chance = expit(2.0 * (utilities[duel.left] - utilities[duel.right]))
            state = learner.tell(state, duel, float(rng.random() < chance))
        assert learner.best(state, menu) == 2


@pytest.mark.parametrize(("k", "f"), [(2, 1), (3, 5), (9, 2)])
def test_optimism_is_the_best_against_the_highest_bound(k: int, f: int) -> None:
    learner = LogisticDuels("optimistic", width=0.7)
    problem = Linear(k, default_rng(k).standard_normal(f))
    state, _ = after(learner, problem, 30)
    spread = state.root @ state.root.T
    rng = default_rng(1)
    for _ in range(50):
        menu = problem.menu(rng)
        duel = learner.ask(state, menu, rng)
        features = features_of(menu)
        left = int(np.argmax(features @ state.mean))
        ways = features - features[left]
        deviations = np.sqrt(np.einsum("ki,ij,kj->k", ways, spread, ways))
        bounds = ways @ state.mean + 0.7 * np.sqrt(np.log(np.e + 30)) * deviations
        assert (duel.left, duel.right) == (left, int(np.argmax(bounds)))


@pytest.mark.parametrize(("k", "f"), [(2, 1), (3, 5), (9, 2)])
def test_thompson_is_the_best_under_two_draws(k: int, f: int) -> None:
    learner = LogisticDuels("thompson", width=0.7)
    problem = Linear(k, default_rng(k).standard_normal(f))
    state, _ = after(learner, problem, 30)
    rng, twin = default_rng(1), default_rng(1)
    menus = [problem.menu(default_rng(seed)) for seed in range(50)]
    for menu in menus:
        duel = learner.ask(state, menu, rng)
        draws = [state.mean + 0.7 * state.root @ twin.standard_normal(f) for _ in range(2)]
        assert [duel.left, duel.right] == [int(np.argmax(features_of(menu) @ draw)) for draw in draws]


@pytest.mark.parametrize("choice", get_args(Choice))
def test_asking_and_telling_leave_the_state_as_it_was(choice: Choice) -> None:
    learner, rng = LogisticDuels(choice), default_rng(0)
    state, _ = after(learner, FEATURED, 20)
    before = [field.copy() for field in state]
    menu = FEATURED.menu(rng)
    duel = learner.ask(state, menu, default_rng(5))
    again = learner.ask(state, menu, default_rng(5))
    assert duel[:2] == again[:2]
    one, other = learner.tell(state, duel, 1.0), learner.tell(state, duel, 1.0)
    assert all((a == b).all() for a, b in zip(state, before, strict=True))
    assert all((a == b).all() for a, b in zip(one, other, strict=True))
    assert one.told[0] == state.told[0] + 1


@pytest.mark.parametrize("problem", [FEATURED, CROSSED], ids=["features", "contexts"])
def test_late_answers_in_any_order_are_learned(problem: Linear) -> None:
    learner, rng = LogisticDuels(), default_rng(0)
    start, _ = after(learner, problem, 50)
    answers = []
    for _ in range(300):
        duel = learner.ask(start, problem.menu(rng), rng)
        answers.append((duel, problem.play(duel, rng)))
    in_order = shuffled = start
    for duel, outcome in answers:
        in_order = learner.tell(in_order, duel, outcome)
    for place in default_rng(1).permutation(len(answers)):
        shuffled = learner.tell(shuffled, *answers[place])
    deviations = np.sqrt(np.diag(in_order.root @ in_order.root.T))
    assert (np.abs(in_order.mean - shuffled.mean) / deviations).max() < 0.3
    assert (np.abs(in_order.mean - start.mean) / deviations).max() > 1.0


def test_the_context_is_note_enough_where_actions_have_no_features() -> None:
    learner = LogisticDuels()
    state, _ = after(learner, CROSSED, 20)
    for left, right in ((0, 2), (1, 1)):
        features = features_of(Actions(3, np.array([0.3, -2.0])))
        noted = Duel(left, right, note=features[left] - features[right])
        bare = Duel(left, right, context=[0.3, -2.0])
        for one, other in zip(learner.tell(state, noted, 1.0), learner.tell(state, bare, 1.0), strict=True):
            assert_allclose(one, other)


def test_a_log_teaches_what_its_duels_do() -> None:
    rng = default_rng(3)
    contexts, (left, right) = rng.standard_normal((200, 2)), rng.integers(3, size=(2, 200))
    outcomes = rng.integers(3, size=200) / 2.0
    log = DuelLog(contexts, left, right, outcomes, np.full(200, 1 / 9), ["a", "b", "c"], ["x", "y"])
    learner = LogisticDuels(prior=0.8)
    state = learner.init(Actions(3, contexts[0]), rng)
    for context, one, other, outcome in zip(contexts, left, right, outcomes, strict=True):
        state = learner.tell(state, Duel(int(one), int(other), context=context), float(outcome))
    learned = learner.fit(log)
    [policy] = learned.policies
    chosen = [learner.best(state, Actions(3, context)) for context in contexts]
    assert policy.act(contexts).tolist() == chosen
    assert len(set(chosen)) == 3
    assert (learned.actions, learned.columns) == (("a", "b", "c"), ("x", "y"))


def two_kinds_of_queries(many: int, seed: int) -> QueryContexts:
    """Feature 0 ranks even queries well, feature 1 odd ones, feature 2 neither; contexts hint at the kind."""
    rng = default_rng(seed)
    labels = np.zeros((many, 8), np.int64)
    labels[:, :2] = 1
    noise = rng.random((3, many, 8))
    kinds = np.arange(many) % 2
    right, wrong = labels + 0.8 * noise[0], noise[1]
    first = np.where(kinds[:, np.newaxis] == 0, right, wrong)
    second = np.where(kinds[:, np.newaxis] == 1, right, wrong)
    features = np.stack([first.ravel(), second.ravel(), noise[2].ravel()], axis=1)
    queries = [str(query) for query in range(many)]
    data = RankingData(features, labels.ravel(), queries, 8 * np.arange(many + 1))
    hints = (kinds + 0.3 * rng.standard_normal(many))[:, np.newaxis]
    return QueryContexts(RankerDuel(data, [0, 1, 2], clicks=clicks.informational(2), length=4), hints)


def test_a_log_of_clicks_teaches_which_ranker_suits_which_query() -> None:
    policy = LogisticDuels().fit(two_kinds_of_queries(100, seed=1).log(5000, default_rng(2)))
    held_out = two_kinds_of_queries(100, seed=3)
    queries = np.repeat(np.arange(100), 100)
    actions = policy.draw(held_out.table[queries], default_rng(4))
    for fixed in range(3):
        rates = held_out.meet(queries, actions, np.full(len(queries), fixed), default_rng(5))
        per_query = rates.reshape(100, 100).mean(axis=1)
        assert per_query.mean() > 0.5 + 3.0 * per_query.std() / 10.0, fixed


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("choice", "greedy", UnknownNameError),
        ("prior", 0.0, ParameterError),
        ("width", -1.0, ParameterError),
    ],
)
def test_hyperparameters_that_cannot_work_are_refused(name: str, value: Any, error: type[Exception]) -> None:
    with refused(error, name, repr(value)):
        LogisticDuels(**{name: value})


def test_other_menus_are_refused() -> None:
    learner, rng = LogisticDuels(), default_rng(0)
    arms: Any = Arms(3)
    with refused(ParameterError, "LogisticDuels", "Actions", arms):
        learner.init(arms, rng)
    state, _ = after(learner, FEATURED, 1)
    for menu in (Actions(2, NOTHING, np.zeros((2, 5))), Actions(2, np.zeros(2))):
        with refused(ParameterError, "menu", "6 weights"):
            learner.ask(state, menu, rng)
    state, _ = after(learner, CROSSED, 1)
    for menu in (Actions(3, np.ones(1)), Actions(3, np.ones(2), np.zeros((3, 9)))):
        with refused(ParameterError, "menu", "no features", "9 weights"):
            learner.best(state, menu)


@pytest.mark.parametrize(
    ("problem", "duel", "outcome", "facts"),
    [
        (FEATURED, Duel(0, 1, note=np.zeros(6)), 1.5, ("outcome", 1.5)),
        (FEATURED, Duel(0, 1, note=np.zeros(6)), float("nan"), ("outcome", float("nan"))),
        (FEATURED, Duel(0, 1, note=np.zeros(5)), 1.0, ("duel.note", 6)),
        (FEATURED, Duel(0, 1, context=[1.0, 1.0]), 1.0, ("duel.note", "ask")),
        (CROSSED, Duel(0, 1), 1.0, ("duel.note", "ask")),
        (CROSSED, Duel(0, 1, note=np.full(9, np.nan)), 1.0, ("duel.note", 9)),
        (CROSSED, Duel(0, 1, context=[1.0]), 1.0, ("duel.context", 2, [1.0])),
        (CROSSED, Duel(0, 3, context=[1.0, 1.0]), 1.0, ("duel.right", 3)),
        (CROSSED, Duel("a", 1, context=[1.0, 1.0]), 1.0, ("duel.left", "'a'")),
    ],
)
def test_what_cannot_be_learned_from_is_refused(
    problem: Linear, duel: Duel, outcome: float, facts: tuple[object, ...]
) -> None:
    learner = LogisticDuels()
    state, _ = after(learner, problem, 1)
    with refused(OutcomeError, *facts):
        learner.tell(state, duel, outcome)
