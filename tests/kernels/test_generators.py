"""Fast typing of tuples with generators: the same types that Numba finds field by field."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from numpy.random import Generator, Philox, default_rng

from duelist.kernels.arms import ArmWorld, arm_menu, open_arm_ledger
from duelist.kernels.duels import arm_buffer
from duelist.kernels.loop import Run
from duelist.menus import Arms

typeof: Any = numba.typeof
named_tuple: Any = numba.types.NamedTuple


@numba.njit
def nothing() -> None:
    """An object whose type has no fingerprint."""


class OtherWorld(NamedTuple):
    preferences: Any
    gaps: Any


def run_in(world: Any, rng: Generator | None = None) -> Run:
    ledger = open_arm_ledger(np.array([1]), 3, np.zeros(1, np.bool_))
    rng = default_rng(0) if rng is None else rng
    return Run(world, ledger, arm_menu(Arms(3)), arm_buffer(), rng, rng, stepwise=False)


def fixed(array: Any) -> Any:
    array.flags.writeable = False
    return array


WORLDS: dict[str, Callable[[], Any]] = {
    "usual": lambda: ArmWorld(np.zeros((3, 3)), np.zeros((1, 3))),
    "read-only": lambda: ArmWorld(fixed(np.zeros((3, 3))), np.zeros((1, 3))),
    "transposed": lambda: ArmWorld(np.zeros((3, 3)).T, np.zeros((1, 3))),
    "sliced": lambda: ArmWorld(np.zeros((6, 6))[::2, ::2], np.zeros((1, 3))),
    "single precision": lambda: ArmWorld(np.zeros((3, 3), np.float32), np.zeros((1, 3))),
    "another kind": lambda: OtherWorld(np.zeros((3, 3)), np.zeros((1, 3))),
    "without a fingerprint": lambda: OtherWorld(nothing, np.zeros((1, 3))),
}


def by_numba(run: Run) -> Any:
    """Return the type that Numba finds field by field."""
    return named_tuple([typeof(field) for field in run], Run)


@pytest.mark.parametrize("name", WORLDS)
def test_types_are_those_that_numba_finds_first_and_again(name: str) -> None:
    run = run_in(WORLDS[name]())
    assert typeof(run) == by_numba(run) == typeof(run)
    for other in WORLDS:
        assert (typeof(run_in(WORLDS[other]())) == typeof(run)) == (other == name)


def test_all_generators_have_one_type() -> None:
    runs = [run_in(WORLDS["usual"](), rng) for rng in (default_rng(1), Generator(Philox(1)))]
    assert typeof(runs[0]) == typeof(runs[1]) == by_numba(runs[1])


def calls_to_type(run: Run) -> int:
    """Return the number of Python functions called."""
    calls = 0

    def count(frame: FrameType, event: str, found: Any) -> None:
        nonlocal calls
        calls += event == "call"

    usual = sys.getprofile()
    sys.setprofile(count)
    try:
        typeof(run)
    finally:
        sys.setprofile(usual)
    return calls


def test_the_second_time_no_field_is_looked_at_in_python() -> None:
    runs = [run_in(world()) for world in (WORLDS["usual"], WORLDS["without a fingerprint"])]
    for run in runs:
        typeof(run)
    quick, slow = (calls_to_type(run) for run in runs)
    assert quick <= 20
    assert slow > 100
