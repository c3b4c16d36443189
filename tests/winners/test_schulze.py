from itertools import pairwise, permutations
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matrices import (
    COARSE,
    FINE,
    ROCK_PAPER_SCISSORS,
    SCHULZE,
    TENNESSEE,
    elected,
    preference_matrices,
    relabelled,
    with_clone,
    with_condorcet_winner,
)

from duelist.duel import FloatArray
from duelist.problems import MatrixProblem
from duelist.winners import schulze, schulze_strengths, top_cycle

MATRICES = st.one_of(preference_matrices(COARSE, most=5), preference_matrices(FINE, most=5))


def strongest_of_all_paths(matrix: FloatArray, start: int, end: int) -> float:
    """By looking at all paths that visit no arm twice."""
    others = [arm for arm in range(len(matrix)) if arm not in (start, end)]
    paths = [
        (start, *between, end) for size in range(len(others) + 1) for between in permutations(others, size)
    ]
    return max(
        0.0,
        *(min(float(matrix[i, j] - matrix[j, i]) for i, j in pairwise(path)) for path in paths),
    )


def test_the_papers_example() -> None:
    matrix, counts = elected(SCHULZE), np.full((5, 5), 45)
    votes = [
        [0, 28, 28, 30, 24],
        [25, 0, 28, 33, 24],
        [25, 29, 0, 29, 24],
        [25, 28, 28, 0, 24],
        [25, 28, 28, 31, 0],
    ]
    assert schulze_strengths(matrix, counts) == pytest.approx(np.array(votes), abs=1e-12)
    assert schulze(matrix, counts) == (4,)
    # with every voter on every pair, margins order defeats as winning votes do
    assert schulze_strengths(matrix) == pytest.approx(np.maximum(2 * np.array(votes) / 45 - 1, 0), abs=1e-12)
    assert schulze(matrix) == (4,)


def test_the_capital_of_tennessee() -> None:
    assert schulze(elected(TENNESSEE)) == (1,)


@given(MATRICES)
def test_strengths_are_those_of_the_strongest_of_all_paths(matrix: FloatArray) -> None:
    arms = range(len(matrix))
    expected = [[0.0 if i == j else strongest_of_all_paths(matrix, i, j) for j in arms] for i in arms]
    strengths = schulze_strengths(matrix)
    assert strengths == pytest.approx(np.array(expected), abs=1e-12)
    winning = [i for i in arms if all(expected[i][j] >= expected[j][i] - 1e-12 for j in arms)]
    assert schulze(matrix) == tuple(winning) != ()


def test_winning_votes_may_choose_another_arm_than_margins() -> None:
    # 0 beats 1 by 6 to 4 votes, 1 beats 2 by 7 to 2, 2 beats 0 by 5 to 0
    wins = np.array([[0, 6, 0], [4, 0, 7], [5, 2, 0]])
    problem = MatrixProblem.from_wins(wins)
    assert schulze(problem.matrix) == (1,)
    assert schulze(problem.matrix, counts=problem.counts) == (0,)


def test_equal_margins_are_equal_whatever_their_rounding() -> None:
    matrix = np.array([[0.5, 0.9, 0.3], [0.1, 0.5, 0.7], [0.7, 0.3, 0.5]])
    assert matrix[1, 2] - matrix[2, 1] == matrix[2, 0] - matrix[0, 2]
    matrix[2, 0] += 1e-16
    matrix[0, 2] -= 1e-16
    assert matrix[1, 2] - matrix[2, 1] != matrix[2, 0] - matrix[0, 2]
    assert schulze(matrix) == (0, 2)


def test_small_counts_are_told_from_none_beside_huge_ones() -> None:
    matrix = np.array([[0.5, 0.9, 0.5], [0.1, 0.5, 0.8], [0.5, 0.2, 0.5]])
    counts = np.array([[0.0, 1e15, 0.0], [1e15, 0.0, 1.0], [0.0, 1.0, 0.0]])
    assert schulze_strengths(matrix, counts)[:2, 2] == pytest.approx([0.8, 0.8])


def test_all_arms_of_an_even_cycle_win_and_a_clone_takes_nothing() -> None:
    assert schulze(ROCK_PAPER_SCISSORS) == (0, 1, 2)
    assert schulze(with_clone(ROCK_PAPER_SCISSORS, 0)) == (0, 1, 2, 3)


@given(with_condorcet_winner())
def test_a_condorcet_winner_is_the_only_winner(case: tuple[FloatArray, int]) -> None:
    matrix, winner = case
    assert schulze(matrix) == (winner,)


@given(MATRICES, st.randoms(use_true_random=False))
def test_relabelling_arms_relabels_the_winners(matrix: FloatArray, random: Random) -> None:
    order = random.sample(range(len(matrix)), len(matrix))
    assert {order[arm] for arm in schulze(relabelled(matrix, order))} == set(schulze(matrix))


@given(preference_matrices())
def test_winners_lie_in_the_top_cycle(matrix: FloatArray) -> None:
    assert set(schulze(matrix)) <= set(top_cycle(matrix))
