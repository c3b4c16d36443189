"""One instance of everything in the catalogue, for tests that run over all of it."""

from typing import Any

from duelist.checks.learning import HORIZON
from duelist.problems import MatrixProblem
from duelist.protocols import Learner
from duelist.registry import LEARNERS, POINT_LEARNERS, build_learner, build_problem, takes_horizon


def catalogue_learners(horizon: int = HORIZON) -> list[Learner[Any]]:
    return [build_learner(name, **({"horizon": horizon} if takes_horizon(name) else {})) for name in LEARNERS]


def catalogue_point_learners() -> list[Learner[Any]]:
    return [
        kind(exploration=0.3, exploitation=0.02)
        for name, kind in POINT_LEARNERS.items()
        if name != "PreferentialOptimization"
    ]


def catalogue_problems() -> dict[str, MatrixProblem]:
    weights = [3.0, 1.0, 2.0]
    return {
        "bradley_terry": build_problem("bradley_terry", weights=weights),
        "condorcet_cycle": build_problem("condorcet_cycle", k=4),
        "cycle": build_problem("cycle", k=5),
        "random_bradley_terry": build_problem("random_bradley_terry", k=6),
        "thurstone": build_problem("thurstone", means=weights),
        "worst_case": build_problem("worst_case", k=4),
    }
