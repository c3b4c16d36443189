from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from scipy import stats

from duelist.duel import BoolArray
from duelist.errors import ParameterError
from duelist.interleaving.analysis import compare_absolute
from duelist.interleaving.analysis.columns import as_clicked_places, measure_clicks


def pages(seed: int, attraction: float) -> BoolArray:
    clicked: BoolArray = np.random.default_rng(seed).random((400, 10)) < attraction
    return clicked


@given(clicks=st.lists(st.lists(st.integers(0, 6), max_size=5), min_size=1, max_size=20))
def test_metrics_are_those_of_each_page_alone(clicks: list[list[int]]) -> None:
    measures = measure_clicks(as_clicked_places("clicks", clicks))
    places = [set(page) for page in clicks]
    clicked = [page for page in places if page]
    assert measures["clicks per query"].tolist() == [len(page) for page in places]
    assert measures["abandonment rate"].tolist() == [not page for page in places]
    first = [1.0 / (1 + min(page)) for page in clicked]
    assert measures["reciprocal rank of first click"].tolist() == first
    mean = [np.mean([1.0 / (1 + place) for place in page]) for page in clicked]
    assert measures["mean reciprocal rank of clicks"] == pytest.approx(mean)
    flags = np.array([[place in page for place in range(7)] for page in places])
    again = measure_clicks(as_clicked_places("clicks", flags))
    assert all((again[metric] == values).all() for metric, values in measures.items())


def test_intervals_and_p_values_are_scipys() -> None:
    a, b = pages(0, 0.15), pages(1, 0.12)[:300]
    report = compare_absolute(a, b, confidence=0.9)
    counts = a.sum(axis=1), b.sum(axis=1)
    expected = stats.ttest_ind(*counts, equal_var=False)
    interval = expected.confidence_interval(0.9)
    found = report.metrics[0]
    assert found.metric == "clicks per query"
    assert (found.lower, found.upper) == pytest.approx((interval.low, interval.high), rel=1e-9)
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-9)
    alone = stats.ttest_1samp(counts[0], 0.0).confidence_interval(0.9)
    assert (found.lower_a, found.upper_a) == pytest.approx((alone.low, alone.high), rel=1e-9)
    assert found.deviation == pytest.approx(np.sqrt((counts[0].var(ddof=1) + counts[1].var(ddof=1)) / 2))
    assert (report.impressions_a, report.impressions_b) == (400, 300)
    clicked = sum((count > 0).sum() for count in counts)
    assert [one.counted for one in report.metrics] == [1.0, 1.0, clicked / 700, clicked / 700]


def test_better_ranker_has_more_clicks_higher_up_and_less_abandonment() -> None:
    metrics = {one.metric: one for one in compare_absolute(pages(2, 0.3), pages(3, 0.1)).metrics}
    assert metrics["clicks per query"].lower > 0.0
    assert metrics["abandonment rate"].upper < 0.0
    assert metrics["reciprocal rank of first click"].lower > 0.0


def test_metrics_without_values_are_left_out() -> None:
    report = compare_absolute([[], [], []], [[0], [1], []])
    assert [one.metric for one in report.metrics] == ["clicks per query", "abandonment rate"]
    assert report.metrics[1].mean_a == 1.0


@pytest.mark.parametrize(
    ("clicks", "facts"),
    [
        ([], ("clicks_a",)),
        (np.zeros((0, 10), np.bool_), ("clicks_a",)),
        ([[0], [-1]], ("clicks_a", "row 1", -1)),
        ([[0], [], [1.5]], ("clicks_a", "row 2", 1.5)),
        ([[float("inf")], [0]], ("clicks_a", "row 0", "inf")),
        ([["x"], []], ("clicks_a", "row 0", "x")),
        ([0, 1], ("clicks_a", "int")),
        (np.zeros((3, 10), np.int64), ("clicks_a", "int64", "clicks_a.astype(bool)")),
        ([[True, False], [False, False]], ("clicks_a", "bool", "np.array(clicks_a)")),
    ],
)
def test_clicks_that_are_none_are_refused(clicks: Any, facts: tuple[object, ...]) -> None:
    with refused(ParameterError, *facts):
        compare_absolute(clicks, [[0], []])


def test_a_level_out_of_range_is_refused() -> None:
    with refused(ParameterError, "confidence", 0.0):
        compare_absolute([[0], []], [[0], []], confidence=0.0)
