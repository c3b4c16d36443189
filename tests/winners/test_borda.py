import numpy as np
import pytest
from hypothesis import given
from matrices import PAPER, ROCK_PAPER_SCISSORS, bradley_terry_matrices, preference_matrices
from real_data import needs_data, real_matrix

from duelist.duel import FloatArray
from duelist.winners import borda, borda_scores, condorcet


def test_the_papers_example() -> None:
    assert borda(PAPER) == (3,)


def test_sums_that_differ_by_rounding_alone_tie() -> None:
    assert borda(ROCK_PAPER_SCISSORS) == (0, 1, 2)
    cycle = [[0.5, 0.7, 0.3], [0.3, 0.5, 0.7], [0.7, 0.3, 0.5]]
    assert borda(cycle) == (0, 1, 2)


@given(preference_matrices())
def test_scores_average_over_the_other_arms(matrix: FloatArray) -> None:
    expected = [np.delete(row, i).mean() for i, row in enumerate(matrix)]
    assert borda_scores(matrix) == pytest.approx(expected, abs=1e-14)


@given(preference_matrices())
def test_scores_average_one_half(matrix: FloatArray) -> None:
    assert borda_scores(matrix).mean() == pytest.approx(0.5, abs=1e-14)


@given(bradley_terry_matrices())
def test_under_bradley_terry_the_condorcet_winner_wins(matrix: FloatArray) -> None:
    assert borda(matrix) == (condorcet(matrix),)


@needs_data
def test_on_the_matrix_made_for_it_borda_and_condorcet_disagree() -> None:
    assert borda(real_matrix("bvsc20")) == (1,)
    assert condorcet(real_matrix("bvsc20")) == 0
