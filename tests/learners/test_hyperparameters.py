from collections.abc import Callable

import numpy as np
import pytest
from numpy.random import default_rng
from refusals import refused

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
    ("make", "facts"),
    [
        (lambda: RUCB(alpha=0.5), ("alpha", 0.5, "Theorem 2", 0.51)),
        (lambda: RUCB(alpha=float("nan")), ("alpha", 0.5, float("nan"))),
        (lambda: DoubleThompsonSampling(alpha=0.5), ("alpha", 0.5, "Theorem 1", 0.51)),
        (lambda: build_learner("DoubleThompsonSampling", plus="yes"), ("plus", "true", "false", "'yes'")),
        (lambda: build_learner("DoubleThompsonSampling", plus=2), ("plus", "true", "false", 2)),
        (lambda: RMED1(scale=0.0), ("scale", 0.0)),
        (lambda: RMED2(exponent=1.0), ("exponent", 1, 4, 1.0)),
        (lambda: RMED2(alpha=float("inf")), ("alpha", 0, "1,000,000", float("inf"))),
        (lambda: RMED2FH(horizon=10, alpha=0.0), ("alpha", 0, "1,000,000", 0.0)),
        (lambda: RMED2FH(horizon=0), ("horizon", 1, 0)),
        (lambda: InterleavedFilter1(horizon=0), ("horizon", 1, 0)),
        (lambda: InterleavedFilter2(horizon=10, factor=0.0), ("factor", 0.0)),
        (lambda: CondorcetSavage(horizon=-5), ("horizon", -5)),
        (lambda: CondorcetSavage(horizon=5, delta=1.0), ("delta", 0, 1, 1.0, "1/horizon")),
        (lambda: BeatTheMean(horizon=10, gamma=0.9), ("gamma", 1, 0.9)),
        (lambda: Arms(1), ("k", "2 arms", 1)),
        (lambda: Study(RUCB(), ["a", "b"], seed=-1), ("seed", 0, -1)),
    ],
)
def test_what_cannot_work_is_refused(make: Callable[[], object], facts: tuple[object, ...]) -> None:
    with refused(ParameterError, *facts):
        make()


@pytest.mark.parametrize(
    ("duel", "outcome", "facts"),
    [
        (Duel(3, 0), 1.0, ("duel.left", 3, 0, 2)),
        (Duel(0, -1), 1.0, ("duel.right", -1, 0, 2)),
        (Duel("a", 1), 1.0, ("duel.left", "'a'", 0, 2)),
        (Duel(0, 1), 1.5, ("outcome", [0, 1], 1.5)),
        (Duel(0, 1), float("nan"), ("outcome", [0, 1], float("nan"))),
    ],
)
def test_what_cannot_be_learned_from_is_refused(
    duel: Duel, outcome: float, facts: tuple[object, ...]
) -> None:
    learner = RUCB()
    state = learner.init(Arms(3), default_rng(0))
    with refused(OutcomeError, *facts):
        learner.tell(state, duel, outcome)
    assert not np.any(state.wins)
