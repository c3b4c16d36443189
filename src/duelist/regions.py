"""Spaces as kernels see them, and exact projection onto them."""

from math import sqrt
from typing import NamedTuple

import numpy as np

from duelist.compiled import compiled
from duelist.menus import Ball, Box, Space, Sphere
from duelist.types import FloatArray, IntArray

BALL, SPHERE, BOX = 0, 1, 2
SHAPES: dict[type[Space], int] = {Ball: BALL, Sphere: SPHERE, Box: BOX}


class Region(NamedTuple):
    """A space in arrays."""

    shape: IntArray  # one number: its place in SHAPES
    radius: FloatArray  # one number: of a ball
    low: FloatArray  # bounds of a box
    high: FloatArray


def region_of(space: Space) -> Region:
    """Return a space in arrays."""
    return Region(
        shape=np.array([SHAPES[type(space)]]),
        radius=np.array([float(space.radius)]),
        low=space.low,
        high=space.high,
    )


@compiled
def project_into(shape: int, radius: float, low: FloatArray, high: FloatArray, point: FloatArray) -> None:
    """Move a point to the nearest one of the space; the origin has none on a sphere: it goes to the center."""
    if shape != BOX:
        square = 0.0
        for i in range(len(point)):
            square += point[i] * point[i]
        if shape == SPHERE and square == 0.0:
            point[:] = 1.0 / sqrt(len(point))
        elif shape == SPHERE or square > radius * radius:
            scale = radius / sqrt(square)
            for i in range(len(point)):
                point[i] *= scale
    else:
        for i in range(len(point)):
            point[i] = min(max(point[i], low[i]), high[i])
