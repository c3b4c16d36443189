"""Points of a space in compiled code: exact projection onto the space, and a world that compares points."""

from math import isnan, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.kernels.compile import NO_BODY, borrowing, inlined_overloaded, overload_for
from duelist.kernels.duels import DuelBuffer
from duelist.kernels.loop import Ledger, close, open_ledger, prepare, step
from duelist.menus import Ball, Box, Space, Sphere

REGRET, WEAK_REGRET, GAP = 0, 1, 2  # rows of a ledger's measures
BALL, SPHERE, BOX = 0, 1, 2
SHAPES: tuple[type[Space], ...] = (Ball, Sphere, Box)


class Region(NamedTuple):
    """A space as arrays."""

    shape: IntArray  # one number: its index in SHAPES
    radius: FloatArray  # one number: of a ball
    low: FloatArray  # bounds of a box
    high: FloatArray


def region_of(space: Space) -> Region:
    return Region(
        shape=np.array([SHAPES.index(type(space))]),
        radius=np.array([float(space.radius)]),
        low=space.low,
        high=space.high,
    )


@borrowing
def project_into(shape: int, radius: float, low: FloatArray, high: FloatArray, point: FloatArray) -> None:
    """Move a point to the nearest point of the space; the origin moves to the center of a sphere."""
    if shape == BOX:
        for i in range(len(point)):
            point[i] = min(max(point[i], low[i]), high[i])
        return
    length = length_of(point)
    if shape == SPHERE and length == 0.0:
        point[:] = 1.0 / sqrt(len(point))
    elif shape == SPHERE or length > radius:
        scale = radius / length
        for i in range(len(point)):
            point[i] *= scale


@borrowing
def length_of(point: FloatArray) -> float:
    """Return a vector's length; scaling by the largest component avoids overflow and underflow."""
    largest, square = 0.0, 0.0
    for i in range(len(point)):
        largest = max(largest, abs(point[i]))
    if largest == 0.0:
        return 0.0
    inverse = 1.0 / largest
    for i in range(len(point)):
        square += (point[i] * inverse) * (point[i] * inverse)
    return largest * sqrt(square)


class PointWorld(NamedTuple):
    """The utility that compares points, of a type with overloads of `compare` and `gap`."""

    utility: Any


@inlined_overloaded
def compare(
    utility: Any, left: FloatArray, right: FloatArray, world_rng: Generator
) -> tuple[float, float, float]:
    """Return an outcome, nan if a utility is not finite, and the costs of the left and the right point."""
    raise TypeError(NO_BODY)


@inlined_overloaded
def gap(utility: Any, point: FloatArray) -> float:
    """Return the mean cost of showing a point, 0 for the best point."""
    raise TypeError(NO_BODY)


def open_point_ledger(checkpoints: IntArray, d: int, halt: BoolArray) -> Ledger:
    return open_ledger(checkpoints, halt, measures=3, answer=np.zeros(d), sums=2)


@borrowing
def book_points(ledger: Ledger, left_gap: float, right_gap: float) -> None:
    ledger.played[0] += 1
    ledger.sums[0] += 0.5 * (left_gap + right_gap)
    ledger.sums[1] += min(left_gap, right_gap)


@borrowing
def close_points(ledger: Ledger, checkpoint: int, gap: float) -> None:
    """Record regret, weak regret and the gap of the point believed to be best."""
    ledger.measures[REGRET, checkpoint] = ledger.sums[0]
    ledger.measures[WEAK_REGRET, checkpoint] = ledger.sums[1]
    ledger.measures[GAP, checkpoint] = gap


@overload_for(prepare, PointWorld)
def prepare_points(world: PointWorld, menu: Region, played: int, world_rng: Generator) -> None:
    """Leave the menu as it is: the space is the same in every round."""


@overload_for(step, PointWorld)
def step_points(world: PointWorld, ledger: Ledger, duel: DuelBuffer, world_rng: Generator) -> float:
    outcome, left_cost, right_cost = compare(world.utility, duel.sides[0], duel.sides[1], world_rng)
    if not isnan(outcome):
        book_points(ledger, left_cost, right_cost)
    return outcome


@overload_for(close, PointWorld)
def close_at_points(world: PointWorld, ledger: Ledger, checkpoint: int) -> None:
    close_points(ledger, checkpoint, gap(world.utility, ledger.answer))
