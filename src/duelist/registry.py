"""The catalogue: every learner, problem and way of interleaving by name, in one place."""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from inspect import Parameter, getdoc, signature
from typing import Any, TypeVar

import numpy as np

from duelist import interleaving, learners, problems
from duelist.errors import ParameterError, UnknownNameError
from duelist.problems import MatrixProblem
from duelist.protocols import Learner

Built = TypeVar("Built")

NUMERIC = (int, float, float | None)
"""How makers annotate a parameter that takes a single number."""

LEARNERS: dict[str, type[Any]] = {
    "BeatTheMean": learners.BeatTheMean,
    "CondorcetSavage": learners.CondorcetSavage,
    "InterleavedFilter1": learners.InterleavedFilter1,
    "InterleavedFilter2": learners.InterleavedFilter2,
    "RUCB": learners.RUCB,
    "Uniform": learners.Uniform,
}

POINT_LEARNERS: dict[str, type[Any]] = {
    "BGD1": learners.BGD1,
    "BGD2": learners.BGD2,
    "DuelingBanditGradientDescent": learners.DuelingBanditGradientDescent,
    "MultileavingGradientDescent": learners.MultileavingGradientDescent,
    "PreferentialOptimization": learners.PreferentialOptimization,
}
"""Learners for the points of a space."""

RANKING_LEARNERS: dict[str, type[Any]] = {
    "DuelingGradientRanker": learners.DuelingGradientRanker,
    "MultileavingGradientRanker": learners.MultileavingGradientRanker,
    "PairwiseGradientRanker": learners.PairwiseGradientRanker,
}
"""Learners of rankings."""

CONTEXTUAL_LEARNERS: dict[str, type[Any]] = {
    "FollowMixture": learners.FollowMixture,
    "LogisticDuels": learners.LogisticDuels,
    "SparringEXP4P": learners.SparringEXP4P,
    "SparringFPL": learners.SparringFPL,
    "SparringPGD": learners.SparringPGD,
}
"""Learners of duels in contexts."""

SETTINGS: dict[str, dict[str, type[Any]]] = {
    "arms": LEARNERS,
    "points of a space": POINT_LEARNERS,
    "rankings": RANKING_LEARNERS,
    "contexts": CONTEXTUAL_LEARNERS,
}
"""All learners, by what they choose from."""

SOUGHT: dict[str, str] = {
    **dict.fromkeys(LEARNERS, "Condorcet winner"),
    **dict.fromkeys(POINT_LEARNERS, "best point"),
    **dict.fromkeys(RANKING_LEARNERS, "best ranker"),
    **dict.fromkeys(CONTEXTUAL_LEARNERS, "von Neumann winner"),
    "LogisticDuels": "best action in each context",
}
"""The winner that each learner looks for."""

INTERLEAVINGS: dict[str, type[Any]] = {
    "Balanced": interleaving.Balanced,
    "Optimized": interleaving.Optimized,
    "Probabilistic": interleaving.Probabilistic,
    "TeamDraft": interleaving.TeamDraft,
}
"""Ways to make one list out of two."""

PROBLEMS: dict[str, Callable[..., MatrixProblem]] = {
    "bradley_terry": problems.bradley_terry,
    "condorcet_cycle": problems.condorcet_cycle,
    "cycle": problems.cycle,
    "random_bradley_terry": problems.random_bradley_terry,
    "thurstone": problems.thurstone,
    "worst_case": problems.worst_case,
}


def build_learner(name: str, /, **parameters: Any) -> Learner[Any]:
    """Return a learner of the catalogue that asks duels of arms, in contexts or without.

    Examples
    --------
    >>> build_learner("RUCB", alpha=0.6)
    RUCB(alpha=0.6)
    """
    known = LEARNERS | CONTEXTUAL_LEARNERS
    if name not in known:
        raise UnknownNameError("learner", name, known)
    learner: Learner[Any] = build(name, known[name], parameters)
    return learner


def build_problem(name: str, /, **parameters: Any) -> MatrixProblem:
    """Return a problem of the catalogue.

    Examples
    --------
    >>> build_problem("worst_case", k=3, epsilon=0.1).k
    3
    """
    if name not in PROBLEMS:
        raise UnknownNameError("problem", name, PROBLEMS)
    return build(name, PROBLEMS[name], parameters)


def build(name: str, maker: Callable[..., Built], parameters: Mapping[str, Any]) -> Built:
    """Call a maker, or say which parameter does not fit."""
    accepted = signature(maker, eval_str=True).parameters
    for key, value in parameters.items():
        if key not in accepted:
            raise UnknownNameError(f"parameter of {name}", key, accepted or ["none"])
        if accepted[key].annotation in NUMERIC and not isinstance(value, int | float | np.number | None):
            raise ParameterError(f"{name}: {key} must be a number; got {value!r}.")
    for key, parameter in accepted.items():
        if parameter.default is Parameter.empty and key not in parameters:
            raise ParameterError(f"{name} needs {key}, and none was given.")
    try:
        return maker(**parameters)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"{name}: {error}") from error


def takes_horizon(name: str) -> bool:
    """Return whether a learner must be told the horizon.

    Examples
    --------
    >>> takes_horizon("RUCB"), takes_horizon("InterleavedFilter2")
    (False, True)
    """
    return any(field.name == "horizon" for field in fields(LEARNERS[name]))


def hyperparameters(learner: Any) -> dict[str, Any]:
    """Return a learner's hyperparameters, ready for JSON.

    Examples
    --------
    >>> hyperparameters(learners.RUCB())
    {'alpha': 0.51}
    """
    if not is_dataclass(learner) or isinstance(learner, type):
        raise ParameterError(f"a learner must be a dataclass of its hyperparameters; got {learner!r}.")
    return {field.name: plain(getattr(learner, field.name)) for field in fields(learner) if field.init}


def plain(value: Any) -> Any:
    """Return a hyperparameter as JSON knows it: numbers, words and lists of them."""
    return np.asarray(value).tolist() if hasattr(value, "__array__") else value


def purpose(thing: Callable[..., Any]) -> str:
    """Return the first line of a thing's documentation.

    Examples
    --------
    >>> purpose(LEARNERS["RUCB"])
    'Find the Condorcet winner without knowing the horizon.'
    """
    return (getdoc(thing) or "").partition("\n")[0]
