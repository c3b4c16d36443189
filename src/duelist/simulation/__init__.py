"""The laboratory: play learners on problems whose truth is known, and measure."""

from duelist.simulation.checkpoints import log_spaced
from duelist.simulation.engine import simulate
from duelist.simulation.result import LearnerResult, PointResult, PointSimulationResult, SimulationResult

__all__ = [
    "LearnerResult",
    "PointResult",
    "PointSimulationResult",
    "SimulationResult",
    "log_spaced",
    "simulate",
]
