from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from yue2009_dbgd.yue2009_results import made, paper_runs

from duelist.laboratory.items import Finding
from duelist.laboratory.work import Arrays, Scale
from duelist_reproductions.yue2009_dbgd import PAPER
from duelist_reproductions.yue2009_dbgd.web_results import Contest, contest
from duelist_reproductions.yue2009_dbgd.web_verdicts import (
    judge_web_search,
    largest_dip,
    peaks_inside,
    relative_dip,
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
    assert {name for name, one in found.items() if not one.value} == set()
    assert "(1, 0.01)" in found["peak-inside"].ours


def test_the_papers_own_tables_meet_what_is_asked_of_ours() -> None:
    claims = EXPECTED["claims"]
    for measure in ("average", "final"):
        paper = np.array(EXPECTED[measure])
        assert peaks_inside(paper)
        smooth = claims[f"smooth-{measure}"]
        assert relative_dip(paper) == pytest.approx(smooth["paper"], abs=5e-4)
        assert relative_dip(paper) <= smooth["tolerance"]
        rng = np.random.default_rng(0)
        shuffled = [rng.permutation(paper.ravel()).reshape(paper.shape) for _ in range(2000)]
        assert np.mean([relative_dip(table) <= smooth["tolerance"] for table in shuffled]) <= 0.001
    finals, svm = EXPECTED["finals"], EXPECTED["svm"]
    spread, behind = claims["queries-hardly-matter"], claims["near-ranking-svm"]
    assert max(finals) - min(finals) == pytest.approx(spread["paper"])
    # for means of four runs
    assert spread["paper"] * np.sqrt(1000 / 339) / 2.0 == pytest.approx(spread["tolerance"], abs=5e-5)
    assert 1.0 - max(finals) / svm == pytest.approx(behind["paper"], abs=5e-4)
    assert behind["paper"] <= behind["tolerance"]


def test_a_peak_at_the_edge_fails_and_the_wider_grid_is_told() -> None:
    def runs(setting: Mapping[str, Any]) -> Arrays:
        right = paper_runs(setting)
        edge = {"queries": 100, "exploration": 0.5, "horizon": 10**7}.items() <= setting.items()
        return raised(right, 0.01, "curve") if edge else right

    found = judged(runs)["peak-inside"]
    assert found.value is False
    assert "at the edge, at (0.5, 0.01)" in found.ours
    assert "Explorations from 0.18 on: the average peaks inside, at (0.5, 0.01)" in found.note
    assert "1,000,000 comparisons: the average peaks inside, at (1, 0.01)" in found.note
    assert "0.5710 with exploration 3" in found.note


def test_a_lead_is_told_beside_what_chance_does() -> None:
    found = judged(paper_runs)["peak-inside"]
    # the highest outer cell of the final values has 0.592
    words = "the final peaks inside, at (1, 0.01) with 0.5950, 0.00300 above the highest outer cell"
    assert words in found.ours
    assert "differ by a standard deviation of 0.0000 and 0.0000" in found.note


@pytest.mark.parametrize(("by", "smooth"), [(0.004, True), (-0.02, False)])
def test_a_second_peak_is_not_smooth(by: float, smooth: bool) -> None:
    def runs(setting: Mapping[str, Any]) -> Arrays:
        right = paper_runs(setting)
        inner = {"queries": 100, "exploration": 1.0, "exploitation": 0.01}.items() <= setting.items()
        return raised(right, by, "curve") if inner else right

    found = judged(runs)
    assert found["smooth-average"].value is smooth
    assert found["smooth-final"].value is smooth


def test_queries_that_matter_and_a_distant_svm_fail() -> None:
    def worse(setting: Mapping[str, Any]) -> Arrays:
        right = paper_runs(setting)
        return raised(right, -0.02, "training") if setting.get("queries") == 25 else right

    def all_worse(setting: Mapping[str, Any]) -> Arrays:
        right = paper_runs(setting)
        return raised(right, -0.01, "training") if "run" in setting else right

    def all_better(setting: Mapping[str, Any]) -> Arrays:
        right = paper_runs(setting)
        return raised(right, 0.04, "training") if "run" in setting else right

    found = judged(worse)
    assert found["queries-hardly-matter"].value is False
    assert found["near-ranking-svm"].value
    assert judged(all_worse)["near-ranking-svm"].value is False
    assert judged(all_worse)["queries-hardly-matter"].value
    better = judged(all_better)
    assert better["near-ranking-svm"].value is False
    assert "costs c from 0.01 to 1000: SVMs have 0.6100 to 0.6100" in better["near-ranking-svm"].note
    # the curves themselves stay behind
    assert "never (1), never (5)" in better["near-ranking-svm"].note
    assert better["svm-wins-queries"].value is False


def test_it_is_told_when_the_svm_is_overtaken() -> None:
    def runs(setting: Mapping[str, Any]) -> Arrays:
        right = paper_runs(setting)
        if setting.get("horizon") != 10**7:
            return right
        ahead = np.arange(100) >= (30 if setting["queries"] == 1 else 10)
        # a moment ahead is not ahead to stay
        ahead[5] = True
        return {**right, "curve": np.where(ahead, 0.62, 0.6), "training": np.full(10, 0.62)}

    found = judged(runs)["near-ranking-svm"]
    assert "3,100,000 (1), 1,100,000 (5)" in found.note


def test_one_number_of_queries_on_which_the_svm_does_not_win_fails() -> None:
    def runs(setting: Mapping[str, Any]) -> Arrays:
        right = paper_runs(setting)
        if setting.get("queries") == 5 and setting["horizon"] == 10**7:
            right["training"][:5] += 0.1
        return right

    found = judged(runs)["svm-wins-queries"]
    assert found.value is False
    assert "5 and 5 (5); 10 and 0 (10)" in found.ours
    assert judged(paper_runs)["svm-wins-queries"].value


@pytest.mark.parametrize(
    ("exploration", "exploitation", "by"), [(0.5, 0.01, 0.02), (0.8, 0.01, -0.02), (3.0, 0.001, 0.05)]
)
def test_another_table_with_fewer_queries_is_not_similar(
    exploration: float, exploitation: float, by: float
) -> None:
    cell = {"queries": 10, "exploration": exploration, "exploitation": exploitation, "horizon": 10**6}

    def runs(setting: Mapping[str, Any]) -> Arrays:
        right = paper_runs(setting)
        return raised(right, by, "curve") if cell.items() <= setting.items() else right

    found = judged(runs)
    assert found["similar-with-fewer-queries"].value is False
    assert found["peak-inside"].value


def test_the_best_of_fewer_queries_at_equal_steps_is_no_smaller() -> None:
    def runs(setting: Mapping[str, Any]) -> Arrays:
        right = paper_runs(setting)
        fewer = setting.get("queries", 100) < 100
        return raised(right, 2.0 * setting["exploitation"], "curve") if fewer else right

    found = judged(runs)["smaller-steps"]
    assert found.value is False
    # larger than the best with 100 queries, 0.01
    assert "0.05 with 1, 0.05 with 5" in found.ours


@pytest.mark.parametrize("part", ["validation", "test"])
def test_what_is_learned_by_heart_is_noticed(part: str) -> None:
    def runs(setting: Mapping[str, Any]) -> Arrays:
        right = paper_runs(setting)
        return raised(right, -0.11, part) if "run" in setting else right

    assert judged(runs)["held-out"].value is False


@pytest.mark.parametrize(("scale", "real"), [(Scale.PAPER, False), (Scale.QUICK, True), (Scale.QUICK, False)])
def test_only_learning_is_judged_on_little_or_on_made_up_documents(scale: Scale, real: bool) -> None:
    found = judge_web_search(made("websearch", paper_runs, scale, real), EXPECTED)
    assert set(found) == set(EXPECTED["claims"])
    assert {name for name, one in found.items() if one.value is not None} == {"held-out"}
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
