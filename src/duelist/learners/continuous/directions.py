"""Random directions, and the neighbours that lie there."""

from math import sqrt

from numpy.random import Generator

from duelist.duel import FloatArray
from duelist.kernels.compile import compiled
from duelist.kernels.points import PointDuel


@compiled
def draw_direction(direction: FloatArray, rng: Generator) -> None:
    """Write a unit vector into the array, every direction as likely."""
    square = 0.0
    while square == 0.0:
        for i in range(len(direction)):
            direction[i] = rng.standard_normal()
            square += direction[i] * direction[i]
    scale = 1.0 / sqrt(square)
    for i in range(len(direction)):
        direction[i] *= scale


@compiled
def step_aside(point: FloatArray, reach: float, duel: PointDuel) -> None:
    """Set a point against the one that lies so far away in the noted direction."""
    for i in range(len(point)):
        duel.left[i] = point[i]
        duel.right[i] = point[i] + reach * duel.note[i]
