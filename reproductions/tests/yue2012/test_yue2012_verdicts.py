from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng
from real_data import DATA, needs_rankings
from scipy import stats

from duelist.duel import FloatArray
from duelist.laboratory.items import Drawing, Expected, Item, Table
from duelist.laboratory.sources import Sources
from duelist.laboratory.work import ItemResults, PieceResult, Scale
from duelist_reproductions.yue2012 import PAPER
from duelist_reproductions.yue2012.readings import median_error, median_floor, trend
from duelist_reproductions.yue2012.verdicts import (
    judge_random_case,
    judge_web_search,
    judge_worst_case,
    survivors,
)
from duelist_reproductions.yue2012.web_search import MAIN

SIZES = (100, 200, 300, 400, 500)
WORST, RANDOM, WEB = (PAPER.expected[name] for name in ("figure1", "figure2", "figures34"))


def run(item: Item, folder: Path | None) -> ItemResults:
    nothing = ItemResults(Scale.QUICK, real=folder is not None)
    sources = Sources(folder)
    found = {piece.name: PieceResult(piece.setting, piece.do(sources)) for piece in item.plan(nothing)}
    return ItemResults(Scale.QUICK, real=folder is not None, found=found)


def check(item: Item, results: ItemResults) -> None:
    expected = PAPER.expected[item.name]
    findings = item.findings(results, expected)
    assert set(findings) == set(expected["claims"])
    assert all(finding.value is not False for finding in findings.values())
    assert all(finding.value is not None or finding.note for finding in findings.values())
    shown = item.show(results, expected)
    assert any(isinstance(one, Table) for one in shown)
    for one in shown:
        if isinstance(one, Drawing):
            one.figure.draw_without_rendering()
        else:
            assert all(len(row) == len(one.headings) for row in one.rows)


@pytest.mark.parametrize("item", PAPER.items, ids=lambda item: item.name)
def test_quick_scale_holds_on_made_up_data(item: Item) -> None:
    check(item, run(item, None))


@needs_rankings
def test_quick_scale_holds_on_mq2008() -> None:
    item = next(item for item in PAPER.items if item.data)
    results = run(item, DATA)
    check(item, results)
    assert all(finding.value for finding in item.findings(results, PAPER.expected[item.name]).values())


def synthetic(medians: list[float], spread: float = 0.1) -> ItemResults:
    """Make up regrets whose ratios have these medians."""
    found = {}
    for k, median in zip(SIZES, medians, strict=True):
        ratio = median + spread * default_rng(k).standard_normal(400)
        regret = np.column_stack([np.ones(400), ratio])
        found[f"k={k}"] = PieceResult({"k": k}, {"if1_regret": regret, "if2_regret": np.ones((400, 2))})
    return ItemResults(Scale.PAPER, real=True, found=found)


def logarithmic(slope: float) -> list[float]:
    return [2.0 + slope * float(np.log(k / 100)) for k in SIZES]


def test_growth_is_recognised() -> None:
    findings = judge_worst_case(synthetic(logarithmic(0.4)), WORST)
    assert [finding.value for finding in findings.values()] == [True] * 4
    assert judge_random_case(synthetic(logarithmic(0.4)), RANDOM)["flat"].value is False


def test_a_level_is_recognised() -> None:
    worst = judge_worst_case(synthetic([1.1] * 5), WORST)
    assert not worst["grows"].value
    assert not worst["logarithmic"].value
    random = judge_random_case(synthetic([1.1] * 5), RANDOM)
    assert all(finding.value for finding in random.values())


def test_a_curve_is_no_logarithm() -> None:
    findings = judge_worst_case(synthetic([2.0, 2.05, 2.2, 2.5, 3.0]), WORST)
    assert findings["grows"].value
    assert not findings["logarithmic"].value


def test_without_pruning_nobody_is_ahead() -> None:
    assert not judge_worst_case(synthetic([1.0] * 5, spread=0.0), WORST)["if2_ahead"].value
    assert not judge_random_case(synthetic([1.1, 1.1, 1.0, 1.1, 1.1]), RANDOM)["if2_ahead"].value


def web(
    ratio: float = 1.1,
    matches: float = 1.2,
    rounds: int = 3,
    survive: float = 0.4,
    wrong: int = 0,
    real: bool = True,
) -> ItemResults:
    """Make up 25 choices of 25 trials."""
    found = {}
    for k in SIZES:
        noise = 0.03 * default_rng(k).standard_normal((25, 25))
        first = (k - 1) * (1.0 + survive * (rounds - 1)) * np.ones((25, 25))
        arrays = {
            "if1_regret": np.stack([np.ones((25, 25)), ratio + noise], axis=-1),
            "if2_regret": np.ones((25, 25, 2)),
            "if1_matches": first,
            "if2_matches": first / (matches + noise),
            "if1_rounds": np.full((25, 25), rounds),
            "if2_rounds": np.full((25, 25), rounds),
            "if1_best": np.full((25, 25), 7),
            "if2_best": np.where(np.arange(625).reshape(25, 25) < wrong, 8, 7),
            "winner": np.full((25, 1), 7),
        }
        found[f"k={k}"] = PieceResult({"k": k, **MAIN}, arrays)
    return ItemResults(Scale.PAPER, real=real, found=found)


def test_web_search_as_in_the_paper() -> None:
    assert all(finding.value for finding in judge_web_search(web(), WEB).values())


@pytest.mark.parametrize(
    ("claim", "changes"),
    [
        ("if2_ahead", {"ratio": 0.99}),
        ("fewer_matches", {"matches": 1.0}),
        ("few_rounds", {"rounds": 6}),
        ("few_rounds", {"rounds": 1}),
        ("few_survivors", {"survive": 0.9}),
        ("mistakes", {"wrong": 1}),
    ],
)
def test_web_search_otherwise(claim: str, changes: dict[str, Any]) -> None:
    assert judge_web_search(web(**changes), WEB)[claim].value is False


def test_made_up_rankers_are_not_judged_by_the_papers() -> None:
    findings = judge_web_search(web(real=False), WEB)
    assert findings["few_rounds"].value is None
    assert findings["if2_ahead"].value is True


def with_tolerance(expected: Expected, claim: str, tolerance: float) -> Expected:
    claims = expected["claims"]
    return {**expected, "claims": {**claims, claim: {**claims[claim], "tolerance": tolerance}}}


def test_tolerances_are_those_of_the_expectations() -> None:
    growing = synthetic(logarithmic(0.2))
    assert judge_worst_case(growing, WORST)["logarithmic"].value
    assert not judge_worst_case(growing, with_tolerance(WORST, "logarithmic", 1.0))["logarithmic"].value
    assert not judge_random_case(growing, RANDOM)["flat"].value
    assert judge_random_case(growing, with_tolerance(RANDOM, "flat", 0.9))["flat"].value
    assert not judge_web_search(web(), with_tolerance(WEB, "flat", 0.0))["flat"].value
    assert judge_web_search(web(rounds=6), with_tolerance(WEB, "few_rounds", 2.0))["few_rounds"].value
    assert not judge_web_search(web(), with_tolerance(WEB, "few_survivors", 0.3))["few_survivors"].value
    assert judge_web_search(web(wrong=1), with_tolerance(WEB, "mistakes", 5.0))["mistakes"].value


def test_survivors() -> None:
    matches, rounds = np.array([10.0 + 4.0 + 2.0, 10.0]), np.array([3, 1])
    assert survivors(matches, rounds, k=11) == pytest.approx(0.3)


@pytest.mark.parametrize("n", [7, 25, 400])
def test_median_floor_is_a_confidence_limit(n: int) -> None:
    place = float(np.flatnonzero(np.arange(n) == median_floor(np.arange(n, dtype=float)))[0])
    # so many or fewer values lie below the median with chance at most 5%, one more with more than that
    assert stats.binom.cdf(place, n, 0.5) <= 0.05 < stats.binom.cdf(place + 1, n, 0.5)


def test_median_error() -> None:
    draws = default_rng(0).standard_normal((300, 400))
    errors = [median_error(row) for row in draws]
    assert np.mean(errors) == pytest.approx(np.median(draws, axis=1).std(), rel=0.15)


def test_trend_is_a_line_in_log_k() -> None:
    values: FloatArray = 1.0 + 0.5 * np.log(SIZES)
    line = trend(list(SIZES), values)
    assert (line.intercept, line.slope) == pytest.approx((1.0, 0.5))
    assert line.low <= 0.5 <= line.high
