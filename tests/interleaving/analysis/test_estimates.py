"""The parts of analyses: columns, click metrics, intervals and tests of means."""

import numpy as np
import pytest

from duelist.interleaving.analysis.columns import as_clicked_places, as_groups, as_outcomes, measure_clicks
from duelist.interleaving.analysis.intervals import (
    estimate_difference,
    estimate_mean,
    estimate_outcomes,
    sign_test,
)


def test_columns_are_read() -> None:
    assert as_outcomes([1, 0, 0.5]).tolist() == [1.0, 0.0, 0.5]
    assert as_groups("users", ["ann", "bob", "ann"], 3).tolist() == [0, 1, 0]
    assert as_clicked_places("clicks", [[0, 2], [], [4, 4]]).counts.tolist() == [2, 0, 1]


def test_clicks_are_measured() -> None:
    measures = measure_clicks(as_clicked_places("clicks", [[0, 3], [], [1]]))
    assert {metric: values.tolist() for metric, values in measures.items()} == {
        "clicks per query": [2.0, 0.0, 1.0],
        "abandonment rate": [0.0, 1.0, 0.0],
        "reciprocal rank of first click": [1.0, 0.5],
        "mean reciprocal rank of clicks": [0.625, 0.5],
    }


def test_a_mean_has_students_interval() -> None:
    found = estimate_mean(np.array([1.0, 0.5, 1.0, 0.0]), 0.95, expected=0.5)
    assert found == pytest.approx((0.625, -0.137, 1.387, 0.638), abs=5e-4)


def test_outcomes_that_agree_have_an_exact_interval() -> None:
    assert estimate_outcomes(np.ones(5), 0.95) == pytest.approx((1.0, 0.478, 1.0, 0.0625), abs=5e-4)


def test_a_difference_has_welchs_test() -> None:
    found = estimate_difference(np.array([1.0, 2.0, 3.0]), np.array([0.0, 1.0, 0.0]), 0.95)
    assert (found.value, found.p_value) == pytest.approx((1.667, 0.082), abs=5e-4)


def test_wins_and_losses_have_an_exact_test() -> None:
    assert (sign_test(5, 0), sign_test(3, 3)) == (0.0625, 1.0)
