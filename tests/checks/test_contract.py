"""Every learner and every problem of the catalogue keeps the contract."""

from typing import Any

import pytest
from catalogue import catalogue_learners, catalogue_point_learners, catalogue_problems

from duelist import PreferentialOptimization
from duelist.checks import (
    expected_failures,
    yield_conduct_checks,
    yield_learner_checks,
    yield_learning_checks,
    yield_problem_checks,
)
from duelist.checks.suite import Check
from duelist.protocols import Learner
from duelist.registry import LEARNERS, PROBLEMS

ALL_CHECKS = dict([*yield_conduct_checks(), *yield_learning_checks()])


def learner_cases() -> list[Any]:
    cases = []
    for learner in [*catalogue_learners(), *catalogue_point_learners()]:
        excused = expected_failures(learner)
        for name, check in ALL_CHECKS.items():
            marks = [pytest.mark.xfail(strict=True, reason=excused[name])] if name in excused else []
            cases.append(pytest.param(learner, check, marks=marks, id=f"{type(learner).__name__}-{name}"))
    return cases


@pytest.mark.parametrize(("learner", "check"), learner_cases())
def test_learner_check(learner: Learner[Any], check: Check) -> None:
    check(learner)


@pytest.mark.parametrize("name", [name for name, _ in yield_learner_checks(PreferentialOptimization())])
def test_a_learner_that_thinks_long_passes_what_it_does_not_excuse(name: str) -> None:
    ALL_CHECKS[name](PreferentialOptimization(candidates=200))


@pytest.mark.parametrize("name", PROBLEMS)
def test_problem_checks(name: str) -> None:
    for _, check in yield_problem_checks():
        check(catalogue_problems()[name])


def test_every_check_of_the_style_guide_is_there() -> None:
    assert len(ALL_CHECKS) == 15


@pytest.mark.parametrize("learner", catalogue_learners(), ids=list(LEARNERS))
def test_excuses_name_real_checks_and_the_suite_leaves_them_out(learner: Learner[Any]) -> None:
    excused = set(expected_failures(learner))
    assert excused <= set(ALL_CHECKS)
    assert [name for name, _ in yield_learner_checks(learner)] == [n for n in ALL_CHECKS if n not in excused]
