from collections import Counter
from collections.abc import Mapping
from typing import Any

from yue2009_dbgd.yue2009_results import fine_curves, made

from duelist.laboratory.work import Arrays, ItemResults, Scale
from duelist_reproductions.yue2009_dbgd.figure2_sweep import curves_of, end_of, plan_figure2
from duelist_reproductions.yue2009_dbgd.sweep import LEARNERS


def test_all_of_the_paper_is_planned() -> None:
    settings = [piece.setting for piece in plan_figure2(ItemResults(Scale.PAPER, real=True))]
    curves = {(one["problem"], one["learner"]) for one in settings}
    assert curves == {(problem, learner) for problem in ("P1", "P2", "P3", "P5") for learner in LEARNERS}
    assert Counter((one["horizon"], one["factor"]) for one in settings) == {
        (10**5, 1.0): 12,
        (10**6, 1.0): 12,
        (10**5, 0.5): 12,
    }


def test_a_curve_is_of_one_factor() -> None:
    def curves(setting: Mapping[str, Any]) -> Arrays:
        return {name: setting["factor"] * values for name, values in fine_curves(setting).items()}

    results = made("figure2", curves)
    assert end_of(results, "P1", "DBGD", 10**5) == 2.0 * end_of(results, "P1", "DBGD", 10**5, factor=0.5)
    rounds, regret = curves_of(results, "P1", "DBGD", 10**6)
    assert rounds.shape == (200,)
    assert regret.shape == (5, 200)
