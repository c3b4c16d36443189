from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from yue2009_dbgd.yue2009_results import fine_curves, made

from duelist.laboratory.work import Arrays, Scale
from duelist_reproductions.yue2009_dbgd import PAPER
from duelist_reproductions.yue2009_dbgd.figure2_verdicts import judge_figure2

EXPECTED = PAPER.expected["figure2"]


def changed(arrays: Arrays, by: float) -> Arrays:
    return {**arrays, "regret": arrays["regret"] * by}


def test_curves_as_the_paper_describes_them_hold() -> None:
    found = judge_figure2(made("figure2", fine_curves), EXPECTED)
    assert set(found) == set(EXPECTED["claims"])
    assert all(one.value for one in found.values())


@pytest.mark.parametrize("problem", ["P2", "P3", "P5"])
def test_dbgd_behind_bgd1_on_one_problem_fails(problem: str) -> None:
    def curves(setting: Mapping[str, Any]) -> Arrays:
        worse = (setting["problem"], setting["learner"]) == (problem, "DBGD")
        return changed(fine_curves(setting), 1.3 if worse else 1.0)

    found = judge_figure2(made("figure2", curves), EXPECTED)
    assert found["ahead-of-bgd1"].value is False


def test_bgd2_behind_dbgd_fails() -> None:
    def curves(setting: Mapping[str, Any]) -> Arrays:
        worse = (setting["problem"], setting["learner"]) == ("P1", "BGD2")
        return changed(fine_curves(setting), 1.3 if worse else 1.0)

    found = judge_figure2(made("figure2", curves), EXPECTED)
    assert found["bgd2-best"].value is False
    assert found["ahead-of-bgd1"].value


@pytest.mark.parametrize("course", [np.ones(200), np.linspace(0.2, 1.0, 200)])
def test_a_learner_that_does_not_learn_behaves_otherwise(course: np.ndarray) -> None:
    def curves(setting: Mapping[str, Any]) -> Arrays:
        right = fine_curves(setting)
        return {**right, "regret": np.tile(course, (5, 1))} if setting["learner"] == "DBGD" else right

    assert judge_figure2(made("figure2", curves), EXPECTED)["similar"].value is False


@pytest.mark.parametrize("horizon", [10**5, 10**6])
def test_a_claim_has_to_hold_with_both_horizons(horizon: int) -> None:
    def curves(setting: Mapping[str, Any]) -> Arrays:
        worse = (setting["horizon"], setting["learner"]) == (horizon, "BGD2") and setting["factor"] == 1.0
        return changed(fine_curves(setting), 1.3 if worse else 1.0)

    found = judge_figure2(made("figure2", curves), EXPECTED)["bgd2-best"]
    assert found.value is False
    assert f"{horizon:,} rounds: BGD2 is below the better of the others by P1 -0.1" in found.ours
    assert found.ours.count("(holds)") == found.ours.count("(does not hold)") == 1
    # with half the exploration it is ahead
    assert "factor 0.5: BGD2 is below by P1 +0.02" in found.note


@pytest.mark.parametrize(("by", "alike"), [(1.0, True), (1.08, False), (0.92, False)])
def test_another_level_is_not_similar_though_its_course_is(by: float, alike: bool) -> None:
    def curves(setting: Mapping[str, Any]) -> Arrays:
        off = (setting["problem"], setting["learner"], setting["horizon"]) == ("P5", "DBGD", 10**5)
        return changed(fine_curves(setting), by if off else 1.0)

    found = judge_figure2(made("figure2", curves), EXPECTED)
    assert found["similar-levels"].value is alike
    assert alike or "with factor 0.5: P1 0.500 against 0.520 and 0.480" in found["similar-levels"].note
    assert found["similar"].value


def test_a_short_run_leaves_open_what_needs_a_long_one() -> None:
    found = judge_figure2(made("figure2", fine_curves, Scale.QUICK), EXPECTED)
    assert {name: one.value for name, one in found.items()} == {
        "ahead-of-bgd1": True,
        "bgd2-best": None,
        "similar": None,
        "similar-levels": None,
    }
