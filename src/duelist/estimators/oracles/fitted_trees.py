"""From fitted trees of scikit-learn to plain arrays that predict the same, to the last bit."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from duelist.duel import FloatArray
from duelist.policies.tree_model import TreeModel
from duelist.policies.trees import LEAF, Nodes, as_single_precision

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
    column, threshold = (
        np.where(leaf, LEAF, nodes["feature_idx"]),
        np.where(leaf, 0.0, nodes["num_threshold"]),
    )
    return Nodes(column, threshold, left, right), nodes["value"][:, np.newaxis]
