from importlib import import_module
from itertools import combinations
from random import Random

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from matrices import (
    COARSE,
    FINE,
    PAPER,
    ROCK_PAPER_SCISSORS,
    completed,
    preference_matrices,
    relabelled,
    with_clone,
    with_condorcet_winner,
)
from numpy.testing import assert_array_equal
from real_data import needs_data, real_matrix
from refusals import refused
from scipy.optimize import linprog

from duelist import analyze
from duelist.duel import FloatArray
from duelist.errors import PreferenceError
from duelist.winners import (
    condorcet,
    has_one_von_neumann,
    von_neumann,
    von_neumann_many,
    von_neumann_solution,
    von_neumann_support,
)

TIES = preference_matrices(COARSE)
NEARLY_NO_TIES = preference_matrices(FINE)


def largest_weight(matrix: FloatArray, arm: int) -> float:
    """The most weight any von Neumann winner gives an arm, by linear programming."""
    k = len(matrix)
    program = linprog(
        -np.eye(k)[arm], A_ub=0.5 - matrix.T, b_ub=np.zeros(k), A_eq=np.ones((1, k)), b_eq=[1.0]
    )
    assert program.x is not None
    return float(program.x[arm])


def test_the_papers_example() -> None:
    assert von_neumann(PAPER) == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0.0, 0.0], abs=1e-15)
    assert von_neumann_support(PAPER) == (0, 1, 2)


def test_a_cycle_shares_evenly() -> None:
    assert von_neumann(ROCK_PAPER_SCISSORS) == pytest.approx([1 / 3, 1 / 3, 1 / 3], abs=1e-15)


def test_the_weaker_an_arms_victory_the_heavier_the_arm_it_does_not_meet() -> None:
    uneven = [[0.5, 0.6, 0.2], [0.4, 0.5, 0.9], [0.8, 0.1, 0.5]]
    assert von_neumann(uneven) == pytest.approx([0.5, 0.375, 0.125], abs=1e-15)


def test_arms_that_all_tie_share_evenly() -> None:
    assert von_neumann(np.full((4, 4), 0.5)) == pytest.approx(np.full(4, 0.25), abs=1e-15)


@given(preference_matrices())
def test_it_is_a_distribution_that_no_arm_beats(matrix: FloatArray) -> None:
    weights = von_neumann(matrix)
    assert weights.min() >= 0.0
    assert weights.sum() == pytest.approx(1.0, abs=1e-14)
    assert (weights @ (matrix - 0.5)).min() >= -1e-12


@given(st.one_of(TIES, NEARLY_NO_TIES))
def test_its_support_holds_every_arm_of_any_von_neumann_winner(matrix: FloatArray) -> None:
    expected = tuple(arm for arm in range(len(matrix)) if largest_weight(matrix, arm) > 1e-6)
    assert von_neumann_support(matrix) == expected


@given(with_condorcet_winner())
def test_a_condorcet_winner_gets_exactly_all_weight(case: tuple[FloatArray, int]) -> None:
    matrix, winner = case
    assert_array_equal(von_neumann(matrix), np.eye(len(matrix))[winner])


@given(st.one_of(TIES, NEARLY_NO_TIES), st.randoms(use_true_random=False))
def test_relabelling_arms_relabels_the_weights(matrix: FloatArray, random: Random) -> None:
    order = random.sample(range(len(matrix)), len(matrix))
    assert von_neumann(relabelled(matrix, order)) == pytest.approx(von_neumann(matrix)[order], abs=1e-12)


@given(st.one_of(TIES, NEARLY_NO_TIES), st.data())
def test_a_clone_halves_its_arm_and_keeps_the_support(matrix: FloatArray, data: st.DataObject) -> None:
    arm = data.draw(st.integers(0, len(matrix) - 1))
    cloned = von_neumann(with_clone(matrix, arm))
    assert cloned[arm] == pytest.approx(cloned[-1], abs=1e-12)
    assert tuple(np.flatnonzero(cloned[:-1])) == von_neumann_support(matrix)


@given(NEARLY_NO_TIES, st.data())
def test_a_clone_takes_nothing_from_other_arms_where_the_winner_is_unique(
    matrix: FloatArray, data: st.DataObject
) -> None:
    ties = np.triu(matrix == 0.5, 1)
    assume(not ties.any())
    support = von_neumann_support(matrix)
    inner = relabelled(matrix, support) - 0.5
    assume(np.linalg.matrix_rank(inner) == len(support) - 1)
    arm = data.draw(st.integers(0, len(matrix) - 1))
    cloned = von_neumann(with_clone(matrix, arm))
    merged = cloned[:-1] + cloned[-1] * np.eye(len(matrix))[arm]
    assert merged == pytest.approx(von_neumann(matrix), abs=1e-12)


@pytest.mark.parametrize("scale", [1e-3, 1e-6, 1e-9])
def test_only_the_proportions_of_gaps_matter(scale: float) -> None:
    uneven = np.array([[0.5, 0.6, 0.2], [0.4, 0.5, 0.9], [0.8, 0.1, 0.5]])
    assert von_neumann(0.5 + scale * (uneven - 0.5)) == pytest.approx([0.5, 0.375, 0.125], abs=1e-16 / scale)


def test_gaps_of_all_sizes_leave_it_unbeaten() -> None:
    rng = np.random.default_rng(0)
    for _ in range(100):
        sizes = 10.0 ** -rng.integers(0, 17, (6, 6))
        matrix = completed(0.5 + rng.integers(-2, 3, (6, 6)) / 4.0 * sizes)
        weights = von_neumann(matrix)
        assert weights.min() >= 0.0
        assert (weights @ (matrix - 0.5)).min() >= -1e-12


def test_a_hundred_random_arms_have_an_odd_number_of_winners() -> None:
    matrix = completed(np.random.default_rng(1).random((100, 100)))
    weights = von_neumann(matrix)
    assert len(von_neumann_support(matrix)) % 2 == 1
    assert (weights @ (matrix - 0.5)).min() >= -1e-14


@given(st.lists(preference_matrices(), max_size=5))
def test_many_at_once_are_each_as_alone(matrices: list[FloatArray]) -> None:
    together = von_neumann_many(matrices)
    assert len(together) == len(matrices)
    for matrix, weights in zip(matrices, together, strict=True):
        assert weights == pytest.approx(von_neumann(matrix), abs=1e-12)


def test_more_than_are_worked_on_together_keep_their_order() -> None:
    rng = np.random.default_rng(5)
    matrices = [completed(rng.random((k, k))) for k in [50] * 120 + [7, 50, 7]]
    together = von_neumann_many(matrices)
    for index in (0, 103, 104, 105, 119, 120, 121, 122):
        assert together[index] == pytest.approx(von_neumann(matrices[index]), abs=1e-12)
    assert all(
        (weights @ (matrix - 0.5)).min() >= -1e-13 for matrix, weights in zip(matrices, together, strict=True)
    )


def test_one_bad_matrix_of_many_is_refused() -> None:
    with refused(PreferenceError, "matrix", "(1, 2)"):
        von_neumann_many([ROCK_PAPER_SCISSORS, [[0.5, 0.5]]])


@needs_data
@pytest.mark.parametrize("name", ["mslr136", "np2004_64", "np2004_31", "arxiv6", "swirl20_0.2"])
def test_real_condorcet_winners_get_all_weight(name: str) -> None:
    winner = condorcet(real_matrix(name))
    assert winner is not None
    assert von_neumann_support(real_matrix(name)) == (winner,)


@needs_data
@pytest.mark.parametrize(
    ("name", "support"),
    [("mslr16_non_condorcet", (1, 2, 11)), ("mslr_informational5_non_condorcet", (0, 1, 2))],
)
def test_real_cycles_share_in_proportion_to_the_opposite_gaps(name: str, support: tuple[int, ...]) -> None:
    matrix = real_matrix(name)
    opposite = np.array([abs(matrix[pair] - 0.5) for pair in reversed(list(combinations(support, 2)))])
    assert von_neumann_support(matrix) == support
    assert von_neumann(matrix)[list(support)] == pytest.approx(opposite / opposite.sum(), abs=1e-9)


def test_several_winners_are_told_from_one() -> None:
    assert has_one_von_neumann(PAPER)
    assert has_one_von_neumann(ROCK_PAPER_SCISSORS)
    assert not has_one_von_neumann(with_clone(ROCK_PAPER_SCISSORS, 0))
    assert not has_one_von_neumann(np.full((3, 3), 0.5))


@given(with_condorcet_winner())
def test_a_condorcet_winner_is_the_only_one(example: tuple[FloatArray, int]) -> None:
    assert has_one_von_neumann(example[0])


@given(preference_matrices())
def test_one_solution_says_what_the_single_functions_say(matrix: FloatArray) -> None:
    mixture, support, unique = von_neumann_solution(matrix)
    assert_array_equal(mixture, von_neumann(matrix))
    assert support == von_neumann_support(matrix) == tuple(np.flatnonzero(mixture))
    assert unique is has_one_von_neumann(matrix)


def test_an_analysis_computes_the_von_neumann_winner_once(monkeypatch: pytest.MonkeyPatch) -> None:
    solver = import_module("duelist.winners.von_neumann")
    solve, solved = solver._ends_of_central_paths, []

    def counting(games: FloatArray) -> FloatArray:
        solved.append(len(games))
        return np.asarray(solve(games))

    monkeypatch.setattr(solver, "_ends_of_central_paths", counting)
    assert von_neumann_solution(PAPER).unique
    assert solved == [1]
    found = analyze(10.0 * ROCK_PAPER_SCISSORS - 5.0 * np.eye(3))
    assert (len(found.winners["von_neumann"]), found.one_mixture) == (3, True)
    assert solved == [1, 1]
