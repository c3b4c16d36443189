from collections.abc import Callable
from functools import cache
from math import inf, isnan, log2, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import default_rng
from refusals import refused

from duelist.duel import FloatArray, IntArray
from duelist.errors import ParameterError
from duelist.ranking.corpus import FEW
from duelist.ranking.dataset import RankingData
from duelist.ranking.measuring import dcg, ideal_dcg
from duelist.ranking.metrics import average_precision, err, ndcg, precision, reciprocal_rank

Query = list[tuple[float, int]]
"""Of each document: score and label."""
MEASURES: dict[str, Callable[..., FloatArray]] = {
    "ndcg": ndcg,
    "err": err,
    "average_precision": average_precision,
    "reciprocal_rank": reciprocal_rank,
    "precision": precision,
}


def as_data(queries: list[Query]) -> tuple[list[float], RankingData]:
    documents = [document for query in queries for document in query]
    labels = np.array([label for _, label in documents])
    return [score for score, _ in documents], labelled(labels, [len(query) for query in queries])


def labelled(labels: IntArray, sizes: list[int]) -> RankingData:
    names = np.array([str(q) for q in range(len(sizes))])
    return RankingData(np.zeros((len(labels), 1), np.float32), labels, names, np.cumsum([0, *sizes]))


def worst_order(query: Query) -> list[int]:
    return [label for _, label in sorted(query, key=lambda document: (-document[0], document[1]))]


def slow_dcg(labels: list[int], k: int) -> float:
    return sum((2.0**label - 1.0) / log2(place + 2) for place, label in enumerate(labels[:k]))


def slow(measure: str, query: Query, k: int | None, relevant: int, grades: int) -> float:
    labels = worst_order(query)
    threshold = 1 if measure in ("ndcg", "err") else relevant
    if max(labels) < threshold:
        return nan
    places = len(labels) if k is None else k
    shown = labels[:places]
    hits = [place for place, label in enumerate(shown, 1) if label >= relevant]
    if measure == "ndcg":
        return slow_dcg(labels, places) / slow_dcg(sorted(labels, reverse=True), places)
    if measure == "average_precision":
        sought = sum(label >= relevant for label in labels)
        return sum(found / place for found, place in enumerate(hits, 1)) / sought
    if measure == "reciprocal_rank":
        return 1 / hits[0] if hits else 0.0
    if measure == "precision":
        return len(hits) / places
    value = 0.0
    for place, label in enumerate(shown, 1):
        reached = 1.0
        for above in shown[: place - 1]:
            reached *= 1 - (2**above - 1) / 2 ** (grades - 1)
        value += reached * (2**label - 1) / 2 ** (grades - 1) / place
    return value


documents = st.tuples(st.integers(-3, 3).map(float) | st.sampled_from([inf, -inf, 0.5]), st.integers(0, 4))
some_queries = st.lists(st.lists(documents, min_size=1, max_size=12), min_size=1, max_size=4)
some_k = st.none() | st.integers(1, 15)


@given(queries=some_queries, k=some_k, relevant=st.integers(1, 3))
def test_all_equal_the_slow_version(queries: list[Query], k: int | None, relevant: int) -> None:
    scores, data = as_data(queries)
    for name, measure in MEASURES.items():
        options = {} if name in ("ndcg", "err") else {"relevant": relevant}
        expected = [slow(name, query, k, relevant, data.grades) for query in queries]
        np.testing.assert_allclose(measure(scores, data, k=k, **options), expected, rtol=1e-12, err_msg=name)


@cache
def long_queries(distinct: int) -> list[Query]:
    rng = default_rng(0)
    return [
        [(float(rng.integers(distinct)), int(rng.integers(4))) for _ in range(size)]
        for size in (1, FEW - 1, FEW, FEW + 1, 1500)
    ]


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("k", [1, 10, FEW, FEW + 1, None])
@pytest.mark.parametrize("distinct", [5, 10_000])
def test_long_queries_equal_the_slow_version(measure: str, k: int | None, distinct: int) -> None:
    queries = long_queries(distinct)
    scores, data = as_data(queries)
    expected = [slow(measure, query, k, 1, data.grades) for query in queries]
    np.testing.assert_allclose(MEASURES[measure](scores, data, k=k), expected, rtol=1e-12)


@given(queries=some_queries, k=some_k, seed=st.integers(0, 99))
def test_the_order_of_rows_changes_nothing(queries: list[Query], k: int | None, seed: int) -> None:
    rng = default_rng(seed)
    mixed = [[query[i] for i in rng.permutation(len(query))] for query in queries]
    for name, measure in MEASURES.items():
        one, other = (measure(*as_data(given), k=k) for given in (queries, mixed))
        np.testing.assert_array_equal(one, other, err_msg=name)


@given(queries=some_queries, k=some_k)
def test_a_best_ranking_has_exactly_one(queries: list[Query], k: int | None) -> None:
    _, data = as_data(queries)
    values = ndcg(data.labels, data, k=k, empty=1.0)
    np.testing.assert_array_equal(values, 1.0)
    assert (ndcg(-data.labels, data, k=k, empty=1.0) <= 1.0).all()


@given(query=st.lists(documents, min_size=2, max_size=12), k=some_k)
def test_a_better_document_moved_up_does_not_harm(query: Query, k: int | None) -> None:
    labels = worst_order(query)
    for place in range(len(labels) - 1):
        if labels[place] < labels[place + 1]:
            better = [*labels[:place], labels[place + 1], labels[place], *labels[place + 2 :]]
            before, after = (
                as_data([[(-float(p), label) for p, label in enumerate(order)]]) for order in (labels, better)
            )
            for name, measure in MEASURES.items():
                assert measure(*after, k=k)[0] >= measure(*before, k=k)[0] - 1e-12, name


def test_ndcg_equals_scikit_learns() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    rng = default_rng(1)
    labels = rng.integers(0, 5, (40, 30))
    scores = rng.random((40, 30))
    data = labelled(labels.ravel(), [30] * 40)
    for k in (1, 10, 30, None):
        theirs = [
            metrics.ndcg_score([2.0**label - 1], [score], k=k)
            for label, score in zip(labels, scores, strict=True)
        ]
        np.testing.assert_allclose(ndcg(scores.ravel(), data, k=k), theirs, rtol=1e-12)


def test_known_values() -> None:
    # places 1 to 4 show grades 2, 0, 1, 1: by hand
    scores, data = as_data([[(4.0, 2), (3.0, 0), (2.0, 1), (1.0, 1)]])
    gained = 3 + 1 / 2 + 1 / log2(5)
    best = 3 + 1 / log2(3) + 1 / 2
    assert ndcg(scores, data).item() == pytest.approx(gained / best, rel=1e-14)
    assert ndcg(scores, data, k=2).item() == pytest.approx(3 / (3 + 1 / log2(3)), rel=1e-14)
    assert err(scores, data).item() == pytest.approx(3 / 4 + 1 / 4 * (1 / 4 / 3 + 3 / 4 * 1 / 4 / 4))
    assert average_precision(scores, data).item() == pytest.approx((1 + 2 / 3 + 3 / 4) / 3)
    assert average_precision(scores, data, k=2).item() == pytest.approx(1 / 3)
    assert average_precision(scores, data, relevant=2).item() == 1.0
    assert reciprocal_rank(scores, data).item() == 1.0
    assert precision(scores, data, k=2).item() == 0.5
    assert precision(scores, data).item() == 3 / 10
    assert precision(scores, data, k=None).item() == 3 / 4


def test_err_depends_on_how_many_grades_there_are() -> None:
    scores, data = as_data([[(1.0, 1), (0.0, 0)]])
    assert err(scores, data).item() == 1 / 2
    assert err(scores, data, grades=5).item() == 1 / 16
    with refused(ParameterError, "grades", 2, 1):
        err(scores, data, grades=1)


def test_ties_are_to_the_rankers_disadvantage() -> None:
    queries = [[(0.0, 0), (0.0, 0), (0.0, 2)], [(0.0, 2), (0.0, 0), (0.0, 0)]]
    scores, data = as_data(queries)
    np.testing.assert_allclose(reciprocal_rank(scores, data), 1 / 3)
    np.testing.assert_allclose(ndcg(scores, data), 1 / 2)
    np.testing.assert_array_equal(precision(scores, data, k=2), 0.0)
    np.testing.assert_array_equal(ndcg([-0.0, 0.0, 0.0, 0.0, -0.0, 0.0], data), 1 / 2)


@pytest.mark.parametrize("measure", MEASURES)
def test_a_query_without_relevant_documents_has_the_value_asked_for(measure: str) -> None:
    scores, data = as_data([[(1.0, 0), (0.0, 0)], [(1.0, 1), (0.0, 0)]])
    values = MEASURES[measure](scores, data)
    assert isnan(values[0])
    assert values[1] > 0
    for empty in (0.0, 1.0):
        assert MEASURES[measure](scores, data, empty=empty).tolist() == [empty, values[1]]
    _, nothing = as_data([[(1.0, 0)]])
    assert isnan(MEASURES[measure]([1.0], nothing).item())


def test_relevance_is_counted_from_the_threshold_on() -> None:
    scores, data = as_data([[(1.0, 1), (0.0, 0)]])
    for measure in (average_precision, reciprocal_rank, precision):
        assert measure(scores, data, relevant=1).item() > 0
        assert isnan(measure(scores, data, relevant=2).item())
        with refused(ParameterError, "relevant", 1, 0):
            measure(scores, data, relevant=0)


@pytest.mark.parametrize("measure", MEASURES)
def test_what_cannot_be_measured_is_refused(measure: str) -> None:
    scores, data = as_data([[(1.0, 1), (0.0, 0)]])
    evaluate = MEASURES[measure]
    with refused(ParameterError, "scores", "2 documents", (3,)):
        evaluate([1.0, 2.0, 3.0], data)
    with refused(ParameterError, "scores", "2 documents", (2, 1)):
        evaluate([[1.0], [2.0]], data)
    with refused(ParameterError, "scores", "nan", 1, "2 documents"):
        evaluate([1.0, nan], data)
    for k in (0, 2.5, -1):
        with refused(ParameterError, "k", 1, k):
            evaluate(scores, data, k=k)
    assert evaluate(scores, data, k=10**30).item() > 0 or measure == "precision"


def test_grades_too_high_for_their_gain_are_refused() -> None:
    scores, data = as_data([[(1.0, 999), (0.0, 40), (2.0, 31)]])
    assert 0 < ndcg(scores, data).item() < 1
    scores, data = as_data([[(1.0, 1000), (0.0, 0)]])
    for measure in (ndcg, err):
        with refused(ParameterError, "labels", 1000):
            measure(scores, data)


def test_kernels_gain_what_their_places_are_worth() -> None:
    rng = default_rng(2)
    labels = rng.integers(0, 4, 3000)
    ranking = rng.permutation(2000)
    shown = [int(label) for label in labels[500 + ranking]]
    for k in (1, 10, 999, 1001, 2000):
        assert dcg(labels, 500, ranking, k) == pytest.approx(slow_dcg(shown, k), rel=1e-12)
        best = slow_dcg(sorted(shown, reverse=True), k)
        assert ideal_dcg(labels, 500, 2500, k) == pytest.approx(best, rel=1e-12)
    assert ideal_dcg(np.zeros(3, np.int64), 0, 3, 10) == 0.0
