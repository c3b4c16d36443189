"""Oracles made from a regressor, which predicts costs, or from a classifier, which decides pairs of actions.

Fitted models of scikit-learn are converted to plain arrays that make the same predictions, where possible.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from inspect import Parameter, signature
from itertools import combinations
from typing import Annotated, Any, NamedTuple

import numpy as np

from duelist.constraints import Range, check_fields
from duelist.duel import FloatArray
from duelist.errors import MissingExtraError, OutcomeError, ParameterError, require_known, require_whole
from duelist.policies.models import FittedModel, FittedPairs, LinearModel
from duelist.policies.scored import CheapestPolicy, VotingPolicy
from duelist.policies.trees import LEAF, Nodes, TreeModel, TreePolicy, as_single_precision
from duelist.protocols import Policy

ORACLES = {  # for each name: the scikit-learn module, the class, and whether it has a depth
    "tree": ("tree", "DecisionTreeRegressor", True),
    "linear": ("linear_model", "Ridge", False),
    "boosting": ("ensemble", "GradientBoostingRegressor", True),
}

LINEAR = re.compile(
    "ARDRegression|BayesianRidge|(MultiTask)?(ElasticNet|Lasso)(CV)?|Huber|Lars(CV)?|LassoLars(CV|IC)?|"
    "Linear(Regression|SVC|SVR)|LogisticRegression(CV)?|OrthogonalMatchingPursuit|Perceptron|"
    "Ridge(CV|ClassifierCV)?|SGD|TheilSen"
)
"""Models of scikit-learn that predict coef_ times the context plus intercept_, or its sign."""

TREES = {"DecisionTree", "ExtraTree"}
FORESTS = {"RandomForest", "ExtraTrees"}
BOOSTED = "GradientBoosting"
BINNED = "HistGradientBoosting"

UNLINKED = {"squared_error", "absolute_error", "quantile", "log_loss"}
"""Losses of histogram boosting with which it predicts the sum of its trees, or the sign of the sum."""

JUST_BELOW_ZERO = np.nextafter(0.0, -1.0)


@dataclass(frozen=True)
class RegressionOracle:
    """Find a policy with a low cost by predicting the costs of all actions from the context.

    A multi-output regressor is fitted to the whole table of costs. For any other regressor, a copy is fitted
    to each action's costs. With K actions, the cost of the policy exceeds the minimum by at most
    `sqrt(2 K e)`, where e is the mean squared error of the predicted expected costs.

    Parameters
    ----------
    regressor : object
        Any regressor with scikit-learn's interface. Every call fits a copy; the object itself is not changed.
    seed : int, default 0
        Replaces `random_state` in the regressor and its parts wherever it is None, so that equal costs give
        equal policies.

    Notes
    -----
    Fitted linear models, decision trees, forests and gradient boosting of scikit-learn are converted to plain
    arrays, which are fast and can be saved. A single tree keeps only the cheapest action of each leaf.
    Fitting a decision tree of depth D takes about D n d K operations, or fewer if a column of the contexts
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
        check_fields(self)
        require_estimator("regressor", self.regressor, classifies=False)

    def cheapest(self, contexts: FloatArray, costs: FloatArray) -> Policy:
        """Return the policy with the lowest predicted cost.

        Parameters
        ----------
        contexts : array of shape (n, d)
            One context per row.
        costs : array of shape (n, k)
            The cost of each action in each context.

        Returns
        -------
        Policy
            The policy that chooses the action with the lowest predicted cost.
        """
        require_costs(contexts, costs)
        if contexts.shape[1] == 0:
            return cheapest_action(costs)
        k = costs.shape[1]
        tags = getattr(_tags(self.regressor), "target_tags", None)
        at_once = k > 1 and getattr(tags, "multi_output", False)
        targets = [np.ascontiguousarray(part) for part in ([costs] if at_once else costs.T)]
        models = [copied(self.regressor, self.seed).fit(contexts, target) for target in targets]
        return cheapest_policy(models, k, contexts.shape[1])


@dataclass(frozen=True)
class AllPairsOracle:
    """Find a policy with a low cost by learning which action of each pair is cheaper.

    The classifier of a pair learns from every context in which the two costs differ, weighted by the
    difference. The policy chooses the action that wins the most pairs; ties go to the first action.

    Parameters
    ----------
    classifier : object
        Any classifier with scikit-learn's interface whose `fit` takes `sample_weight`; a pipeline passes it
        to its last step. Every pair and call fits a copy; the object itself is not changed.
    seed : int, default 0
        Replaces `random_state` in the classifier and its parts wherever it is None.

    Notes
    -----
    Beygelzimer et al. (2005) first transform the costs of a context, which their bound requires. Here the
    costs are estimates, which may be negative and are mostly zero, and plain differences are unbiased
    weights. They are divided by their mean, so the unit of the costs does not affect a regularised
    classifier. A pair with the same result in all contexts, or with none, needs no classifier. There are
    K (K - 1) / 2 pairs: with many actions, `RegressionOracle` is faster.

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
        check_fields(self)
        require_estimator("classifier", self.classifier, classifies=True)
        weights_argument(self.classifier)

    def cheapest(self, contexts: FloatArray, costs: FloatArray) -> Policy:
        """Return the policy that chooses the action with the most pairs won.

        Parameters
        ----------
        contexts : array of shape (n, d)
            One context per row.
        costs : array of shape (n, k)
            The cost of each action in each context.

        Returns
        -------
        Policy
            The policy of the fitted classifiers.
        """
        require_costs(contexts, costs)
        if contexts.shape[1] == 0:
            return cheapest_action(costs)
        k = costs.shape[1]
        if k < 2:
            raise ParameterError(f"costs must have at least 2 columns, one per action; got {k}.")
        pairs = combinations(range(k), 2)
        models = [self._fit(contexts, costs[:, first] - costs[:, second]) for first, second in pairs]
        return voting_policy(models, k, contexts.shape[1])

    def _fit(self, contexts: FloatArray, gains: FloatArray) -> Any:
        """Return a classifier that predicts 1 if the second action is cheaper, or a bool if it always is."""
        rows = np.flatnonzero(gains)
        second_wins = gains[rows] > 0.0
        if len(rows) == 0 or second_wins.all() or not second_wins.any():
            return bool(second_wins.any())
        weights = np.abs(gains[rows])
        weights /= weights.mean()
        options = {weights_argument(self.classifier): weights}
        return copied(self.classifier, self.seed).fit(contexts[rows], second_wins.astype(np.int64), **options)


def named_oracle(name: str, depth: int = 4) -> RegressionOracle:
    """Return a `RegressionOracle` by name; `depth` is the maximum depth of models that consist of trees."""
    require_whole("depth", depth, 1)
    require_known("oracle", name, ORACLES)
    part, model, deep = ORACLES[name]
    return RegressionOracle(getattr(scikit_learn(part), model)(**({"max_depth": depth} if deep else {})))


def scikit_learn(part: str) -> Any:
    try:
        return import_module(f"sklearn.{part}")
    except ImportError as error:
        raise MissingExtraError("learning policies with scikit-learn", "contextual") from error


def require_estimator(name: str, estimator: object, classifies: bool) -> None:
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
            f"{name} must be a {name}, but {type(estimator).__name__} is a {kind}; use {better} for it."
        )


def weights_argument(estimator: Any) -> str:
    """Return the name of the `sample_weight` argument of `fit`, which has a prefix for a pipeline."""
    steps = getattr(estimator, "steps", None)
    prefix, last = (f"{steps[-1][0]}__", steps[-1][1]) if steps else ("", estimator)
    taken = signature(last.fit).parameters
    if "sample_weight" not in taken and all(one.kind is not Parameter.VAR_KEYWORD for one in taken.values()):
        raise ParameterError(
            f"classifier must accept sample_weight in fit; {type(last).__name__} does not. Use "
            "DecisionTreeClassifier or LogisticRegression."
        )
    return f"{prefix}sample_weight"


def copied(estimator: Any, seed: int) -> Any:
    """Return an unfitted copy in which the seed replaces every random_state that is None."""
    copy = scikit_learn("base").clone(estimator)
    unset = [
        name
        for name, value in copy.get_params(deep=True).items()
        if name.rpartition("__")[2] == "random_state" and value is None
    ]
    return copy.set_params(**dict.fromkeys(unset, seed))


def cheapest_action(costs: FloatArray) -> Policy:
    """Return the policy that always chooses the cheapest action, for contexts without columns."""
    return TreePolicy.always(int(costs.sum(axis=0).argmin()))


def require_costs(contexts: FloatArray, costs: FloatArray) -> None:
    if contexts.ndim != 2 or costs.ndim != 2 or len(contexts) != len(costs) or 0 in costs.shape:
        raise ParameterError(
            f"contexts and costs must be tables with one row per context, at least one; got shapes "
            f"{contexts.shape} and {costs.shape}."
        )
    for name, table in (("contexts", contexts), ("costs", costs)):
        if not np.isfinite(table).all():
            row = int(np.flatnonzero(~np.isfinite(table).all(axis=1))[0])
            raise OutcomeError(f"{name} must be finite; row {row} is {table[row]}.")


def _tags(estimator: object) -> Any:
    """Return the tags of a scikit-learn estimator, or None if it has none."""
    if not hasattr(estimator, "__sklearn_tags__"):
        return None
    return scikit_learn("utils").get_tags(estimator)


class Grove(NamedTuple):
    """The trees of one fitted model; their leaves are added to its outputs, starting at `output`."""

    trees: list[tuple[Nodes, FloatArray]]
    base: FloatArray
    output: int = 0
    divisor: float = 1.0


def cheapest_policy(models: Sequence[Any], k: int, d: int) -> Policy:
    """Return the policy of the lowest predicted cost, from one regressor for all actions or one for each."""
    name, _ = family(models[0])
    if LINEAR.fullmatch(name):
        weights, offsets = zip(*map(coefficients, models), strict=True)
        return CheapestPolicy(LinearModel(np.concatenate(weights), np.concatenate(offsets)))
    groves = [grove for model in models if (grove := grove_of(model)) is not None]
    if len(groves) < len(models):
        return CheapestPolicy(FittedModel(models, k, d))
    if name in TREES and len(models) == 1:  # all contexts of a leaf have the same cheapest action
        [(nodes, costs)] = groves[0].trees
        return TreePolicy(nodes, costs.argmin(axis=1))
    return CheapestPolicy(joined(groves))


def voting_policy(models: Sequence[Any], k: int, d: int) -> Policy:
    """Return the policy of the most pairs won, from one fitted classifier per pair.

    A classifier predicts 1 if the second action wins; a bool decides the pair in all contexts.
    """
    fitted = [model for model in models if not isinstance(model, bool)]
    if not fitted or LINEAR.fullmatch(family(fitted[0])[0]):
        weights, offsets = zip(*(margins(model, d) for model in models), strict=True)
        return VotingPolicy(LinearModel(np.concatenate(weights), np.concatenate(offsets)), k)
    groves = [Grove([], decided(model)) if isinstance(model, bool) else grove_of(model) for model in models]
    grown = [grove for grove in groves if grove is not None]
    if len(grown) < len(groves):
        return VotingPolicy(FittedPairs(models, k * (k - 1), d), k)
    return VotingPolicy(joined(grown), k)


def coefficients(model: Any) -> tuple[FloatArray, FloatArray]:
    weights = np.atleast_2d(np.asarray(model.coef_, np.float64))
    return weights, np.broadcast_to(np.asarray(model.intercept_, np.float64), len(weights))


def margins(model: Any, d: int) -> tuple[FloatArray, FloatArray]:
    """Return weights and offsets of two numbers, the second of which is greater if the second action wins."""
    if isinstance(model, bool):
        return np.zeros((2, d)), decided(model)
    weights, offsets = coefficients(model)
    return np.concatenate((np.zeros((1, d)), weights)), np.append(0.0, offsets)


def decided(second_wins: bool) -> FloatArray:
    return np.array([not second_wins, second_wins], np.float64)


def family(model: object) -> tuple[str, bool]:
    """Return a model's family in scikit-learn, such as RandomForest, and whether it is a classifier.

    The family is empty for models of other packages and for subclasses, which may predict differently.
    """
    if type(model).__module__.partition(".")[0] != "sklearn":
        return "", False
    name = type(model).__name__
    return name.removesuffix("Classifier").removesuffix("Regressor"), name.endswith("Classifier")


def grove_of(model: Any) -> Grove | None:
    """Return the trees of a fitted model, or None if its prediction is not a function of its trees alone.

    A regressor predicts the outputs of the grove. A classifier of two classes predicts the second class if
    the second of two outputs is greater.
    """
    name, classifies = family(model)
    if name in TREES:
        return _mean([model], classifies)
    if name in FORESTS:
        return _mean(model.estimators_, classifies)
    if name == BOOSTED and (model.init is None or model.init == "zero"):
        start = model._raw_predict_init(np.zeros((1, model.n_features_in_), np.float32))[0]
        trees = [
            _single(stage.tree_, model.learning_rate * stage.tree_.value[:, :, 0])
            for stage in model.estimators_[:, 0]
        ]
        # at zero, it decides for the second class
        return Grove(trees, np.append(JUST_BELOW_ZERO, start), 1) if classifies else Grove(trees, start)
    if name == BINNED and model.loss in UNLINKED and model.is_categorical_ is None:
        trees = [_binned(stage[0].nodes) for stage in model._predictors]
        start = model._baseline_prediction[0]
        return Grove(trees, np.append(0.0, start), 1) if classifies else Grove(trees, start)
    return None


def joined(groves: Sequence[Grove]) -> TreeModel:
    """Return one model with the outputs of all groves, one grove after the other."""
    trees = [tree for grove in groves for tree in grove.trees]
    bases = [grove.base for grove in groves]
    firsts = np.cumsum([0, *map(len, bases[:-1])])
    sizes = [len(leaves) for _, leaves in trees]
    roots = np.cumsum([0, *sizes[:-1]])
    shifted = [
        Nodes(
            nodes.column,
            nodes.threshold,
            np.where(nodes.column == LEAF, LEAF, nodes.left + root),
            np.where(nodes.column == LEAF, LEAF, nodes.right + root),
        )
        for (nodes, _), root in zip(trees, roots, strict=True)
    ]
    return TreeModel(
        Nodes(*(np.concatenate(arrays) for arrays in zip(*shifted, strict=True))),
        np.concatenate([leaves for _, leaves in trees]),
        roots,
        np.repeat(firsts + [grove.output for grove in groves], [len(grove.trees) for grove in groves]),
        np.concatenate(bases),
        max(grove.divisor for grove in groves),
    )


def _mean(models: Sequence[Any], classifies: bool) -> Grove:
    values = [model.tree_.value for model in models]
    leaves = [value[:, 0, :] if classifies else value[:, :, 0] for value in values]
    trees = [_single(model.tree_, each) for model, each in zip(models, leaves, strict=True)]
    return Grove(trees, np.zeros(leaves[0].shape[1]), 0, float(len(models)))


def _single(tree: Any, leaves: FloatArray) -> tuple[Nodes, FloatArray]:
    """Convert a tree that rounds contexts to single precision."""
    asks = tree.children_left != LEAF
    threshold = np.where(asks, as_single_precision(tree.threshold), 0.0)
    column = np.where(asks, tree.feature, LEAF)
    return Nodes(column, threshold, tree.children_left, tree.children_right), leaves


def _binned(nodes: Any) -> tuple[Nodes, FloatArray]:
    """Convert a tree of histogram boosting, which does not round contexts."""
    leaf = nodes["is_leaf"] == 1
    left, right = (np.where(leaf, LEAF, nodes[side].astype(np.int64)) for side in ("left", "right"))
    column = np.where(leaf, LEAF, nodes["feature_idx"])
    threshold = np.where(leaf, 0.0, nodes["num_threshold"])
    return Nodes(column, threshold, left, right), nodes["value"][:, np.newaxis]
