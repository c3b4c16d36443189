import re
from ast import literal_eval
from dataclasses import dataclass
from fractions import Fraction
from inspect import Parameter, getdoc
from math import inf, nan
from typing import Annotated, Any, Literal

import numpy as np
import pytest
from refusals import refused

from duelist.card import card_of
from duelist.constraints import (
    Chance,
    Count,
    Positive,
    Range,
    alternatives_of,
    check_fields,
    declarations_of,
    parameters_of,
)
from duelist.errors import ParameterError, UnknownNameError
from duelist.registry import ESTIMATORS, LEARNERS, NUMERIC

ALGORITHMS: dict[str, Any] = {**LEARNERS, **ESTIMATORS}


@dataclass(frozen=True)
class Mine:
    width: Annotated[float, Range(above=0.5, most=4.0, reason="Theorem 2")] = 1.0
    gamma: Annotated[float, Range(least=1.0, remedy="See the paper.")] = 1.0
    share: Chance = 0.5
    scale: Positive | None = None
    rounds: Count = 5
    seed: Annotated[int, Range(least=0)] | None = None
    plus: bool = False
    choice: Literal["first", "last"] = "first"
    other: Any = None

    def __post_init__(self) -> None:
        check_fields(self)


@pytest.mark.parametrize(
    "given",
    [
        {"width": 4},
        {"width": np.float64(0.75)},
        {"width": Fraction(3, 4)},
        {"gamma": 1.0},
        {"scale": None},
        {"scale": 1e300},
        {"rounds": np.int64(1)},
        {"seed": 0},
        {"seed": None},
        {"plus": True},
        {"choice": "last"},
        {"other": "anything"},
    ],
    ids=repr,
)
def test_values_within_the_declarations_are_taken(given: dict[str, Any]) -> None:
    mine: Any = Mine
    assert all(getattr(mine(**given), name) is value for name, value in given.items())


@pytest.mark.parametrize(
    ("given", "bounds"),
    [
        ({"width": 0.5}, ("0.5", "4", "Theorem 2")),
        ({"width": 4.01}, ("0.5", "4", "Theorem 2")),
        ({"width": nan}, ("0.5",)),
        ({"width": "1"}, ("0.5",)),
        ({"width": None}, ("0.5",)),
        ({"width": 10**400}, ("0.5",)),
        ({"gamma": 0.99}, ("1",)),
        ({"gamma": inf}, ("1",)),
        ({"share": 0.0}, ("0", "1")),
        ({"share": 1.0}, ("0", "1")),
        ({"scale": 0.0}, ("positive",)),
        ({"scale": inf}, ("positive",)),
        ({"rounds": 0}, ("whole number", "1")),
        ({"rounds": 2.0}, ("whole number", "1")),
        ({"rounds": True}, ("whole number", "1")),
        ({"seed": -1}, ("whole number", "0")),
        ({"plus": 1}, ("True", "False")),
        ({"plus": np.bool_(True)}, ("True", "False")),
    ],
    ids=repr,
)
def test_an_error_names_field_bounds_and_value(given: dict[str, Any], bounds: tuple[str, ...]) -> None:
    mine: Any = Mine
    ((name, value),) = given.items()
    with refused(ParameterError, name, *bounds) as raised:
        mine(**given)
    assert repr(value)[:80] in str(raised.value)


def test_an_error_has_a_remedy() -> None:
    mine: Any = Mine
    remedies = {"width": "1.0", "rounds": "5", "gamma": "paper", "scale": "default"}
    for given, remedy in remedies.items():
        with refused(ParameterError, given, -1, remedy):
            mine(**{given: -1})


def test_a_choice_is_one_of_those_that_are_listed() -> None:
    mine: Any = Mine
    with refused(UnknownNameError, "choice", "'second'", "first, last"):
        mine(choice="second")


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_number_that_a_learner_takes_has_declared_bounds(name: str) -> None:
    kind = ALGORITHMS[name]
    declared = declarations_of(kind)
    for key, one in parameters_of(kind).items():
        if {part for part, _ in alternatives_of(one.annotation)} <= NUMERIC:
            allowed = declared[key].allowed
            assert allowed is not None
            assert one.default in (None, Parameter.empty) or one.default in allowed


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_checks_its_declarations(name: str) -> None:
    kind = LEARNERS[name]
    for key, one in declarations_of(kind).items():
        if one.allowed is not None:
            with refused(ParameterError, key, -1):
                kind(**{**card_of(kind).example, key: -1})


@pytest.mark.parametrize("name", ALGORITHMS)
def test_documentation_states_the_defaults_of_the_fields(name: str) -> None:
    kind = ALGORITHMS[name]
    stated = dict(re.findall(r"^(\w+) : .*, default ([^\s()]+)$", getdoc(kind) or "", re.MULTILINE))
    defaults = {key: parameters_of(kind)[key].default for key in stated}
    assert {key: literal_eval(value) for key, value in stated.items()} == defaults
