import sys

import numpy as np
import pytest
from numpy.random import default_rng
from real_data import MQ2008, needs_rankings
from refusals import refused

from duelist.duel import FloatArray
from duelist.errors import MissingExtraError, ParameterError
from duelist.ranking import RankingData, load_ranking_data, ndcg
from duelist.ranking.lambdamart import fit_lambdamart

pytest.importorskip("lightgbm", reason="LightGBM is not installed")


def curved_data(seed: int, queries: int = 60, documents: int = 20) -> RankingData:
    rng = default_rng(seed)
    features = rng.random((queries * documents, 3)).astype(np.float32)
    worth = -np.abs(features[:, 0] - 0.5) - np.abs(features[:, 1] - 0.5)
    labels = np.digitize(worth, np.quantile(worth, [0.6, 0.85])).astype(np.int64)
    names = np.array([str(q) for q in range(queries)])
    return RankingData(features, labels, names, np.arange(queries + 1) * documents)


def gain(scores: FloatArray, data: RankingData) -> float:
    return float(np.nanmean(ndcg(scores, data)))


def test_it_learns_what_no_weighted_sum_can_say() -> None:
    train, test = curved_data(0), curved_data(1)
    sums = [gain(test.features @ weights, test) for weights in default_rng(2).standard_normal((50, 3))]
    assert gain(fit_lambdamart(train, trees=60).score(test), test) > 0.9 > 0.75 > max(sums)


def test_equal_seeds_give_equal_scores() -> None:
    train, test = curved_data(0), curved_data(1)
    one, again = (fit_lambdamart(train, trees=20, seed=3).score(test) for _ in range(2))
    np.testing.assert_array_equal(one, again)
    assert one.shape == (len(test.labels),)


def test_validation_queries_decide_the_number_of_trees() -> None:
    train, validation = curved_data(0, queries=5), curved_data(1)
    ranker = fit_lambdamart(train, validation, trees=200)
    assert 1 <= ranker.trees < 200
    one = fit_lambdamart(train, trees=ranker.trees)
    np.testing.assert_array_equal(ranker.score(validation), one.score(validation))
    values = [gain(fit_lambdamart(train, trees=trees).score(validation), validation) for trees in (1, 200)]
    assert gain(ranker.score(validation), validation) >= max(values) - 0.01


def test_grades_seen_in_validation_alone_are_accepted() -> None:
    train, validation = curved_data(0, queries=5), curved_data(1)
    binary = RankingData(train.features, np.minimum(train.labels, 1), train.queries, train.offsets)
    assert fit_lambdamart(binary, validation, trees=5).trees >= 1


def test_what_cannot_work_is_refused() -> None:
    data = curved_data(0)
    other = RankingData(data.features[:, :2], data.labels, data.queries, data.offsets)
    with refused(ParameterError, "trees", 1, 0):
        fit_lambdamart(data, trees=0)
    with refused(ParameterError, "validation", "2 features", "data", 3):
        fit_lambdamart(data, other)
    with refused(ParameterError, "3 features", "data", 2):
        fit_lambdamart(data, trees=1).score(other)


def test_the_extra_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    with refused(MissingExtraError, "LambdaMART", "duelist[rank]"):
        fit_lambdamart(curved_data(0))


@needs_rankings
def test_on_mq2008_it_ranks_well() -> None:
    train = load_ranking_data([MQ2008 / f"S{part}.txt.gz" for part in (1, 2, 3)], cache=False)
    validation, test = (load_ranking_data(MQ2008 / f"S{part}.txt.gz", cache=False) for part in (4, 5))
    ranker = fit_lambdamart(train, validation)
    value = gain(ranker.score(test), test)
    print(f"NDCG@10 on MQ2008's test queries: LambdaMART {value:.4f}, {ranker.trees} trees")
    assert 0.60 < value < 0.80
