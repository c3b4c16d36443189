"""Learn from pairwise preferences: show two options, see which is preferred, find the best.

The parts: learners (`RUCB` and its kind), problems (`MatrixProblem`, `duelist.problems`), a stateful shell
for live use (`Study`), a laboratory (`simulate`, `replay`, `train_online`), rankings (`duelist.interleaving`,
`duelist.ranking`), and analysis (`duelist.winners`, `duelist.assumptions`, `duelist.bounds`,
`duelist.metrics`). All of them are imported on first use.
"""

from duelist.exports import export_lazily
from duelist.registry import ESTIMATORS, LEARNERS

__version__ = "0.1.0"

EXPORTS = {
    **LEARNERS.modules,
    **ESTIMATORS.modules,
    "Actions": "duelist.menus",
    "Arms": "duelist.menus",
    "Ball": "duelist.menus",
    "Box": "duelist.menus",
    "Card": "duelist.card",
    "Duel": "duelist.duel",
    "DuelLog": "duelist.logs",
    "LearnerResult": "duelist.simulation",
    "LinearRankerSpace": "duelist.problems",
    "MatrixProblem": "duelist.problems",
    "PointResult": "duelist.simulation",
    "PointSimulationResult": "duelist.simulation",
    "PolicyMixture": "duelist.policies.mixture",
    "RankerDuel": "duelist.problems",
    "RankingResult": "duelist.simulation",
    "RankingSimulationResult": "duelist.simulation",
    "ReplayResult": "duelist.replaying",
    "SimulationResult": "duelist.simulation",
    "Sphere": "duelist.menus",
    "Study": "duelist.study",
    "UtilityProblem": "duelist.problems",
    "Votes": "duelist.votes",
    "assumptions": "duelist.assumptions",
    "bounds": "duelist.bounds",
    "errors": "duelist.errors",
    "interleaving": "duelist.interleaving",
    "load_duels": "duelist.logs",
    "load_votes": "duelist.votes",
    "metrics": "duelist.metrics",
    "problems": "duelist.problems",
    "ranking": "duelist.ranking",
    "ratings": "duelist.ratings",
    "replay": "duelist.replaying",
    "simulate": "duelist.simulation",
    "simulate_contextual": "duelist.simulation",
    "train_online": "duelist.simulation",
    "winners": "duelist.winners",
}

__getattr__, __dir__, __all__ = export_lazily(__name__, EXPORTS)
