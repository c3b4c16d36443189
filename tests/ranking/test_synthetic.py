"""Synthetic data is as skewed as real data, and learnable, but not too easily."""

import numpy as np
import pytest
from numpy.random import default_rng
from refusals import refused

from duelist.duel import FeatureArray, FloatArray
from duelist.errors import ParameterError
from duelist.ranking import RankingData, synthetic_ranking_data


def mean_ndcg(data: RankingData, scores: FloatArray | FeatureArray, depth: int = 10) -> float:
    found = []
    discounts = 1.0 / np.log2(np.arange(2, depth + 2))
    for query in range(len(data)):
        gains = 2.0 ** data.labels[data.rows(query)] - 1.0
        if gains.any():
            shown = gains[np.argsort(-scores[data.rows(query)], kind="stable")][:depth]
            best = np.sort(gains)[::-1][:depth]
            found.append((shown * discounts[: len(shown)]).sum() / (best * discounts[: len(best)]).sum())
    return float(np.mean(found))


@pytest.mark.parametrize("seed", range(3))
def test_a_linear_ranker_is_good_and_not_perfect(seed: int) -> None:
    train, test = synthetic_ranking_data(seed=seed).split(0.5, default_rng(0))
    weights = np.linalg.lstsq(train.features, train.labels - train.labels.mean(), rcond=None)[0]
    learned = mean_ndcg(test, test.features @ weights)
    at_random = mean_ndcg(test, default_rng(1).random(len(test.labels)))
    best_feature = max(mean_ndcg(test, test.features[:, feature]) for feature in range(test.d))
    assert at_random < 0.5 < best_feature < learned < 0.95
    assert learned > at_random + 0.25


@pytest.mark.parametrize("seed", range(3))
def test_the_data_looks_like_real_data(seed: int) -> None:
    data = synthetic_ranking_data(seed=seed)
    assert len(data) == 200
    shares = np.bincount(data.labels) / len(data.labels)
    assert shares == pytest.approx([0.8, 0.12, 0.08], abs=0.002)
    assert 0.1 < 1.0 - len(data.with_relevant()) / len(data) < 0.4
    sizes = np.diff(data.offsets)
    assert (sizes.min(), sizes.max()) == (10, 30)
    assert sizes.mean() == pytest.approx(20, abs=2)
    spans = np.ptp(data.features, axis=0)
    varying = data.features[:, spans > 0]
    assert 1 <= (spans == 0).sum() <= 15
    assert (varying.min(), varying.max()) == (0.0, 1.0)
    assert (data.normalised().features == data.features).all()
    links = np.asarray(np.corrcoef(varying, rowvar=False))[np.triu_indices(varying.shape[1], 1)]
    assert (np.abs(links) > 0.3).mean() > 0.1
    worth = np.abs(np.asarray(np.corrcoef(varying, data.labels, rowvar=False))[-1, :-1])
    assert worth.min() < 0.05
    assert worth.max() > 0.2


def test_equal_seeds_give_equal_data() -> None:
    one, same, other = (synthetic_ranking_data(20, seed=seed) for seed in (4, 4, 5))
    assert one.features.tobytes() == same.features.tobytes()
    assert one.labels.tolist() == same.labels.tolist()
    assert one.offsets.tolist() != other.offsets.tolist()


def test_every_size_that_was_asked_for_is_made() -> None:
    data = synthetic_ranking_data(queries=30, documents=40, features=5, grades=5, seed=1)
    assert (len(data), data.d, data.grades) == (30, 5, 5)
    smallest = synthetic_ranking_data(queries=1, documents=1, features=1, grades=2)
    assert (len(smallest), len(smallest.labels), smallest.d) == (1, 1, 1)


@pytest.mark.parametrize(
    ("name", "value"), [("queries", 0), ("documents", 0), ("features", 0), ("grades", 1), ("seed", -1)]
)
def test_impossible_sizes_are_refused(name: str, value: int) -> None:
    with refused(ParameterError, name, value):
        synthetic_ranking_data(**{name: value})
