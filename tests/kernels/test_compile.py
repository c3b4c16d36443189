"""Overloaded kernels: a loop plays every type that has an overload, including types defined later."""

from typing import Any, NamedTuple

import numpy as np
import pytest
from numba.core.errors import TypingError
from numpy.random import Generator, default_rng
from refusals import refused

from duelist.duel import FloatArray
from duelist.kernels.compile import NO_BODY, OVERLOADS, compiled, overload_for, overloaded


@overloaded
def shift(rules: Any, x: float, rng: Generator) -> float:
    raise TypeError(NO_BODY)


class Add(NamedTuple):
    amount: float


class Scale(NamedTuple):
    factor: float
    offsets: FloatArray


class Jump(NamedTuple):
    reach: float


class Unknown(NamedTuple):
    amount: float


@overload_for(shift, Add)
def add(rules: Add, x: float, rng: Generator) -> float:
    return x + rules.amount


@overload_for(shift, Scale)
def scale(rules: Scale, x: float, rng: Generator) -> float:
    return float(rules.factor * x + rules.offsets[1])


def looped(times: int) -> Any:
    """Return a separate loop, which has not been compiled for any type."""

    @compiled
    def loop(rules: Any, x: float, rng: Generator) -> float:
        for _ in range(times):
            x = shift(rules, x, rng)
        return x

    return loop


def test_the_kind_of_the_first_argument_chooses_the_way() -> None:
    loop, rng = looped(3), default_rng(0)
    assert loop(Add(2.0), 1.0, rng) == 7.0
    assert loop(Scale(2.0, np.array([0.0, 1.0])), 1.0, rng) == 15.0
    assert loop(Add(-1.0), 1.0, rng) == -2.0


def test_a_way_can_be_called_by_itself() -> None:
    assert add(Add(2.0), 1.0, default_rng(0)) == 3.0
    assert scale(Scale(3.0, np.array([0.0, 0.5])), 1.0, default_rng(0)) == 3.5


def test_a_way_may_be_written_after_the_loop_was_first_played() -> None:
    loop, rng = looped(2), default_rng(3)
    assert loop(Add(1.0), 0.0, rng) == 2.0

    @overload_for(shift, Jump)
    def jump(rules: Jump, x: float, rng: Generator) -> float:
        return x + rules.reach * rng.random()

    expected = default_rng(5).random(2).sum()
    assert loop(Jump(1.0), 0.0, default_rng(5)) == pytest.approx(expected)
    assert set(OVERLOADS[shift]) >= {Add, Scale, Jump}


@pytest.mark.parametrize("rules", [Unknown(1.0), 1.0, (1.0,)])
def test_what_has_no_way_is_refused(rules: Any) -> None:
    with pytest.raises(TypingError):
        looped(1)(rules, 0.0, default_rng(0))


def test_an_open_kernel_called_from_python_takes_the_way_too() -> None:
    assert shift(Add(1.0), 2.0, default_rng(0)) == 3.0
    with refused(TypeError, "shift", "int"):
        shift(1, 2.0, default_rng(0))


def test_kinds_of_one_name_are_refused() -> None:
    class Add(NamedTuple):
        other: float

    with refused(TypeError, "shift", "Add"):
        overload_for(shift, Add)(lambda rules, x, rng: x)
