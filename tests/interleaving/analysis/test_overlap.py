from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

from duelist.errors import ParameterError
from duelist.interleaving.analysis import analyze_overlap, measure_overlap, rank_biased_overlap

rankings = st.lists(st.integers(0, 9), min_size=1, max_size=8, unique=True)


def rbo_as_a_long_sum(left: list[int], right: list[int], persistence: float) -> float:
    """Sum agreement over depths far beyond the ends, extrapolated as in section 4.4 of the paper."""
    short, long = sorted((left, right), key=len)
    s, length = len(short), len(long)
    at_short = len(set(short) & set(long[:s]))
    total = 0.0
    for depth in range(1, 3000):
        found = len(set(short[:depth]) & set(long[:depth]))
        if depth <= s:
            agreement = found / depth
        elif depth <= length:
            agreement = (found + at_short / s * (depth - s)) / depth
        else:
            agreement = (found - at_short) / length + at_short / s
        total += (1.0 - persistence) * persistence ** (depth - 1) * agreement
    return total


@pytest.mark.parametrize(
    ("left", "right", "persistence", "expected"),
    [
        ("abc", "abc", 0.9, 1.0),
        ("abc", "xyz", 0.9, 0.0),
        # agreement 1, 1/2, 1, and 1 from there: 1/2 (1 + 1/4 + 1/4) + 1/8
        ("abc", "acb", 0.5, 0.875),
        # agreement 0, 1, and 1 from there: 1/2 (0 + 1/2) + 1/4
        ("ab", "ba", 0.5, 0.5),
        # agreement 1, 1/2, and 1/2 from there
        ("ab", "ac", 0.5, 0.75),
    ],
)
def test_rank_biased_overlap_by_hand(left: str, right: str, persistence: float, expected: float) -> None:
    assert rank_biased_overlap(left, right, persistence) == pytest.approx(expected, abs=1e-12)


@given(left=rankings, right=rankings, persistence=st.sampled_from([0.3, 0.9, 0.98]))
def test_every_measure_is_the_obvious_one(left: list[int], right: list[int], persistence: float) -> None:
    overlap = measure_overlap([left], [right], depth=8, persistence=persistence)
    both = set(left) & set(right)
    prefix = 0
    while prefix < min(len(left), len(right)) and left[prefix] == right[prefix]:
        prefix += 1
    assert overlap.shared[0] == len(both) / max(len(left), len(right))
    assert overlap.jaccard[0] == len(both) / len(set(left) | set(right))
    assert overlap.prefix[0] == prefix
    assert overlap.identical[0] == (left == right)
    assert overlap.rbo[0] == pytest.approx(rbo_as_a_long_sum(left, right, persistence), abs=1e-9)
    assert measure_overlap([right], [left], depth=8, persistence=persistence) == overlap


def test_only_the_top_counts_and_rows_stay_apart() -> None:
    left = np.array([[1, 2, 3, 4], [5, 6, 7, 8]])
    right = np.array([[1, 2, 4, 3], [8, 7, 6, 5]])
    overlap = measure_overlap(left, right, depth=2)
    assert overlap.identical.tolist() == [True, False]
    assert overlap.shared.tolist() == [1.0, 0.0]
    names = measure_overlap(left.astype(str), [list(row) for row in right.astype(str)], depth=2)
    assert all((one == two).all() for one, two in zip(overlap, names, strict=True))


def test_the_report_counts_what_can_never_tell() -> None:
    left = [list(range(10))] * 100
    right = [list(range(10))] * 61 + [list(range(9, -1, -1))] * 29 + [list(range(5, 15))] * 10
    outcomes = [1.0] * 3 + [0.5] * 92 + [0.0] * 5
    clicks = [[0]] * 8 + [[]] * 92
    report = analyze_overlap(left, right, outcomes, clicks)
    assert (report.identical, report.reordered) == (0.61, 0.29)
    assert (report.clicked, report.decisive, report.chance_outcomes) == (0.08, 0.08, 0.03)
    assert report.shared == pytest.approx(0.9 + 0.1 * 0.5)
    assert report.prefix == pytest.approx(6.1)
    assert len(report.warnings) == 5
    assert report.warnings[0].startswith(
        "in 61% of the impressions both rankings show the same 10 documents in the same order"
    )
    assert str(report).count("Warning:") == 5


def test_without_clicks_and_outcomes_these_are_unknown() -> None:
    report = analyze_overlap([["a", "b"]], [["c", "d"]])
    assert report.clicked is report.decisive is report.chance_outcomes is None
    assert report.warnings == ()
    assert "click" not in str(report)


@pytest.mark.parametrize(
    ("left", "right", "options", "facts"),
    [
        ([["a"]], [["a"], ["b"]], {}, ("left", "right", 1, 2)),
        ([], [], {}, ("left", "right", 0)),
        ([["a"], []], [["a"], ["b"]], {}, ("left", "row 1")),
        ([["a"]], [[]], {}, ("right", "row 0")),
        ([["a", "b"], ["a", "a"]], [["a"], ["b"]], {}, ("left", "row 1")),
        ([["a"]], [["b"]], {"depth": 0}, ("depth", 0)),
        ([["a"]], [["b"]], {"persistence": 1.0}, ("persistence", 1.0)),
        ([["a"]], [["b"]], {"outcomes": [1, 0]}, ("outcomes", "1 impression", 2)),
        ([["a"]], [["b"]], {"clicks": [[0], []]}, ("clicks", "1 impression", 2)),
    ],
)
def test_rankings_that_cannot_be_compared_are_refused(
    left: Any, right: Any, options: dict[str, Any], facts: tuple[object, ...]
) -> None:
    with refused(ParameterError, *facts):
        analyze_overlap(left, right, **options)
