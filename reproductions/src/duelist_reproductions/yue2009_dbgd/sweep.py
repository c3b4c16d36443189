"""The runs of Table 1 and Figure 2: gradient descent on the paper's five utilities."""

from collections.abc import Mapping, Sequence
from math import sqrt

import numpy as np
from numpy.random import default_rng

from duelist.duel import FloatArray
from duelist.laboratory.sources import Sources
from duelist.laboratory.work import Arrays, ItemResults, Piece, grid, settings
from duelist.learners import BGD1, BGD2, DuelingBanditGradientDescent
from duelist.learners.continuous.gradient_descent import GradientDescent
from duelist.problems import p1, p2, p3, p4, p5
from duelist.simulation import simulate

PROBLEMS = {"P1": p1, "P2": p2, "P3": p3, "P4": p4, "P5": p5}
DIMENSION = 50
START = np.full(DIMENSION, sqrt(5.0) / sqrt(DIMENSION))
LEARNERS: Mapping[str, type[GradientDescent]] = {
    "DBGD": DuelingBanditGradientDescent,
    "BGD1": BGD1,
    "BGD2": BGD2,
}
HORIZON, SHORTER = 10**6, 10**5
"""The paper does not print the horizon of Table 1: the first fits, the second is the last of its Figure 2."""
TABLE1 = settings(
    problems=(("P1", "P5"), tuple(PROBLEMS)),
    factors=((0.6, 2.0), (0.6, 0.8, 1.0, 2.0, 3.0)),
    # one octave beyond the paper's range, one run each
    outer_factors=((), (0.3, 6.0)),
    runs=(1, 5),
    # number of random points, for the regret without learning
    points=(100, 1000),
)
FIGURE2 = settings(
    problems=(("P1", "P2", "P3", "P5"), ("P1", "P2", "P3", "P5")),
    horizons=((SHORTER,), (SHORTER, HORIZON)),
    runs=(1, 5),
    # number of evenly spaced checkpoints of a run
    marks=(100, 200),
)


def plan_table1(results: ItemResults) -> list[Piece]:
    """Return pieces for all cells with both horizons, factors beyond the range, and random points."""
    setting = TABLE1[results.scale]
    cells = [((HORIZON, SHORTER), setting.factors, setting.runs), ((HORIZON,), setting.outer_factors, 1)]
    pieces = []
    for horizons, factors, runs in cells:
        over = {"horizon": horizons, "problem": setting.problems, "factor": factors}
        fixed = {"learner": "DBGD", "runs": runs}
        pieces += grid(play, over, fixed, cost=lambda one: one.horizon * one.runs / (5 * HORIZON))
    points = {"problems": list(setting.problems), "points": setting.points}
    return [*pieces, Piece("random-points", measure_random_points, points, cost=0.2)]


def plan_figure2(results: ItemResults) -> list[Piece]:
    setting = FIGURE2[results.scale]
    over = {"horizon": setting.horizons, "problem": setting.problems, "learner": LEARNERS}
    fixed = {"factor": 1.0, "runs": setting.runs, "marks": setting.marks}
    return grid(play, over, fixed, cost=lambda one: one.horizon / max(setting.horizons))


def play(
    sources: Sources, *, problem: str, learner: str, factor: float, horizon: int, runs: int, marks: int = 1
) -> Arrays:
    """Return average regret (the sum of both gaps, as in the paper) at checkpoints, one row per run."""
    # the baselines receive probabilities
    world = PROBLEMS[problem](d=DIMENSION, exact=learner != "DBGD", start=START)
    played = simulate(
        {learner: LEARNERS[learner].for_horizon(horizon, world.menu(), factor=factor, start=START)},
        world,
        horizon,
        runs,
        checkpoints=np.linspace(0, horizon, marks + 1, dtype=int)[1:].tolist(),
        workers=1,
        progress=False,
    )[learner]
    return {"rounds": played.checkpoints, "regret": played.summed_regret / played.checkpoints}


def measure_random_points(sources: Sources, *, problems: list[str], points: int) -> Arrays:
    """Return the regret (the sum of both gaps) of random points of the ball, one row per problem."""
    worlds = [PROBLEMS[problem](d=DIMENSION) for problem in problems]
    return {
        "regret": np.array(
            [[2.0 * one.gap(point) for point in one.space.sample(default_rng(0), points)] for one in worlds]
        )
    }


def ends_of(results: ItemResults, **setting: object) -> FloatArray:
    """Return the final average regret of the runs with this setting."""
    (found,) = results.where(**setting)
    ends: FloatArray = found["regret"][:, -1]
    return ends


def table_of(results: ItemResults, factors: Sequence[float], horizon: int = HORIZON) -> FloatArray:
    """Return means of runs: one row per problem, one column per factor."""
    return np.array(
        [
            [ends_of(results, problem=problem, factor=factor, horizon=horizon).mean() for factor in factors]
            for problem in TABLE1[results.scale].problems
        ]
    )
