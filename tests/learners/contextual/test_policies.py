from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import default_rng

from duelist.errors import ParameterError
from duelist.estimators.game import CountedOracle, Oracle
from duelist.estimators.oracles import RegressionOracle
from duelist.policies.finite import FinitePolicies, TablePolicy
from duelist.policies.plain import PlainPolicy, finite_numbers, whole_numbers


@given(st.integers(1, 4), st.integers(1, 3), st.integers(0, 2**32))
def test_the_exact_oracle_finds_the_least_total_cost(contexts: int, k: int, seed: int) -> None:
    rng = default_rng(seed)
    table = np.array(list(product(range(k), repeat=contexts)))[:: rng.integers(1, 4)]
    rows = rng.integers(0, contexts, 9)
    costs = rng.integers(-3, 4, (9, k)).astype(float)
    totals = [sum(costs[i, policy[rows[i]]] for i in range(9)) for policy in table]
    found = FinitePolicies(table).oracle().cheapest(rows[:, np.newaxis].astype(float), costs)
    assert found.actions.tolist() == table[int(np.argmin(totals))].tolist()


def test_calls_are_counted() -> None:
    counted = CountedOracle(FinitePolicies([[0], [1]]).oracle())
    for _ in range(3):
        counted.cheapest(np.array([[0.0]]), np.array([[0.0, 1.0]]))
    assert counted.calls == 3
    assert isinstance(counted, Oracle)
    assert issubclass(RegressionOracle, Oracle)


def test_advice_is_a_column_of_the_table() -> None:
    policies = FinitePolicies([[0, 1], [2, 0], [1, 1]])
    assert policies.advice(np.array([1.0])).tolist() == [1, 0, 1]


@pytest.mark.parametrize("number", [2.0, -1.0, -0.5, 0.5, np.nan, np.inf])
def test_what_is_no_number_of_a_context_is_refused(number: float) -> None:
    with pytest.raises(
        ParameterError, match=f"whole numbers from 0 to 1 in their first column; got {number}"
    ):
        TablePolicy(np.array([0, 1])).act(np.array([[0.0], [number]]))
    with pytest.raises(ParameterError, match="whole numbers from 0 to 1"):
        FinitePolicies([[0, 1]]).advice(np.array([number]))


@pytest.mark.parametrize("actions", [[], [-1], [[0]]])
def test_tables_of_no_actions_are_refused(actions: Any) -> None:
    with pytest.raises(ParameterError, match="actions"):
        TablePolicy(np.array(actions))
    with pytest.raises(ParameterError, match="actions"):
        FinitePolicies([actions])


def test_a_table_is_plain_and_tells_what_it_does() -> None:
    policy = TablePolicy(np.array([2, 0, 2]))
    assert isinstance(policy, PlainPolicy)
    assert policy.needs == (3, 1)
    assert policy.lines("abc", ["hour"]) == ["a where hour is 1", "c where hour is 0, 2"]


@pytest.mark.parametrize(
    ("value", "message"),
    [([1.5], "whole"), ([True], "whole"), (["1"], "whole"), ([2**70], "whole"), (3, "dimensions")],
)
def test_what_is_no_array_of_whole_numbers_is_refused(value: object, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        whole_numbers("left", value)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([np.nan], "finite"),
        ([np.inf], "finite"),
        ([None], "finite"),
        (["1"], "finite"),
        (["x" * 99], r"\.\.\."),
    ],
)
def test_what_is_no_array_of_finite_numbers_is_refused(value: object, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        finite_numbers("base", value)
    with pytest.raises(ParameterError, match="differ in length"):
        finite_numbers("leaves", [[1.0], [1.0, 2.0]], 2)
