"""Learners by name."""

from typing import Any

import pytest
from refusals import refused

from duelist import RUCB, Uniform
from duelist.errors import ParameterError
from duelist.protocols import Learner
from duelist.simulation.arguments import LEARNER_NEEDS, name_learners


def named(learners: Any) -> dict[str, Any]:
    return name_learners(learners, Learner, LEARNER_NEEDS)


def test_a_learner_is_named_after_its_class() -> None:
    assert named(RUCB()) == {"RUCB": RUCB()}
    assert named([RUCB(), Uniform()]) == {"RUCB": RUCB(), "Uniform": Uniform()}
    assert named(learner for learner in (Uniform(),)) == {"Uniform": Uniform()}


def test_learners_that_share_a_class_are_named_after_their_settings() -> None:
    learners = [RUCB(0.6), Uniform(), RUCB(0.9)]
    assert list(named(learners)) == [repr(RUCB(0.6)), "Uniform", repr(RUCB(0.9))]


def test_given_names_are_kept_and_may_repeat_a_learner() -> None:
    given = {"first": RUCB(), "second": RUCB()}
    assert named(given) == given
    assert named(given) is not given


@pytest.mark.parametrize("learners", [[], {}, [RUCB(), RUCB()]])
def test_nothing_and_repetitions_are_refused(learners: Any) -> None:
    with refused(ParameterError, "learners", str([*learners])[:79]):
        named(learners)


@pytest.mark.parametrize("learners", [["RUCB"], {"it": 3}, 3, [RUCB(), 3], RUCB, [RUCB]])
def test_what_is_no_learner_is_refused(learners: Any) -> None:
    with refused(ParameterError, "learners", "init", "ask", "tell", "best"):
        named(learners)
