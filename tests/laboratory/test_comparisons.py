"""Every comparison separates agreement from disagreement, and needs are checked first."""

from typing import Any

import numpy as np
import pytest
from refusals import refused

from duelist.errors import UnknownNameError
from duelist.laboratory import Finding, Interval, ItemResults, PieceResult, Scale, agrees, ratio_of_means
from duelist.laboratory.comparisons import bounds_of, unmet_need
from duelist.laboratory.verdicts import compare

NARROW = Interval(2.0, 1.9, 2.1)


def claim(test: str, paper: Any = None, tolerance: Any = None, **more: Any) -> dict[str, Any]:
    return {"claim": "", "paper": paper, "tolerance": tolerance, "why": "", "test": test, **more}


@pytest.mark.parametrize(
    ("asked", "yes", "no"),
    [
        (claim("met"), [True, True], [True, False]),
        (claim("above", 1.5), NARROW, 1.5),
        (claim("above", limit=2.0), 2.5, NARROW),
        (claim("below", 2.2), NARROW, [2.0, 2.2]),
        (claim("below", limit=2.0), [1.0, 1.9], NARROW),
        (claim("at_least", 5, 1.9), NARROW, 1.8),
        (claim("at_most", None, 2.1), NARROW, 2.2),
        (claim("off_by_at_most", None, 3), [-3.0, 2.0], [-3.1, 0.0]),
        (claim("equal", [1, 2, 3]), np.array([1, 2, 3]), np.array([1, 2, 4])),
        (claim("equal", 5), 5, 6),
        (claim("within", 2.0, 0.1), NARROW, 2.2),
        (claim("within", [2.0, 3.0], 0.1), NARROW, Interval(2.0, 1.8, 2.1)),
        (claim("within_factor", 4.0, 2.0), 2.0, [4.0, 8.1]),
        (claim("reaches", [2.2, 3.0], 0.1), NARROW, Interval(2.0, 1.9, 2.05)),
        (claim("reaches_factor", 0.2, 2), Interval(0.5, 0.4, 0.6), Interval(0.5, 0.41, 0.6)),
    ],
)
def test_kinds_tell_apart(asked: dict[str, Any], yes: Any, no: Any) -> None:
    assert agrees(asked, yes) is True
    assert agrees(asked, no) is False


def test_a_computed_limit_comes_first_and_may_be_many() -> None:
    asked = claim("at_most", 1.0, 2.0, limit=3.0)
    assert agrees(asked, 3.0) is True
    assert agrees(asked, 3.0, limit=2.5) is False
    assert agrees(asked, [1.0, 5.0], limit=np.array([1.0, 5.0])) is True


@pytest.mark.parametrize("nothing", [None, []])
def test_what_was_not_measured_is_not_judged(nothing: Any) -> None:
    assert agrees(claim("above", 1.0), nothing) is None


@pytest.mark.parametrize("test", ["above", "below", "within", "reaches", "off_by_at_most"])
def test_what_is_no_number_agrees_with_nothing(test: str) -> None:
    assert agrees(claim(test, 1.0, 0.5), np.array([np.nan])) is False


def test_unknown_words_are_refused() -> None:
    with refused(UnknownNameError, "test", "'abov'", "'above'"):
        agrees(claim("abov"), 1.0)
    with refused(UnknownNameError, "need", "'real'"):
        unmet_need(claim("met", needs=["real"]), {}, ItemResults(Scale.PAPER, real=True))


@pytest.mark.parametrize(
    ("scale", "real", "reason"),
    [
        (Scale.PAPER, True, None),
        (Scale.PAPER, False, "it is made up"),
        (Scale.QUICK, True, "The claim is about the paper's scale; less was played."),
        (Scale.QUICK, False, "The claim is about the paper's scale; less was played."),
    ],
)
def test_the_first_need_that_is_not_met_says_why(scale: Scale, real: bool, reason: str | None) -> None:
    item = {"needs": ["paper_scale", "real_data"], "unmet": {"real_data": "it is made up"}}
    asked, results = claim("above", 1.0), ItemResults(scale, real)
    assert unmet_need(asked, item, results) == reason
    verdict = compare("it", asked, Finding("0.5", 0.5, "as found"), item, results)
    assert verdict.holds is (None if reason else False)
    assert verdict.note == (reason or "as found")
    assert unmet_need({**asked, "needs": []}, item, results) is None


def test_what_cannot_be_told_says_itself_why_or_else_what_it_needs() -> None:
    asked, results = claim("above", 1.0, needs=["paper_scale"]), ItemResults(Scale.QUICK, real=True)
    notes = [compare("it", asked, Finding("", None, note), {}, results).note for note in ("Left out.", "")]
    assert notes == ["Left out.", "The claim is about the paper's scale; less was played."]


def test_what_is_said_of_a_failure_is_said_of_failures_alone() -> None:
    asked, results = claim("above", 1.0, if_fails="See there."), ItemResults(Scale.PAPER, real=True)
    notes = [compare("it", asked, Finding("", value, "So."), {}, results).note for value in (0.5, 1.5, None)]
    assert notes == ["So. See there.", "So.", "So."]


def test_the_interval_of_a_ratio_covers_it_as_often_as_it_says() -> None:
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(400):
        ratio = ratio_of_means(rng.normal(10.0, 2.0, 50), rng.normal(2.0, 0.2, 50))
        covered += ratio.low <= 5.0 <= ratio.high
    assert 0.92 < covered / 400 < 0.98


def test_arrays_are_stacked_in_the_order_of_the_plan() -> None:
    found = {f"n={n}": PieceResult({"k": n % 2}, {"square": np.array([n**2])}) for n in range(4)}
    assert ItemResults(Scale.QUICK, True, found).stacked("square", k=1).tolist() == [1, 9]


def test_bounds_are_wider_by_the_tolerance_or_its_factor() -> None:
    assert bounds_of(claim("reaches", [5, 10], 0.5)) == (4.5, 10.5)
    assert bounds_of(claim("within_factor", 0.2, 2)) == (0.1, 0.4)
