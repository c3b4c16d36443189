"""One instance of everything in the registry, for tests that run over all of it."""

from typing import Any

from duelist.problems import MatrixProblem
from duelist.registry import ESTIMATORS, LEARNERS, build_problem, learners_for


def example(kind: type[Any]) -> Any:
    """Return the small instance that a card describes."""
    return kind(**kind.card.example)


def all_examples() -> list[Any]:
    return [example(kind) for kind in [*LEARNERS.values(), *ESTIMATORS.values()]]


def catalogue_learners() -> list[Any]:
    return [example(kind) for kind in learners_for("arms").values()]


def catalogue_point_learners() -> list[Any]:
    """Learners over points whose `ask` is fast."""
    kinds = learners_for("points of a space").values()
    return [example(kind) for kind in kinds if kind.card.rounds == 300]


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
