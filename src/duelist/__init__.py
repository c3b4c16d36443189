"""Learn from pairwise preferences: show two options, see which is preferred, find the best.

The parts: learners (`RUCB` and its kind), problems (`MatrixProblem`, `duelist.problems`), a stateful shell
for live use (`Study`), a laboratory (`simulate`), and analysis (`duelist.winners`, `duelist.assumptions`,
`duelist.bounds`, `duelist.metrics`).
"""

from duelist import assumptions, bounds, errors, metrics, problems, winners
from duelist.learners import (
    RUCB,
    BeatTheMean,
    CondorcetSavage,
    InterleavedFilter1,
    InterleavedFilter2,
    Uniform,
)
from duelist.menus import Arms
from duelist.problems import MatrixProblem
from duelist.simulation import LearnerResult, SimulationResult, simulate
from duelist.study import Study
from duelist.types import Duel

__version__ = "0.1.0"

__all__ = [
    "RUCB",
    "Arms",
    "BeatTheMean",
    "CondorcetSavage",
    "Duel",
    "InterleavedFilter1",
    "InterleavedFilter2",
    "LearnerResult",
    "MatrixProblem",
    "SimulationResult",
    "Study",
    "Uniform",
    "assumptions",
    "bounds",
    "errors",
    "metrics",
    "problems",
    "simulate",
    "winners",
]
