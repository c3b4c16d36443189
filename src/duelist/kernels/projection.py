"""Spaces as kernels see them, and exact projection onto them."""

from math import sqrt
from typing import NamedTuple

import numpy as np

from duelist.duel import FloatArray, IntArray
from duelist.kernels.compile import borrowing
from duelist.menus import Ball, Box, Space, Sphere

BALL, SPHERE, BOX = 0, 1, 2
SHAPES: tuple[type[Space], ...] = (Ball, Sphere, Box)


class Region(NamedTuple):
    """A space in arrays."""

    shape: IntArray  # one number: its place in SHAPES
    radius: FloatArray  # one number: of a ball
    low: FloatArray  # bounds of a box
    high: FloatArray


def region_of(space: Space) -> Region:
    """Return a space in arrays."""
    return Region(
        shape=np.array([SHAPES.index(type(space))]),
        radius=np.array([float(space.radius)]),
        low=space.low,
        high=space.high,
    )


@borrowing
def project_into(shape: int, radius: float, low: FloatArray, high: FloatArray, point: FloatArray) -> None:
    """Move a point to the nearest one of the space; from the origin, a sphere's center is taken."""
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
    """Return a vector's length; squares of its largest part's share neither vanish nor overflow."""
    largest, square = 0.0, 0.0
    for i in range(len(point)):
        largest = max(largest, abs(point[i]))
    if largest == 0.0:
        return 0.0
    inverse = 1.0 / largest
    for i in range(len(point)):
        square += (point[i] * inverse) * (point[i] * inverse)
    return largest * sqrt(square)
