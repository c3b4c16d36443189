"""Made-up rankers resemble real ones: a winner, cycles, no certainty."""

import numpy as np
import pytest
from refusals import refused

from duelist.assumptions import total_order
from duelist.errors import ParameterError
from duelist.laboratory import made_up_preferences
from duelist.laboratory.sources import LEAST_LEAD
from duelist.preferences import as_preferences
from duelist.winners import condorcet


@pytest.mark.parametrize("seed", range(5))
def test_it_is_a_preference_matrix_with_a_winner_and_cycles(seed: int) -> None:
    matrix = as_preferences(made_up_preferences(64, seed))
    winner = condorcet(matrix)
    assert winner is not None
    assert np.delete(matrix[winner], winner).min() >= 0.5 + LEAST_LEAD
    assert total_order(matrix) is None
    assert 0.01 < matrix.min() < matrix.max() < 0.99


def test_a_winner_need_not_be_made() -> None:
    winners = [condorcet(made_up_preferences(20, seed, winner=False)) for seed in range(40)]
    assert 0 < sum(winner is None for winner in winners) < 40


def test_equal_seeds_equal_matrices() -> None:
    assert np.array_equal(made_up_preferences(8, 3), made_up_preferences(8, 3))
    assert not np.array_equal(made_up_preferences(8, 3), made_up_preferences(8, 4))


def test_one_ranker_is_refused() -> None:
    with refused(ParameterError, "k", 2, 1):
        made_up_preferences(1)
