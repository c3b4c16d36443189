"""Plain policies choose the same actions as the scikit-learn models they were converted from."""

from collections.abc import Iterator
from importlib import import_module
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator, default_rng
from refusals import refused

from duelist.duel import FloatArray, IntArray
from duelist.errors import ParameterError
from duelist.estimators.oracles import (
    AllPairsOracle,
    RegressionOracle,
    cheapest_policy,
    copied,
    voting_policy,
)
from duelist.policies.models import FittedModel, FittedPairs, LinearModel
from duelist.policies.scored import CheapestPolicy, VotingPolicy
from duelist.policies.trees import TreeModel, TreePolicy

pytest.importorskip("sklearn", reason="scikit-learn is not installed")

K = 4

TREES: dict[str, dict[str, Any]] = {
    "tree.DecisionTree": {"max_depth": 4},
    "tree.ExtraTree": {"max_leaf_nodes": 12},
    "ensemble.RandomForest": {"n_estimators": 7, "max_depth": 5},
    "ensemble.ExtraTrees": {"n_estimators": 6, "max_depth": 4},
    "ensemble.GradientBoosting": {"n_estimators": 6, "max_depth": 2},
    "ensemble.HistGradientBoosting": {"max_iter": 6, "max_depth": 3, "min_samples_leaf": 5},
}
LINEAR_REGRESSORS: dict[str, dict[str, Any]] = {
    "linear_model.LinearRegression": {},
    "linear_model.Ridge": {"fit_intercept": False},
    "linear_model.RidgeCV": {},
    "linear_model.Lasso": {"alpha": 0.01},
    "linear_model.MultiTaskLasso": {"alpha": 0.01},
    "linear_model.ElasticNet": {"alpha": 0.01},
    "linear_model.BayesianRidge": {},
    "linear_model.SGDRegressor": {"max_iter": 2000},
    "linear_model.HuberRegressor": {"max_iter": 1000},
    "svm.LinearSVR": {"max_iter": 100_000},
}
LINEAR_CLASSIFIERS: dict[str, dict[str, Any]] = {
    "linear_model.LogisticRegression": {},
    "linear_model.RidgeClassifier": {},
    "linear_model.RidgeClassifierCV": {},
    "linear_model.SGDClassifier": {"max_iter": 2000},
    "linear_model.Perceptron": {},
    "svm.LinearSVC": {"fit_intercept": False, "max_iter": 10_000},
}


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> Iterator[None]:
    """Use one thread: small models are slower with many threads, especially next to other tests."""
    with import_module("threadpoolctl").threadpool_limits(1):
        yield


def made(path: str, **parameters: Any) -> Any:
    module, _, name = path.rpartition(".")
    return getattr(import_module(f"sklearn.{module}"), name)(**parameters)


def table(rng: Generator, rows: int) -> tuple[FloatArray, FloatArray]:
    """Return contexts, some of them near the thresholds of others, and costs that depend on them."""
    contexts = rng.random((rows, 3)) * 10.0 + 0.1
    contexts[:, 1] = rng.integers(0, 4, rows) / 7.0
    costs = np.sin(contexts @ rng.standard_normal((3, K))) + 0.3 * rng.standard_normal((rows, K))
    return contexts, costs


def near_thresholds(policy: Any, contexts: FloatArray) -> FloatArray:
    """Return the contexts, and copies with a column at, just below and just above thresholds of trees."""
    nodes = policy.nodes if isinstance(policy, TreePolicy) else policy.model.nodes
    moved = [contexts]
    for column, threshold in list(zip(nodes.column, nodes.threshold, strict=True))[:60]:
        if column >= 0:
            for value in (threshold, np.nextafter(threshold, 99.0), np.nextafter(threshold, -99.0)):
                moved.append(contexts[:2].copy())
                moved[-1][:, column] = value
    return np.concatenate(moved)


def votes(models: dict[tuple[int, int], Any], contexts: FloatArray) -> IntArray:
    won = np.zeros((len(contexts), K), np.int64)
    for (first, second), model in models.items():
        for row, predicted in enumerate(model.predict(contexts)):
            won[row, second if predicted else first] += 1
    chosen: IntArray = won.argmax(axis=1)
    return chosen


def fit_pairs(classifier: Any, contexts: FloatArray, costs: FloatArray) -> dict[tuple[int, int], Any]:
    models = {}
    for a, b in combinations(range(K), 2):
        weights = np.abs(costs[:, a] - costs[:, b])
        models[a, b] = copied(classifier, 0).fit(
            contexts, costs[:, a] > costs[:, b], sample_weight=weights / weights.mean()
        )
    return models


@pytest.mark.parametrize("path", TREES)
def test_trees_predict_costs_alike_to_the_last_bit(path: str) -> None:
    contexts, costs = table(default_rng(1), 300)
    regressor = made(f"{path}Regressor", **TREES[path])
    policy = RegressionOracle(regressor).cheapest(contexts, costs)
    several = "Boosting" not in path
    models = [copied(regressor, 0).fit(contexts, part) for part in ([costs] if several else costs.T)]
    asked = near_thresholds(policy, contexts)
    predicted = np.column_stack([model.predict(asked) for model in models])
    np.testing.assert_array_equal(policy.act(asked), predicted.argmin(axis=1))
    if isinstance(policy, CheapestPolicy):
        assert isinstance(policy.model, TreeModel)
        np.testing.assert_array_equal(policy.model.values(asked), predicted)
    else:
        assert isinstance(policy, TreePolicy)
        assert path.startswith("tree.")


@pytest.mark.parametrize("path", TREES)
def test_trees_decide_pairs_alike(path: str) -> None:
    contexts, costs = table(default_rng(2), 200)
    classifier = made(f"{path}Classifier", **TREES[path])
    policy = AllPairsOracle(classifier).cheapest(contexts, costs)
    assert isinstance(policy, VotingPolicy)
    assert isinstance(policy.model, TreeModel)
    asked = near_thresholds(policy, contexts)
    np.testing.assert_array_equal(policy.act(asked), votes(fit_pairs(classifier, contexts, costs), asked))


@pytest.mark.parametrize("path", TREES)
def test_even_pairs_are_decided_alike(path: str) -> None:
    contexts = np.repeat([[0.0], [1.0]], 12, axis=0)
    labels = np.tile([0, 1], 12)
    model = made(f"{path}Classifier", **TREES[path], random_state=0)
    model.fit(contexts, labels)
    policy = voting_policy([model], 2, 1)
    assert policy.act(contexts).tolist() == model.predict(contexts).tolist()


@pytest.mark.parametrize("path", LINEAR_REGRESSORS)
def test_linear_models_predict_costs_alike(path: str) -> None:
    contexts, costs = table(default_rng(3), 150)
    contexts = contexts / 10.0
    regressor = made(path, **LINEAR_REGRESSORS[path])
    policy = RegressionOracle(regressor).cheapest(contexts, costs)
    assert isinstance(policy, CheapestPolicy)
    assert isinstance(policy.model, LinearModel)
    try:
        predicted = copied(regressor, 0).fit(contexts, costs).predict(contexts)
    except ValueError:
        predicted = np.column_stack(
            [copied(regressor, 0).fit(contexts, c).predict(contexts) for c in costs.T]
        )
    np.testing.assert_allclose(policy.model.values(contexts), predicted, rtol=1e-12, atol=1e-12)
    assert policy.act(contexts).tolist() == predicted.argmin(axis=1).tolist()


@pytest.mark.parametrize("path", LINEAR_CLASSIFIERS)
def test_linear_models_decide_pairs_alike(path: str) -> None:
    contexts, costs = table(default_rng(4), 150)
    contexts = contexts / 10.0
    classifier = made(path, **LINEAR_CLASSIFIERS[path])
    policy = AllPairsOracle(classifier).cheapest(contexts, costs)
    assert isinstance(policy, VotingPolicy)
    assert isinstance(policy.model, LinearModel)
    assert policy.act(contexts).tolist() == votes(fit_pairs(classifier, contexts, costs), contexts).tolist()


@pytest.mark.parametrize(
    "regressor",
    [
        made("svm.SVR"),
        made("neighbors.KNeighborsRegressor"),
        made("linear_model.PoissonRegressor"),
        made("ensemble.HistGradientBoostingRegressor", loss="poisson", max_iter=3),
        made("ensemble.GradientBoostingRegressor", init=made("linear_model.Ridge"), n_estimators=2),
        made("ensemble.HistGradientBoostingRegressor", categorical_features=[1], max_iter=3),
        made(
            "pipeline.Pipeline",
            steps=[("scale", made("preprocessing.StandardScaler")), ("fit", made("svm.SVR"))],
        ),
    ],
    ids=str,
)
def test_other_models_predict_for_themselves(regressor: Any) -> None:
    contexts, costs = table(default_rng(5), 80)
    contexts[:, 1] = np.round(contexts[:, 1] * 7.0)
    costs = np.exp(costs)
    policy = RegressionOracle(regressor).cheapest(contexts, costs)
    assert isinstance(policy, CheapestPolicy)
    assert isinstance(policy.model, FittedModel)
    predicted = np.column_stack(
        [copied(regressor, 0).fit(contexts, cost).predict(contexts) for cost in costs.T]
    )
    assert policy.act(contexts).tolist() == predicted.argmin(axis=1).tolist()
    assert policy.needs == (K, 3)
    with refused(ParameterError, policy.model.kind):
        policy.plain()


def test_other_classifiers_decide_for_themselves() -> None:
    contexts, costs = table(default_rng(6), 80)
    costs[:, 3] = costs.max(axis=1) + 1.0
    policy = AllPairsOracle(made("svm.SVC")).cheapest(contexts, costs)
    assert isinstance(policy, VotingPolicy)
    assert isinstance(policy.model, FittedPairs)
    assert policy.model.models[2] is False
    models = fit_pairs(made("tree.DecisionTreeClassifier"), contexts, costs)
    models |= {
        pair: copied(made("svm.SVC"), 0).fit(
            contexts, costs[:, pair[0]] > costs[:, pair[1]], sample_weight=weights / weights.mean()
        )
        for pair in combinations(range(3), 2)
        for weights in [np.abs(costs[:, pair[0]] - costs[:, pair[1]])]
    }
    assert policy.act(contexts).tolist() == votes(models, contexts).tolist()


def test_a_class_derived_by_a_user_predicts_for_itself() -> None:
    tree: Any = import_module("sklearn.tree").DecisionTreeRegressor

    def contrary(self: Any, contexts: Any) -> Any:
        return -tree.predict(self, contexts)

    derived: Any = type("DecisionTreeRegressor", (tree,), {"predict": contrary, "__module__": __name__})
    contexts, costs = table(default_rng(7), 60)
    policy = RegressionOracle(derived()).cheapest(contexts, costs)
    assert policy.act(contexts).tolist() == costs.argmax(axis=1).tolist()


def test_many_rows_are_predicted_in_blocks_alike() -> None:
    contexts, costs = table(default_rng(8), 40_000)
    forest = made("ensemble.RandomForestRegressor", n_estimators=3, max_depth=3, random_state=0)
    forest.fit(contexts[:200], costs[:200])
    policy = cheapest_policy([forest], K, 3)
    np.testing.assert_array_equal(policy.act(contexts), forest.predict(contexts).argmin(axis=1))
    pairs = AllPairsOracle(made("tree.DecisionTreeClassifier", max_depth=2)).cheapest(
        contexts[:200], costs[:200]
    )
    halves = np.concatenate([pairs.act(contexts[:20_001]), pairs.act(contexts[20_001:])])
    np.testing.assert_array_equal(pairs.act(contexts), halves)


def test_a_model_of_too_few_pairs_is_refused() -> None:
    with refused(ParameterError, "model", 6, "3 actions", 2):
        VotingPolicy(LinearModel(np.zeros((2, 1)), np.zeros(2)), 3)
    with refused(ParameterError, "weights", "offsets", 2, 3):
        LinearModel(np.zeros((2, 1)), np.zeros(3))
