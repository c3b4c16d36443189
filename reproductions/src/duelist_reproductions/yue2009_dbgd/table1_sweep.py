"""What is played for Table 1, and for what Section 5.1 says about it."""

from dataclasses import dataclass

import numpy as np
from numpy.random import default_rng

from duelist.duel import FloatArray
from duelist.laboratory.items import Expected
from duelist.laboratory.sources import Sources
from duelist.laboratory.work import Arrays, ItemResults, Piece, Scale
from duelist_reproductions.yue2009_dbgd.norm_walk import play_euclidean
from duelist_reproductions.yue2009_dbgd.sweep import DIMENSION, PROBLEMS, STARTS, play

RANDOM_POINTS, EUCLIDEAN = "random-points", "euclidean"


@dataclass(frozen=True)
class Reading:
    """What the paper may have done; it does not print the horizon."""

    start: str
    horizon: int
    runs: int


@dataclass(frozen=True)
class TableSettings:
    """What is played of Table 1."""

    problems: tuple[str, ...]
    factors: tuple[float, ...]
    judged: Reading
    shorter: Reading
    """The last round of the paper's Figure 2, to see what a tenth of the rounds comes to."""
    others: tuple[Reading, ...]
    """Experiments that look for the reason of deviations."""
    outer_factors: tuple[float, ...]
    """Beyond the paper's range: half the least factor and half way there, half way to twice the largest and
    that."""
    outer_runs: int
    points: int
    """Random ones, for the regret that is without learning."""

    @property
    def readings(self) -> tuple[Reading, ...]:
        """All that is played of the whole table."""
        return (self.judged, *self.others, self.shorter)


TABLE1 = {
    Scale.PAPER: TableSettings(
        problems=tuple(PROBLEMS),
        factors=(0.6, 0.8, 1.0, 2.0, 3.0),
        judged=Reading("printed", 10**6, runs=5),
        shorter=Reading("printed", 10**5, runs=5),
        others=(Reading("farther", 10**6, runs=2), Reading("printed", 8 * 10**5, runs=2)),
        outer_factors=(0.3, 0.42, 4.2, 6.0),
        outer_runs=1,
        points=1000,
    ),
    Scale.QUICK: TableSettings(
        problems=("P1", "P5"),
        factors=(0.6, 2.0),
        judged=Reading("printed", 10**6, runs=1),
        shorter=Reading("printed", 10**5, runs=1),
        others=(),
        outer_factors=(),
        outer_runs=1,
        points=100,
    ),
}


def measure_random_points(sources: Sources, *, problems: list[str], points: int) -> Arrays:
    """Return the regret of points drawn uniformly from the ball, the sum of both gaps: a row a problem."""
    rows = []
    for problem in problems:
        world = PROBLEMS[problem](d=DIMENSION)
        rows.append([2.0 * world.gap(point) for point in world.space.sample(default_rng(0), points)])
    return {"regret": np.array(rows)}


def plan_table1(results: ItemResults) -> list[Piece]:
    """Return a piece for every cell of every reading, and those for what Section 5.1 says besides."""
    settings = TABLE1[results.scale]
    pieces = [
        cell(reading, problem, factor)
        for reading in settings.readings
        for problem in settings.problems
        for factor in settings.factors
    ]
    farther_out = Reading(settings.judged.start, settings.judged.horizon, settings.outer_runs)
    pieces += [
        cell(farther_out, problem, factor)
        for problem in settings.problems
        for factor in settings.outer_factors
    ]
    points = {"problems": list(settings.problems), "points": settings.points}
    pieces.append(Piece(RANDOM_POINTS, measure_random_points, points, cost=0.2))
    if "P2" in settings.problems:
        norm = {
            "factors": list(settings.factors),
            "start": settings.judged.start,
            "horizon": settings.judged.horizon,
            "runs": settings.judged.runs,
        }
        pieces.append(Piece(EUCLIDEAN, play_euclidean, norm))
    return pieces


def cell(reading: Reading, problem: str, factor: float) -> Piece:
    """Return the runs of one cell."""
    return Piece(
        f"start={reading.start}-rounds={reading.horizon}-{problem}-factor={factor:g}",
        play,
        {
            "problem": problem,
            "learner": "DBGD",
            "factor": factor,
            "start": reading.start,
            "horizon": reading.horizon,
            "runs": reading.runs,
        },
        cost=reading.horizon * reading.runs / (5 * 10**6),
    )


def ends_of(results: ItemResults, problem: str, factor: float, reading: Reading) -> FloatArray:
    """Return average regret at the end of the runs of a cell of Table 1."""
    (found,) = results.where(
        problem=problem, factor=factor, start=reading.start, horizon=reading.horizon, learner="DBGD"
    )
    ends: FloatArray = found["regret"][:, -1]
    return ends


def table_of(results: ItemResults, reading: Reading) -> FloatArray:
    """Return Table 1, means of runs: a row for every problem played and a column for every factor."""
    return columns_of(results, reading, TABLE1[results.scale].factors)


def columns_of(results: ItemResults, reading: Reading, factors: tuple[float, ...]) -> FloatArray:
    """Return means of runs: a row for every problem played and a column for each of these factors."""
    return np.array(
        [
            [ends_of(results, problem, factor, reading).mean() for factor in factors]
            for problem in TABLE1[results.scale].problems
        ]
    )


def paper_table(results: ItemResults, expected: Expected) -> FloatArray:
    """Return the paper's numbers of the cells that are played."""
    settings = TABLE1[results.scale]
    rows = [expected["problems"].index(problem) for problem in settings.problems]
    columns = [expected["factors"].index(factor) for factor in settings.factors]
    return np.array(expected["claims"]["cells"]["paper"])[np.ix_(rows, columns)]


def name_of(reading: Reading) -> str:
    """Return a reading in words."""
    return f"from a start of norm {STARTS[reading.start]:.3g} with {reading.horizon:,} rounds"
