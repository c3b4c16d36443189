from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matrices import (
    COARSE,
    LADDER,
    ROCK_PAPER_SCISSORS,
    bradley_terry_matrices,
    completed,
    preference_matrices,
    with_condorcet_winner,
)
from real_data import needs_data, real_matrix

from duelist.assumptions import (
    relaxed_gamma,
    stochastic_triangle_inequality,
    strong_stochastic_transitivity,
    total_order,
)
from duelist.duel import FloatArray
from duelist.preferences import gaps
from duelist.winners import condorcet

ORDERED = preference_matrices(st.integers(51, 60).map(lambda n: n / 100.0), least=3)
ANY_MATRIX = st.one_of(ORDERED, preference_matrices(COARSE), preference_matrices())


def chains(matrix: FloatArray) -> list[tuple[float, float, float]]:
    """The gaps of i over j, j over k and i over k, for all i that beat a j that beats a k."""
    gap = (matrix - matrix.T) / 2.0
    return [
        (gap[i, j], gap[j, k], gap[i, k])
        for i, j, k in permutations(range(len(matrix)), 3)
        if gap[i, j] > 0.0 and gap[j, k] > 0.0
    ]


@given(ANY_MATRIX)
def test_strong_transitivity_agrees_with_the_definition(matrix: FloatArray) -> None:
    holds = all(across >= max(first, second) - 1e-12 for first, second, across in chains(matrix))
    assert strong_stochastic_transitivity(matrix) == (holds and total_order(matrix) is not None)


@given(ANY_MATRIX)
def test_the_triangle_inequality_agrees_with_the_definition(matrix: FloatArray) -> None:
    holds = all(across <= first + second + 1e-12 for first, second, across in chains(matrix))
    assert stochastic_triangle_inequality(matrix) == (holds and total_order(matrix) is not None)


@given(with_condorcet_winner())
def test_gamma_agrees_with_the_definition(case: tuple[FloatArray, int]) -> None:
    matrix, winner = case
    gap = (matrix - matrix.T) / 2.0
    pairs = permutations([arm for arm in range(len(matrix)) if arm != winner], 2)
    ratios = [max(gap[winner, j], gap[j, k]) / gap[winner, k] for j, k in pairs if gap[j, k] > 0.0]
    assert relaxed_gamma(matrix) == pytest.approx(max([1.0, *ratios]))


@given(preference_matrices())
def test_gamma_exists_just_where_a_condorcet_winner_does(matrix: FloatArray) -> None:
    assert (relaxed_gamma(matrix) is None) == (condorcet(matrix) is None)


@given(bradley_terry_matrices())
def test_bradley_terry_satisfies_all_three(matrix: FloatArray) -> None:
    assert strong_stochastic_transitivity(matrix)
    assert stochastic_triangle_inequality(matrix)
    assert relaxed_gamma(matrix) == pytest.approx(1.0)


@given(ORDERED)
def test_strong_transitivity_needs_no_relaxation(matrix: FloatArray) -> None:
    gamma = relaxed_gamma(matrix)
    assert gamma is not None
    assert not strong_stochastic_transitivity(matrix) or gamma == pytest.approx(1.0)


def test_without_an_order_neither_holds() -> None:
    assert not strong_stochastic_transitivity(ROCK_PAPER_SCISSORS)
    assert not stochastic_triangle_inequality(ROCK_PAPER_SCISSORS)


def test_two_arms_satisfy_everything() -> None:
    pair = [[0.5, 0.9], [0.1, 0.5]]
    assert strong_stochastic_transitivity(pair)
    assert stochastic_triangle_inequality(pair)
    assert relaxed_gamma(pair) == 1.0


def test_a_broken_row_and_a_broken_column_are_both_seen() -> None:
    row, column = LADDER.copy(), LADDER.copy()
    row[0] = [0.5, 0.75, 0.7]
    row[1, 0] = 0.25
    column[1] = [0.4, 0.5, 0.75]
    column[2, 1] = 0.25
    assert not strong_stochastic_transitivity(row)
    assert not strong_stochastic_transitivity(column)
    assert relaxed_gamma(row) == pytest.approx(0.25 / 0.2)
    assert relaxed_gamma(column) == pytest.approx(0.25 / 0.2)


def test_equality_up_to_rounding_satisfies_both() -> None:
    sums = completed(np.array([[0.5, 0.57, 0.64], [0.5, 0.5, 0.57], [0.5, 0.5, 0.5]]))
    first, second, across = gaps(sums)[[0, 1, 0], [1, 2, 2]]
    assert across > first + second
    assert stochastic_triangle_inequality(sums)
    assert strong_stochastic_transitivity(completed(np.full((4, 4), 0.6)))


@needs_data
@pytest.mark.parametrize(
    ("name", "gamma"),
    [
        ("arithmetic8", 1.0),
        ("arxiv6", 1.25),
        ("bvsc20", 50.0),
        ("cyclic4", 4.0),
        ("np2004_64", 4.2833333),
        ("mslr136", 5.8590164),
    ],
)
def test_real_gammas(name: str, gamma: float) -> None:
    assert relaxed_gamma(real_matrix(name)) == pytest.approx(gamma)


@needs_data
def test_the_gamma_of_the_rucb_paper_takes_pairs_in_the_order_of_the_table() -> None:
    gap = real_matrix("np2004_64") - 0.5
    pairs = [(j, k) for j in range(64) for k in range(j + 1, 64) if 13 not in (j, k)]
    reported = max(max(gap[13, j], gap[j, k]) / gap[13, k] for j, k in pairs)
    assert round(reported, 1) == 47.3
    assert reported > 11 * (relaxed_gamma(real_matrix("np2004_64")) or 0.0)


@needs_data
@pytest.mark.parametrize(
    ("name", "strong", "triangle"),
    [("arithmetic8", True, True), ("bvsc20", False, True), ("mslr_informational5_condorcet", True, False)],
)
def test_real_matrices(name: str, strong: bool, triangle: bool) -> None:
    assert strong_stochastic_transitivity(real_matrix(name)) == strong
    assert stochastic_triangle_inequality(real_matrix(name)) == triangle
