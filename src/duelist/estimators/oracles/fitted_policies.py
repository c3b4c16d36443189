"""From fitted models of scikit-learn to policies: plain arrays that predict the same, wherever they can."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from duelist.duel import FloatArray
from duelist.policies.models import FittedModel, FittedPairs, LinearModel
from duelist.policies.scored import CheapestPolicy, VotingPolicy
from duelist.policies.tree_model import TreeModel
from duelist.policies.trees import LEAF, Nodes, TreePolicy, as_single_precision
from duelist.protocols import Policy

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
    """Return the weights and offsets of a fitted linear model."""
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
