"""The registry of all learners, estimators, problems and interleaving methods.

The tables map each name to its module, so nothing is imported before it is used. Exports, listings,
documentation, contract checks and tests are derived from them.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from importlib import import_module
from inspect import Parameter, getdoc
from numbers import Real
from types import NoneType
from typing import TYPE_CHECKING, Any, TypeVar

from duelist.card import Setting, card_of
from duelist.constraints import alternatives_of, parameters_of
from duelist.errors import ParameterError, UnknownNameError

if TYPE_CHECKING:
    from duelist.protocols import Learner

Built = TypeVar("Built")

NUMERIC = {int, float, NoneType}  # annotations of parameters that take a single number


class Registry(Mapping[str, Any]):
    """A mapping from names to objects that are imported when they are looked up.

    Parameters
    ----------
    kind : str
        What the names stand for, for error messages.
    paths : mapping from str to str
        The module of each name, or "module:attribute" if the object has another name in its module.
    """

    def __init__(self, kind: str, paths: Mapping[str, str]) -> None:
        self.kind = kind
        self.modules = {name: path.partition(":")[0] for name, path in paths.items()}
        self.attributes = {name: path.partition(":")[2] or name for name, path in paths.items()}

    def __getitem__(self, name: str) -> Any:
        if name not in self.modules:
            raise UnknownNameError(self.kind, name, self.modules)
        return getattr(import_module(self.modules[name]), self.attributes[name])

    def name_of(self, kind: type[Any]) -> str | None:
        """Return the name under which a class is registered, or None."""
        names = (name for name, attribute in self.attributes.items() if attribute == kind.__name__)
        return next(names, None)

    def __contains__(self, name: object) -> bool:
        return name in self.modules

    def __iter__(self) -> Iterator[str]:
        return iter(self.modules)

    def __len__(self) -> int:
        return len(self.modules)


LEARNERS = Registry(
    "learner",
    {
        "Auto": "duelist.learners.armed.auto",
        "BeatTheMean": "duelist.learners.armed.beat_the_mean",
        "CondorcetSavage": "duelist.learners.armed.savage",
        "DoubleThompsonSampling": "duelist.learners.armed.double_thompson",
        "InterleavedFilter1": "duelist.learners.armed.interleaved_filter",
        "InterleavedFilter2": "duelist.learners.armed.interleaved_filter",
        "RMED1": "duelist.learners.armed.rmed",
        "RMED2": "duelist.learners.armed.rmed",
        "RMED2FH": "duelist.learners.armed.rmed",
        "RUCB": "duelist.learners.armed.rucb",
        "TopTwoBradleyTerry": "duelist.learners.armed.top_two",
        "Uniform": "duelist.learners.armed.uniform",
        "WidestInterval": "duelist.learners.armed.widest_interval",
        "BGD1": "duelist.learners.continuous.gradient_descent",
        "BGD2": "duelist.learners.continuous.gradient_descent",
        "DuelingBanditGradientDescent": "duelist.learners.continuous.gradient_descent",
        "MultileavingGradientDescent": "duelist.learners.continuous.multileaving",
        "PreferentialOptimization": "duelist.learners.continuous.preferential_optimization",
        "DuelingGradientRanker": "duelist.learners.ranking.dueling",
        "MultileavingGradientRanker": "duelist.learners.ranking.multileaving",
        "PairwiseGradientRanker": "duelist.learners.ranking.pairwise",
        "FollowMixture": "duelist.learners.contextual.following",
        "LogisticDuels": "duelist.learners.contextual.logistic",
        "SparringEXP4P": "duelist.learners.contextual.sparring_exp4p",
    },
)
"""Algorithms that choose duels or lists and learn from the answers."""

BASELINES = ("BGD1", "BGD2")
"""Learners that a paper compares with, which see more than outcomes; `duelist.learners` exports them."""

ESTIMATORS = Registry(
    "estimator",
    {"SparringFPL": "duelist.estimators.sparring_fpl", "SparringPGD": "duelist.estimators.sparring_pgd"},
)
"""Algorithms that learn from a log of duels."""

METHODS = {
    "balanced": "duelist.interleaving.balanced:Balanced",
    "optimized": "duelist.interleaving.optimized:Optimized",
    "pairwise_preference": "duelist.interleaving.pairwise_preference:PairwisePreference",
    "probabilistic": "duelist.interleaving.probabilistic:Probabilistic",
    "sample_only": "duelist.interleaving.sample_only:SampleOnly",
    "team_draft": "duelist.interleaving.team_draft:TeamDraft",
}

INTERLEAVINGS = Registry("interleaving", METHODS)
"""Methods that merge two or more lists, under the names used by Python, commands, studies and journals."""

PROBLEMS = Registry(
    "problem",
    {
        "bradley_terry": "duelist.problems.models",
        "condorcet_cycle": "duelist.problems.models",
        "cycle": "duelist.problems.models",
        "random_bradley_terry": "duelist.problems.models",
        "thurstone": "duelist.problems.models",
        "worst_case": "duelist.problems.models",
    },
)
"""K-armed problems with known preferences."""

PARTS = Registry(
    "part of a learner",
    METHODS | {"PolicyMixture": "duelist.policies.mixture"},
)
"""Objects that learners take as hyperparameters."""


def learners_for(setting: Setting) -> dict[str, type[Any]]:
    """Return the learners whose cards name a setting."""
    return {name: kind for name, kind in LEARNERS.items() if card_of(kind).setting == setting}


def build_learner(name: str, /, **parameters: Any) -> "Learner[Any]":
    """Create a learner by name; parameters may have the form that `hyperparameters` returns."""
    learner: Learner[Any] = rebuild(LEARNERS[name], parameters)
    return learner


def build_problem(name: str, /, **parameters: Any) -> Any:
    """Create a problem by name, a `MatrixProblem`."""
    return build(name, PROBLEMS[name], parameters)


def rebuild(kind: type[Built], content: Mapping[str, Any]) -> Built:
    """Create an instance of a class from the result of `hyperparameters`, also after a JSON round trip."""
    return build(kind.__name__, kind, {name: restored(value) for name, value in content.items()})


def build(name: str, maker: Callable[..., Built], parameters: Mapping[str, Any]) -> Built:
    """Call a class or function, with errors that name the parameter that is missing or invalid."""
    accepted = parameters_of(maker)
    for key, value in parameters.items():
        if key not in accepted:
            raise UnknownNameError(f"parameter of {name}", key, accepted or ["none"])
        kinds = {kind for kind, _ in alternatives_of(accepted[key].annotation)}
        if kinds <= NUMERIC and not is_number(value):
            raise ParameterError(f"{name}: {key} must be a number; got {value!r}.")
        if kinds == {bool} and not isinstance(value, bool):
            raise ParameterError(f"{name}: {key} must be true or false; got {value!r:.80}.")
    for key, parameter in accepted.items():
        if parameter.default is Parameter.empty and key not in parameters:
            raise ParameterError(f"{name}: {key} is missing; give it a value.")
    try:
        return maker(**parameters)
    except (TypeError, ValueError, OverflowError) as error:
        raise ParameterError(f"{name}: {error}") from error


def is_number(value: object) -> bool:
    """Return whether a value is None or a single number, but not a bool."""
    return isinstance(value, Real | None) and not isinstance(value, bool)


def hyperparameters(learner: Any) -> dict[str, Any]:
    """Return a learner's hyperparameters in a form for JSON, from which `rebuild` makes an equal learner."""
    if not is_dataclass(learner) or isinstance(learner, type):
        raise ParameterError(f"a learner must be a dataclass of its hyperparameters; got {learner!r}.")
    return {field.name: plain(getattr(learner, field.name)) for field in fields(learner) if field.init}


def plain(value: Any) -> Any:
    """Return a hyperparameter in a form for JSON: a number, string, list, or an object with its kind."""
    if hasattr(value, "__array__"):
        import numpy as np

        return np.asarray(value).tolist()
    if (name := PARTS.name_of(type(value))) is not None:
        content = value.plain() if hasattr(value, "plain") else hyperparameters(value)
        return {"kind": name, **content}
    return value


def restored(value: Any) -> Any:
    """Return the hyperparameter from the result of `plain`."""
    if not isinstance(value, Mapping) or value.get("kind") not in PARTS:
        return value
    kind = PARTS[value["kind"]]
    content = {name: one for name, one in value.items() if name != "kind"}
    return kind.from_plain(content) if hasattr(kind, "from_plain") else build(kind.__name__, kind, content)


def purpose(thing: Callable[..., Any]) -> str:
    """Return the first line of an object's docstring."""
    return (getdoc(thing) or "").partition("\n")[0]
