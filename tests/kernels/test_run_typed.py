"""Kernels that are run without a look at the types of all arguments."""

from typing import Any, NamedTuple

import numpy as np
import pytest

from duelist.duel import FloatArray
from duelist.kernels.compile import compiled, run_typed


class Scale(NamedTuple):
    factor: Any


@compiled
def scaled(scale: Scale, out: FloatArray) -> None:
    out[0] = scale.factor * 1.0


@compiled
def summed(scale: Scale, out: FloatArray) -> None:
    out[0] = scale.factor.sum()


@pytest.mark.parametrize("factors", [(3, 2.5, 3, True, 0.25), (2.5, 3, 2.5)])
def test_fields_of_other_types_get_machine_code_of_their_own(factors: tuple[float, ...]) -> None:
    out = np.zeros(1)
    for factor in factors:
        run_typed(scaled, Scale(factor), out)
        assert out[0] == factor


def test_arrays_are_looked_up_each_time() -> None:
    out = np.zeros(1)
    for array in (np.array([1, 2]), np.array([0.5, 0.25]), np.ones((2, 2)), np.array([1, 2])):
        run_typed(summed, Scale(array), out)
        assert out[0] == array.sum()


def test_what_is_no_kernel_is_called() -> None:
    assert run_typed(max, (1, 2), (0, 5)) == (1, 2)
