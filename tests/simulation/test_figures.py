"""Lines in figures differ by more than colour, and titles describe the bands."""

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from figure_texts import unreadable
from refusals import names, refused
from scipy.stats import t

from duelist import RUCB, MatrixProblem, Result, Uniform, simulate
from duelist.errors import ParameterError
from duelist.problems import cycle, worst_case
from duelist.protocols import Learner
from duelist.registry import learners_for
from duelist.simulation.figures import Band, draw_panels, draw_results, edges, look, staggered

pytest.importorskip("matplotlib", reason="figures need an extra")


@pytest.fixture(scope="module")
def result() -> Result:
    """Play two learners that are the same, so that their lines coincide, and another."""
    learners: dict[str, Learner[Any]] = {"one": Uniform(), "other": Uniform(), "RUCB": RUCB()}
    return simulate(learners, worst_case(4, 0.3), 500, runs=4)


def test_many_lines_all_look_different_and_six_even_without_colour() -> None:
    looks = [look(place) for place in range(250)]
    assert len({str(one) for one in looks}) == len(looks)
    for one, other in combinations(looks[:6], 2):
        assert one["linestyle"] != other["linestyle"]
        assert one["marker"] != other["marker"]


def test_only_the_first_line_has_no_gaps_and_later_ones_are_no_wider() -> None:
    looks = [look(place) for place in range(30)]
    assert [one["linestyle"] == "-" for one in looks] == [True] + [False] * 29
    widths = [one["linewidth"] for one in looks]
    assert widths == sorted(widths, reverse=True)


@pytest.mark.parametrize("lines", [1, 2, 6, 30])
@pytest.mark.parametrize("points", [1, 8, 42])
def test_no_two_lines_mark_the_same_point(lines: int, points: int) -> None:
    marked = [set(range(points)[slice(*_slice(place, lines, points))]) for place in range(lines)]
    for one, other in combinations(marked, 2):
        assert not one & other


def _slice(place: int, lines: int, points: int) -> tuple[int, None, int]:
    first, step = staggered(place, lines, points)
    return first, None, step


def test_lines_that_coincide_can_both_be_seen(result: Result) -> None:
    for axes in draw_results(result).axes:
        one, other = axes.lines[:2]
        np.testing.assert_array_equal(one.get_xydata(), other.get_xydata())
        assert (one.get_linestyle(), other.get_linestyle()) == ("-", "--")
        assert one.get_marker() != other.get_marker()
        assert one.get_markevery() != other.get_markevery()
        assert one.get_linewidth() > other.get_linewidth()


def shade(axes: Any, place: int) -> tuple[float, float]:
    """Return the edges of a shade in the last round."""
    corners = axes.collections[place].get_paths()[0].vertices
    last = corners[corners[:, 0] == corners[:, 0].max(), 1]
    return float(last.min()), float(last.max())


def test_a_band_is_an_interval_unless_the_range_is_asked_for(result: Result) -> None:
    ends = result["RUCB"].regret[:, -1]
    reach = t.ppf(0.975, 3) * ends.std(ddof=1) / 2.0
    drawn = result.plot().axes[0]
    assert shade(drawn, 2) == pytest.approx((ends.mean() - reach, ends.mean() + reach))
    assert names(drawn.get_title(), "95% confidence interval", "4 runs")
    drawn = result.plot(band="range").axes[0]
    assert shade(drawn, 2) == pytest.approx((ends.min(), ends.max()))
    assert names(drawn.get_title(), "range", "4 runs")


def test_an_unknown_band_is_refused(result: Result) -> None:
    unknown: Any = "stderr"
    with refused(ParameterError, "band", "interval", "range", "'stderr'"):
        result.plot(band=unknown)


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    runs = np.random.default_rng(0).normal(3.0, 2.0, (5, 4_000))
    low, high = edges(runs, "interval")
    assert ((low <= 3.0) & (high >= 3.0)).mean() == pytest.approx(0.95, abs=0.01)


def test_one_run_has_no_spread() -> None:
    one = simulate(Uniform(), worst_case(3), 50, runs=1)
    title = one.plot().axes[0].get_title()
    assert title.endswith("\none run")
    low, high = edges(one["Uniform"].regret, "interval")
    np.testing.assert_array_equal(low, high)


def test_panels_show_the_same_lines_and_each_has_a_legend(result: Result) -> None:
    whole = draw_results(result).axes
    for panel, axes in zip(draw_panels(result), whole, strict=True):
        (alone,) = panel.axes
        assert alone.get_legend() is not None
        for one, other in zip(alone.lines, axes.lines, strict=True):
            np.testing.assert_array_equal(one.get_xydata(), other.get_xydata())


LONG = "InterleavedFilter1(horizon=1000000, factor=10.0, and=more)"


@pytest.mark.parametrize(
    ("names", "problem", "band"),
    [
        (list(learners_for("arms")), worst_case(4, 0.3), "interval"),
        ([LONG, LONG.replace(" ", "")], cycle(3), "range"),
    ],
)
def test_all_texts_can_be_read_on_a_narrow_page(names: list[str], problem: MatrixProblem, band: Band) -> None:
    one = simulate(Uniform(), problem, 100, runs=1000)
    result = replace(one, results=dict.fromkeys(names, one["Uniform"]))
    for figure in draw_panels(result, band):
        assert list(unreadable(figure, fitted=True)) == []
    assert list(unreadable(draw_results(result, band))) == []
