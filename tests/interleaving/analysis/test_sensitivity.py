from typing import Any

import numpy as np
import pytest
from refusals import refused
from scipy import stats

from duelist.clicks.user import User, click_by_tables
from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.errors import OutcomeError, ParameterError
from duelist.interleaving.analysis import (
    SensitivityReport,
    compare_absolute,
    compare_sensitivity,
    impressions_needed,
)

RUNS = 2000
PLACES = 5


@pytest.mark.parametrize(("chances", "power"), [((0.26, 0.5, 0.24), 0.8), ((0.1, 0.5, 0.4), 0.9)])
def test_interleaving_with_as_many_impressions_has_the_power(
    chances: tuple[float, float, float], power: float
) -> None:
    outcomes = np.array([1.0, 0.5, 0.0])
    mean = float(outcomes @ chances)
    deviation = float(np.sqrt(chances @ (outcomes - mean) ** 2))
    needed = impressions_needed(mean - 0.5, deviation, power=power)
    counts = np.random.default_rng(0).multinomial(needed, chances, size=RUNS)
    means = counts @ outcomes / needed
    deviations = np.sqrt((counts @ outcomes**2 - needed * means**2) / (needed - 1))
    statistic = np.abs(means - 0.5) / deviations * np.sqrt(needed)
    assert (statistic > stats.t.ppf(0.975, needed - 1)).mean() == pytest.approx(power, abs=0.03)


def test_a_split_with_as_many_impressions_has_the_power() -> None:
    needed = impressions_needed(0.5, 1.0, groups=2)
    a = np.random.default_rng(1).normal(0.5, 1.0, size=(RUNS, needed // 2))
    b = np.random.default_rng(2).normal(0.0, 1.0, size=(RUNS, needed // 2))
    p_values = np.asarray(stats.ttest_ind(a, b, axis=1, equal_var=False).pvalue)
    assert np.mean(p_values < 0.05) == pytest.approx(0.8, abs=0.03)


def test_few_impressions_are_counted_for_students_test() -> None:
    needed = impressions_needed(1.0, 1.0)
    sample = np.random.default_rng(3).normal(1.0, 1.0, size=(20_000, needed))
    p_values = np.asarray(stats.ttest_1samp(sample, 0.0, axis=1).pvalue)
    assert np.mean(p_values < 0.05) == pytest.approx(0.8, abs=0.03)


def test_halving_the_effect_needs_four_times_as_many() -> None:
    assert impressions_needed(0.005, 0.4) == pytest.approx(4 * impressions_needed(0.01, 0.4), rel=1e-3)
    assert impressions_needed(-0.01, 0.4) == impressions_needed(0.01, 0.4)


def team_draft(left: IntArray, right: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    shown: list[int] = []
    teams: list[int] = []
    while len(shown) < PLACES:
        for team in rng.permutation(2):
            ranking = (left, right)[team]
            shown.append(next(int(document) for document in ranking if document not in shown))
            teams.append(int(team))
    return np.array(shown[:PLACES]), np.array(teams[:PLACES])


def experiment(impressions: int) -> tuple[FloatArray, BoolArray, BoolArray]:
    """Two rankers that order ten documents by their grade and noise, the left with less of it."""
    rng = np.random.default_rng(4)
    user = User(np.array([0.1, 0.7]), np.ones((1, 1)), np.array([[0.2, 0.6]]))
    outcomes = np.empty(impressions)
    alone = np.zeros((2, impressions, PLACES), np.bool_)
    clicked = np.zeros(PLACES, np.bool_)
    for i in range(impressions):
        for side in (0, 1, 2):
            grades = (rng.random(10) < 0.3).astype(np.int64)
            left, right = (np.argsort(-grades + rng.normal(0.0, noise, 10)) for noise in (0.6, 0.9))
            if side == 2:
                shown, teams = team_draft(left, right, rng)
                click_by_tables(user, grades[shown], PLACES, clicked, rng)
                outcomes[i] = 0.5 + 0.5 * np.sign(clicked[teams == 0].sum() - clicked[teams == 1].sum())
            else:
                click_by_tables(user, grades[(left, right)[side][:PLACES]], PLACES, alone[side, i], rng)
    return outcomes, alone[0], alone[1]


def test_interleaving_needs_fewer_impressions_than_absolute_metrics() -> None:
    outcomes, clicks_a, clicks_b = experiment(4000)
    report = compare_sensitivity(outcomes, clicks_a, clicks_b)
    first, *others = report.rows
    assert first.method == "interleaving"
    assert first.difference > 0.0
    assert first.p_value < 1e-3
    assert first.impressions is not None
    clicks = next(row for row in others if row.method == "clicks per query")
    assert clicks.impressions is not None
    assert clicks.impressions > 2 * first.impressions
    assert all(row.impressions is not None and row.impressions > first.impressions for row in others)


def test_the_table_says_what_each_row_needs() -> None:
    outcomes = [1, 1, 0, 0.5] * 50
    a, b = [[0], [], [1, 3], [0]] * 50, [[2], [], [1], []] * 50
    report = compare_sensitivity(outcomes, a, b, confidence=0.9, power=0.7)
    deviation = float(np.std(outcomes, ddof=1))
    assert report.rows[0].impressions == impressions_needed(0.125, deviation, 0.9, 0.7)
    metrics = compare_absolute(a, b).metrics
    assert [row.method for row in report.rows[1:]] == [one.metric for one in metrics]
    for row, one in zip(report.rows[1:], metrics, strict=True):
        alone = impressions_needed(one.difference, one.deviation, 0.9, 0.7, groups=2)
        assert row.impressions == int(np.ceil(alone / one.counted))


def test_where_no_difference_was_measured_none_is_promised() -> None:
    report = compare_sensitivity([1, 0, 1, 0], [[0], []], [[0], []])
    assert isinstance(report, SensitivityReport)
    assert [row.impressions for row in report.rows] == [None] * len(report.rows)
    assert " - " in str(report)


def test_two_outcomes_that_agree_are_no_certainty() -> None:
    row = compare_sensitivity([1, 1], [[0], []], [[0], []]).rows[0]
    assert (row.p_value, row.impressions) == (0.5, None)


@pytest.mark.parametrize(
    ("options", "facts"),
    [
        ({"effect": 0.0}, ("effect", 0.0)),
        ({"effect": float("nan")}, ("effect", "nan")),
        ({"deviation": 0.0}, ("deviation", 0.0)),
        ({"confidence": 1.0}, ("confidence", 1.0)),
        ({"power": 80}, ("power", 0, 1, 80, 0.8)),
        ({"groups": 3}, ("groups", 1, 2, 3)),
    ],
)
def test_plans_that_cannot_work_are_refused(options: dict[str, Any], facts: tuple[object, ...]) -> None:
    with refused(ParameterError, *facts):
        impressions_needed(**{"effect": 0.1, "deviation": 0.5, **options})


def test_outcomes_that_are_none_are_refused() -> None:
    with refused(OutcomeError, "outcomes", "row 1", 2.0):
        compare_sensitivity([1, 2], [[0], []], [[0], []])
    with refused(ParameterError, "outcomes", 2, 1):
        compare_sensitivity([1], [[0], []], [[0], []])
