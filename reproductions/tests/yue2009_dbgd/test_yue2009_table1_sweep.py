from collections import Counter

import numpy as np
from yue2009_dbgd.yue2009_results import made, paper_cells

from duelist.laboratory.sources import Sources
from duelist.laboratory.work import ItemResults, Scale
from duelist.problems import p2
from duelist_reproductions.yue2009_dbgd import PAPER
from duelist_reproductions.yue2009_dbgd.sweep import PROBLEMS, play
from duelist_reproductions.yue2009_dbgd.table1_sweep import (
    EUCLIDEAN,
    RANDOM_POINTS,
    TABLE1,
    columns_of,
    measure_random_points,
    paper_table,
    plan_table1,
    table_of,
)

NOTHING = Sources(None)


def test_every_cell_has_an_expectation() -> None:
    expected = PAPER.expected["table1"]
    assert tuple(expected["factors"]) == TABLE1[Scale.PAPER].factors
    assert tuple(expected["problems"]) == TABLE1[Scale.PAPER].problems == tuple(PROBLEMS)
    assert np.shape(expected["claims"]["cells"]["paper"]) == (len(PROBLEMS), len(expected["factors"]))


def test_all_of_the_paper_is_planned() -> None:
    pieces = plan_table1(ItemResults(Scale.PAPER, real=True))
    cells = [piece.setting for piece in pieces if "problem" in piece.setting]
    inner = [one for one in cells if one["factor"] in TABLE1[Scale.PAPER].factors]
    assert Counter((one["start"], one["horizon"], one["runs"]) for one in inner) == {
        ("printed", 10**6, 5): 25,
        ("farther", 10**6, 2): 25,
        ("printed", 8 * 10**5, 2): 25,
        ("printed", 10**5, 5): 25,
    }
    outer = [(one["problem"], one["factor"]) for one in cells if one not in inner]
    assert outer == [(problem, factor) for problem in PROBLEMS for factor in (0.3, 0.42, 4.2, 6.0)]
    assert {EUCLIDEAN, RANDOM_POINTS} <= {piece.name for piece in pieces}


def test_outer_factors_are_an_octave_away() -> None:
    settings = TABLE1[Scale.PAPER]
    least, lower, higher, most = settings.outer_factors
    assert (least, most) == (settings.factors[0] / 2.0, settings.factors[-1] * 2.0)
    assert least < lower < settings.factors[0] < settings.factors[-1] < higher < most


def test_a_table_is_of_one_reading() -> None:
    results = made("table1", paper_cells)
    settings = TABLE1[Scale.PAPER]
    paper = paper_table(results, PAPER.expected["table1"])
    np.testing.assert_allclose(table_of(results, settings.judged), paper)
    np.testing.assert_allclose(table_of(results, settings.shorter), 1.5 * paper)
    np.testing.assert_allclose(
        columns_of(results, settings.judged, settings.outer_factors), paper[:, [0, 0, -1, -1]] + 0.01
    )


def test_a_random_point_has_the_regret_of_a_duel_with_itself() -> None:
    found = measure_random_points(NOTHING, problems=["P2"], points=3)["regret"]
    world = p2()
    points = world.menu().sample(np.random.default_rng(0), 3)
    assert found.tolist() == [[2.0 * (world.preference(np.zeros(50), point) - 0.5) for point in points]]


def test_the_first_cell_of_the_table_comes_out() -> None:
    claim = PAPER.expected["table1"]["claims"]["cells"]
    setting = plan_table1(ItemResults(Scale.PAPER, real=True))[0].setting
    assert (setting["problem"], setting["factor"], setting["start"]) == ("P1", 0.6, "printed")
    found = play(NOTHING, **{**setting, "runs": 2})["regret"]
    assert found.shape == (2, 1)
    assert abs(found.mean() / claim["paper"][0][0] - 1.0) <= claim["tolerance"]
