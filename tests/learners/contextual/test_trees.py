from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import Generator, default_rng
from refusals import refused

from duelist.errors import ParameterError
from duelist.policies.trees import Nodes, TreeModel, TreePolicy, as_single_precision, checked, rules

STUMP: dict[str, Any] = {
    "column": [0, -1, -1],
    "threshold": [0.5, 0.0, 0.0],
    "left": [1, -1, -1],
    "right": [2, -1, -1],
}


def grow(rng: Generator, depth: int, columns: int) -> Nodes:
    """A random tree, in the order of a random growth."""
    nodes: list[list[Any]] = [[-1, 0.0, -1, -1]]
    growing = [(0, 0)]
    while growing:
        node, level = growing.pop(int(rng.integers(len(growing))))
        if level < depth and rng.random() < 0.8:
            nodes[node] = [int(rng.integers(columns)), float(rng.integers(5)), len(nodes), len(nodes) + 1]
            growing += [(len(nodes), level + 1), (len(nodes) + 1, level + 1)]
            nodes += [[-1, 0.0, -1, -1], [-1, 0.0, -1, -1]]
    return Nodes(*map(np.array, zip(*nodes, strict=True)))


def written(*arrays: Any) -> Nodes:
    return Nodes(*arrays)


def walk(nodes: Nodes, context: Any, node: int = 0) -> int:
    if nodes.column[node] == -1:
        return node
    child = nodes.left if context[nodes.column[node]] <= nodes.threshold[node] else nodes.right
    return walk(nodes, context, int(child[node]))


@given(st.integers(0, 2**32), st.integers(0, 6), st.integers(1, 3))
def test_a_shortened_tree_acts_alike(seed: int, depth: int, k: int) -> None:
    rng = default_rng(seed)
    nodes = grow(rng, depth, 3)
    actions = rng.integers(0, k, len(nodes.column))
    policy = TreePolicy(nodes, actions)
    contexts = rng.integers(-1, 7, (50, 3)).astype(float)
    assert policy.act(contexts).tolist() == [actions[walk(nodes, row)] for row in contexts]
    left, right = policy.nodes.left, policy.nodes.right
    asks = np.flatnonzero(policy.nodes.column >= 0)
    both_leaves = asks[(policy.actions[left[asks]] >= 0) & (policy.actions[right[asks]] >= 0)]
    assert (policy.actions[left[both_leaves]] != policy.actions[right[both_leaves]]).all()
    again = TreePolicy(policy.nodes, policy.actions)
    for one, other in zip(again.nodes, policy.nodes, strict=True):
        np.testing.assert_array_equal(one, other)


def test_equal_trees_grown_in_another_order_become_equal() -> None:
    grown_left_first = written([0, 1, -1, -1, -1], [1, 2, 0, 0, 0], [1, 2, -1, -1, -1], [4, 3, -1, -1, -1])
    grown_level_wise = written([0, 1, -1, -1, -1], [1, 2, 0, 0, 0], [1, 3, -1, -1, -1], [2, 4, -1, -1, -1])
    one = TreePolicy(grown_left_first, np.array([9, 9, 0, 1, 2]))
    other = TreePolicy(grown_level_wise, np.array([9, 9, 2, 0, 1]))
    for key, value in one.plain().items():
        np.testing.assert_array_equal(value, other.plain()[key])
    assert one.actions.tolist() == [-1, -1, 0, 1, 2]


@given(st.floats(-1e30, 1e30), st.integers(-3, 3))
def test_thresholds_part_as_if_rounded_to_single_precision(near: float, steps: int) -> None:
    numbers = [
        near,
        float(np.float32(near)),
        float(np.float32(near) / 2 + np.nextafter(np.float32(near), 9) / 2),
    ]
    for threshold in numbers:
        [moved] = as_single_precision(np.array([threshold]))
        assert np.float32(moved) <= np.float64(threshold)
        assert np.float32(np.nextafter(moved, np.inf)) > np.float64(threshold)
        for number in (*numbers, threshold + steps * np.spacing(threshold)):
            assert (number <= moved) == (np.float32(number) <= np.float64(threshold))


def test_rules_read_left_before_right() -> None:
    nodes = checked(written([1, 0, -1, -1, -1], [2.5, 1e-7, 0, 0, 0], [1, 3, -1, -1, -1], [2, 4, -1, -1, -1]))
    assert rules(nodes, ["age", "hour"], str) == [
        "hour <= 2.5:",
        "  age <= 1e-07: 3",
        "  age > 1e-07: 4",
        "hour > 2.5: 2",
    ]
    assert TreePolicy(nodes, np.array([0, 0, 1, 1, 1])).lines(["tea", "milk"], ["age", "hour"]) == [
        "always: milk"
    ]


@pytest.mark.parametrize(
    ("changes", "facts"),
    [
        ({"column": [0, -1]}, ("column", "threshold", "left", "right", 2, 3)),
        ({"column": [-2, -1, -1]}, ("column", -1, -2)),
        ({"threshold": [np.nan, 0.0, 0.0]}, ("threshold", [np.nan, 0.0, 0.0])),
        ({"left": [0, -1, -1]}, ("left", "node 0", 2, 0)),
        ({"right": [3, -1, -1]}, ("right", "node 0", 2, 3)),
        ({"left": [2, -1, -1]}, ("left", "right", "parent")),
        ({"actions": [0, 1]}, ("actions", 3, 2)),
        ({"actions": [0, 1, -1]}, ("actions", "leaves", -1)),
    ],
)
def test_what_is_no_tree_is_refused(changes: dict[str, Any], facts: tuple[object, ...]) -> None:
    content = {**STUMP, "actions": [0, 0, 1]} | changes
    with refused(ParameterError, *facts):
        TreePolicy.from_plain(content)


@pytest.mark.parametrize(
    ("changes", "facts"),
    [
        ({"divisor": 0.0}, ("divisor", 0.0)),
        ({"leaves": [[1.0]]}, ("leaves", 3, 1)),
        ({"places": [0, 0]}, ("places", 1, 2)),
        ({"base": []}, ("base", 0)),
        ({"roots": [3]}, ("roots", 2, "[3]")),
        ({"places": [1]}, ("places", 0, 1, "[1]")),
    ],
)
def test_what_is_no_sum_of_trees_is_refused(changes: dict[str, Any], facts: tuple[object, ...]) -> None:
    content = {
        **STUMP,
        "leaves": [[0.0], [1.0], [2.0]],
        "roots": [0],
        "places": [0],
        "base": [0.5],
        "divisor": 2.0,
    }
    values = TreeModel.from_plain(content).values(np.array([[0.5], [0.6]]))
    assert values.tolist() == [[0.75], [1.25]]
    with refused(ParameterError, *facts):
        TreeModel.from_plain(content | changes)


def test_a_tree_that_asks_nothing_takes_one_action() -> None:
    assert TreePolicy.always(2).act(np.zeros((2, 1))).tolist() == [2, 2]
