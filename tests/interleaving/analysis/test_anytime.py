import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import names, refused
from scipy.optimize import brentq

from duelist.duel import FloatArray
from duelist.errors import MissingExtraError, OutcomeError, ParameterError
from duelist.interleaving.analysis import AnytimeState, AnytimeTest, draw_anytime
from duelist.interleaving.analysis.anytime import absorb, log_evidence

ALPHA = 0.05
shares = st.floats(0.0, 1.0)


def draw(rng: np.random.Generator, shape: Any, chances: tuple[float, float, float]) -> FloatArray:
    left, tie, _ = chances
    tosses = rng.random(shape)
    outcomes: FloatArray = np.where(tosses < left, 1.0, np.where(tosses < left + tie, 0.5, 0.0))
    return outcomes


def evidence_by_definition(outcomes: list[float], mean: float) -> float:
    """Multiply the factors of each bet, outcome by outcome."""
    bets = [0.75 / 3**k for k in range(8)]
    capitals = []
    for bet in [*bets, *(-bet for bet in bets)]:
        capital = 1.0
        price = -np.log(1.0 - abs(bet)) - abs(bet)
        for i, outcome in enumerate(outcomes):
            guess = (0.5 + sum(outcomes[:i])) / (i + 1)
            capital *= np.exp(bet * (outcome - mean) - price * (outcome - guess) ** 2)
        capitals.append(capital)
    return float(np.mean(capitals))


@given(outcomes=st.lists(shares, min_size=1, max_size=40))
def test_evidence_and_interval_are_those_of_the_definition(outcomes: list[float]) -> None:
    test = AnytimeTest(1.0 - ALPHA)
    path = test.path(outcomes)
    evidence = [evidence_by_definition(outcomes[: i + 1], 0.5) for i in range(len(outcomes))]
    assert np.exp(path.log_e_value) == pytest.approx(evidence, rel=1e-9)
    assert path.p_value == pytest.approx(1.0 / np.maximum.accumulate([1.0, *evidence])[1:], rel=1e-9)
    mean = float(np.mean(outcomes))

    def excess(candidate: float) -> float:
        return evidence_by_definition(outcomes, candidate) - 1.0 / ALPHA

    upper = brentq(excess, mean, mean + 40.0, xtol=1e-12)
    lower = brentq(excess, mean - 40.0, mean, xtol=1e-12)
    interval = test.interval(path.state)
    assert interval == pytest.approx((max(0.0, lower), min(1.0, upper)), abs=1e-9)


@given(outcomes=st.lists(shares, min_size=1, max_size=40))
def test_one_by_one_all_at_once_and_path_agree(outcomes: list[float]) -> None:
    test = AnytimeTest()
    state = test.init()
    path = test.path(outcomes)
    for i, outcome in enumerate(outcomes):
        state = test.update(state, outcome)
        report = test.report(state)
        assert (report.lower, report.upper) == (path.lower[i], path.upper[i])
        assert report.p_value == pytest.approx(path.p_value[i], rel=1e-14)
        assert report.preference == path.preference[i]
    assert isinstance(state, AnytimeState)
    assert state == path.state == test.update(test.init(), outcomes)


@given(
    before=st.lists(shares, max_size=30),
    low=st.floats(0.0, 0.4999),
    high=st.floats(0.5001, 1.0),
    tie=st.floats(0.0, 0.99),
)
def test_evidence_against_a_tie_is_not_expected_to_grow(
    before: list[float], low: float, high: float, tie: float
) -> None:
    state = AnytimeTest().init()
    for outcome in before:
        state, _ = absorb(state, outcome)
    now, _ = log_evidence(state.total - 0.5 * state.impressions, state.surprise)
    up = (0.5 - low) / (high - low)
    chances = {low: (1.0 - tie) * (1.0 - up), 0.5: tie, high: (1.0 - tie) * up}
    then = sum(chance * np.exp(absorb(state, outcome)[1]) for outcome, chance in chances.items())
    assert then <= np.exp(now) * (1.0 + 1e-12)


def test_looking_after_every_impression_rarely_raises_a_false_alarm() -> None:
    rng = np.random.default_rng(0)
    test = AnytimeTest(1.0 - ALPHA)
    runs, impressions = 2000, 3_000
    seen = np.arange(1, impressions + 1)
    alarms = naive = 0
    for tie in (0.0, 0.3, 0.6, 0.9):
        for _ in range(runs // 4):
            outcomes = draw(rng, impressions, ((1.0 - tie) / 2.0, tie, (1.0 - tie) / 2.0))
            alarms += test.report(test.update(test.init(), outcomes)).decided
            totals, squares = np.cumsum(outcomes - 0.5), np.cumsum((outcomes - 0.5) ** 2)
            variance = (squares - totals**2 / seen)[99:] / seen[98:-1]
            naive += bool((np.abs(totals[99:]) > 1.96 * np.sqrt(variance * seen[99:])).any())
    # three standard errors above alpha
    assert alarms / runs <= ALPHA + 3.0 * np.sqrt(ALPHA * (1.0 - ALPHA) / runs)
    assert naive / runs > 0.2


@pytest.mark.parametrize(("chances", "mean"), [((0.3, 0.5, 0.2), 0.55), ((0.9, 0.05, 0.05), 0.925)])
def test_the_interval_holds_the_mean_at_all_times_at_once(
    chances: tuple[float, float, float], mean: float
) -> None:
    rng = np.random.default_rng(1)
    misses = 0
    for _ in range(300):
        path = AnytimeTest(0.9).path(draw(rng, 1000, chances))
        misses += bool(((path.lower > mean) | (path.upper < mean)).any())
    assert misses / 300 <= 0.1 + 3.0 * np.sqrt(0.1 * 0.9 / 300)


def test_a_real_difference_is_found_on_the_right_side_and_sooner_where_ties_are_many() -> None:
    rng = np.random.default_rng(2)
    test = AnytimeTest()
    found = []
    for _ in range(100):
        report = test.report(test.update(test.init(), draw(rng, 10_000, (0.28, 0.5, 0.22))))
        found.append(report.decided and report.verdict.startswith("Left is preferred"))
    assert np.mean(found) >= 0.95
    many = [test.path(draw(rng, 20_000, (0.06, 0.9, 0.04))).decided_at or 20_000 for _ in range(20)]
    few = [test.path(draw(rng, 20_000, (0.51, 0.0, 0.49))).decided_at or 20_000 for _ in range(20)]
    assert np.median(many) < 0.5 * np.median(few)


def test_the_interval_is_less_than_twice_as_wide_as_students() -> None:
    outcomes = draw(np.random.default_rng(3), 10_000, (0.25, 0.5, 0.25))
    lower, upper = AnytimeTest().interval(AnytimeTest().path(outcomes).state)
    student = 2 * 1.96 * outcomes.std() / 100.0
    assert student < upper - lower < 2.0 * student


def test_decision_and_interval_agree_at_the_moment_of_decision() -> None:
    test = AnytimeTest()
    outcomes = draw(np.random.default_rng(4), 5000, (0.35, 0.4, 0.25))
    path = test.path(outcomes)
    assert path.decided_at is not None
    at = path.decided_at - 1
    before = test.update(test.init(), outcomes[:at])
    assert not test.report(before).decided
    assert test.report(test.update(before, outcomes[at])).decided
    assert path.lower[at] > 0.5 >= path.lower[at - 1]
    assert f"decided_at={path.decided_at}" in repr(path)


def test_a_preference_that_drifts_back_is_told() -> None:
    test = AnytimeTest()
    report = test.report(test.update(test.init(), [1.0] * 60 + [0.0] * 60))
    assert report.decided
    assert report.lower < 0.5 < report.upper
    assert "drifts" in report.verdict
    turned = test.report(test.update(test.init(), [0.0] * 60))
    assert names(turned.verdict, "Right is preferred", "100.0%")


def test_before_the_first_impression_nothing_is_known() -> None:
    report = AnytimeTest().report(AnytimeTest().init())
    assert (report.lower, report.upper, report.e_value, report.p_value) == (0.0, 1.0, 1.0, 1.0)
    assert not report.decided


def test_overwhelming_evidence_stays_a_number() -> None:
    report = AnytimeTest().report(AnytimeTest().update(AnytimeTest().init(), np.ones(100_000)))
    assert np.isfinite(report.e_value)
    assert report.lower > 0.999


@pytest.mark.parametrize("outcome", [1.5, -0.1, float("nan"), [0.5, 2.0]])
def test_an_outcome_out_of_range_is_refused(outcome: Any) -> None:
    with refused(OutcomeError, "outcomes", 0, 1, "row"):
        AnytimeTest().update(AnytimeTest().init(), outcome)


def test_a_level_out_of_range_is_refused() -> None:
    with refused(ParameterError, "confidence", 1.0):
        AnytimeTest(1.0)


def test_the_picture_shows_interval_and_decision() -> None:
    pytest.importorskip("matplotlib")
    outcomes = draw(np.random.default_rng(5), 5000, (0.4, 0.3, 0.3))
    path = AnytimeTest().path(outcomes)
    axes = draw_anytime(path).axes[0]
    assert axes.get_title() == f"Decided after {path.decided_at:,} impressions"
    line = np.asarray(axes.lines[0].get_xydata())
    assert len(line) <= 2000
    assert tuple(line[-1]) == (5000, path.preference[-1])
    assert draw_anytime(AnytimeTest().path([1.0, 0.0])).axes[0].get_title() == "Not decided"


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with refused(MissingExtraError, "duelist[plot]"):
        draw_anytime(AnytimeTest().path([1.0, 0.0]))


def test_what_is_not_decided_says_about_how_many_more() -> None:
    test = AnytimeTest()
    outcomes = [1, 0.5, 0, 1, 1, 0.5, 0, 1] * 500
    decided_at = test.path(outcomes).decided_at
    assert decided_at is not None
    early = test.report(test.update(test.init(), outcomes[:40]))
    assert early.more is not None
    assert 40 + early.more == pytest.approx(decided_at, rel=0.15)
    assert names(early.verdict, f"{early.more:,}", "62.5%", "left")
    assert test.report(test.update(test.init(), outcomes)).more == 0
    for even in ([], [0.5] * 30, [1, 0] * 30):
        state = test.update(test.init(), even) if even else test.init()
        assert test.report(state).more is None
