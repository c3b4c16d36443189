"""Kernels for scores, orders and qualities against slow versions."""

from itertools import permutations
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.random import default_rng
from refusals import refused

from duelist.errors import ParameterError
from duelist.ranking import RankingData, synthetic_ranking_data
from duelist.ranking.corpus import (
    corpus_of,
    largest_query,
    list_quality,
    mean_quality,
    orders_quality,
    rank_query,
    rank_top,
    score_documents,
)

DATA = synthetic_ranking_data(queries=30, documents=9, features=6, seed=2)


def gain_of(labels: list[int]) -> float:
    return sum((2.0**label - 1.0) / log2(place + 2) for place, label in enumerate(labels))


def slow_quality(data: RankingData, scores: list[float], depth: int) -> float:
    """Average NDCG over queries with a relevant document; of equal scores the lower label leads."""
    values = []
    for query in range(len(data)):
        labels, given = data.labels[data.rows(query)].tolist(), scores[data.rows(query)]
        best = gain_of(sorted(labels, reverse=True)[:depth])
        order = sorted(range(len(labels)), key=lambda document: (-given[document], labels[document]))
        if best > 0.0:
            values.append(gain_of([labels[document] for document in order[:depth]]) / best)
    return float(np.mean(values))


@given(scores=st.lists(st.integers(-3, 3), min_size=1, max_size=12), capacity=st.integers(1, 15))
def test_the_top_is_sorted_and_of_equal_scores_the_earlier_comes_first(
    scores: list[int], capacity: int
) -> None:
    ranking = np.full(capacity, -9)
    count = rank_top(np.array(scores, np.float64), ranking)
    expected = sorted(range(len(scores)), key=lambda document: -scores[document])[:capacity]
    assert ranking[:count].tolist() == expected
    assert (ranking[count:] == -9).all()


@pytest.mark.parametrize("d", [1, 2, 3, 4, 5, 8, 11])
def test_scores_are_weighted_sums_of_all_features(d: int) -> None:
    rng = default_rng(d)
    features, weights = rng.standard_normal((9, d)).astype(np.float32), rng.standard_normal(d)
    scores = np.full(4, np.nan)
    score_documents(features, 3, weights, scores)
    expected = [sum(float(x) * w for x, w in zip(row, weights, strict=True)) for row in features[3:7]]
    np.testing.assert_allclose(scores, expected, rtol=0.0, atol=1e-12)


@given(labels=arrays(np.int64, 5, elements=st.integers(0, 3)), depth=st.integers(1, 7))
def test_ideal_gain_is_that_of_the_best_list_there_is(labels: np.ndarray, depth: int) -> None:
    corpus = corpus_of(RankingData(np.zeros((5, 1)), labels, ["q"], [0, 5]), depth)
    best = max(gain_of(list(order)[:depth]) for order in permutations(labels.tolist()))
    assert corpus.ideal[0] == pytest.approx(best)
    assert corpus.depth == depth


@pytest.mark.parametrize("depth", [1, 3, 10, 50])
@pytest.mark.parametrize("weights", [[1, 0, 0, 0, 0, 0], [0.3, -1, 2, 0.1, 0, 1], [0] * 6])
def test_a_rankers_quality_equals_a_slow_average(weights: list[float], depth: int) -> None:
    corpus = corpus_of(DATA, depth)
    vector = np.array(weights, np.float64)
    scores = (DATA.features.astype(np.float64) @ vector).tolist()
    expected = slow_quality(DATA, scores, depth)
    assert mean_quality(corpus, vector) == pytest.approx(expected, abs=1e-12)
    assert 0 < (corpus.ideal > 0.0).sum() < len(DATA)  # some queries do not count


def test_orders_are_judged_as_their_rankers_are() -> None:
    corpus = corpus_of(DATA, 4)
    orders = np.empty((6, len(DATA.labels)), np.int64)
    for query in range(len(DATA)):
        for feature in range(6):
            scores, labels = DATA.features[DATA.rows(query), feature], DATA.labels[DATA.rows(query)]
            order = sorted(range(len(scores)), key=lambda i: (-scores[i], labels[i]))
            orders[feature, DATA.rows(query)] = order
    expected = [mean_quality(corpus, weights) for weights in np.eye(6)]
    np.testing.assert_allclose(orders_quality(corpus, orders), expected, rtol=0.0, atol=1e-12)


def test_a_querys_list_is_of_its_own_documents() -> None:
    corpus, weights = corpus_of(DATA), np.array([0.5, 1.0, -0.2, 0.0, 0.3, 0.9])
    assert largest_query(corpus) == np.diff(DATA.offsets).max()
    scores, ranking = np.empty(largest_query(corpus)), np.empty(4, np.int64)
    for query in range(len(DATA)):
        count = rank_query(corpus, query, weights, scores, ranking)
        given = (DATA.features[DATA.rows(query)] @ weights).tolist()
        assert ranking[:count].tolist() == sorted(range(len(given)), key=lambda i: -given[i])[:4]


def test_a_list_is_judged_by_its_first_places_alone() -> None:
    data = RankingData(np.zeros((5, 1)), [0, 0, 1, 2, 0], ["a", "b"], [0, 2, 5])
    corpus = corpus_of(data, 2)
    assert list_quality(corpus, 0, np.array([1, 0]), 2) == 0.0
    assert list_quality(corpus, 1, np.array([1, 0, 2]), 3) == 1.0
    assert list_quality(corpus, 1, np.array([2, 1, 0]), 3) == pytest.approx((3 / log2(3)) / (3 + 1 / log2(3)))
    assert list_quality(corpus, 1, np.array([1, 9, 9]), 1) == pytest.approx(3 / (3 + 1 / log2(3)))


@pytest.mark.parametrize("depth", [0, 1.5, -1])
def test_a_depth_that_judges_nothing_is_refused(depth: int) -> None:
    with refused(ParameterError, "depth", depth):
        corpus_of(DATA, depth)
