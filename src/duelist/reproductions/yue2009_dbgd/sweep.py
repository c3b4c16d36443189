"""What is played for Table 1 and Figure 2: gradient descent on the paper's five utilities."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt

import numpy as np

from duelist.laboratory.items import Expected
from duelist.laboratory.sources import Sources
from duelist.laboratory.work import Arrays, Piece, Results, Scale
from duelist.learners import BGD1, BGD2, DuelingBanditGradientDescent
from duelist.learners.continuous.gradient_descent import GradientDescent
from duelist.problems import p1, p2, p3, p4, p5
from duelist.simulation import simulate
from duelist.types import FloatArray, IntArray

PROBLEMS = {"P1": p1, "P2": p2, "P3": p3, "P4": p4, "P5": p5}
DIMENSION = 50
LEARNERS: Mapping[str, type[GradientDescent]] = {
    "DBGD": DuelingBanditGradientDescent,
    "BGD1": BGD1,
    "BGD2": BGD2,
}
STARTS = {"printed": sqrt(5.0), "farther": 5.0}
"""The norm of the start, a vector of equal coordinates: as the paper prints it, and another."""


@dataclass(frozen=True)
class TableSettings:
    """What is played of Table 1."""

    problems: tuple[str, ...]
    factors: tuple[float, ...]
    starts: tuple[str, ...]
    horizon: int
    """The paper does not print it."""
    shorter_horizon: int
    """The last round of its Figure 2, to see what a tenth of the rounds comes to."""
    runs: int
    farther_runs: int
    """From the start that is an experiment."""


@dataclass(frozen=True)
class FigureSettings:
    """What is played of Figure 2."""

    problems: tuple[str, ...]
    horizons: tuple[int, ...]
    """The last round of the paper's axis, and the horizon that its Table 1 agrees with."""
    runs: int
    marks: int
    """How often a run is looked at, evenly."""


TABLE1 = {
    Scale.PAPER: TableSettings(
        problems=tuple(PROBLEMS),
        factors=(0.6, 0.8, 1.0, 2.0, 3.0),
        starts=tuple(STARTS),
        horizon=10**6,
        shorter_horizon=10**5,
        runs=5,
        farther_runs=3,
    ),
    Scale.QUICK: TableSettings(
        problems=("P1", "P5"),
        factors=(0.6, 2.0),
        starts=("printed",),
        horizon=10**6,
        shorter_horizon=10**5,
        runs=1,
        farther_runs=1,
    ),
}
FIGURE2 = {
    Scale.PAPER: FigureSettings(
        problems=("P1", "P2", "P3", "P5"), horizons=(10**5, 10**6), runs=5, marks=200
    ),
    Scale.QUICK: FigureSettings(problems=("P1", "P2", "P3", "P5"), horizons=(10**5,), runs=1, marks=100),
}


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


def plan_table1(results: Results) -> list[Piece]:
    """Return a piece for every cell, from every start, and from the printed one with fewer rounds too."""
    settings = TABLE1[results.scale]
    kinds = [(start, settings.horizon) for start in settings.starts]
    return [
        Piece(
            f"start={start}-rounds={horizon}-{problem}-factor={factor:g}",
            play,
            {
                "problem": problem,
                "learner": "DBGD",
                "factor": factor,
                "start": start,
                "horizon": horizon,
                "runs": settings.farther_runs if start == "farther" else settings.runs,
            },
            cost=horizon / settings.horizon,
        )
        for start, horizon in [*kinds, ("printed", settings.shorter_horizon)]
        for problem in settings.problems
        for factor in settings.factors
    ]


def plan_figure2(results: Results) -> list[Piece]:
    """Return a piece for every curve."""
    settings = FIGURE2[results.scale]
    return [
        Piece(
            f"rounds={horizon}-{problem}-{learner}",
            play,
            {
                "problem": problem,
                "learner": learner,
                "factor": 1.0,
                "start": "printed",
                "horizon": horizon,
                "runs": settings.runs,
                "marks": settings.marks,
            },
            cost=horizon / max(settings.horizons),
        )
        for horizon in settings.horizons
        for problem in settings.problems
        for learner in LEARNERS
    ]


def ends_of(results: Results, problem: str, factor: float, start: str, horizon: int) -> FloatArray:
    """Return average regret at the end of the runs of a cell of Table 1."""
    (cell,) = results.where(problem=problem, factor=factor, start=start, horizon=horizon)
    ends: FloatArray = cell["regret"][:, -1]
    return ends


def table_of(results: Results, start: str, horizon: int) -> FloatArray:
    """Return Table 1, means of runs: a row for every problem played and a column for every factor."""
    settings = TABLE1[results.scale]
    return np.array(
        [
            [ends_of(results, problem, factor, start, horizon).mean() for factor in settings.factors]
            for problem in settings.problems
        ]
    )


def paper_table(results: Results, expected: Expected) -> FloatArray:
    """Return the paper's numbers of the cells that are played."""
    settings = TABLE1[results.scale]
    rows = [expected["problems"].index(problem) for problem in settings.problems]
    columns = [expected["factors"].index(factor) for factor in settings.factors]
    return np.array(expected["claims"]["cells"]["paper"])[np.ix_(rows, columns)]


def curves_of(results: Results, problem: str, learner: str, horizon: int) -> tuple[IntArray, FloatArray]:
    """Return the rounds of Figure 2's looks, and average regret at each, a row a run."""
    (found,) = results.where(problem=problem, learner=learner, horizon=horizon)
    return found["rounds"], found["regret"]
