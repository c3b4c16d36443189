from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from reproductions.yue2009_dbgd.yue2009_results import fine_curves, made, paper_cells

from duelist.laboratory.work import Arrays, Scale
from duelist.reproductions.yue2009_dbgd import PAPER
from duelist.reproductions.yue2009_dbgd.verdicts import judge_figure2, judge_table1

TABLE1, FIGURE2 = PAPER.expected["table1"], PAPER.expected["figure2"]


def changed(arrays: Arrays, by: float) -> Arrays:
    return {**arrays, "regret": arrays["regret"] * by}


def test_the_papers_own_numbers_hold() -> None:
    found = judge_table1(made("table1", paper_cells), TABLE1)
    assert set(found) == set(TABLE1["claims"])
    assert all(one.holds for one in found.values())
    assert "+50.0%" in found["cells"].note


@pytest.mark.parametrize(("by", "holds"), [(1.09, True), (0.91, True), (1.11, False), (0.89, False)])
def test_one_cell_that_is_off_fails_the_table(by: float, holds: bool) -> None:
    def cells(setting: Mapping[str, Any]) -> Arrays:
        right = paper_cells(setting)
        off = (setting["problem"], setting["factor"]) == ("P4", 3.0) and setting["start"] == "printed"
        return changed(right, by) if off else right

    found = judge_table1(made("table1", cells), TABLE1)["cells"]
    assert found.holds is holds
    assert "P4, factor 3" in found.ours


def test_another_best_factor_is_noticed() -> None:
    def cells(setting: Mapping[str, Any]) -> Arrays:
        right = paper_cells(setting)
        return changed(right, 0.97) if (setting["problem"], setting["factor"]) == ("P2", 0.8) else right

    found = judge_table1(made("table1", cells), TABLE1)
    assert found["cells"].holds
    assert found["best-factor"].holds is False
    assert "P2 0.8" in found["best-factor"].ours


def test_regret_that_stays_the_same_for_ten_times_the_rounds_is_linear() -> None:
    def cells(setting: Mapping[str, Any]) -> Arrays:
        right = paper_cells(setting)
        linear = setting["problem"] == "P5" and setting["horizon"] == 10**5
        return changed(right, 1.0 / 1.5) if linear else right

    found = judge_table1(made("table1", cells), TABLE1)["sublinear"]
    assert found.holds is False
    assert "20 of 25" in found.ours


def test_curves_as_the_paper_describes_them_hold() -> None:
    found = judge_figure2(made("figure2", fine_curves), FIGURE2)
    assert set(found) == set(FIGURE2["claims"])
    assert all(one.holds for one in found.values())


@pytest.mark.parametrize("problem", ["P2", "P3", "P5"])
def test_dbgd_behind_bgd1_on_one_problem_fails(problem: str) -> None:
    def curves(setting: Mapping[str, Any]) -> Arrays:
        worse = (setting["problem"], setting["learner"]) == (problem, "DBGD")
        return changed(fine_curves(setting), 1.3 if worse else 1.0)

    found = judge_figure2(made("figure2", curves), FIGURE2)
    assert found["ahead-of-bgd1"].holds is False


def test_bgd2_behind_dbgd_fails() -> None:
    def curves(setting: Mapping[str, Any]) -> Arrays:
        worse = (setting["problem"], setting["learner"]) == ("P1", "BGD2")
        return changed(fine_curves(setting), 1.3 if worse else 1.0)

    found = judge_figure2(made("figure2", curves), FIGURE2)
    assert found["bgd2-best"].holds is False
    assert found["ahead-of-bgd1"].holds


@pytest.mark.parametrize("course", [np.ones(200), np.linspace(0.2, 1.0, 200)])
def test_a_learner_that_does_not_learn_behaves_otherwise(course: np.ndarray) -> None:
    def curves(setting: Mapping[str, Any]) -> Arrays:
        right = fine_curves(setting)
        return {**right, "regret": np.tile(course, (5, 1))} if setting["learner"] == "DBGD" else right

    assert judge_figure2(made("figure2", curves), FIGURE2)["similar"].holds is False


def test_a_short_run_leaves_open_what_needs_a_long_one() -> None:
    found = judge_figure2(made("figure2", fine_curves, Scale.QUICK), FIGURE2)
    assert {name: one.holds for name, one in found.items()} == {
        "ahead-of-bgd1": True,
        "bgd2-best": None,
        "similar": None,
    }
    assert all(one.holds for one in judge_table1(made("table1", paper_cells, Scale.QUICK), TABLE1).values())
