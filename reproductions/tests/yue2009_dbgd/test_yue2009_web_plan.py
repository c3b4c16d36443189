import pytest
from yue2009_dbgd.yue2009_results import made, paper_runs

from duelist.laboratory.work import ItemResults, Scale
from duelist_reproductions.yue2009_dbgd.web_plan import plan_web_search, tried_with_fewer
from duelist_reproductions.yue2009_dbgd.web_search import BASELINES


def test_what_is_played_next_depends_on_the_best_cell() -> None:
    first = plan_web_search(ItemResults(Scale.PAPER, real=True))
    assert len(first) == 1 + 20 + 10 + 40 + 3 + 1
    results = made("websearch", paper_runs)
    runs = [one.setting for one in results.where(horizon=10**7)]
    assert len(runs) == 20 + 10 + 5 * 4 + 6 * 3
    fewer = [run for run in runs if run["queries"] < 100]
    assert {run["queries"] for run in fewer} == {1, 5, 10, 25, 50}
    assert {run["exploration"] for run in fewer} == {1.0}
    assert {run["exploitation"] for run in fewer if run["run"] == 0} == {0.001, 0.005, 0.01, 0.05}
    again = [(run["queries"], run["exploitation"]) for run in runs if run["run"] == 3]
    assert again == [(1, 0.001), (5, 0.001), (10, 0.001), (25, 0.001), (50, 0.001), (100, 0.01)]


def test_made_up_documents_are_played_for_a_shorter_time() -> None:
    pieces = plan_web_search(ItemResults(Scale.PAPER, real=False))
    assert {piece.setting["horizon"] for piece in pieces if piece.name != BASELINES} == {10**6}


@pytest.mark.parametrize(("best", "tried"), [(0.001, 2), (0.01, 4), (0.1, 5)])
def test_the_next_larger_step_is_tried_where_there_is_one(best: float, tried: int) -> None:
    found = tried_with_fewer(ItemResults(Scale.PAPER, real=True), best)
    assert found == (0.001, 0.005, 0.01, 0.05, 0.1)[:tried]
