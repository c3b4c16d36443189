"""From fitted models to policies, plain ones wherever plain arrays can follow the models."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from duelist.duel import FloatArray
from duelist.estimators.oracles.fitted_trees import TREES, Grove, family, grove_of, joined
from duelist.policies.fitted_model import FittedModel, FittedPairs
from duelist.policies.linear_model import LinearModel
from duelist.policies.scored import CheapestPolicy, VotingPolicy
from duelist.policies.tree_policy import TreePolicy
from duelist.protocols import Policy

LINEAR = re.compile(
    "ARDRegression|BayesianRidge|(MultiTask)?(ElasticNet|Lasso)(CV)?|Huber|Lars(CV)?|LassoLars(CV|IC)?|"
    "Linear(Regression|SVC|SVR)|LogisticRegression(CV)?|OrthogonalMatchingPursuit|Perceptron|"
    "Ridge(CV|ClassifierCV)?|SGD|TheilSen"
)
"""Families of scikit-learn that predict by coef_ times the context plus intercept_, or by its sign."""


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
