from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from refusals import names, refused
from scipy import stats

from duelist.duel import FloatArray
from duelist.errors import OutcomeError, ParameterError
from duelist.interleaving.analysis import analyze_preference
from duelist.interleaving.analysis.intervals import bootstrap_mean, sign_test

OUTCOMES = [0.0, 0.5, 1.0]
rows = st.lists(
    st.tuples(st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.integers(0, 3), st.integers(0, 2)),
    min_size=2,
    max_size=30,
).filter(lambda rows: len({user for _, user, _ in rows}) > 1)


def draw(rng: np.random.Generator, size: int, chances: tuple[float, float, float]) -> FloatArray:
    return rng.choice(OUTCOMES, size=size, p=chances)


def test_student_interval_and_p_value_are_scipys() -> None:
    outcomes = draw(np.random.default_rng(1), 300, (0.2, 0.5, 0.3))
    unit = analyze_preference(outcomes, confidence=0.9).main
    expected = stats.ttest_1samp(outcomes, 0.5)
    interval = expected.confidence_interval(0.9)
    assert (unit.lower, unit.upper) == pytest.approx((interval.low, interval.high), rel=1e-12)
    assert unit.p_value == pytest.approx(expected.pvalue, rel=1e-9)
    assert unit.sign_p_value == pytest.approx(stats.binomtest(unit.wins, unit.wins + unit.losses).pvalue)


@given(wins=st.integers(0, 60), losses=st.integers(0, 60))
def test_sign_test_is_scipys(wins: int, losses: int) -> None:
    expected = stats.binomtest(wins, wins + losses).pvalue if wins + losses else 1.0
    assert sign_test(wins, losses) == pytest.approx(expected, rel=1e-9)


@given(rows=rows)
def test_a_unit_is_worth_the_mean_of_its_impressions(rows: list[tuple[float, int, int]]) -> None:
    outcomes, users, sessions = zip(*rows, strict=True)
    report = analyze_preference(outcomes, sessions, users, resamples=1)
    keys: dict[str, Any] = {"impression": range(len(rows)), "session": zip(users, sessions, strict=True)}
    keys["user"] = users
    assert [unit.unit for unit in report.units] == list(keys)
    for unit in report.units:
        held = defaultdict(list)
        for key, outcome in zip(keys[unit.unit], outcomes, strict=True):
            held[key].append(outcome)
        values = [sum(group) / len(group) for group in held.values()]
        wins, losses = sum(value > 0.5 for value in values), sum(value < 0.5 for value in values)
        assert (unit.count, unit.wins, unit.losses) == (len(values), wins, losses)
        assert unit.ties == len(values) - wins - losses
        assert unit.preference == pytest.approx(np.mean(values))
        assert unit.delta == pytest.approx((wins + unit.ties / 2) / len(values) - 0.5)
        assert unit.heaviest == max(len(group) for group in held.values()) / len(rows)


def test_delta_of_plain_outcomes_is_the_preference_beyond_one_half() -> None:
    unit = analyze_preference(draw(np.random.default_rng(2), 101, (0.3, 0.3, 0.4))).main
    assert unit.delta == pytest.approx(unit.preference - 0.5)


def test_swapping_sides_mirrors_everything() -> None:
    outcomes = draw(np.random.default_rng(3), 400, (0.2, 0.5, 0.3))
    report, mirrored = analyze_preference(outcomes), analyze_preference(1.0 - outcomes)
    assert names(report.verdict, "Left is preferred")
    assert mirrored.verdict == report.verdict.replace("Left", "Right")
    assert mirrored.main.lower == pytest.approx(1.0 - report.main.upper)
    assert mirrored.main.p_value == pytest.approx(report.main.p_value)


def test_both_intervals_hold_the_truth_as_often_as_they_say() -> None:
    rng = np.random.default_rng(4)
    chances = (0.2, 0.5, 0.3)
    student = bootstrap = 0
    for seed in range(800):
        unit = analyze_preference(draw(rng, 120, chances), resamples=400, seed=seed).main
        student += unit.lower <= 0.55 <= unit.upper
        bootstrap += unit.bootstrap_lower <= 0.55 <= unit.bootstrap_upper
    assert 0.93 < student / 800 < 0.97
    assert 0.925 < bootstrap / 800 < 0.97


def test_bootstrap_is_the_plain_one_both_by_value_and_by_count(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    values = rng.choice([0.0, 0.1, 0.5, 0.9, 1.0], size=60)
    plain = values[rng.integers(60, size=(40_000, 60))].mean(axis=1)
    expected = np.quantile(plain, [0.05, 0.95])
    assert bootstrap_mean(values, 0.9, 40_000, rng) == pytest.approx(expected, abs=0.003)
    monkeypatch.setattr("duelist.interleaving.analysis.intervals.COSTLY", 0)
    assert bootstrap_mean(values, 0.9, 40_000, rng) == pytest.approx(expected, abs=0.003)


def test_bootstrap_repeats_with_its_seed_and_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    outcomes = np.random.default_rng(6).choice(np.linspace(0.0, 1.0, 7) ** 2, size=500)
    first, other = (analyze_preference(outcomes, seed=seed).main for seed in (0, 1))
    assert first.bootstrap_lower != other.bootstrap_lower
    monkeypatch.setattr("duelist.interleaving.analysis.intervals.MOST_COUNTS", 100)
    again = analyze_preference(outcomes, seed=0).main
    assert again.bootstrap_lower == pytest.approx(first.bootstrap_lower, rel=1e-12)
    assert again.bootstrap_upper == pytest.approx(first.bootstrap_upper, rel=1e-12)


def test_where_users_differ_their_intervals_are_wider_and_right() -> None:
    rng = np.random.default_rng(7)
    held, naive = 0, 0
    for seed in range(200):
        tastes = rng.choice([0.2, 0.8], size=40)
        users = np.repeat(np.arange(40), 25)
        outcomes = (rng.random(1000) < tastes[users]).astype(float)
        by_impression, by_user = analyze_preference(outcomes, users=users, resamples=200, seed=seed).units
        wide = by_user.bootstrap_upper - by_user.bootstrap_lower
        assert wide > 2.0 * (by_impression.bootstrap_upper - by_impression.bootstrap_lower)
        assert by_user.upper - by_user.lower > 2.0 * (by_impression.upper - by_impression.lower)
        held += by_user.bootstrap_lower <= 0.5 <= by_user.bootstrap_upper
        naive += by_impression.lower <= 0.5 <= by_impression.upper
    assert held >= 0.9 * 200
    assert naive <= 0.6 * 200


def test_one_heavy_user_does_not_decide() -> None:
    rng = np.random.default_rng(8)
    light = draw(rng, 300, (0.3, 0.4, 0.3))
    outcomes = np.concatenate([light, np.ones(200)])
    users = [*range(300), *["heavy"] * 200]
    report = analyze_preference(outcomes, users=users)
    by_impression, by_user = report.units
    assert by_impression.p_value < 1e-6
    assert by_user.p_value > 0.2
    assert names(report.verdict, "No significant difference", "user", "left", "50.7%", "p = 0.766")
    assert any(names(warning, "user", "40%") for warning in report.warnings)
    assert any(names(warning, "impression", "user", "users") for warning in report.warnings)


def test_users_may_contradict_impressions() -> None:
    outcomes = np.concatenate([np.zeros(400), np.ones(100), np.zeros(10)])
    users = [*["heavy"] * 400, *range(110)]
    report = analyze_preference(outcomes, users=users)
    assert names(report.verdict, "Left is preferred", "user")
    assert any("impressions prefer the other side" in warning for warning in report.warnings)


def test_a_session_number_at_two_users_is_two_sessions() -> None:
    report = analyze_preference([1, 0, 1, 0], sessions=[1, 1, 1, 1], users=["a", "b", "a", "b"])
    assert [unit.count for unit in report.units] == [4, 2, 2]


def test_sessions_may_be_given_without_users() -> None:
    report = analyze_preference([1, 1, 0.5, 0], sessions=["x", "x", "y", "z"])
    assert [(unit.unit, unit.count) for unit in report.units] == [("impression", 4), ("session", 3)]
    assert report.main.preference == pytest.approx(0.5)


@pytest.mark.parametrize("count", [2, 5, 6, 40])
@pytest.mark.parametrize("outcome", [0.0, 1.0])
def test_winners_that_all_agree_have_the_binomials_exact_interval(count: int, outcome: float) -> None:
    unit = analyze_preference([outcome] * count, confidence=0.9).main
    expected = stats.binomtest(int(outcome) * count, count)
    interval = expected.proportion_ci(0.9, method="exact")
    assert (unit.lower, unit.upper) == pytest.approx((interval.low, interval.high), rel=1e-9)
    assert (unit.bootstrap_lower, unit.bootstrap_upper) == (unit.lower, unit.upper)
    assert unit.p_value == pytest.approx(expected.pvalue, rel=1e-9)


@given(count=st.integers(2, 60), outcome=st.floats(0.0, 1.0), confidence=st.floats(0.5, 0.999))
def test_what_all_agree_on_is_believed_where_its_interval_holds_no_tie(
    count: int, outcome: float, confidence: float
) -> None:
    report = analyze_preference([outcome] * count, confidence=confidence)
    unit = report.main
    assume(abs(unit.p_value - (1.0 - confidence)) > 1e-9)
    assert unit.lower <= outcome + 1e-12
    assert unit.upper >= outcome - 1e-12
    assert (unit.p_value < 1.0 - confidence) == (not unit.lower <= 0.5 <= unit.upper)
    assert names(report.verdict, "No significant difference") == (unit.lower <= 0.5 <= unit.upper)
    assert any("all" in warning and "agree" in warning for warning in report.warnings)
    assert str(report).splitlines()[1].split()[-3] == "-"


@pytest.mark.parametrize("outcome", [0.6, 0.8, 1.0])
def test_the_interval_of_those_who_agree_holds_the_mean_as_often_as_it_says(outcome: float) -> None:
    unit = analyze_preference([outcome] * 5).main
    # of all that reach this outcome with a given chance, the mean is least where the others are 0
    for chance in np.linspace(0.01, 1.0, 100):
        if chance * outcome < unit.lower:
            assert chance**5 <= 0.025
    assert (0.99 * unit.lower / outcome) ** 5 > 0.023


def test_an_interval_is_printed_as_far_as_a_preference_can_go() -> None:
    report = analyze_preference([1.0, 0.5])
    assert report.main.upper > 1.0
    assert report.main.lower < 0.0
    assert "0.0000 to 1.0000" in str(report)
    assert "interval 0.0% to 100.0%" in report.verdict


def test_a_list_shown_again_and_again_counts_once() -> None:
    rng = np.random.default_rng(9)
    wrong = naive = 0
    for seed in range(200):
        # whom the draw puts first gets four clicks in five, whichever ranking is better
        first = rng.choice([0.2, 0.8], size=20)
        lists = np.repeat(np.arange(20), 50)
        outcomes = (rng.random(1000) < first[lists]).astype(float)
        by_impression, by_list = analyze_preference(outcomes, lists=lists, resamples=1, seed=seed).units
        assert (by_list.unit, by_list.count) == ("list", 20)
        wrong += by_list.p_value < 0.05
        naive += by_impression.p_value < 0.05
    assert wrong <= 0.09 * 200
    assert naive >= 0.5 * 200


def test_few_are_compared_with_the_sign_test() -> None:
    report = analyze_preference([1.0, 1.0, 1.0, 1.0, 0.5])
    (warning,) = report.warnings
    assert names(warning, "5 impressions", "p = 0.125")


def test_outcomes_that_all_agree_are_judged_by_their_signs() -> None:
    assert analyze_preference([1.0, 1.0]).main.p_value == 0.5
    verdict = analyze_preference([1.0, 1.0]).verdict
    assert names(verdict, "No significant difference", "impression", "left", "15.8%", "100.0%", "p = 0.500")
    assert names(analyze_preference([1.0] * 10).verdict, "Left is preferred")
    assert analyze_preference([0.5] * 10).main.p_value == 1.0
    # a third is not exact: the mean of threes is a tie all the same
    assert analyze_preference([0.2, 0.3, 1.0] * 2, users="aaabbb").main.ties == 2


@pytest.mark.parametrize(
    ("outcomes", "facts"),
    [
        ([1, 0, 1.5], ("outcomes", "row 2", 1.5)),
        ([1, float("nan")], ("outcomes", "row 1", "nan")),
        ([-0.1, 1], ("outcomes", "row 0", -0.1)),
        ([], ("outcomes", (0,))),
        ([[1, 0]], ("outcomes", (1, 2))),
        (0.5, ("outcomes", ())),
        (["left", "right"], ("outcomes", 0, 1, "'left'")),
    ],
)
def test_outcomes_that_are_none_are_refused(outcomes: Any, facts: tuple[object, ...]) -> None:
    with refused(OutcomeError, *facts):
        analyze_preference(outcomes)


@pytest.mark.parametrize(
    ("options", "facts"),
    [
        ({"users": ["a"]}, ("users", "3 impressions", 1)),
        ({"sessions": [1, 2, 3, 4]}, ("sessions", "3 impressions", 4)),
        ({"users": ["a", None, "b"]}, ("users", "row 1")),
        ({"users": np.array([1.0, 2.0, np.nan])}, ("users", "row 2")),
        ({"users": ["a", "a", "a"]}, ("2 users", 1)),
        ({"confidence": 95}, ("confidence", 0, 1, 95)),
        ({"resamples": 0}, ("resamples", 0)),
        ({"seed": -1}, ("seed", -1)),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], facts: tuple[object, ...]) -> None:
    with refused(ParameterError, *facts):
        analyze_preference([1, 0, 0.5], **options)
