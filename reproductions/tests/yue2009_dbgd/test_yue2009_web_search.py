import numpy as np
import pytest
from yue2009_dbgd.yue2009_results import ITEMS, changed, made, paper_runs

from duelist.laboratory import ItemResults, PieceResult, Scale, Sources
from duelist.learners import DuelingBanditGradientDescent
from duelist.problems import LinearRankerSpace
from duelist.ranking import LinearRanker, ndcg
from duelist.simulation.runs import generators
from duelist_reproductions.documents import load_documents
from duelist_reproductions.yue2009_dbgd import PAPER
from duelist_reproductions.yue2009_dbgd.web_search import SETTINGS, best_run, measure_baselines, play_run


def test_the_settings_are_the_papers() -> None:
    settings, expected = SETTINGS[Scale.PAPER], PAPER.expected["websearch"]
    assert list(settings.explorations) == expected["explorations"]
    assert list(settings.exploitations) == expected["exploitations"]
    assert list(settings.queries) == expected["queries"]
    assert settings.horizon == 10**7
    for measure in ("average", "final"):
        assert np.shape(expected[measure]) == (4, 5)
    assert len(expected["finals"]) == len(expected["contests"]) == len(settings.queries)
    np.testing.assert_allclose(
        settings.shorter_explorations, np.array(settings.explorations[:2]) * np.sqrt(46 / 367), atol=0.005
    )


def test_what_is_played_next_depends_on_the_best_cell() -> None:
    assert len(ITEMS["websearch"].plan(ItemResults(Scale.PAPER, real=True))) == 1 + 20 + 10 + 20
    runs = [one.setting for one in made("websearch", paper_runs).where(horizon=10**7)]
    assert len(runs) == 20 + 10 + 5 * 4 + 6 * 3
    fewer = [run for run in runs if run["queries"] < 100]
    assert {run["queries"] for run in fewer} == {1, 5, 10, 25, 50}
    assert {run["exploration"] for run in fewer} == {1.0}
    assert {run["exploitation"] for run in fewer if run["run"] == 0} == {0.001, 0.005, 0.01, 0.05}
    again = [(run["queries"], run["exploitation"]) for run in runs if run["run"] == 3]
    assert again == [(1, 0.001), (5, 0.001), (10, 0.001), (25, 0.001), (50, 0.001), (100, 0.01)]


@pytest.mark.parametrize(("best", "tried"), [(0.001, 2), (0.1, 5)])
def test_the_next_larger_step_is_tried_where_there_is_one(best: float, tried: int) -> None:
    results = made(
        "websearch", changed(paper_runs, {"queries": 100, "exploitation": best}, 1.0, 0.2, "curve")
    )
    found = {one.setting["exploitation"] for one in results.where(queries=50, run=0)}
    assert found == set((0.001, 0.005, 0.01, 0.05, 0.1)[:tried])


def test_made_up_documents_are_played_for_a_shorter_time() -> None:
    _, *pieces = ITEMS["websearch"].plan(ItemResults(Scale.PAPER, real=False))
    assert {piece.setting["horizon"] for piece in pieces} == {10**6}


def test_the_best_run_is_best_on_average_and_on_the_papers_grid() -> None:
    curves = {
        (1.0, 10**5): [0.5, 0.6],
        (3.0, 10**5): [0.0, 0.9],
        (0.35, 10**5): [0.8, 0.8],
        (3.0, 10**4): [0.9, 0.9],
    }
    found = {
        f"{exploration} {horizon}": PieceResult(
            {"queries": 10, "exploration": exploration, "exploitation": 0.01, "horizon": horizon, "run": 0},
            {"curve": np.array(curve)},
        )
        for (exploration, horizon), curve in curves.items()
    }
    assert best_run(ItemResults(Scale.QUICK, real=True, found=found), 10).setting["exploration"] == 1.0


def test_a_run_is_gradient_descent_on_random_training_queries() -> None:
    found = play_run(Sources(None), queries=3, exploration=1.0, exploitation=0.05, horizon=300, run=2)
    documents = load_documents(Sources(None))
    space = LinearRankerSpace(documents.training)
    learner = DuelingBanditGradientDescent(1.0, 0.05, 3)
    rng, world_rng = generators(2, 0)
    state, curve = learner.init(space.menu(), rng), []
    for played in range(1, 301):
        duel = learner.ask(state, space.menu(), rng)
        state = learner.tell(state, duel, space.play(duel, world_rng))
        if played % 3 == 0:
            ranker = LinearRanker(learner.best(state, space.menu()))
            curve.append(ndcg(ranker.score(documents.training), documents.training).mean())
    np.testing.assert_allclose(found["curve"], curve, atol=1e-9)
    assert found["rounds"].tolist() == list(range(3, 301, 3))
    for part, values in documents.qualities(ranker).items():
        np.testing.assert_allclose(found[part], values, atol=1e-9)


def test_the_ranking_svm_is_better_than_the_start() -> None:
    pytest.importorskip("sklearn")
    found = measure_baselines(Sources(None))
    assert len(found) == 6
    for part in ("training", "validation", "test"):
        assert found[f"svm {part}"].mean() > found[f"start {part}"].mean() + 0.1
