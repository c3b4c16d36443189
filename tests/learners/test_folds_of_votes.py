"""Votes told many at once: arrays that do not fit together are refused before a kernel reads them."""

from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng

from duelist import RUCB, Arms
from duelist.errors import OutcomeError

SIDES, ROUNDS, OUTCOMES = np.array([[0, 1], [2, 1]]), np.full(2, np.nan), np.array([1.0, 0.5])


@pytest.mark.parametrize(
    ("sides", "rounds", "outcomes", "said"),
    [
        (SIDES, ROUNDS, np.ones(50), "a number for each of its rows"),
        (np.tile(SIDES, (25, 1)), ROUNDS, OUTCOMES, "a number for each of its rows"),
        (SIDES, ROUNDS[:1], OUTCOMES, "a number for each of its rows"),
        (SIDES[:, 0], ROUNDS, OUTCOMES, "sides must have two columns"),
        (SIDES + 0.5, ROUNDS, OUTCOMES, "sides must be whole numbers, those of the arms; got float64"),
        (SIDES + 2, ROUNDS, OUTCOMES, "the arms are numbered 0 to 3"),
        (SIDES, ROUNDS, OUTCOMES + 1.0, "outcomes must lie in"),
        (SIDES, np.array([3.0, -7.0]), OUTCOMES, "rounds must be what ask"),
        (SIDES, np.array([3.0, np.inf]), OUTCOMES, "rounds must be what ask"),
    ],
)
def test_arrays_that_do_not_fit(sides: Any, rounds: Any, outcomes: Any, said: str) -> None:
    learner = RUCB()
    state = learner.init(Arms(4), default_rng(0))
    with pytest.raises(OutcomeError, match=said):
        learner.fold_votes(state, sides, rounds, outcomes)
    assert state.wins.sum() == 0.0
    learner.fold_votes(state, SIDES, ROUNDS, OUTCOMES)
    assert state.wins.sum() == 2.0
