"""Logs from which some duels cannot be estimated raise errors, instead of giving a confident wrong winner."""

import numpy as np
import pytest
from numpy.random import default_rng
from refusals import refused

from duelist.errors import ParameterError
from duelist.estimators import SparringFPL, SparringPGD
from duelist.estimators.sparring_fpl import require_coverage
from duelist.logs import DuelLog
from duelist.policies.finite import FinitePolicies
from duelist.problems import cyclic_contexts

ORACLE = FinitePolicies([[0], [1], [2]]).oracle()
ALL = [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)]


def log_of(pairs: list[tuple[int, int]], propensity: float | None = None, duels: int = 600) -> DuelLog:
    rng = default_rng(0)
    left, right = np.array(pairs)[rng.integers(len(pairs), size=duels)].T
    outcomes = (rng.random(duels) < np.where(left < right, 0.8, 0.2)).astype(float)
    chances = np.full(duels, 1.0 / len(pairs) if propensity is None else propensity)
    return DuelLog(np.zeros((duels, 1)), left, right, outcomes, chances, actions=3)


@pytest.mark.parametrize("estimator", [SparringPGD(oracle=ORACLE), SparringFPL(oracle=ORACLE)])
@pytest.mark.parametrize(
    ("log", "facts"),
    [
        (log_of([(0, 1), (0, 2), (1, 2)]), ("1 against 0, 2 against 0, 2 against 1",)),
        (log_of(ALL[:-1]), ("2 against 1",)),
        (log_of(ALL[:4]), ("1 against 2, 2 against 1",)),
        (log_of(ALL, propensity=1.0), (1, "3 actions", 6, 9)),
        (log_of(ALL[:-1], duels=30), (5, "3 actions", 6, 9)),
    ],
)
def test_what_cannot_be_estimated_is_refused(
    estimator: SparringPGD | SparringFPL, log: DuelLog, facts: tuple[object, ...]
) -> None:
    with refused(ParameterError, "log", *facts):
        estimator.fit(log)


def test_randomised_logs_of_any_length_are_taken() -> None:
    errors = []
    for seed in range(200):
        log = cyclic_contexts(1, 1, k=3 + seed % 5).log(2 + seed**2 // 10, default_rng(seed))
        try:
            require_coverage(log)
        except ParameterError as error:
            errors.append((seed, str(error)))
    assert errors == []
