"""What is played: Table 1 and Figure 2, on the paper's own scale."""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from duelist import BGD1, BGD2, DuelingBanditGradientDescent, simulate
from duelist.learners.continuous.gradient_descent import GradientDescent
from duelist.problems import UtilityProblem, p1, p2, p3, p4, p5

PROBLEMS = {"P1": p1, "P2": p2, "P3": p3, "P4": p4, "P5": p5}
FACTORS = (0.6, 0.8, 1.0, 2.0, 3.0)
HORIZON = 10**6
RUNS = 5
STARTS = {"sqrt(5/d)": sqrt(5.0), "5/sqrt(d)": 5.0}
"""The norm of the start, a vector of equal coordinates: as the paper prints it, and as its numbers say."""


@dataclass(frozen=True)
class Cell:
    """One number of a table: average regret in the paper's convention, the sum of both gaps."""

    mean: float
    lowest: float
    highest: float


def problem_from(name: str, norm: float, exact: bool = False) -> UtilityProblem:
    """Return a problem of the paper that starts at a vector of equal coordinates."""
    return PROBLEMS[name](exact=exact, start=np.full(50, norm / sqrt(50.0)))


def average_regret(
    kind: type[GradientDescent], name: str, factor: float, norm: float, horizon: int, runs: int
) -> Cell:
    """Play one learner; the baselines are told probabilities."""
    problem = problem_from(name, norm, exact=kind is not DuelingBanditGradientDescent)
    learner = kind.for_horizon(horizon, problem.menu(), factor=factor, start=problem.start)
    played = simulate({"it": learner}, problem, horizon, runs, progress=False)["it"]
    average = played.summed_regret[:, -1] / horizon
    return Cell(float(average.mean()), float(average.min()), float(average.max()))


def table_cell(name: str, factor: float, norm: float, horizon: int = HORIZON, runs: int = RUNS) -> Cell:
    """Play one cell of Table 1."""
    return average_regret(DuelingBanditGradientDescent, name, factor, norm, horizon, runs)


def rivals(name: str, norm: float, horizon: int = HORIZON, runs: int = RUNS) -> dict[str, Cell]:
    """Play DBGD and the two baselines of Figure 2 with factor 1."""
    kinds = (DuelingBanditGradientDescent, BGD1, BGD2)
    return {kind.__name__: average_regret(kind, name, 1.0, norm, horizon, runs) for kind in kinds}
