"""Contextual problems: contexts, winners, and preferences between policies."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import Generator, default_rng
from numpy.testing import assert_allclose
from refusals import refused

from duelist.duel import Duel, FloatArray
from duelist.errors import OutcomeError, ParameterError, PreferenceError
from duelist.logs import DuelLog
from duelist.problems import worst_case
from duelist.problems.contextual import FiniteContexts
from duelist.problems.cyclic_contexts import cyclic_contexts
from duelist.problems.function_contexts import FunctionContexts
from duelist.winners import borda, condorcet, copeland, von_neumann, von_neumann_support

APPENDIX = np.array(
    [
        [0.0, 0.5, -0.5, 0.5, -0.95],
        [-0.5, 0.0, 0.5, -0.2, 0.5],
        [0.5, -0.5, 0.0, -0.2, 0.5],
        [-0.5, 0.2, 0.2, 0.0, 0.5],
        [0.95, -0.5, -0.5, -0.5, 0.0],
    ]
)
TWO = [[[0.5, 0.9], [0.1, 0.5]], [[0.5, 0.2], [0.8, 0.5]]]


def random_preferences(contexts: int, k: int, rng: Generator) -> FloatArray:
    upper = np.triu(rng.random((contexts, k, k)), 1)
    lower = np.triu(np.ones((k, k)), 1) - upper
    matrices = upper + np.swapaxes(lower, 1, 2)
    matrices[:, np.arange(k), np.arange(k)] = 0.5
    return np.asarray(matrices)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 4), st.integers(2, 4), st.integers(2, 6), st.integers(0, 10**6))
def test_policies_meet_as_often_as_their_actions_do(contexts: int, k: int, many: int, seed: int) -> None:
    rng = default_rng(seed)
    chances = rng.dirichlet(np.ones(contexts))
    problem = FiniteContexts(random_preferences(contexts, k, rng), chances)
    policies = rng.integers(0, k, (many, contexts))
    found = problem.policy_preferences(policies)
    for one, other in product(range(many), repeat=2):
        slow = sum(
            chances[c] * problem.matrices[c, policies[one, c], policies[other, c]] for c in range(contexts)
        )
        assert found[one, other] == pytest.approx(slow, abs=1e-12)


def test_clones_change_the_copeland_winner_but_not_the_von_neumann_winner() -> None:
    # the paper's appendix: three beat all others and each other in a circle; then the first is doubled
    matrix = np.array(worst_case(5, 0.4).matrix)
    matrix[0, 2], matrix[2, 0] = 0.1, 0.9
    problem = FiniteContexts([matrix, np.full((5, 5), 0.5)], chances=[0.8, 0.2])
    policies = [[action, 0] for action in range(5)]
    before = problem.policy_preferences(policies)
    after = problem.policy_preferences([*policies, [0, 3]])
    assert copeland(before) == (0, 1, 2)
    # the second policy no longer beats as many as the third, who now beats two of the same
    assert copeland(after) == (2,)
    assert von_neumann(before) == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0, 0])
    assert von_neumann(after) == pytest.approx([1 / 6, 1 / 3, 1 / 3, 0, 0, 1 / 6])


def test_winners_over_policies_are_those_of_the_paper() -> None:
    problem = FiniteContexts([(1.0 + APPENDIX) / 2.0, np.full((5, 5), 0.5)], order=[0, 1, 1])
    met = problem.policy_preferences([[action, action] for action in range(5)])
    assert met == pytest.approx(0.5 + APPENDIX / 6.0)
    assert condorcet(met) is None
    assert copeland(met) == borda(met) == (3,)
    assert von_neumann_support(met) == (0, 1, 2)


@pytest.mark.parametrize("seed", range(3))
def test_cyclic_contexts_have_no_condorcet_policy(seed: int) -> None:
    problem = cyclic_contexts(hard=2, easy=1, k=4, epsilon=0.2, rng=seed)
    assert [condorcet(matrix) is None for matrix in problem.matrices] == [True, True, False]
    met = problem.policy_preferences(list(product(range(4), repeat=3)))
    assert condorcet(met) is None
    # each policy loses to one that is better in both hard contexts: by 0.2 in two of three
    assert met.min(axis=1).max() == pytest.approx(0.5 - 0.2 * 2 / 3)
    assert (von_neumann(met) @ (met - 0.5)).min() > -1e-9


def test_contexts_come_by_their_chances_and_actions_win_by_theirs() -> None:
    problem = FiniteContexts(TWO, chances=[0.7, 0.3])
    rng = default_rng(0)
    menus = [problem.menu(rng) for _ in range(4000)]
    share = np.mean([menu.context[0] for menu in menus])
    assert share == pytest.approx(0.3, abs=0.03)
    for context, chance in ((0.0, 0.9), (1.0, 0.2)):
        duel = Duel(0, 1, context=np.array([context]))
        assert np.mean([problem.play(duel, rng) for _ in range(3000)]) == pytest.approx(chance, abs=0.03)
    assert problem.play(Duel(1, 1, context=[0.0]), rng) == 0.5


def test_an_impossible_context_never_comes() -> None:
    problem = FiniteContexts([*TWO, TWO[0]], chances=[0.1, 0.9 - 1e-13, 0.0])
    assert problem.cumulated[1] == 1.0
    log = problem.log(10_000, default_rng(0))
    assert set(log.contexts[:, 0]) == {0.0, 1.0}


def test_an_order_is_followed_and_begins_anew() -> None:
    problem = FiniteContexts(TWO, order=[1, 1, 0])
    assert [problem.menu(played=played).context[0] for played in range(7)] == [1, 1, 0, 1, 1, 0, 1]
    assert problem.chances == pytest.approx([1 / 3, 2 / 3])
    assert problem.log(5, default_rng(0)).contexts[:, 0].tolist() == [1, 1, 0, 1, 1]


@pytest.mark.parametrize("skewed", [False, True])
def test_a_log_says_how_likely_each_pair_was_and_estimates_without_bias(skewed: bool) -> None:
    rng = default_rng(3)
    problem = FiniteContexts(random_preferences(2, 3, rng), [0.4, 0.6], actions=["a", "b", "c"])
    chances = rng.dirichlet(np.full(9, 3.0)).reshape(3, 3) if skewed else np.full((3, 3), 1 / 9)
    log = problem.log(120_000, rng, chances=chances if skewed else None)
    assert log.actions == ("a", "b", "c")
    assert_allclose(log.propensities, chances[log.left, log.right])
    assert (log.outcomes[log.left == log.right] == 0.5).all()
    shown = np.zeros((3, 3))
    np.add.at(shown, (log.left, log.right), 1.0 / len(log))
    assert shown == pytest.approx(chances, abs=0.01)
    margins = np.zeros((2, 3, 3))
    weights = log.signs / log.propensities / len(log)
    np.add.at(margins, (log.contexts[:, 0].astype(int), log.left, log.right), weights)
    truth = problem.chances[:, None, None] * (2.0 * problem.matrices - 1.0)
    assert margins == pytest.approx(truth, abs=0.04)


def test_a_problem_is_estimated_from_its_log() -> None:
    problem = cyclic_contexts(hard=2, easy=1, k=4, rng=1)
    found = FiniteContexts.from_log(problem.log(100_000, default_rng(0)))
    assert found.matrices == pytest.approx(problem.matrices, abs=0.03)
    assert found.chances == pytest.approx(problem.chances, abs=0.01)
    drawn = FiniteContexts.from_log(problem.log(100, default_rng(0)), prior=1e6)
    assert drawn.matrices == pytest.approx(0.5, abs=1e-3)


def test_counts_of_a_log_by_hand() -> None:
    log = DuelLog([[2], [2], [2], [0]], [0, 1, 1, 0], [1, 0, 0, 1], [1, 1, 0.5, 0], [0.5] * 4, "ab")
    found = FiniteContexts.from_log(log)
    assert found.matrices[:, 0, 1].tolist() == [0.0, 0.5, 0.5]
    assert found.chances.tolist() == [0.25, 0.0, 0.75]
    assert found.actions == ("a", "b")


def sides(context: FloatArray) -> FloatArray:
    chance = 0.9 if context[0] < context[1] else 0.2
    return np.array([[0.5, chance], [1.0 - chance, 0.5]])


def test_functions_draw_contexts_and_say_what_is_preferred() -> None:
    problem = FunctionContexts(lambda rng: rng.random(2), sides, ["old", "new"], ["width", "height"])
    menu = problem.menu(default_rng(0))
    assert menu.k == 2
    assert np.array_equal(menu.context, default_rng(0).random(2))
    log = problem.log(4000, default_rng(1))
    assert (log.columns, log.actions) == (("width", "height"), ("old", "new"))
    below = log.contexts[:, 0] < log.contexts[:, 1]
    for flags, chance in ((below, 0.9), (~below, 0.2)):
        asked = flags & (log.left == 0) & (log.right == 1)
        assert log.outcomes[asked].mean() == pytest.approx(chance, abs=0.05)
    assert problem.play(Duel(1, 1, context=menu.context), default_rng(0)) == 0.5
    assert FunctionContexts(lambda rng: rng.random(2), sides, 2).log(3, default_rng(1)).columns == (
        "x0",
        "x1",
    )


def test_what_is_no_problem_is_refused() -> None:
    number: Any = 3
    with refused(PreferenceError, "context 1", "matrix[0, 1]", "matrix[1, 0]"):
        FiniteContexts([TWO[0], [[0.5, 0.6], [0.6, 0.5]]])
    with refused(PreferenceError, "preferences", (2, 2)):
        FiniteContexts(TWO[0])
    with refused(ParameterError, "chances", "order"):
        FiniteContexts(TWO, chances=[0.5, 0.5], order=[0])
    with refused(ParameterError, "order", 0, 1, [0, 2]):
        FiniteContexts(TWO, order=[0, 2])
    with refused(ParameterError, "chances", 1, 1.1):
        FiniteContexts(TWO, chances=[0.5, 0.6])
    with refused(ParameterError, "2 chances", "3 chances"):
        FiniteContexts(TWO, chances=[0.5, 0.25, 0.25])
    with refused(ParameterError, "prefer", 3):
        FunctionContexts(lambda rng: rng.random(1), number, 2)


def test_what_cannot_be_asked_is_refused() -> None:
    problem = FiniteContexts(TWO)
    with refused(ParameterError, "rng"):
        problem.menu()
    for context in (None, [2.0], [-1.0], [0.5]):
        with refused(OutcomeError, "context", 0, 1, context):
            problem.play(Duel(0, 1, context=context), default_rng(0))
    with refused(OutcomeError, "right", 2, 0, 1):
        problem.play(Duel(0, 2, context=[0.0]), default_rng(0))
    with refused(ParameterError, "duels", 0):
        problem.log(0, default_rng(0))
    with refused(ParameterError, "chances", 2, (1,)):
        problem.log(3, default_rng(0), chances=[1.0])
    with refused(ParameterError, "actions", 2, (2, 1)):
        problem.policy_preferences([[0], [1]])
    with refused(ParameterError, "actions", 0, 1, 2):
        problem.policy_preferences([[0, 0], [1, 2]])
    with refused(ParameterError, "'x0'", 0.5):
        FiniteContexts.from_log(DuelLog([[0.5]], [0], [1], [1.0], [0.5], 2))


def test_functions_that_answer_wrongly_are_refused() -> None:
    wrong = FunctionContexts(lambda rng: rng.random(1), lambda context: [[0.5, 0.6], [0.6, 0.5]], 2)
    with refused(PreferenceError, "context [0.5]", "matrix[0, 1]", "matrix[1, 0]"):
        wrong.preferences([0.5])
    small = FunctionContexts(lambda rng: rng.random(1), sides, 3)
    with refused(PreferenceError, "context [0.5 0.6]", "2 actions", 3):
        small.preferences([0.5, 0.6])
