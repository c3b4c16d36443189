import random
from math import inf, nan
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import binomtest

from duelist.errors import ParameterError, PreferenceError
from duelist.problems import Comparison, MatrixProblem, estimate, tally, wilson_interval, worst_case

NAMES = st.sampled_from("abcde")
RECORDS = st.lists(
    st.tuples(NAMES, NAMES, st.integers(1, 50)).filter(lambda record: record[0] != record[1]), min_size=1
)
WINS = st.integers(2, 5).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 1000), min_size=k, max_size=k), min_size=k, max_size=k)
)


def test_tally_counts_who_beat_whom_in_order_of_appearance() -> None:
    labels, wins = tally([("b", "a"), ("a", "c", 2.5), ("b", "a", 3)])
    assert labels == ("b", "a", "c")
    assert_array_equal(wins, [[0, 4, 0], [0, 0, 2.5], [0, 0, 0]])


def test_tally_keeps_the_given_order_and_arms_never_compared() -> None:
    labels, wins = tally([("b", "a")], labels=["a", "b", "idle"])
    assert labels == ("a", "b", "idle")
    assert_array_equal(wins, [[0, 0, 0], [1, 0, 0], [0, 0, 0]])


def test_tally_takes_whole_numbers_for_names() -> None:
    labels, wins = tally([(17, np.int64(4))])
    assert labels == ("17", "4")
    assert wins[0, 1] == 1.0


def test_tally_takes_comparisons() -> None:
    labels, wins = tally([Comparison("a", "b", 2.0)])
    assert labels == ("a", "b")
    assert wins[0, 1] == 2.0


@given(RECORDS, st.randoms())
def test_tally_does_not_depend_on_the_order_of_records(
    records: list[tuple[str, str, int]], shuffler: random.Random
) -> None:
    shuffled = shuffler.sample(records, len(records))
    assert_array_equal(tally(records, labels="abcde")[1], tally(shuffled, labels="abcde")[1])


@given(RECORDS)
def test_tally_loses_no_win(records: list[tuple[str, str, int]]) -> None:
    labels, wins = tally(records)
    for name, won in zip(labels, wins.sum(axis=1), strict=True):
        assert won == sum(count for winner, _, count in records if winner == name)


@settings(deadline=None)
@given(RECORDS)
def test_a_data_frame_is_tallied_like_its_rows(records: list[tuple[str, str, int]]) -> None:
    frame = pd.DataFrame(records, columns=["Winner", "LOSER", "count"])
    frame.insert(0, "date", "monday")
    labels, wins = tally(frame)
    expected_labels, expected_wins = tally(records)
    assert labels == expected_labels
    assert_array_equal(wins, expected_wins)


def test_a_data_frame_needs_no_count() -> None:
    labels, wins = tally(pd.DataFrame({"loser": [1, 1], "winner": [2, 3]}))
    assert labels == ("2", "1", "3")
    assert_array_equal(wins, [[0, 1, 0], [0, 0, 0], [0, 1, 0]])


def test_a_data_frame_without_the_columns_is_refused() -> None:
    with pytest.raises(PreferenceError, match=r"columns are \['a', 'loser'\].*\"winner\" and \"loser\""):
        tally(pd.DataFrame({"a": ["x"], "loser": ["y"]}))


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (("a", "a"), "record 2, column \"loser\": 'a' is the winner too; name two arms"),
        (("", "b"), "record 2, column \"winner\": '' is not a name; give one line of text"),
        (("a", " b"), "record 2, column \"loser\": ' b' is not a name; .* no spaces around it"),
        (("a\nb", "b"), r"record 2, column \"winner\": 'a\\nb' is not a name"),
        ((nan, "b"), 'record 2, column "winner": nan is not a name'),
        (("a", None), 'record 2, column "loser": None is not a name'),
        (("a", "b", -1), 'record 2, column "count": -1 is not a number of wins; give 0 or more'),
        (("a", "b", nan), 'record 2, column "count": nan is not a number of wins'),
        (("a", "b", inf), 'record 2, column "count": inf is not a number of wins'),
        (("a", "b", 10**400), 'record 2, column "count": 10+ is not a number of wins'),
        (("a", "b", "x"), "record 2, column \"count\": 'x' is not a number of wins"),
        (("a", "b", None), 'record 2, column "count": None is not a number of wins'),
        (("a", "b", 1, 2), r"record 2 has 4 fields; give \(winner, loser, count\)"),
        (("a",), "record 2 has 1 field;"),
    ],
)
def test_a_wrong_record_is_refused_by_its_number(record: tuple[Any, ...], message: str) -> None:
    with pytest.raises(PreferenceError, match=message):
        tally([("a", "b"), record])


def test_unknown_arms_are_refused() -> None:
    with pytest.raises(
        PreferenceError, match=r"record 2, column .loser.: no arm named 'Dense'; did you mean 'dense'\?"
    ):
        tally([("dense", "bm25"), ("bm25", "Dense")], labels=["bm25", "dense"])


def test_one_arm_is_too_few() -> None:
    with pytest.raises(PreferenceError, match=r"record 1, column .loser.: no arm named 'b'\. Known: a"):
        tally([("a", "b")], labels=["a"])


def test_an_empty_table_is_refused() -> None:
    with pytest.raises(PreferenceError, match=r"no comparison; give at least one \(winner, loser\)"):
        tally([])


def test_repeated_labels_are_refused() -> None:
    with pytest.raises(PreferenceError, match=r"labels\[2\]: 'a' is arm 0 too; name each once"):
        tally([("a", "b")], labels=["a", "b", "a"])


def test_estimate_is_the_share_of_wins() -> None:
    assert_allclose(
        estimate([[7, 3, 0], [1, 0, 0], [0, 0, 0]]), [[0.5, 0.75, 0.5], [0.25, 0.5, 0.5], [0.5, 0.5, 0.5]]
    )


@given(WINS, st.floats(0.0, 100.0))
def test_estimate_follows_its_formula(wins: list[list[int]], prior: float) -> None:
    won = np.array(wins, dtype=float)
    matrix = estimate(won, prior)
    assert_allclose(matrix + matrix.T, 1.0)
    for i, j in np.argwhere((won + won.T > 0) & ~np.eye(len(won), dtype=bool)):
        assert_allclose(matrix[i, j], (won[i, j] + prior) / (won[i, j] + won[j, i] + 2 * prior))


def test_estimate_recovers_the_matrix_behind_many_comparisons() -> None:
    truth = worst_case(4, epsilon=0.2)
    rng = np.random.default_rng(3)
    left, step = rng.integers(0, 4, 100_000), rng.integers(1, 4, 100_000)
    right = (left + step) % 4
    left_won = rng.random(100_000) < truth.matrix[left, right]
    winners, losers = np.where(left_won, left, right), np.where(left_won, right, left)
    problem = MatrixProblem.from_comparisons(zip(winners, losers, strict=True), labels=truth.labels)
    assert problem.counts is not None
    assert problem.counts.sum() == 200_000
    # Five standard deviations of a share of at least 16,000 comparisons.
    assert problem.counts[~np.eye(4, dtype=bool)].min() > 16_000
    assert_allclose(problem.matrix, truth.matrix, atol=5 * 0.5 / np.sqrt(16_000))


@pytest.mark.parametrize("prior", [-1.0, nan, inf])
def test_a_wrong_prior_is_refused(prior: float) -> None:
    with pytest.raises(
        ParameterError, match=f"prior must be a finite number of wins, 0 or more; got {prior}"
    ):
        estimate([[0, 1], [1, 0]], prior)


@pytest.mark.parametrize(
    ("wins", "message"),
    [
        ([[0, -1], [0, 0]], r"wins\[0, 1\] is -1.0; give finite counts, 0 or more"),
        ([[0, 0], [nan, 0]], r"wins\[1, 0\] is nan"),
        ([[0, 1]], r"wins has shape \(1, 2\); give one row and one column for each arm"),
        ([0, 1], r"wins has shape \(2,\)"),
        ([["x", 1], [1, 0]], r"wins is not a table of numbers \(could not convert .*\); give K rows of K"),
    ],
)
def test_wrong_wins_are_refused(wins: Any, message: str) -> None:
    with pytest.raises(PreferenceError, match=message):
        estimate(wins)
    with pytest.raises(PreferenceError, match=message):
        wilson_interval(wins)


@pytest.mark.parametrize(("won", "lost"), [(0, 5), (5, 0), (1, 1), (30, 10), (999, 1)])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_wilson_interval_agrees_with_scipy(won: int, lost: int, confidence: float) -> None:
    lower, upper = wilson_interval([[0, won], [lost, 0]], confidence)
    expected = binomtest(won, won + lost).proportion_ci(confidence, method="wilson")
    assert_allclose([lower[0, 1], upper[0, 1]], [expected.low, expected.high], atol=1e-12)


@given(WINS, st.floats(0.01, 0.999))
def test_wilson_interval_holds_the_estimate(wins: list[list[int]], confidence: float) -> None:
    lower, upper = wilson_interval(wins, confidence)
    matrix = estimate(wins)
    assert (lower >= 0.0).all()
    assert (upper <= 1.0).all()
    assert (lower <= matrix + 1e-12).all()
    assert (matrix <= upper + 1e-12).all()
    assert_allclose(upper, 1.0 - lower.T)
    assert_array_equal(np.diag(lower), 0.5)
    assert_array_equal(np.diag(upper), 0.5)


def test_wilson_interval_of_a_pair_never_compared_says_nothing() -> None:
    lower, upper = wilson_interval([[0, 0, 1], [0, 0, 1], [0, 0, 0]])
    assert (lower[0, 1], upper[0, 1]) == (0.0, 1.0)


@pytest.mark.parametrize("confidence", [0.0, 1.0, nan, 95])
def test_a_wrong_confidence_is_refused(confidence: float) -> None:
    with pytest.raises(ParameterError, match=f"confidence must lie between 0 and 1; got {confidence}. Try"):
        wilson_interval([[0, 1], [1, 0]], confidence)


def test_counts_that_would_overflow_are_refused() -> None:
    with pytest.raises(
        PreferenceError, match=r"record 2, .*1e\+308 is not a number of wins; .*1e\+15 at most"
    ):
        MatrixProblem.from_comparisons([("a", "b", 1), ("b", "a", 1e308)])
    with pytest.raises(PreferenceError, match=r"counts\[0, 1\] is 1e\+308; give finite counts"):
        MatrixProblem([[0.5, 0.6], [0.4, 0.5]], counts=[[0.0, 1e308], [1.0, 0.0]])


def test_a_data_frame_may_have_two_arms_and_the_winner() -> None:
    frame = pd.DataFrame(
        {"model_a": ["x", "y", "x"], "model_b": ["y", "x", "y"], "winner": ["model_a", "x", "tie (bothbad)"]}
    )
    labels, wins = tally(frame)
    assert labels == ("x", "y")
    assert_array_equal(wins, [[0, 2.5], [0.5, 0]])
    other = frame.rename(columns={"model_a": "one", "model_b": "two", "winner": "who"}).replace(
        "model_a", "one"
    )
    assert_array_equal(tally(other, a="one", b="two", winner="who")[1], wins)


@pytest.mark.parametrize("missing", [None, nan, pd.NA, ["x"]])
def test_a_missing_arm_of_a_data_frame_is_refused_by_its_row(missing: Any) -> None:
    frame = pd.DataFrame({"winner": ["x", "y"], "loser": pd.Series(["y", missing], dtype=object)})
    with pytest.raises(PreferenceError, match=r'record 2, column "loser": .* is not a name'):
        tally(frame)


def test_ties_are_no_arms_unless_they_are_said_to_be() -> None:
    with pytest.raises(
        PreferenceError, match=r"record 2, column \"winner\": 'tie' is a tie, not an arm; write"
    ):
        tally([("a", "b"), ("tie", "b")])
    assert tally([("a", "tie")], labels=["a", "tie"])[0] == ("a", "tie")


def test_counts_that_are_all_zero_are_refused() -> None:
    with pytest.raises(
        PreferenceError, match="all counts are 0, so that nothing was compared; give at least"
    ):
        tally([("a", "b", 0), ("b", "a", 0.0)])


def test_records_beyond_the_first_batch_are_refused_by_their_number() -> None:
    with pytest.raises(PreferenceError, match='record 1502, column "loser"'):
        tally([*[("a", "b")] * 1501, ("a", "")])
