from collections.abc import Mapping
from typing import Any

import pytest
from yue2009_dbgd.yue2009_results import made, paper_cells

from duelist.laboratory.work import Arrays, Scale
from duelist_reproductions.yue2009_dbgd import PAPER
from duelist_reproductions.yue2009_dbgd.table1_verdicts import judge_table1

EXPECTED = PAPER.expected["table1"]


def changed(arrays: Arrays, by: float) -> Arrays:
    return {**arrays, "regret": arrays["regret"] * by}


def test_the_papers_own_numbers_hold() -> None:
    found = judge_table1(made("table1", paper_cells), EXPECTED)
    assert set(found) == set(EXPECTED["claims"])
    assert {name for name, one in found.items() if not one.value} == set()
    assert "+50.0%" in found["cells"].note
    # 0.4 instead of the paper's 0.76 to 0.807
    assert "Euclidean norm, P2's are -50.4% to -47.4%" in found["cells"].note


@pytest.mark.parametrize(("by", "holds"), [(1.09, True), (0.91, True), (1.11, False), (0.89, False)])
def test_one_cell_that_is_off_fails_the_table(by: float, holds: bool) -> None:
    def cells(setting: Mapping[str, Any]) -> Arrays:
        right = paper_cells(setting)
        off = (setting.get("problem"), setting.get("factor")) == ("P4", 3.0) and setting["start"] == "printed"
        return changed(right, by) if off else right

    found = judge_table1(made("table1", cells), EXPECTED)["cells"]
    assert found.value is holds
    assert "P4, factor 3" in found.ours


def test_another_best_factor_is_noticed() -> None:
    def cells(setting: Mapping[str, Any]) -> Arrays:
        right = paper_cells(setting)
        return (
            changed(right, 0.97) if (setting.get("problem"), setting.get("factor")) == ("P2", 0.8) else right
        )

    found = judge_table1(made("table1", cells), EXPECTED)
    assert found["cells"].value
    assert found["best-factor"].value is False
    assert "P2 0.8" in found["best-factor"].ours


def test_regret_that_stays_the_same_for_ten_times_the_rounds_is_linear() -> None:
    def cells(setting: Mapping[str, Any]) -> Arrays:
        right = paper_cells(setting)
        linear = setting.get("problem") == "P5" and setting["horizon"] == 10**5
        return changed(right, 1.0 / 1.5) if linear else right

    found = judge_table1(made("table1", cells), EXPECTED)["sublinear"]
    assert found.value is False
    assert "20 of 25" in found.ours


@pytest.mark.parametrize(("by", "holds"), [(1.1, True), (0.9, True), (1.15, False), (0.85, False)])
def test_a_cell_farther_away_than_chance_takes_one_run_is_counted(by: float, holds: bool) -> None:
    def cells(setting: Mapping[str, Any]) -> Arrays:
        right = paper_cells(setting)
        off = (setting.get("problem"), setting.get("factor")) == ("P3", 1.0) and setting["horizon"] == 10**6
        return changed(right, by) if off else right

    # runs 1% apart deviate by 1.58% of a cell, differences of one and the mean of five by 1.73%
    found = judge_table1(made("table1", cells), EXPECTED)["cells-by-chance"]
    assert found.value is holds
    assert found.ours.startswith("0 of 25" if holds else "1 of 25")
    assert "(1 than three" in found.ours
    assert f"norm 5 with 1,000,000 rounds {0 if holds else 1}" in found.note
    assert "norm 2.24 with 800,000 rounds 0" in found.note
    assert "norm 2.24 with 100,000 rounds 25" in found.note


@pytest.mark.parametrize(("beyond", "holds"), [(0.05, True), (0.09, False), (-0.02, False)])
def test_a_cliff_beyond_the_range_is_not_graceful_and_neither_is_better(beyond: float, holds: bool) -> None:
    def cells(setting: Mapping[str, Any]) -> Arrays:
        right = paper_cells(setting)
        off = (setting.get("problem"), setting.get("factor")) == ("P2", 6.0)
        return {**right, "regret": right["regret"] + beyond} if off else right

    assert judge_table1(made("table1", cells), EXPECTED)["graceful"].value is holds


def test_random_points_that_are_good_on_one_problem_are_noticed() -> None:
    def cells(setting: Mapping[str, Any]) -> Arrays:
        right = paper_cells(setting)
        if "points" in setting:
            right["regret"][2] = 0.9
        return right

    found = judge_table1(made("table1", cells), EXPECTED)["random-point"]
    assert found.value is False
    assert "0.9000 on P3" in found.ours


def test_one_run_a_cell_leaves_open_what_chance_does() -> None:
    found = judge_table1(made("table1", paper_cells, Scale.QUICK), EXPECTED)
    assert {name: one.value for name, one in found.items()} == {
        "cells": True,
        "cells-by-chance": None,
        "best-factor": True,
        "sublinear": True,
        "graceful": None,
        "random-point": True,
    }
    assert all(one.note for one in found.values() if one.value is None)
