"""Oracles out of any regressor, which predicts costs, or classifier, which decides every pair of actions.

A fitted model of scikit-learn becomes plain arrays that predict the same, wherever it can.
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

ORACLES = {  # for each name: the part of scikit-learn, the model, and whether it has a depth
    "tree": ("tree", "DecisionTreeRegressor", True),
    "linear": ("linear_model", "Ridge", False),
    "boosting": ("ensemble", "GradientBoostingRegressor", True),
}

LINEAR = re.compile(
    "ARDRegression|BayesianRidge|(MultiTask)?(ElasticNet|Lasso)(CV)?|Huber|Lars(CV)?|LassoLars(CV|IC)?|"
    "Linear(Regression|SVC|SVR)|LogisticRegression(CV)?|OrthogonalMatchingPursuit|Perceptron|"
    "Ridge(CV|ClassifierCV)?|SGD|TheilSen"
)
"""Families of scikit-learn that predict by coef_ times the context plus intercept_, or by its sign."""

TREES = {"DecisionTree", "ExtraTree"}
FORESTS = {"RandomForest", "ExtraTrees"}
BOOSTED = "GradientBoosting"
BINNED = "HistGradientBoosting"

UNLINKED = {"squared_error", "absolute_error", "quantile", "log_loss"}
"""Losses of binned boosting that predict the sum of its trees, or decide by its sign."""

JUST_BELOW_ZERO = np.nextafter(0.0, -1.0)


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


class Grove(NamedTuple):
    """The trees of one fitted model, whose leaves are added to its numbers from a place on."""

    trees: list[tuple[Nodes, FloatArray]]
    base: FloatArray
    place: int = 0
    divisor: float = 1.0


def cheapest_policy(models: Sequence[Any], k: int, d: int) -> Policy:
    """Return the policy of least predicted cost, by one fitted regressor for all actions or one for each."""
    name, _ = family(models[0])
    if LINEAR.fullmatch(name):
        weights, offsets = zip(*map(coefficients, models), strict=True)
        return CheapestPolicy(LinearModel(np.concatenate(weights), np.concatenate(offsets)))
    groves = [grove for model in models if (grove := grove_of(model)) is not None]
    if len(groves) < len(models):
        return CheapestPolicy(FittedModel(models, k, d))
    if name in TREES and len(models) == 1:  # the costs of a leaf are the same for all, so is the cheapest
        [(nodes, costs)] = groves[0].trees
        return TreePolicy(nodes, costs.argmin(axis=1))
    return CheapestPolicy(joined(groves))


def voting_policy(models: Sequence[Any], k: int, d: int) -> Policy:
    """Return the policy of most pairs won, by a fitted classifier for each pair.

    A classifier predicts 1 where the second wins; a bool, whether it does, decides the pair in all contexts.
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
    """Return weights and offsets of two numbers, the second greater where the second of a pair wins."""
    if isinstance(model, bool):
        return np.zeros((2, d)), decided(model)
    weights, offsets = coefficients(model)
    return np.concatenate((np.zeros((1, d)), weights)), np.append(0.0, offsets)


def decided(second_wins: bool) -> FloatArray:
    """Return two numbers, the second greater if the second of a pair wins."""
    return np.array([not second_wins, second_wins], np.float64)


def family(model: object) -> tuple[str, bool]:
    """Return a model's family in scikit-learn, such as RandomForest, and whether it classifies.

    Models of other packages and of classes derived by users may predict in ways of their own: they have none.
    """
    if type(model).__module__.partition(".")[0] != "sklearn":
        return "", False
    name = type(model).__name__
    return name.removesuffix("Classifier").removesuffix("Regressor"), name.endswith("Classifier")


def grove_of(model: Any) -> Grove | None:
    """Return the trees of a fitted model, or None if it has none that predict by themselves.

    A regressor predicts the numbers of the grove; a classifier of two classes predicts the second where the
    second of two numbers is greater.
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
        # it decides for the second class at zero already
        return Grove(trees, np.append(JUST_BELOW_ZERO, start), 1) if classifies else Grove(trees, start)
    if name == BINNED and model.loss in UNLINKED and model.is_categorical_ is None:
        trees = [_binned(stage[0].nodes) for stage in model._predictors]
        start = model._baseline_prediction[0]
        return Grove(trees, np.append(0.0, start), 1) if classifies else Grove(trees, start)
    return None


def joined(groves: Sequence[Grove]) -> TreeModel:
    """Return one model whose numbers are those of one grove after the other."""
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
        np.repeat(firsts + [grove.place for grove in groves], [len(grove.trees) for grove in groves]),
        np.concatenate(bases),
        max(grove.divisor for grove in groves),
    )


def _mean(models: Sequence[Any], classifies: bool) -> Grove:
    values = [model.tree_.value for model in models]
    leaves = [value[:, 0, :] if classifies else value[:, :, 0] for value in values]
    trees = [_single(model.tree_, each) for model, each in zip(models, leaves, strict=True)]
    return Grove(trees, np.zeros(leaves[0].shape[1]), 0, float(len(models)))


def _single(tree: Any, leaves: FloatArray) -> tuple[Nodes, FloatArray]:
    """Return a tree that rounds contexts to single precision."""
    asks = tree.children_left != LEAF
    threshold = np.where(asks, as_single_precision(tree.threshold), 0.0)
    column = np.where(asks, tree.feature, LEAF)
    return Nodes(column, threshold, tree.children_left, tree.children_right), leaves


def _binned(nodes: Any) -> tuple[Nodes, FloatArray]:
    """Return a tree of binned boosting, which takes contexts as they are."""
    leaf = nodes["is_leaf"] == 1
    left, right = (np.where(leaf, LEAF, nodes[side].astype(np.int64)) for side in ("left", "right"))
    column = np.where(leaf, LEAF, nodes["feature_idx"])
    threshold = np.where(leaf, 0.0, nodes["num_threshold"])
    return Nodes(column, threshold, left, right), nodes["value"][:, np.newaxis]
