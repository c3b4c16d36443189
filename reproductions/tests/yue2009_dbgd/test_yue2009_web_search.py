import numpy as np
import pytest
from real_data import DATA, MQ2008

from duelist.laboratory.sources import Sources
from duelist.laboratory.work import ItemResults, PieceResult, Scale
from duelist.learners import DuelingBanditGradientDescent
from duelist.problems import LinearRankerSpace
from duelist.ranking import LinearRanker, ndcg
from duelist.simulation.runs import luck
from duelist_reproductions.yue2009_dbgd import PAPER
from duelist_reproductions.yue2009_dbgd.documents import load_documents
from duelist_reproductions.yue2009_dbgd.web_search import (
    SETTINGS,
    best_run,
    measure_baselines,
    play_run,
)

SOURCES = Sources(DATA if MQ2008.is_dir() else None)


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
    rng, world_rng = luck(2, 0)
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


def test_gradient_descent_learns_to_rank_and_not_by_heart() -> None:
    cell = play_run(SOURCES, queries=1, exploration=1.0, exploitation=0.005, horizon=100_000, run=0)
    documents = load_documents(SOURCES)
    start = documents.qualities(LinearRanker(np.ones(documents.training.d)))
    assert cell["curve"][-1] == pytest.approx(cell["training"].mean(), abs=1e-3)
    # half of what was gained with other seeds
    assert cell["training"].mean() > start["training"].mean() + 0.04
    assert cell["validation"].mean() > start["validation"].mean() + 0.03
    assert cell["test"].mean() > start["test"].mean() + 0.03
    assert cell["curve"][0] < cell["curve"].mean() < cell["curve"].max()


def test_the_ranking_svm_is_better_than_the_start() -> None:
    pytest.importorskip("sklearn")
    found = measure_baselines(Sources(None))
    assert len(found) == 6
    for part in ("training", "validation", "test"):
        assert found[f"svm {part}"].mean() > found[f"start {part}"].mean() + 0.1
