from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matrices import (
    COARSE,
    PAPER,
    ROCK_PAPER_SCISSORS,
    bradley_terry_matrices,
    preference_matrices,
    relabelled,
)

from duelist.duel import FloatArray
from duelist.winners import condorcet, random_walk, random_walk_distribution


def test_the_papers_example() -> None:
    assert random_walk(PAPER) == (3,)
    assert random_walk_distribution(PAPER) == pytest.approx([0.198, 0.212, 0.204, 0.217, 0.169], abs=6e-4)


def test_a_cycle_is_visited_evenly() -> None:
    assert random_walk(ROCK_PAPER_SCISSORS) == (0, 1, 2)


def test_an_arm_that_never_loses_is_never_left() -> None:
    sure = [[0.5, 1.0, 1.0], [0.0, 0.5, 0.3], [0.0, 0.7, 0.5]]
    assert random_walk_distribution(sure) == pytest.approx([1.0, 0.0, 0.0], abs=1e-15)


def test_a_closed_cycle_keeps_the_walk_from_all_other_arms() -> None:
    matrix = np.ones((5, 5))
    matrix[:3, :3] = ROCK_PAPER_SCISSORS
    matrix[3:] = [[0.0, 0.0, 0.0, 0.5, 0.6], [0.0, 0.0, 0.0, 0.4, 0.5]]
    assert random_walk_distribution(matrix) == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0.0, 0.0], abs=1e-15)


@given(preference_matrices())
def test_it_is_a_distribution_that_one_step_leaves_unchanged(matrix: FloatArray) -> None:
    shares = random_walk_distribution(matrix)
    assert shares.min() >= 0.0
    assert shares.sum() == pytest.approx(1.0)
    assert (matrix / matrix.sum(axis=0)) @ shares == pytest.approx(shares, abs=1e-12)


@given(preference_matrices(COARSE))
def test_it_is_where_a_long_walk_ends(matrix: FloatArray) -> None:
    many_steps = np.linalg.matrix_power(matrix / matrix.sum(axis=0), 2**14)
    for start in range(len(matrix)):
        assert many_steps[:, start] == pytest.approx(random_walk_distribution(matrix), abs=1e-9)


@given(preference_matrices(), st.randoms(use_true_random=False))
def test_relabelling_arms_relabels_the_distribution(matrix: FloatArray, random: Random) -> None:
    order = random.sample(range(len(matrix)), len(matrix))
    expected = random_walk_distribution(matrix)[order]
    assert random_walk_distribution(relabelled(matrix, order)) == pytest.approx(expected, abs=1e-12)


@given(bradley_terry_matrices())
def test_under_bradley_terry_the_condorcet_winner_wins(matrix: FloatArray) -> None:
    assert random_walk(matrix) == (condorcet(matrix),)
