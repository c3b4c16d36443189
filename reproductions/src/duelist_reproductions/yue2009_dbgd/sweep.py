"""Gradient descent on the paper's five utilities, as Table 1 and Figure 2 play it."""

from collections.abc import Mapping
from math import sqrt

import numpy as np

from duelist.laboratory.sources import Sources
from duelist.laboratory.work import Arrays
from duelist.learners import BGD1, BGD2, DuelingBanditGradientDescent
from duelist.learners.continuous.gradient_descent import GradientDescent
from duelist.problems import p1, p2, p3, p4, p5
from duelist.simulation import simulate

PROBLEMS = {"P1": p1, "P2": p2, "P3": p3, "P4": p4, "P5": p5}
DIMENSION = 50
LEARNERS: Mapping[str, type[GradientDescent]] = {
    "DBGD": DuelingBanditGradientDescent,
    "BGD1": BGD1,
    "BGD2": BGD2,
}
STARTS = {"printed": sqrt(5.0), "farther": 5.0}
"""The norm of the start, a vector of equal coordinates: as the paper prints it, and another."""


def play(
    sources: Sources,
    *,
    problem: str,
    learner: str,
    factor: float,
    start: str,
    horizon: int,
    runs: int,
    marks: int = 1,
) -> Arrays:
    """Return average regret so far, the sum of both gaps as in the paper, at even distances: a row a run."""
    kind = LEARNERS[learner]
    first = np.full(DIMENSION, STARTS[start] / sqrt(DIMENSION))
    # the baselines are told probabilities
    world = PROBLEMS[problem](d=DIMENSION, exact=learner != "DBGD", start=first)
    played = simulate(
        {learner: kind.for_horizon(horizon, world.menu(), factor=factor, start=first)},
        world,
        horizon,
        runs,
        checkpoints=np.linspace(0, horizon, marks + 1, dtype=int)[1:].tolist(),
        workers=1,
        progress=False,
    )[learner]
    return {"rounds": played.checkpoints, "regret": played.summed_regret / played.checkpoints}
