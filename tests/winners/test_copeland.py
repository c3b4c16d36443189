from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matrices import PAPER, ROCK_PAPER_SCISSORS, preference_matrices, relabelled, with_clone
from numpy.testing import assert_array_equal
from real_data import needs_data, real_matrix

from duelist.duel import FloatArray
from duelist.winners import copeland, copeland_scores


def test_the_papers_example() -> None:
    assert_array_equal(copeland_scores(PAPER), [2, 2, 2, 3, 1])
    assert copeland(PAPER) == (3,)


def test_all_arms_of_a_cycle_win() -> None:
    assert copeland(ROCK_PAPER_SCISSORS) == (0, 1, 2)


def test_a_clone_changes_the_winners() -> None:
    assert copeland(with_clone(ROCK_PAPER_SCISSORS, 0)) == (1,)


def test_a_tie_is_half_for_each() -> None:
    assert_array_equal(copeland_scores([[0.5, 0.5], [0.5, 0.5]]), [0.5, 0.5])


def test_an_arm_does_not_win_by_having_met_more_opponents() -> None:
    met_few, met_many, k = 0, 1, 60
    matrix = np.full((k, k), 0.5)
    for arm, met, beaten in ((met_few, 19, 16), (met_many, 54, 20)):
        others = [other for other in range(k) if other not in (met_few, met_many)][:met]
        chances = np.where(np.arange(met) < beaten, 0.7, 0.3)
        matrix[arm, others], matrix[others, arm] = chances, 1.0 - chances
    scores = copeland_scores(matrix)
    assert scores[met_few] == 16 + (k - 1 - 19) / 2
    assert scores[met_many] == 20 + (k - 1 - 54) / 2
    assert copeland(matrix) == (met_few,)


@given(preference_matrices())
def test_scores_count_the_arms_beaten_and_half_the_ties(matrix: FloatArray) -> None:
    arms = range(len(matrix))
    beaten = [sum(matrix[i, j] > matrix[j, i] for j in arms) for i in arms]
    tied = [sum(matrix[i, j] == matrix[j, i] for j in arms if j != i) for i in arms]
    assert_array_equal(copeland_scores(matrix), np.array(beaten) + np.array(tied) / 2)


@given(preference_matrices(), st.randoms(use_true_random=False))
def test_relabelling_arms_relabels_scores(matrix: FloatArray, random: Random) -> None:
    order = random.sample(range(len(matrix)), len(matrix))
    assert_array_equal(copeland_scores(relabelled(matrix, order)), copeland_scores(matrix)[order])


@needs_data
@pytest.mark.parametrize(
    ("name", "winners"),
    [
        ("mslr16_non_condorcet", (1, 2, 11)),
        ("mslr_informational5_non_condorcet", (0, 1, 2)),
        ("mslr136", (12,)),
        ("np2004_64", (13,)),
    ],
)
def test_real_matrices_have_the_known_winners(name: str, winners: tuple[int, ...]) -> None:
    assert copeland(real_matrix(name)) == winners
