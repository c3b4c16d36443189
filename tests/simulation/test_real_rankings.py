"""Learning from clicks on real data: MQ2008's queries and the features of NP2004."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from real_data import PREFERENCES
from scipy.stats import spearmanr

from duelist import (
    RUCB,
    DuelingGradientRanker,
    MultileavingGradientRanker,
    PairwiseGradientRanker,
    clicks,
    simulate,
)
from duelist.interleaving import Probabilistic
from duelist.problems import RankerDuel, RankingProblem
from duelist.ranking import RankingData, load_ranking_data
from duelist.ranking.corpus import corpus_of, mean_quality
from duelist.winners import borda_scores

LTR = PREFERENCES.parent / "ltr"
pytestmark = pytest.mark.skipif(not LTR.is_dir(), reason="the shared learning-to-rank data is not here")

PDGD, DBGD, MGD = PairwiseGradientRanker, DuelingGradientRanker, MultileavingGradientRanker
ALIKE = np.ones(46)
"""The ranker that DBGD and MGD start from."""


@cache
def mq2008(*parts: int) -> RankingData:
    return load_ranking_data([LTR / "mq2008" / f"S{part}.txt.gz" for part in parts], cache=False)


def final_quality(learner: Any, model: Any, impressions: int, runs: int = 3) -> np.ndarray:
    """Return each run's NDCG@10 on queries held out, of those that have a relevant document."""
    result = simulate(
        {"it": learner},
        RankingProblem(mq2008(1, 2, 3), model, held_out=mq2008(5)),
        impressions,
        runs=runs,
        checkpoints=[1],
    )
    return result["it"].quality[:, -1]


@pytest.mark.parametrize(
    ("model", "least"), [(clicks.perfect, 0.71), (clicks.navigational, 0.70), (clicks.informational, 0.70)]
)
def test_pairwise_gradients_learn_from_any_clicks(model: Any, least: float) -> None:
    assert (final_quality(PDGD(), model(3), 50_000, runs=5) >= least).all()


@pytest.mark.parametrize(("learner", "impressions"), [(DBGD(), 50_000), (MGD(), 20_000)], ids=["DBGD", "MGD"])
def test_gradient_descents_get_clearly_better_than_where_they_start(learner: Any, impressions: int) -> None:
    start = mean_quality(corpus_of(mq2008(5)), ALIKE)
    assert start < 0.66
    assert (final_quality(learner, clicks.perfect(3), impressions) > start + 0.03).all()


def test_blind_clicks_teach_nothing() -> None:
    start = mean_quality(corpus_of(mq2008(5)), ALIKE)
    blind = clicks.random_clicks(0.5, 3)
    assert final_quality(PDGD(), blind, 20_000, runs=5).mean() < start
    assert final_quality(DBGD(), blind, 20_000, runs=5).mean() < start


def test_live_duels_find_the_best_of_ten_features() -> None:
    """The ten features are those at even steps from the best to the worst of 46 by NDCG@10."""
    data, model = mq2008(1, 2, 3, 4, 5), clicks.perfect(3)
    by_quality = np.argsort(-RankerDuel(data, range(46), clicks=model).quality)
    ten = by_quality[np.linspace(0, 45, 10).round().astype(int)].tolist()
    problem = RankerDuel(data, ten, clicks=model)
    assert problem.quality[0] > problem.quality[1] + 0.03
    result = simulate(RUCB(), problem, 3_000, runs=10, checkpoints=[500, 1_000])["RUCB"]
    found = (result.best_at == 0).sum(axis=0)
    assert found[-1] == 10
    assert found[0] >= 6


def test_features_that_rank_better_win_more_duels() -> None:
    """64 features of NP2004, whose queries have about a thousand documents and one that is relevant."""
    parts = [LTR / "np2004" / f"Fold1.{part}.txt.gz" for part in ("vali", "test")]
    data = load_ranking_data(parts, cache=False)
    problem = RankerDuel(data, range(64), Probabilistic(), clicks.perfect(2))
    matrix = problem.estimate(comparisons=20).matrix
    assert spearmanr(borda_scores(matrix), problem.quality).statistic > 0.9
