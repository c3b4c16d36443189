"""The laboratory: play learners on problems whose truth is known, and measure."""

from duelist.simulation.arguments import log_spaced
from duelist.simulation.arms import LearnerResult, SimulationResult
from duelist.simulation.contexts import ContextualResult, ContextualSimulationResult, simulate_contextual
from duelist.simulation.engine import simulate
from duelist.simulation.lists import RankingResult, RankingSimulationResult, train_online
from duelist.simulation.points import PointResult, PointSimulationResult

__all__ = [
    "ContextualResult",
    "ContextualSimulationResult",
    "LearnerResult",
    "PointResult",
    "PointSimulationResult",
    "RankingResult",
    "RankingSimulationResult",
    "SimulationResult",
    "log_spaced",
    "simulate",
    "simulate_contextual",
    "train_online",
]
