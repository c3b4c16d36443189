"""Every learner, estimator and problem of the registry keeps the contract.

`DUELIST_LONG=1` plays the full form of every check; `make long` does.
"""

import os
from functools import cache, partial
from typing import Any

import numpy as np
import pytest
from catalogue import catalogue_problems, example
from numpy.random import default_rng

from duelist.checks import (
    expected_failures,
    yield_conduct_checks,
    yield_learner_checks,
    yield_learning_checks,
    yield_problem_checks,
)
from duelist.checks.environments import Effort, environment_for
from duelist.checks.suite import LearnerRuns
from duelist.policies.mixture import PolicyMixture
from duelist.problems import cyclic_contexts
from duelist.protocols import Estimator, Learner
from duelist.registry import ESTIMATORS, LEARNERS, PROBLEMS

LONG = "DUELIST_LONG" in os.environ
NAMES = [name for name, _ in [*yield_conduct_checks(), *yield_learning_checks()]]


def learner_cases() -> list[Any]:
    cases = []
    for name, kind in LEARNERS.items():
        excused = expected_failures(kind)
        for check in NAMES:
            # one that is slow to ask is not asked for what it is known not to do
            run = kind.card.rounds == 300
            marks = [pytest.mark.xfail(run=run, reason=excused[check])] if check in excused else []
            cases.append(pytest.param(name, check, marks=marks, id=f"{name}-{check}"))
    return cases


# slow to play; in so few rounds they find the winner too, and a choice preferred by its name shows
SOONER = {
    "Auto": 2_000,
    "TopTwoBradleyTerry": 2_000,
    "WidestInterval": 2_000,
    "BGD1": 20_000,
    "BGD2": 20_000,
    "DuelingBanditGradientDescent": 20_000,
    "MultileavingGradientDescent": 20_000,
    "LogisticDuels": 500,
}


def effort_for(name: str, check: str) -> Effort:
    """Return the effort of the full form, but for fewer rounds where they prove as much."""
    environment = environment_for(played(name))
    if check in expected_failures(played(name)):
        return environment.quick._replace(rounds=500)
    if LONG:
        return environment.full
    rounds = 500 if check == "compiled_equals_interpreted" else SOONER.get(name, environment.full.rounds)
    return environment.full._replace(rounds=rounds)


@cache
def played(name: str) -> Any:
    """Return a learner of the registry, always the same one, so that its runs are played once."""
    return example(LEARNERS[name])


@cache
def runs_of(name: str, effort: Effort) -> LearnerRuns:
    return LearnerRuns(effort)


@pytest.mark.parametrize(("name", "check"), learner_cases())
def test_learner_check(name: str, check: str) -> None:
    runs = runs_of(name, effort_for(name, check))
    measured: dict[str, Any] = {one: partial(law, runs=runs) for one, law in yield_learning_checks()}
    {**dict(yield_conduct_checks()), **measured}[check](played(name))


@pytest.mark.parametrize("name", LEARNERS)
def test_learners_are_learners_and_their_excuses_name_real_checks(name: str) -> None:
    learner = example(LEARNERS[name])
    excused = set(expected_failures(learner))
    assert isinstance(learner, Learner)
    assert excused <= set(NAMES)
    assert [one for one, _ in yield_learner_checks(learner)] == [one for one in NAMES if one not in excused]


@pytest.mark.parametrize("name", ESTIMATORS)
def test_estimators_fit_a_log_alike_for_equal_seeds(name: str) -> None:
    estimator = example(ESTIMATORS[name])
    assert isinstance(estimator, Estimator)
    assert not isinstance(estimator, Learner)
    log = cyclic_contexts(hard=1, easy=1).log(500, default_rng(0))
    first, second = (estimator.fit(log, seed=3, progress=False) for _ in range(2))
    assert isinstance(first, PolicyMixture)
    np.testing.assert_array_equal(first.weights, second.weights)


@pytest.mark.parametrize("name", PROBLEMS)
def test_problem_checks(name: str) -> None:
    for _, check in yield_problem_checks():
        check(catalogue_problems()[name])


def test_every_check_of_the_style_guide_is_there() -> None:
    assert len(NAMES) == 17
