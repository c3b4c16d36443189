from collections import Counter

import numpy as np
import pytest
from yue2009_dbgd.yue2009_results import ITEMS, made, paper_cells

from duelist.laboratory import ItemResults, Scale, Sources
from duelist.problems import p2
from duelist.simulation.runs import generators
from duelist_reproductions.yue2009_dbgd import PAPER
from duelist_reproductions.yue2009_dbgd.sweep import (
    LEARNERS,
    PROBLEMS,
    SHORTER,
    TABLE1,
    measure_random_points,
    play,
    table_of,
)
from duelist_reproductions.yue2009_dbgd.verdicts import paper_table

NOTHING = Sources(None)
PLANNED = ItemResults(Scale.PAPER, real=True)


def test_all_of_table_1_is_planned() -> None:
    setting, expected = TABLE1[Scale.PAPER], PAPER.expected["table1"]
    assert (list(setting.factors), list(setting.problems)) == (expected["factors"], expected["problems"])
    assert np.shape(expected["claims"]["cells"]["paper"]) == (len(PROBLEMS), len(setting.factors))
    # an octave away
    assert setting.outer_factors == (setting.factors[0] / 2.0, setting.factors[-1] * 2.0)
    *cells, _ = (piece.setting for piece in ITEMS["table1"].plan(PLANNED))
    assert Counter((one["factor"] in setting.factors, one["horizon"], one["runs"]) for one in cells) == {
        (True, 10**6, 5): 25,
        (True, 10**5, 5): 25,
        (False, 10**6, 1): 10,
    }


def test_all_of_figure_2_is_planned() -> None:
    settings = [piece.setting for piece in ITEMS["figure2"].plan(PLANNED)]
    curves = {(one["problem"], one["learner"]) for one in settings}
    assert curves == {(problem, learner) for problem in ("P1", "P2", "P3", "P5") for learner in LEARNERS}
    assert Counter((one["horizon"], one["factor"]) for one in settings) == {
        (10**5, 1.0): 12,
        (10**6, 1.0): 12,
    }


@pytest.mark.parametrize(
    ("problem", "learner", "factor"),
    [("P1", "DBGD", 0.6), ("P5", "DBGD", 2.0), ("P3", "BGD1", 1.0), ("P2", "BGD2", 1.0)],
)
def test_regret_is_the_mean_of_sums_of_gaps_so_far(problem: str, learner: str, factor: float) -> None:
    found = play(NOTHING, problem=problem, learner=learner, factor=factor, horizon=400, runs=2, marks=4)
    assert found["rounds"].tolist() == [100, 200, 300, 400]
    first = np.full(50, np.sqrt(5.0) / np.sqrt(50.0))
    world = PROBLEMS[problem](exact=learner != "DBGD", start=first)
    gradient = LEARNERS[learner](
        exploration=400**-0.25 * factor * np.sqrt(0.4 * 10.0 * 50.0),
        exploitation=10.0 / np.sqrt(400.0),
        start=tuple(first),
    )
    for run in range(2):
        rng, world_rng = generators(0, run)
        state, total, averages = gradient.init(world.menu(), rng), 0.0, []
        for played in range(1, 401):
            duel = gradient.ask(state, world.menu(), rng)
            total += world.gap(duel.left) + world.gap(duel.right)
            state = gradient.tell(state, duel, world.play(duel, world_rng))
            if played % 100 == 0:
                averages.append(total / played)
        np.testing.assert_allclose(found["regret"][run], averages, rtol=1e-9)


def test_a_table_is_of_one_horizon() -> None:
    results, setting = made("table1", paper_cells), TABLE1[Scale.PAPER]
    paper = paper_table(results, PAPER.expected["table1"])
    np.testing.assert_allclose(table_of(results, setting.factors), paper)
    np.testing.assert_allclose(table_of(results, setting.factors, SHORTER), 1.5 * paper)
    np.testing.assert_allclose(table_of(results, setting.outer_factors), paper[:, [0, -1]] + 0.01)


def test_a_random_point_has_the_regret_of_a_duel_with_itself() -> None:
    found = measure_random_points(NOTHING, problems=["P2"], points=3)["regret"]
    world = p2()
    points = world.menu().sample(np.random.default_rng(0), 3)
    assert found.tolist() == [[2.0 * (world.preference(np.zeros(50), point) - 0.5) for point in points]]
