"""DBGD where utility falls with the Euclidean norm: the other reading of the paper's v2, -|w|.

Directions are uniform and the ball is round, so only the norm of the point matters: a walk of one number.
"""

from math import exp, sqrt

import numpy as np
from numpy.random import Generator, default_rng

from duelist.kernels.compile import compiled
from duelist.laboratory.sources import Sources
from duelist.laboratory.work import Arrays
from duelist.menus import Space
from duelist_reproductions.yue2009_dbgd.sweep import DIMENSION, LEARNERS, PROBLEMS, STARTS


def play_euclidean(sources: Sources, *, factors: list[float], start: str, horizon: int, runs: int) -> Arrays:
    """Return average regret at the end, the sum of both gaps: a row a factor, a column a run."""
    space = PROBLEMS["P2"](d=DIMENSION).menu()
    explorations = [
        LEARNERS["DBGD"].for_horizon(horizon, space, factor=factor).exploration for factor in factors
    ]
    return {
        "regret": np.array(
            [
                [
                    average_regret(STARTS[start], exploration, space, horizon, default_rng(run))
                    for run in range(runs)
                ]
                for exploration in explorations
            ]
        )
    }


def average_regret(norm: float, exploration: float, space: Space, horizon: int, rng: Generator) -> float:
    """Play one run from a point of this norm, with the paper's exploitation for the horizon."""
    exploitation = space.radius / sqrt(horizon)
    return walk(norm, exploration, exploitation, float(space.radius), space.d, horizon, rng) / horizon


@compiled
def walk(
    norm: float,
    exploration: float,
    exploitation: float,
    radius: float,
    d: int,
    rounds: int,
    rng: Generator,
) -> float:
    """Return the summed gaps of all rounds."""
    total = 0.0
    for _ in range(rounds):
        # the part of a uniform direction that points away from the origin
        along = rng.standard_normal()
        along /= sqrt(along * along + rng.chisquare(d - 1))
        neighbour = min(radius, sqrt(norm * norm + 2.0 * exploration * along * norm + exploration**2))
        total += 1.0 / (1.0 + exp(-norm)) + 1.0 / (1.0 + exp(-neighbour)) - 1.0
        if rng.random() >= 1.0 / (1.0 + exp(norm - neighbour)):
            norm = min(radius, sqrt(norm * norm + 2.0 * exploitation * along * norm + exploitation**2))
    return total
