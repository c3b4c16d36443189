"""The laboratory: play learners on problems whose truth is known, and measure."""

from duelist.simulation.checkpoints import log_spaced
from duelist.simulation.engine import simulate
from duelist.simulation.ranking_runs import train_online
from duelist.simulation.result import (
    LearnerResult,
    PointResult,
    PointSimulationResult,
    RankingResult,
    RankingSimulationResult,
    SimulationResult,
)

__all__ = [
    "LearnerResult",
    "PointResult",
    "PointSimulationResult",
    "RankingResult",
    "RankingSimulationResult",
    "SimulationResult",
    "log_spaced",
    "simulate",
    "train_online",
]
