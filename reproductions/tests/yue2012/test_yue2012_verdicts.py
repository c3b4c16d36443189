from typing import Any

import numpy as np
import pytest
from made import claims_with, holds
from numpy.random import default_rng
from scipy import stats

from duelist.laboratory import ItemResults, PieceResult, Scale
from duelist_reproductions.yue2012 import PAPER
from duelist_reproductions.yue2012.readings import median_error, median_floor, trend
from duelist_reproductions.yue2012.web_search import MAIN

SIZES = (100, 200, 300, 400, 500)
ITEMS = {item.name: item for item in PAPER.items}


def judged(name: str, results: ItemResults, **tolerances: float) -> dict[str, bool | None]:
    """Return which claims of an item hold."""
    return holds(PAPER, ITEMS[name], results, **tolerances)


def synthetic(medians: list[float], spread: float = 0.1) -> ItemResults:
    """Make up regrets whose ratios have these medians."""
    found, right = {}, {"if1_best": np.zeros(400), "if2_best": np.zeros(400), "winner": np.zeros(1)}
    for k, median in zip(SIZES, medians, strict=True):
        ratio = median + spread * default_rng(k).standard_normal(400)
        regrets = {"if1_regret": np.column_stack([np.ones(400), ratio]), "if2_regret": np.ones((400, 2))}
        found[f"k={k}"] = PieceResult({"k": k}, regrets | right)
    return ItemResults(Scale.PAPER, real=True, found=found)


def logarithmic(slope: float) -> list[float]:
    return [2.0 + slope * float(np.log(k / 100)) for k in SIZES]


@pytest.mark.parametrize(
    ("medians", "spread", "worst", "random"),
    [
        (logarithmic(0.4), 0.1, set(), {"flat"}),
        ([1.1] * 5, 0.1, {"grows", "logarithmic"}, set()),
        # a curve is no logarithm
        ([2.0, 2.05, 2.2, 2.5, 3.0], 0.1, {"logarithmic"}, {"flat"}),
        # without pruning, nobody is ahead; a slope without scatter has no limits
        ([1.0] * 5, 0.0, {"if2_ahead", "grows", "logarithmic"}, {"if2_ahead", "flat"}),
        ([1.1, 1.1, 1.0, 1.1, 1.1], 0.1, {"if2_ahead", "grows", "logarithmic"}, {"if2_ahead", "flat"}),
    ],
)
def test_forms_of_growth_are_recognised(
    medians: list[float], spread: float, worst: set[str], random: set[str]
) -> None:
    results = synthetic(medians, spread)
    assert claims_with(judged("figure1", results), False) == worst
    assert claims_with(judged("figure2", results), False) == random


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


@pytest.mark.parametrize(
    ("failing", "changes"),
    [
        ("", {}),
        ("if2_ahead", {"ratio": 0.99}),
        ("fewer_matches", {"matches": 1.0}),
        ("few_rounds", {"rounds": 6}),
        ("few_rounds", {"rounds": 1}),
        ("few_survivors", {"survive": 0.9}),
        ("mistakes", {"wrong": 1}),
    ],
)
def test_web_search_as_in_the_paper_and_otherwise(failing: str, changes: dict[str, Any]) -> None:
    assert claims_with(judged("figures34", web(**changes)), False) == set(failing.split())


def test_made_up_rankers_are_not_judged_by_the_papers() -> None:
    assert claims_with(judged("figures34", web(real=False)), None) == {"few_rounds", "few_survivors"}


@pytest.mark.parametrize(
    ("item", "results", "claim", "tolerance"),
    [
        ("figure1", synthetic(logarithmic(0.2)), "logarithmic", 1.0),
        ("figure2", synthetic(logarithmic(0.2)), "flat", 0.9),
        ("figures34", web(), "flat", 0.0),
        ("figures34", web(rounds=6), "few_rounds", 2.0),
        ("figures34", web(), "few_survivors", 0.3),
        ("figures34", web(wrong=1), "mistakes", 5.0),
    ],
)
def test_tolerances_are_those_of_the_expectations(
    item: str, results: ItemResults, claim: str, tolerance: float
) -> None:
    assert judged(item, results)[claim] is not judged(item, results, **{claim: tolerance})[claim]


@pytest.mark.parametrize("n", [7, 25, 400])
def test_median_floor_is_a_confidence_limit(n: int) -> None:
    place = float(np.flatnonzero(np.arange(n) == median_floor(np.arange(n, dtype=float)))[0])
    # so many or fewer values lie below the median with chance at most 5%, one more with more than that
    assert stats.binom.cdf(place, n, 0.5) <= 0.05 < stats.binom.cdf(place + 1, n, 0.5)


def test_median_error() -> None:
    draws = default_rng(0).standard_normal((300, 400))
    errors = [median_error(row) for row in draws]
    assert np.mean(errors) == pytest.approx(np.median(draws, axis=1).std(), rel=0.15)


def test_a_slope_lies_between_its_limits() -> None:
    line = trend(list(SIZES), 1.0 + 0.5 * np.log(SIZES) + 0.01 * default_rng(0).standard_normal(5))
    assert line.low < 0.5 < line.high
