from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import default_rng
from refusals import refused

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
    with refused(ParameterError, "contexts", 0, 1, str(number)):
        TablePolicy(np.array([0, 1])).act(np.array([[0.0], [number]]))
    with refused(ParameterError, "contexts", 0, 1, str(number)):
        FinitePolicies([[0, 1]]).advice(np.array([number]))


@pytest.mark.parametrize("actions", [[], [-1], [[0]]])
def test_tables_of_no_actions_are_refused(actions: Any) -> None:
    given = np.array(actions)
    with refused(ParameterError, "actions", given):
        TablePolicy(given)
    with refused(ParameterError, "actions", given[np.newaxis].shape):
        FinitePolicies([actions])


def test_a_table_is_plain_and_tells_what_it_does() -> None:
    policy = TablePolicy(np.array([2, 0, 2]))
    assert isinstance(policy, PlainPolicy)
    assert policy.needs == (3, 1)
    assert policy.lines("abc", ["hour"]) == ["a where hour is 1", "c where hour is 0, 2"]


@pytest.mark.parametrize("value", [[1.5], [True], ["1"], [2**70], 3])
def test_what_is_no_array_of_whole_numbers_is_refused(value: object) -> None:
    with refused(ParameterError, "left", value):
        whole_numbers("left", value)


@pytest.mark.parametrize("value", [[np.nan], [np.inf], [None], ["1"]])
def test_what_is_no_array_of_finite_numbers_is_refused(value: object) -> None:
    with refused(ParameterError, "base", value):
        finite_numbers("base", value)


def test_arrays_in_errors_are_cut_short_and_ragged_ones_are_refused() -> None:
    with refused(ParameterError, "base") as caught:
        finite_numbers("base", ["x" * 99])
    assert len(str(caught.value)) < 99
    with refused(ParameterError, "leaves"):
        finite_numbers("leaves", [[1.0], [1.0, 2.0]], 2)
