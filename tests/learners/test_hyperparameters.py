from collections.abc import Callable

import numpy as np
import pytest
from numpy.random import default_rng

from duelist import (
    RMED1,
    RMED2,
    RMED2FH,
    RUCB,
    Arms,
    BeatTheMean,
    CondorcetSavage,
    DoubleThompsonSampling,
    Duel,
    InterleavedFilter1,
    InterleavedFilter2,
    Study,
)
from duelist.errors import OutcomeError, ParameterError
from duelist.registry import build_learner


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: RUCB(alpha=0.5), r"alpha must be a number, above 0\.5 .*; got 0\.5.* 0\.51"),
        (lambda: RUCB(alpha=float("nan")), "alpha must be"),
        (lambda: DoubleThompsonSampling(alpha=0.5), r"alpha must be .* above 0\.5 .*; got 0\.5"),
        (
            lambda: build_learner("DoubleThompsonSampling", plus="yes"),
            "plus must be true or false.*; got 'yes'",
        ),
        (lambda: build_learner("DoubleThompsonSampling", plus=2), "plus must be true or false.*; got 2"),
        (lambda: RMED1(scale=0.0), r"scale must be a positive number; got 0\.0"),
        (lambda: RMED2(exponent=1.0), r"exponent must be .* above 1 and at most 4 .* got 1\.0"),
        (lambda: RMED2(alpha=float("inf")), r"alpha must be .* above 0 and at most 1,000,000; got inf"),
        (lambda: RMED2FH(horizon=10, alpha=0.0), r"alpha must be .* above 0 .* got 0\.0"),
        (lambda: RMED2FH(horizon=0), "horizon must be a whole number, at least 1; got 0"),
        (lambda: InterleavedFilter1(horizon=0), "horizon must be a whole number, at least 1; got 0"),
        (lambda: InterleavedFilter2(horizon=10, factor=0.0), r"factor must be a positive number; got 0\.0"),
        (lambda: CondorcetSavage(horizon=-5), "horizon must be .* got -5"),
        (lambda: CondorcetSavage(horizon=5, delta=1.0), r"delta .* between 0 and 1; got 1\.0\. .* 1/horizon"),
        (lambda: BeatTheMean(horizon=10, gamma=0.9), r"gamma must be .* at least 1 .*; got 0\.9"),
        (lambda: Arms(1), "k must be at least 2 arms"),
        (lambda: Study(RUCB(), ["a", "b"], seed=-1), "seed must be a whole number, at least 0; got -1"),
    ],
)
def test_what_cannot_work_is_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        make()


@pytest.mark.parametrize(
    ("duel", "outcome", "message"),
    [
        (Duel(3, 0), 1.0, "duel.left is 3, but the arms are numbered 0 to 2"),
        (Duel(0, -1), 1.0, "duel.right is -1"),
        (Duel("a", 1), 1.0, "duel.left is 'a'"),
        (Duel(0, 1), 1.5, r"outcome must lie in \[0, 1\].*; got 1\.5"),
        (Duel(0, 1), float("nan"), "outcome must lie in"),
    ],
)
def test_what_cannot_be_learned_from_is_refused(duel: Duel, outcome: float, message: str) -> None:
    learner = RUCB()
    state = learner.init(Arms(3), default_rng(0))
    with pytest.raises(OutcomeError, match=message):
        learner.tell(state, duel, outcome)
    assert not np.any(state.wins)
