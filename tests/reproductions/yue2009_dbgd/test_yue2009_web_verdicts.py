from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from reproductions.yue2009_dbgd.yue2009_results import made, paper_runs

from duelist.laboratory.items import Finding
from duelist.laboratory.work import Arrays, Scale
from duelist.reproductions.yue2009_dbgd import PAPER
from duelist.reproductions.yue2009_dbgd.web_results import Contest, contest
from duelist.reproductions.yue2009_dbgd.web_verdicts import (
    judge_web_search,
    largest_dip,
    peaks_inside,
    unevenness,
)

EXPECTED = PAPER.expected["websearch"]


def judged(runs: Callable[[Mapping[str, Any]], Arrays]) -> dict[str, Finding]:
    return judge_web_search(made("websearch", runs), EXPECTED)


def raised(arrays: Arrays, by: float, *names: str) -> Arrays:
    return {**arrays, **{name: arrays[name] + by for name in names}}


def test_the_papers_own_numbers_hold() -> None:
    found = judged(paper_runs)
    assert set(found) == set(EXPECTED["claims"])
    assert {name for name, one in found.items() if not one.holds} == set()
    assert "(1, 0.01)" in found["peak-inside"].ours


def test_the_papers_own_tables_meet_what_is_asked_of_ours() -> None:
    claims = EXPECTED["claims"]
    for measure in ("average", "final"):
        paper = np.array(EXPECTED[measure])
        assert peaks_inside(paper)
        assert unevenness(paper) == pytest.approx(claims[f"smooth-{measure}"]["paper"])
        assert unevenness(paper) <= claims[f"smooth-{measure}"]["tolerance"]
    finals, svm = EXPECTED["finals"], EXPECTED["svm"]
    spread, behind = claims["queries-hardly-matter"], claims["near-ranking-svm"]
    assert max(finals) - min(finals) == pytest.approx(spread["paper"])
    assert spread["paper"] <= spread["tolerance"]
    assert 1.0 - max(finals) / svm == pytest.approx(behind["paper"], abs=5e-4)
    assert behind["paper"] <= behind["tolerance"]


def test_a_peak_at_the_edge_fails_and_the_wider_grid_is_told() -> None:
    def runs(setting: Mapping[str, Any]) -> Arrays:
        right = paper_runs(setting)
        edge = setting.get("queries") == 100 and setting["exploration"] == 0.5
        return raised(right, 0.01, "curve") if edge else right

    found = judged(runs)["peak-inside"]
    assert found.holds is False
    assert "at the edge, at (0.5, 0.01)" in found.ours
    assert "explorations from 0.18 on: the average peaks inside, at (0.5, 0.01)" in found.note


@pytest.mark.parametrize(("by", "smooth"), [(0.004, True), (-0.03, False)])
def test_a_second_peak_is_not_smooth(by: float, smooth: bool) -> None:
    def runs(setting: Mapping[str, Any]) -> Arrays:
        right = paper_runs(setting)
        inner = {"queries": 100, "exploration": 1.0, "exploitation": 0.01}.items() <= setting.items()
        return raised(right, by, "curve") if inner else right

    found = judged(runs)
    assert found["smooth-average"].holds is smooth
    assert found["smooth-final"].holds is smooth


def test_queries_that_matter_and_a_distant_svm_fail() -> None:
    def worse(setting: Mapping[str, Any]) -> Arrays:
        right = paper_runs(setting)
        return raised(right, -0.02, "training") if setting.get("queries") == 25 else right

    def all_worse(setting: Mapping[str, Any]) -> Arrays:
        return raised(paper_runs(setting), -0.01, "training") if setting else paper_runs(setting)

    found = judged(worse)
    assert found["queries-hardly-matter"].holds is False
    assert found["near-ranking-svm"].holds
    assert judged(all_worse)["near-ranking-svm"].holds is False
    assert judged(all_worse)["queries-hardly-matter"].holds


def test_the_best_of_fewer_queries_at_equal_steps_is_no_smaller() -> None:
    def runs(setting: Mapping[str, Any]) -> Arrays:
        right = paper_runs(setting)
        fewer = setting.get("queries", 100) < 100
        return raised(right, 2.0 * setting["exploitation"], "curve") if fewer else right

    assert judged(runs)["smaller-steps"].holds is False


@pytest.mark.parametrize("part", ["validation", "test"])
def test_what_is_learned_by_heart_is_noticed(part: str) -> None:
    def runs(setting: Mapping[str, Any]) -> Arrays:
        return raised(paper_runs(setting), -0.11, part) if setting else paper_runs(setting)

    assert judged(runs)["held-out"].holds is False


@pytest.mark.parametrize(("scale", "real"), [(Scale.PAPER, False), (Scale.QUICK, True), (Scale.QUICK, False)])
def test_only_learning_is_judged_on_little_or_on_made_up_documents(scale: Scale, real: bool) -> None:
    found = judge_web_search(made("websearch", paper_runs, scale, real), EXPECTED)
    assert set(found) == set(EXPECTED["claims"])
    assert {name for name, one in found.items() if one.holds is not None} == {"held-out"}
    assert all(one.note for name, one in found.items() if name != "held-out")


def test_a_valley_is_a_dip_and_a_hill_is_none() -> None:
    assert largest_dip([1.0, 2.0, 3.0, 2.0]) == 0.0
    assert largest_dip([3.0, 1.0, 2.0, 0.0]) == 1.0
    assert not peaks_inside(np.array([[1.0, 2.0, 1.0], [1.0, 1.0, 1.0], [0.0, 0.0, 0.0]]))
    assert unevenness(np.array([[3.0, 3.0], [1.0, 3.0], [2.0, 3.0]])) == 1.0


def test_the_better_list_of_a_query_wins_it() -> None:
    first, second = np.array([1.0, 0.6, 0.5]), np.array([0.6, 1.0, 0.5])
    assert contest(first, second) == Contest(wins=1, ties=1, losses=1)
    assert contest(first, first) == Contest(wins=0, ties=3, losses=0)
    assert contest(first[:1], second[:1]) == Contest(wins=1, ties=0, losses=0)
