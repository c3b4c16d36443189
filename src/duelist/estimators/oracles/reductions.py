"""Oracles out of any regressor, which predicts costs, or classifier, which decides every pair of actions."""

from dataclasses import dataclass
from importlib import import_module
from inspect import Parameter, signature
from itertools import combinations
from typing import Annotated, Any

import numpy as np

from duelist.constraints import Range, check_fields
from duelist.duel import FloatArray
from duelist.errors import MissingExtraError, OutcomeError, ParameterError, require_known, require_whole
from duelist.estimators.oracles.fitted_policies import cheapest_policy, voting_policy
from duelist.policies.trees import TreePolicy
from duelist.protocols import Policy

ORACLES = {  # for each name: the part of scikit-learn, the model, and whether it has a depth
    "tree": ("tree", "DecisionTreeRegressor", True),
    "linear": ("linear_model", "Ridge", False),
    "boosting": ("ensemble", "GradientBoostingRegressor", True),
}


@dataclass(frozen=True)
class RegressionOracle:
    """Finds a policy of little cost by predicting the costs of all actions from the context.

    A regressor that predicts several numbers at once is fitted to the whole table of costs; of any other, a
    copy is fitted to each action's costs. With K actions, a policy's cost exceeds the least possible by at
    most `sqrt(2 K e)`, where e is the mean squared error of the predictions of expected costs.

    Parameters
    ----------
    regressor : object
        Any regressor of scikit-learn, or alike. It is copied for every call, never changed.
    seed : int, default 0
        The `random_state` of the regressor, and of its parts, wherever it is None: equal costs give equal
        policies.

    Notes
    -----
    What linear models, decision trees, forests and gradient boosting of scikit-learn have learned becomes
    plain arrays, which are fast and can be saved; a single tree keeps only the cheapest action of each leaf.
    A decision tree of depth D needs of the order of D n d K operations, fewer where a column of the contexts
    has few different values.

    References
    ----------
    Dudik, Hofmann, Schapire, Slivkins, Zoghi (2015). Contextual Dueling Bandits. COLT.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> oracle = RegressionOracle(DecisionTreeRegressor(max_depth=4))
    >>> contexts, costs = np.array([[0.0], [1.0], [2.0]]), np.array([[0.0, 1.0], [3.0, 1.0], [2.0, 1.0]])
    >>> oracle.cheapest(contexts, costs).act(contexts)
    array([0, 1, 1])
    """

    regressor: Any
    seed: Annotated[int, Range(least=0)] = 0

    def __post_init__(self) -> None:
        """Refuse what is no regressor."""
        check_fields(self)
        require_estimator("regressor", self.regressor, classifies=False)

    def cheapest(self, contexts: FloatArray, costs: FloatArray) -> Policy:
        """Return the policy of least predicted cost."""
        require_costs(contexts, costs)
        if contexts.shape[1] == 0:
            return cheapest_action(costs)
        k = costs.shape[1]
        told = getattr(_tags(self.regressor), "target_tags", None)
        at_once = k > 1 and getattr(told, "multi_output", False)
        targets = [np.ascontiguousarray(part) for part in ([costs] if at_once else costs.T)]
        models = [copied(self.regressor, self.seed).fit(contexts, target) for target in targets]
        return cheapest_policy(models, k, contexts.shape[1])


@dataclass(frozen=True)
class AllPairsOracle:
    """Finds a policy of little cost by learning, for every pair of actions, which is the cheaper one.

    The classifier of a pair learns from every context where the two costs differ, weighted by how much. The
    policy chooses the action that wins most pairs; of several, the first.

    Parameters
    ----------
    classifier : object
        Any classifier of scikit-learn, or alike, whose fit takes `sample_weight`; a pipeline hands it to its
        last step. It is copied for every pair and call, never changed.
    seed : int, default 0
        As in `RegressionOracle`.

    Notes
    -----
    Beygelzimer et al. (2005) first transform the costs of a context, which their bound needs; here costs are
    estimates, which may be negative and mostly zero, and plain differences are unbiased weights. They are
    divided by their mean, so that what costs are measured in does not matter to a regularised classifier.
    A pair that is decided alike in all contexts, or never, needs no classifier. There are K (K - 1) / 2
    pairs: with many actions, `RegressionOracle` is faster.

    References
    ----------
    Beygelzimer, Dani, Hayes, Langford, Zadrozny (2005). Error Limiting Reductions Between Classification
    Tasks. ICML.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> oracle = AllPairsOracle(DecisionTreeClassifier(max_depth=4))
    >>> contexts, costs = np.array([[0.0], [1.0], [2.0]]), np.array([[0.0, 1.0], [3.0, 1.0], [2.0, 1.0]])
    >>> oracle.cheapest(contexts, costs).act(contexts)
    array([0, 1, 1])
    """

    classifier: Any
    seed: Annotated[int, Range(least=0)] = 0

    def __post_init__(self) -> None:
        """Refuse what is no classifier, or takes no weights."""
        check_fields(self)
        require_estimator("classifier", self.classifier, classifies=True)
        weights_argument(self.classifier)

    def cheapest(self, contexts: FloatArray, costs: FloatArray) -> Policy:
        """Return the policy of most pairs won."""
        require_costs(contexts, costs)
        if contexts.shape[1] == 0:
            return cheapest_action(costs)
        k = costs.shape[1]
        if k < 2:
            raise ParameterError(f"costs must have a column for each of at least two actions; got {k}.")
        pairs = combinations(range(k), 2)
        models = [self._fit(contexts, costs[:, first] - costs[:, second]) for first, second in pairs]
        return voting_policy(models, k, contexts.shape[1])

    def _fit(self, contexts: FloatArray, gains: FloatArray) -> Any:
        """Return a classifier that predicts 1 where the second costs less, or whether it always does."""
        rows = np.flatnonzero(gains)
        second_wins = gains[rows] > 0.0
        if len(rows) == 0 or second_wins.all() or not second_wins.any():
            return bool(second_wins.any())
        weights = np.abs(gains[rows])
        weights /= weights.mean()
        telling = {weights_argument(self.classifier): weights}
        return copied(self.classifier, self.seed).fit(contexts[rows], second_wins.astype(np.int64), **telling)


def named_oracle(name: str, depth: int = 4) -> RegressionOracle:
    """Return an oracle that predicts what each action costs; `depth` is for models made of trees."""
    require_whole("depth", depth, 1)
    require_known("oracle", name, ORACLES)
    part, model, deep = ORACLES[name]
    return RegressionOracle(getattr(scikit_learn(part), model)(**({"max_depth": depth} if deep else {})))


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


def cheapest_action(costs: FloatArray) -> Policy:
    """Return the policy that takes the cheapest action always: without columns of context, no other is."""
    return TreePolicy.always(int(costs.sum(axis=0).argmin()))


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
