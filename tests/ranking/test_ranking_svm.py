import sys
from itertools import product

import numpy as np
import pytest
from numpy.random import default_rng
from numpy.typing import ArrayLike
from real_data import MQ2008, needs_rankings
from refusals import refused

from duelist.errors import MissingExtraError, ParameterError
from duelist.ranking import LinearRanker, RankingData, load_ranking_data, ndcg
from duelist.ranking.ranking_svm import TRIED_C, draw_pairs, fit_ranking_svm

pytest.importorskip("sklearn", reason="scikit-learn is not installed")

TRUTH = np.array([1.0, -2.0, 0.0, 0.5, 3.0])


def linear_data(seed: int, queries: int = 60, documents: int = 20, noise: float = 0.3) -> RankingData:
    rng = default_rng(seed)
    features = rng.random((queries * documents, len(TRUTH))).astype(np.float32)
    worth = features @ TRUTH + noise * rng.standard_normal(len(features))
    labels = np.digitize(worth, np.quantile(worth, [0.6, 0.85]))
    return RankingData(
        features,
        labels.astype(np.int64),
        np.array([str(q) for q in range(queries)]),
        np.arange(queries + 1) * documents,
    )


def tiny(features: list[list[float]], labels: list[int], offsets: list[int]) -> RankingData:
    names = np.array([str(q) for q in range(len(offsets) - 1)])
    return RankingData(np.array(features, np.float32), np.array(labels), names, np.array(offsets))


def gain(scores: ArrayLike, data: RankingData) -> float:
    return float(np.nanmean(ndcg(scores, data)))


def test_the_order_is_recovered() -> None:
    train, test = linear_data(0), linear_data(1)
    ranker = fit_ranking_svm(train)
    truth = gain(LinearRanker(TRUTH).score(test), test)
    random = gain(default_rng(2).random(len(test.labels)), test)
    assert random < 0.6 < 0.85 < truth
    assert gain(ranker.score(test), test) > truth - 0.01
    cosine = ranker.weights @ TRUTH / np.linalg.norm(ranker.weights) / np.linalg.norm(TRUTH)
    assert cosine > 0.99
    assert ranker.made == {
        "by": "ranking SVM",
        "c": 10.0,
        "pairs": len(draw_pairs(train, 10**9, default_rng(0))[0]),
    }


def test_the_better_document_scores_higher_even_from_one_pair() -> None:
    ranker = fit_ranking_svm(tiny([[1.0, 7.0], [3.0, 7.0]], [0, 1], [0, 2]))
    assert ranker.weights[0] > 0
    assert ranker.weights[1] == 0
    assert fit_ranking_svm(tiny([[1.0], [3.0]], [1, 0], [0, 2])).weights[0] < 0


def test_documents_of_different_queries_are_not_compared() -> None:
    # within a query more is better, across queries less
    data = tiny([[9.0], [8.0], [1.0], [0.0]], [1, 0, 2, 1], [0, 2, 4])
    assert fit_ranking_svm(data).weights[0] > 0


def test_pairs_are_all_pairs_of_different_labels_within_a_query() -> None:
    rng = default_rng(3)
    labels = rng.integers(0, 3, 40)
    labels[20:25] = 1
    offsets = np.array([0, 1, 9, 20, 25, 40])
    data = RankingData(np.zeros((40, 1), np.float32), labels, np.array([str(q) for q in range(5)]), offsets)
    expected = {
        (i, j)
        for q in range(5)
        for i, j in product(range(offsets[q], offsets[q + 1]), repeat=2)
        if labels[i] > labels[j]
    }
    better, worse = draw_pairs(data, len(expected), default_rng(0))
    assert len(better) == len(expected)
    assert set(zip(better.tolist(), worse.tolist(), strict=True)) == expected
    better, worse = draw_pairs(data, 30, default_rng(0))
    drawn = set(zip(better.tolist(), worse.tolist(), strict=True))
    assert len(drawn) == 30
    assert drawn < expected


def test_a_sample_of_pairs_gives_nearly_the_same_and_depends_on_the_seed() -> None:
    train, test = linear_data(0), linear_data(1)
    one, again, other = (fit_ranking_svm(train, seed=seed, most_pairs=1000) for seed in (1, 1, 2))
    assert one.made["pairs"] == 1000
    np.testing.assert_array_equal(one.weights, again.weights)
    assert not np.array_equal(one.weights, other.weights)
    assert gain(one.score(test), test) > gain(fit_ranking_svm(train).score(test), test) - 0.02


def test_units_of_a_feature_do_not_matter() -> None:
    data = linear_data(0)
    units = np.array([1.0, 1024.0, 1.0, 1.0 / 64.0, 1.0])
    scaled = RankingData((data.features * units).astype(np.float32), data.labels, data.queries, data.offsets)
    np.testing.assert_allclose(
        fit_ranking_svm(scaled).weights * units, fit_ranking_svm(data).weights, rtol=1e-6
    )


def test_c_is_chosen_by_the_validation_queries() -> None:
    train, validation = linear_data(4, queries=6, noise=3.0), linear_data(5)
    rankers = [fit_ranking_svm(train, c=c) for c in TRIED_C]
    gains = [gain(ranker.score(validation), validation) for ranker in rankers]
    assert len(set(gains)) > 1
    chosen = fit_ranking_svm(train, validation=validation)
    assert chosen.made["c"] == TRIED_C[int(np.argmax(gains))]
    np.testing.assert_array_equal(chosen.weights, rankers[int(np.argmax(gains))].weights)


def test_a_larger_c_makes_larger_weights() -> None:
    small, large = (fit_ranking_svm(linear_data(0), c=c).weights for c in (0.01, 1.0))
    assert np.linalg.norm(small) < 0.5 * np.linalg.norm(large)


def test_what_cannot_work_is_refused() -> None:
    data = linear_data(0)
    with refused(ParameterError, "c", 0.0):
        fit_ranking_svm(data, c=0.0)
    with refused(ParameterError, "most_pairs", 1, 0):
        fit_ranking_svm(data, most_pairs=0)
    with refused(ParameterError, "c", "validation"):
        fit_ranking_svm(data, c=1.0, validation=data)
    with refused(ParameterError, "data", "labels"):
        fit_ranking_svm(tiny([[1.0], [2.0], [3.0]], [1, 1, 0], [0, 2, 3]))


def test_the_extra_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.svm", None)
    with refused(MissingExtraError, "ranking SVM", "duelist[rank]"):
        fit_ranking_svm(linear_data(0))


@needs_rankings
def test_on_mq2008_it_beats_the_best_single_feature() -> None:
    train = load_ranking_data([MQ2008 / f"S{part}.txt.gz" for part in (1, 2, 3)], cache=False)
    validation, test = (load_ranking_data(MQ2008 / f"S{part}.txt.gz", cache=False) for part in (4, 5))
    ranker = fit_ranking_svm(train, validation=validation)
    single = [gain(train.features[:, feature], train) for feature in range(train.d)]
    best = int(np.argmax(single))
    value, alone = gain(ranker.score(test), test), gain(test.features[:, best], test)
    print(f"NDCG@10 of MQ2008's test queries: SVM {value:.4f} with {ranker.made}, feature {best} {alone:.4f}")
    assert 0.60 < value < 0.80
    assert value > alone + 0.01
