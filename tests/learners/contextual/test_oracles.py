"""Oracles made from scikit-learn models: against brute force, and by hand."""

import sys
from importlib import import_module
from itertools import product
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import default_rng
from refusals import refused

from duelist.duel import FloatArray
from duelist.errors import MissingExtraError, OutcomeError, ParameterError
from duelist.estimators.game import CountedOracle
from duelist.estimators.oracles import AllPairsOracle, RegressionOracle
from duelist.policies.finite import FinitePolicies
from duelist.policies.models import LinearModel
from duelist.policies.plain import PlainPolicy, fingerprint
from duelist.policies.scored import VotingPolicy
from duelist.protocols import Policy

pytest.importorskip("sklearn", reason="scikit-learn is not installed")
tree: Any = import_module("sklearn.tree")
ensemble: Any = import_module("sklearn.ensemble")
linear: Any = import_module("sklearn.linear_model")
pipeline: Any = import_module("sklearn.pipeline")
preprocessing: Any = import_module("sklearn.preprocessing")


class Recorder:
    """A classifier with scikit-learn's interface that records its input and predicts 1."""

    given: tuple[Any, ...] = ()
    made: ClassVar[list["Recorder"]] = []

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {}

    def set_params(self) -> "Recorder":
        return self

    def fit(self, contexts: Any, labels: Any, sample_weight: Any = None) -> "Recorder":
        self.given = (contexts.tolist(), labels.tolist(), sample_weight.tolist())
        self.made.append(self)
        return self

    def predict(self, contexts: Any) -> Any:
        return np.ones(len(contexts))


def cost(policy: Policy, contexts: FloatArray, costs: FloatArray) -> float:
    return float(costs[np.arange(len(costs)), policy.act(contexts)].sum())


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 6), st.integers(2, 4), st.integers(0, 2**32))
def test_deep_trees_find_the_least_cost_of_all_policies(different: int, k: int, seed: int) -> None:
    rng = default_rng(seed)
    numbers = rng.integers(0, different, 12)
    contexts = numbers[:, np.newaxis].astype(float)
    costs = rng.integers(-4, 5, (12, k)).astype(float)
    best = FinitePolicies(list(product(range(k), repeat=different))).oracle().cheapest(contexts, costs)
    found = RegressionOracle(tree.DecisionTreeRegressor()).cheapest(contexts, costs)
    assert cost(found, contexts, costs) == pytest.approx(cost(best, contexts, costs), abs=1e-9)


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 4), st.integers(0, 2**32))
def test_deep_trees_of_pairs_find_the_least_cost_in_distinct_contexts(k: int, seed: int) -> None:
    rng = default_rng(seed)
    contexts = rng.permutation(9)[:, np.newaxis].astype(np.float64)
    costs = rng.integers(-4, 5, (9, k)).astype(float)
    found = AllPairsOracle(tree.DecisionTreeClassifier()).cheapest(contexts, costs)
    # with equal costs either action may win a pair, so only a unique cheapest action must win the most
    sole = (costs == costs.min(axis=1, keepdims=True)).sum(axis=1) == 1
    assert (found.act(contexts) == costs.argmin(axis=1))[sole].all()


def test_a_shallow_tree_asks_what_matters_most() -> None:
    contexts = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    costs = np.array([[0.0, 9.0], [0.0, 8.0], [7.0, 0.0], [0.0, 1.0]])
    found = RegressionOracle(tree.DecisionTreeRegressor(max_depth=1)).cheapest(contexts, costs)
    assert isinstance(found, PlainPolicy)
    assert found.lines("ab", ["x", "y"]) == ["x <= 0.5: a", "x > 0.5: b"]


def test_pairs_are_told_who_is_cheaper_and_by_how_much() -> None:
    contexts = np.array([[0.0], [1.0], [2.0]])
    costs = np.array([[3.0, 1.0, 3.0], [1.0, 2.0, 3.0], [4.0, 4.0, 0.0]])
    Recorder.made.clear()
    policy = AllPairsOracle(Recorder()).cheapest(contexts, costs)
    assert [model.given for model in Recorder.made] == [
        ([[0.0], [1.0]], [1, 0], [2.0 / 1.5, 1.0 / 1.5]),
        ([[1.0], [2.0]], [0, 1], [2.0 / 3.0, 4.0 / 3.0]),
        ([[0.0], [1.0], [2.0]], [0, 0, 1], [2.0 / (7 / 3), 1.0 / (7 / 3), 4.0 / (7 / 3)]),
    ]
    assert policy.act(contexts).tolist() == [2, 2, 2]


def test_a_pair_that_is_always_decided_alike_needs_no_classifier() -> None:
    contexts, costs = np.array([[0.0], [1.0]]), np.array([[2.0, 1.0, 1.0], [3.0, 2.0, 2.0]])
    Recorder.made.clear()
    policy = AllPairsOracle(Recorder()).cheapest(contexts, costs)
    assert Recorder.made == []
    assert isinstance(policy, PlainPolicy)
    assert policy.act(contexts).tolist() == [1, 1]
    assert policy.plain()["model"]["offsets"].tolist() == [0.0, 1.0, 0.0, 1.0, 1.0, 0.0]


def test_where_contexts_are_alike_the_least_total_wins_all_pairs() -> None:
    contexts, costs = np.zeros((3, 1)), np.array([[0.0, 1.0, 2.0], [2.2, 0.0, 1.1], [1.2, 2.4, 0.0]])
    policy = AllPairsOracle(tree.DecisionTreeClassifier()).cheapest(contexts, costs)
    assert policy.act(contexts[:1]).tolist() == [2]


def test_where_votes_go_round_the_first_action_wins() -> None:
    beats = {(0, 1): False, (0, 2): True, (1, 2): False}
    offsets = np.array([number for second in beats.values() for number in (not second, second)], float)
    assert VotingPolicy(LinearModel(np.zeros((6, 1)), offsets), 3).act(np.zeros((1, 1))).tolist() == [0]


@pytest.mark.parametrize(
    "oracle",
    [
        RegressionOracle(ensemble.RandomForestRegressor(3, max_features=1)),
        RegressionOracle(pipeline.make_pipeline(preprocessing.StandardScaler(), linear.SGDRegressor())),
        AllPairsOracle(ensemble.ExtraTreesClassifier(3, max_depth=2)),
    ],
    ids=["forest", "pipeline", "pairs"],
)
def test_equal_costs_give_equal_policies(oracle: Any) -> None:
    rng = default_rng(0)
    contexts, costs = rng.random((60, 3)), rng.random((60, 3))
    actions = [oracle.cheapest(contexts, costs).act(contexts).tolist() for _ in range(2)]
    assert actions[0] == actions[1]
    other = type(oracle)(*(value for name, value in vars(oracle).items() if name != "seed"), seed=1)
    assert other.cheapest(contexts, costs).act(contexts).tolist() != actions[0]


def test_a_state_that_is_set_stays_and_the_given_estimator_too() -> None:
    rng = default_rng(1)
    contexts, costs = rng.random((60, 3)), rng.random((60, 3))
    forest = ensemble.RandomForestRegressor(3, random_state=5)
    prints = []
    for given_forest, seed in ((forest, 0), (forest, 5), (ensemble.RandomForestRegressor(3), 5)):
        policy = RegressionOracle(given_forest, seed).cheapest(contexts, costs)
        assert isinstance(policy, PlainPolicy)
        prints.append(fingerprint(policy.plain()))
    assert prints[0] == prints[1] == prints[2]
    assert forest.get_params()["random_state"] == 5
    assert not hasattr(forest, "estimators_")


def test_a_pipeline_hands_weights_to_its_last_step() -> None:
    rng = default_rng(2)
    contexts, costs = rng.random((80, 2)), rng.random((80, 2))
    scaled = pipeline.make_pipeline(preprocessing.StandardScaler(), tree.DecisionTreeClassifier(max_depth=2))
    policies = [
        AllPairsOracle(given).cheapest(contexts, costs)
        for given in (scaled, tree.DecisionTreeClassifier(max_depth=2))
    ]
    assert policies[0].act(contexts).tolist() == policies[1].act(contexts).tolist()


def test_one_action_leaves_no_choice() -> None:
    contexts, costs = np.array([[0.0], [1.0]]), np.array([[1.0], [2.0]])
    assert RegressionOracle(tree.DecisionTreeRegressor()).cheapest(contexts, costs).act(
        contexts
    ).tolist() == [0, 0]
    with refused(ParameterError, "costs", 2, 1):
        AllPairsOracle(tree.DecisionTreeClassifier()).cheapest(contexts, costs)


def test_oracles_of_scikit_learn_can_be_counted() -> None:
    counted = CountedOracle(RegressionOracle(linear.LinearRegression()))
    counted.cheapest(np.array([[0.0], [1.0]]), np.array([[1.0, 0.0], [0.0, 1.0]]))
    assert counted.calls == 1


@pytest.mark.parametrize(
    ("make", "facts"),
    [
        (
            lambda: RegressionOracle(tree.DecisionTreeRegressor),
            ("regressor", "DecisionTreeRegressor(max_depth=4)"),
        ),
        (lambda: RegressionOracle("tree"), ("regressor", "'tree'")),
        (
            lambda: RegressionOracle(tree.DecisionTreeClassifier()),
            ("regressor", "DecisionTreeClassifier", "classifier", "AllPairsOracle"),
        ),
        (lambda: AllPairsOracle(linear.Ridge()), ("classifier", "Ridge", "regressor", "RegressionOracle")),
        (lambda: RegressionOracle(linear.Ridge(), seed=-1), ("seed", -1)),
        (
            lambda: AllPairsOracle(import_module("sklearn.neighbors").KNeighborsClassifier()),
            ("classifier", "sample_weight", "KNeighborsClassifier"),
        ),
    ],
)
def test_what_cannot_learn_is_refused(make: Any, facts: tuple[object, ...]) -> None:
    with refused(ParameterError, *facts):
        make()


def test_costs_that_cannot_be_learned_from_are_refused() -> None:
    for oracle in (RegressionOracle(linear.Ridge()), AllPairsOracle(linear.LogisticRegression())):
        with refused(ParameterError, "contexts", "costs", (2, 1), (1, 2)):
            oracle.cheapest(np.zeros((2, 1)), np.zeros((1, 2)))
        with refused(OutcomeError, "costs", "row 1", "[nan  1.]"):
            oracle.cheapest(np.zeros((2, 1)), np.array([[0.0, 1.0], [np.nan, 1.0]]))


def test_without_scikit_learn_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    oracle = AllPairsOracle(Recorder())
    monkeypatch.setitem(sys.modules, "sklearn.base", None)
    with refused(MissingExtraError, '"duelist[contextual]"'):
        oracle.cheapest(np.array([[0.0], [1.0]]), np.array([[0.0, 1.0], [1.0, 0.0]]))
