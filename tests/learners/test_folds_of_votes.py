"""Batches of votes: arrays that do not match are rejected before a kernel reads them."""

from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng
from refusals import refused

from duelist import RUCB, Arms
from duelist.errors import OutcomeError

SIDES, ROUNDS, OUTCOMES = np.array([[0, 1], [2, 1]]), np.full(2, np.nan), np.array([1.0, 0.5])


@pytest.mark.parametrize(
    ("sides", "rounds", "outcomes", "facts"),
    [
        (SIDES, ROUNDS, np.ones(50), ("outcomes", (2, 2), (2,), (50,))),
        (np.tile(SIDES, (25, 1)), ROUNDS, OUTCOMES, ("sides", (50, 2), (2,))),
        (SIDES, ROUNDS[:1], OUTCOMES, ("rounds", (2, 2), (1,))),
        (SIDES[:, 0], ROUNDS, OUTCOMES, ("sides", (2,))),
        (SIDES + 0.5, ROUNDS, OUTCOMES, ("sides", "float64")),
        (SIDES + 2, ROUNDS, OUTCOMES, ("sides", 0, 3)),
        (SIDES, ROUNDS, OUTCOMES + 1.0, ("outcomes", [0, 1])),
        (SIDES, np.array([3.0, -7.0]), OUTCOMES, ("rounds", "ask")),
        (SIDES, np.array([3.0, np.inf]), OUTCOMES, ("rounds", "ask")),
    ],
)
def test_arrays_that_do_not_fit(sides: Any, rounds: Any, outcomes: Any, facts: tuple[object, ...]) -> None:
    learner = RUCB()
    state = learner.init(Arms(4), default_rng(0))
    with refused(OutcomeError, *facts):
        learner.fold_votes(state, sides, rounds, outcomes)
    assert state.wins.sum() == 0.0
    learner.fold_votes(state, SIDES, ROUNDS, OUTCOMES)
    assert state.wins.sum() == 2.0
