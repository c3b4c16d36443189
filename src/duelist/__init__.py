"""Learn from pairwise preferences: show two options, see which is preferred, find the best.

The parts: learners (`RUCB` and its kind), problems (`MatrixProblem`, `duelist.problems`), a stateful shell
for live use (`Study`), a laboratory (`simulate`, `train_online`), rankings (`duelist.interleaving`,
`duelist.ranking`), and analysis (`duelist.winners`, `duelist.assumptions`, `duelist.bounds`,
`duelist.metrics`).
"""

from duelist import assumptions, bounds, errors, interleaving, metrics, problems, ranking, winners
from duelist.duel import Duel
from duelist.learners import (
    BGD1,
    BGD2,
    RUCB,
    BeatTheMean,
    CondorcetSavage,
    DuelingBanditGradientDescent,
    DuelingGradientRanker,
    FollowMixture,
    InterleavedFilter1,
    InterleavedFilter2,
    LogisticDuels,
    MultileavingGradientDescent,
    MultileavingGradientRanker,
    PairwiseGradientRanker,
    PolicyMixture,
    PreferentialOptimization,
    SparringEXP4P,
    SparringFPL,
    SparringPGD,
    Uniform,
)
from duelist.logs import DuelLog, load_duels
from duelist.menus import Actions, Arms, Ball, Box, Sphere
from duelist.problems import LinearRankerSpace, MatrixProblem, RankerDuel, UtilityProblem
from duelist.simulation import (
    LearnerResult,
    PointResult,
    PointSimulationResult,
    RankingResult,
    RankingSimulationResult,
    SimulationResult,
    simulate,
    simulate_contextual,
    train_online,
)
from duelist.study import Study

__version__ = "0.1.0"

__all__ = [
    "BGD1",
    "BGD2",
    "RUCB",
    "Actions",
    "Arms",
    "Ball",
    "BeatTheMean",
    "Box",
    "CondorcetSavage",
    "Duel",
    "DuelLog",
    "DuelingBanditGradientDescent",
    "DuelingGradientRanker",
    "FollowMixture",
    "InterleavedFilter1",
    "InterleavedFilter2",
    "LearnerResult",
    "LinearRankerSpace",
    "LogisticDuels",
    "MatrixProblem",
    "MultileavingGradientDescent",
    "MultileavingGradientRanker",
    "PairwiseGradientRanker",
    "PointResult",
    "PointSimulationResult",
    "PolicyMixture",
    "PreferentialOptimization",
    "RankerDuel",
    "RankingResult",
    "RankingSimulationResult",
    "SimulationResult",
    "SparringEXP4P",
    "SparringFPL",
    "SparringPGD",
    "Sphere",
    "Study",
    "Uniform",
    "UtilityProblem",
    "assumptions",
    "bounds",
    "errors",
    "interleaving",
    "load_duels",
    "metrics",
    "problems",
    "ranking",
    "simulate",
    "simulate_contextual",
    "train_online",
    "winners",
]
