import json

import numpy as np
import pytest

from duelist.laboratory.items import Item
from duelist.laboratory.sources import Sources
from duelist.laboratory.work import ItemResults, Scale
from duelist.simulation.runs import luck
from duelist_reproductions.yue2009_dbgd import PAPER
from duelist_reproductions.yue2009_dbgd.sweep import LEARNERS, PROBLEMS, STARTS, play

NOTHING = Sources(None)


@pytest.mark.parametrize("item", PAPER.items, ids=[item.name for item in PAPER.items])
@pytest.mark.parametrize("scale", Scale)
def test_pieces_have_names_of_their_own_and_settings_for_a_file(item: Item, scale: Scale) -> None:
    pieces = item.plan(ItemResults(scale, real=True))
    names = [piece.name for piece in pieces]
    assert len(set(names)) == len(names) > 0
    assert not set("/\\: ") & set("".join(names))
    for piece in pieces:
        assert json.loads(json.dumps(piece.setting)) == piece.setting
        assert piece.cost > 0.0


@pytest.mark.parametrize(
    ("problem", "learner", "factor", "start"),
    [
        ("P1", "DBGD", 0.6, "printed"),
        ("P5", "DBGD", 2.0, "farther"),
        ("P3", "BGD1", 1.0, "printed"),
        ("P2", "BGD2", 1.0, "printed"),
    ],
)
def test_regret_is_the_mean_of_sums_of_gaps_so_far(
    problem: str, learner: str, factor: float, start: str
) -> None:
    found = play(
        NOTHING, problem=problem, learner=learner, factor=factor, start=start, horizon=2000, runs=2, marks=4
    )
    assert found["rounds"].tolist() == [500, 1000, 1500, 2000]
    first = np.full(50, STARTS[start] / np.sqrt(50.0))
    world = PROBLEMS[problem](exact=learner != "DBGD", start=first)
    gradient = LEARNERS[learner](
        exploration=2000**-0.25 * factor * np.sqrt(0.4 * 10.0 * 50.0),
        exploitation=10.0 / np.sqrt(2000.0),
        start=tuple(first),
    )
    for run in range(2):
        rng, world_rng = luck(0, run)
        state, total, averages = gradient.init(world.menu(), rng), 0.0, []
        for played in range(1, 2001):
            duel = gradient.ask(state, world.menu(), rng)
            total += world.gap(duel.left) + world.gap(duel.right)
            state = gradient.tell(state, duel, world.play(duel, world_rng))
            if played % 500 == 0:
                averages.append(total / played)
        np.testing.assert_allclose(found["regret"][run], averages, rtol=1e-9)
