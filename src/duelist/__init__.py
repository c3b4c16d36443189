"""Learn from pairwise preferences: show two options, see which is preferred, find the best.

The parts: learners (`RUCB` and its kind), problems (`MatrixProblem`, `duelist.problems`), a stateful shell
for live use (`Study`), a laboratory (`simulate`, `replay`), rankings (`duelist.interleaving`,
`duelist.ranking`), and analysis (`duelist.winners`, `duelist.assumptions`, `duelist.bounds`,
`duelist.metrics`). All of them are imported on first use.
"""

__version__ = "0.1.0"

OTHERS = {
    "Actions": "duelist.menus",
    "Analysis": "duelist.analysis",
    "Arm": "duelist.study",
    "Arms": "duelist.menus",
    "AsyncClient": "duelist.client",
    "Ball": "duelist.menus",
    "Box": "duelist.menus",
    "Card": "duelist.card",
    "Client": "duelist.client",
    "Database": "duelist.database",
    "Documents": "duelist.menus",
    "Duel": "duelist.duel",
    "DuelLog": "duelist.logs",
    "Impression": "duelist.menus",
    "Leaderboard": "duelist.analysis",
    "MatrixProblem": "duelist.problems",
    "Parameter": "duelist.study",
    "PolicyMixture": "duelist.policies.mixture",
    "RankerDuel": "duelist.problems",
    "RankingProblem": "duelist.problems",
    "ReplayResult": "duelist.replaying",
    "Result": "duelist.simulation",
    "Runs": "duelist.simulation",
    "Sphere": "duelist.menus",
    "Study": "duelist.study",
    "UtilityProblem": "duelist.problems",
    "Verdict": "duelist.stopping",
    "Votes": "duelist.votes",
    "analyze": "duelist.analysis",
    "assumptions": "duelist.assumptions",
    "bounds": "duelist.bounds",
    "clicks": "duelist.clicks",
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
    "stopping": "duelist.stopping",
    "winners": "duelist.winners",
}
"""Where the exports are that are not in the registry."""


def __getattr__(name: str) -> object:
    """Find out what is exported, which takes imports, when a name is first asked for; and return it.

    The command line is a module of this package: what is imported here could be interrupted before its first
    line.
    """
    from duelist.exports import export_lazily
    from duelist.registry import BASELINES, ESTIMATORS, LEARNERS

    learners = {name: module for name, module in LEARNERS.modules.items() if name not in BASELINES}
    exports = learners | ESTIMATORS.modules | OTHERS
    find, listing, names = export_lazily(__name__, exports)
    globals().update(EXPORTS=exports, __getattr__=find, __dir__=listing, __all__=names)
    return globals()[name] if name in globals() else find(name)


def __dir__() -> list[str]:
    """List the exports, too."""
    __getattr__("__all__")
    return __dir__()
