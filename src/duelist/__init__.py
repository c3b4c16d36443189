"""Learn from pairwise preferences: show two options, see which is preferred, find the best.

The parts: learners (`RUCB` and its kind), problems (`MatrixProblem`, `duelist.problems`), a stateful shell
for live use (`Study`), a laboratory (`simulate`), and analysis (`duelist.winners`, `duelist.assumptions`,
`duelist.bounds`, `duelist.metrics`).
"""

from duelist import assumptions, bounds, errors, metrics, problems, winners
from duelist.learners import (
    BGD1,
    BGD2,
    RUCB,
    BeatTheMean,
    CondorcetSavage,
    DuelingBanditGradientDescent,
    InterleavedFilter1,
    InterleavedFilter2,
    MultileavingGradientDescent,
    PreferentialOptimization,
    Uniform,
)
from duelist.menus import Arms, Ball, Box, Sphere
from duelist.problems import MatrixProblem, UtilityProblem
from duelist.simulation import (
    LearnerResult,
    PointResult,
    PointSimulationResult,
    SimulationResult,
    simulate,
)
from duelist.study import Study
from duelist.types import Duel

__version__ = "0.1.0"

__all__ = [
    "BGD1",
    "BGD2",
    "RUCB",
    "Arms",
    "Ball",
    "BeatTheMean",
    "Box",
    "CondorcetSavage",
    "Duel",
    "DuelingBanditGradientDescent",
    "InterleavedFilter1",
    "InterleavedFilter2",
    "LearnerResult",
    "MatrixProblem",
    "MultileavingGradientDescent",
    "PointResult",
    "PointSimulationResult",
    "PreferentialOptimization",
    "SimulationResult",
    "Sphere",
    "Study",
    "Uniform",
    "UtilityProblem",
    "assumptions",
    "bounds",
    "errors",
    "metrics",
    "problems",
    "simulate",
    "winners",
]
