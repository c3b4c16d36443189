import numpy as np
import pytest
from yue2009_dbgd.yue2009_results import ITEMS, fine_curves, made, paper_cells, paper_runs

from duelist.laboratory import Drawing, ResultTable, Scale
from duelist_reproductions.yue2009_dbgd import PAPER
from duelist_reproductions.yue2009_dbgd.figures import average_bound

MAKERS = {"table1": paper_cells, "figure2": fine_curves, "websearch": paper_runs}


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("scale", Scale)
def test_every_item_is_drawn_and_tabled(name: str, scale: Scale) -> None:
    pytest.importorskip("matplotlib")
    results = made(name, MAKERS[name], scale)
    shown = ITEMS[name].show(results, PAPER.expected[name])
    grids = [one for one in shown if isinstance(one, ResultTable)]
    (drawing,) = (one for one in shown if isinstance(one, Drawing))
    assert all(len(row) == len(grid.headings) for grid in grids for row in grid.rows)
    for axes in drawing.figure.axes:
        assert axes.get_xlabel()
        assert axes.lines
        assert all(np.size(line.get_xdata()) <= 300 for line in axes.lines)
    assert drawing.caption


def test_our_numbers_and_the_papers_are_in_one_table() -> None:
    pytest.importorskip("matplotlib")
    results = made("table1", paper_cells)
    _, printed, *_ = ITEMS["table1"].show(results, PAPER.expected["table1"])
    assert isinstance(printed, ResultTable)
    assert printed.rows[0][:2] == ["P1", "0.465 / 0.465 (+0.0%)"]
    results = made("websearch", paper_runs)
    average, _, _, third, second = ITEMS["websearch"].show(results, PAPER.expected["websearch"])
    assert isinstance(average, ResultTable)
    assert isinstance(third, ResultTable)
    assert isinstance(second, ResultTable)
    assert second.rows[2][3] == "0.5840 / 0.5950"
    assert average.rows[4][3] == "0.584 (highest) / 0.584"
    assert average.rows[0][0] == "exploration 0.18"
    assert "/" not in average.rows[0][1]
    assert third.rows[1] == [
        "1 per update",
        "1, 0.001",
        "0.595 (0.595-0.595)",
        "0.596",
        "0.595",
        "0.595",
        "10/0/0",
        "490/121/389",
    ]


def test_the_bound_of_average_regret_is_corollary_2s() -> None:
    # 2 sqrt(10 R d L) T^(-1/4) with R = 10, d = 50, L = 20 / 4
    assert average_bound("P1", 10**6) == pytest.approx(10.0)
