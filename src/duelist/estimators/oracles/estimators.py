"""What the oracles ask of scikit-learn: unfitted copies that chance cannot change."""

from importlib import import_module
from inspect import Parameter, signature
from typing import Any

import numpy as np

from duelist.duel import FloatArray
from duelist.errors import MissingExtraError, OutcomeError, ParameterError


def scikit_learn(part: str) -> Any:
    """Return a module of scikit-learn."""
    try:
        return import_module(f"sklearn.{part}")
    except ImportError as error:
        raise MissingExtraError("learning policies with scikit-learn", "contextual") from error


def require_estimator(name: str, estimator: object, classifies: bool) -> None:
    """Refuse what cannot be fitted, or learns something else."""
    methods = ("fit", "predict", "get_params", "set_params")
    if isinstance(estimator, type) or not all(hasattr(estimator, method) for method in methods):
        raise ParameterError(
            f"{name} must be an unfitted {name} of scikit-learn, such as DecisionTree{name.capitalize()}"
            f"(max_depth=4), or an object with its methods {', '.join(methods)}; got {estimator!r}."
        )
    kind = getattr(_tags(estimator), "estimator_type", None)
    if kind == ("regressor" if classifies else "classifier"):
        better = "RegressionOracle" if classifies else "AllPairsOracle"
        raise ParameterError(
            f"{name} must be a {name}; {type(estimator).__name__} is a {kind}, which {better} takes."
        )


def predicts_many(estimator: object) -> bool:
    """Return whether one regressor can predict several numbers at once."""
    return bool(getattr(getattr(_tags(estimator), "target_tags", None), "multi_output", False))


def weights_argument(estimator: Any) -> str:
    """Return the name of the weights of examples in `fit`; an estimator that takes none is refused."""
    steps = getattr(estimator, "steps", None)
    prefix, last = (f"{steps[-1][0]}__", steps[-1][1]) if steps else ("", estimator)
    taken = signature(last.fit).parameters
    if "sample_weight" not in taken and all(one.kind is not Parameter.VAR_KEYWORD for one in taken.values()):
        raise ParameterError(
            f"classifier must take sample_weight in fit; {type(last).__name__} does not. Try "
            "DecisionTreeClassifier or LogisticRegression."
        )
    return f"{prefix}sample_weight"


def copied(estimator: Any, seed: int) -> Any:
    """Return an unfitted copy; wherever its random_state is None, that is, irreproducible, it is the seed."""
    copy = scikit_learn("base").clone(estimator)
    unset = [
        name
        for name, value in copy.get_params(deep=True).items()
        if name.rpartition("__")[2] == "random_state" and value is None
    ]
    return copy.set_params(**dict.fromkeys(unset, seed))


def require_costs(contexts: FloatArray, costs: FloatArray) -> None:
    """Refuse tables that no policy can be learned from."""
    if contexts.ndim != 2 or costs.ndim != 2 or len(contexts) != len(costs) or 0 in costs.shape:
        raise ParameterError(
            f"contexts and costs must be tables with a row for each context, at least one; got shapes "
            f"{contexts.shape} and {costs.shape}."
        )
    for name, table in (("contexts", contexts), ("costs", costs)):
        if not np.isfinite(table).all():
            row = int(np.flatnonzero(~np.isfinite(table).all(axis=1))[0])
            raise OutcomeError(f"{name} must be finite; row {row} is {table[row]}.")


def _tags(estimator: object) -> Any:
    """Return what an estimator says about itself, or None if it does not."""
    if not hasattr(estimator, "__sklearn_tags__"):
        return None
    return scikit_learn("utils").get_tags(estimator)
