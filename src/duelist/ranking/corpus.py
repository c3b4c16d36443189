"""Kernels that score and rank documents, and measure the quality of rankings."""

from typing import NamedTuple

import numpy as np

from duelist.duel import FeatureArray, FloatArray, IntArray
from duelist.errors import require_whole
from duelist.kernels.compile import borrowing, compiled
from duelist.ranking.dataset import RankingData
from duelist.ranking.measuring import dcg, ideal_dcg

FEW = 256  # up to this number of places, insertion is faster than sorting


@borrowing
def score_documents(features: FeatureArray, first: int, weights: FloatArray, scores: FloatArray) -> None:
    """Fill `scores` with the scores of the documents from row `first`."""
    d = len(weights)
    whole = d - d % 4
    for i in range(len(scores)):
        row = first + i
        # four independent sums, for instruction-level parallelism
        a, b, c, e = 0.0, 0.0, 0.0, 0.0
        for j in range(0, whole, 4):
            a += weights[j] * features[row, j]
            b += weights[j + 1] * features[row, j + 1]
            c += weights[j + 2] * features[row, j + 2]
            e += weights[j + 3] * features[row, j + 3]
        for j in range(whole, d):
            a += weights[j] * features[row, j]
        scores[i] = (a + b) + (c + e)


@borrowing
def rank_top(scores: FloatArray, ranking: IntArray) -> int:
    """Write the documents with the highest scores, earlier ones first if equal; return their number."""
    capacity = len(ranking)
    filled = 0
    for document in range(len(scores)):
        score = scores[document]
        if filled == capacity and not score > scores[ranking[capacity - 1]]:
            continue
        filled = min(filled + 1, capacity)
        place = filled - 1
        while place > 0 and score > scores[ranking[place - 1]]:
            ranking[place] = ranking[place - 1]
            place -= 1
        ranking[place] = document
    return filled


@borrowing
def rank_few(scores: FloatArray, labels: IntArray, ranking: IntArray, tops: FloatArray) -> None:
    """Write the documents with the highest scores, and these scores; if equal, lower labels come first."""
    capacity = len(ranking)
    lowest = 0.0
    for document in range(len(scores)):
        score = scores[document]
        place = document
        if document >= capacity:
            if score < lowest or (score == lowest and labels[document] >= labels[ranking[capacity - 1]]):
                continue
            place = capacity - 1
        while place > 0:
            above = tops[place - 1]
            if score < above or (score == above and labels[document] >= labels[ranking[place - 1]]):
                break
            tops[place] = above
            ranking[place] = ranking[place - 1]
            place -= 1
        tops[place] = score
        ranking[place] = document
        lowest = tops[capacity - 1]


@compiled
def rank_queries(
    scores: FloatArray, labels: IntArray, offsets: IntArray, queries: IntArray, k: int, rankings: IntArray
) -> None:
    """Write the first k documents of some queries, at their offsets, numbered within the query."""
    tops = np.empty(min(k, len(scores)))
    for query in queries:
        first, stop = offsets[query], offsets[query + 1]
        ranking = rankings[first : first + min(k, stop - first)]
        rank_few(scores[first:stop], labels[first:stop], ranking, tops)


class Corpus(NamedTuple):
    """Documents grouped by query, and the DCG of each query's best list."""

    features: FeatureArray
    labels: IntArray
    offsets: IntArray
    ideal: FloatArray  # [query]: the DCG of the best list of `depth` documents; 0 without relevant ones
    depth: int


def corpus_of(data: RankingData, depth: int = 10) -> Corpus:
    """Return data in the kernels' form, for NDCG over the first `depth` places."""
    require_whole("depth", depth, 1)
    ideal = np.empty(len(data))
    for query in range(len(data)):
        ideal[query] = ideal_dcg(data.labels, data.offsets[query], data.offsets[query + 1], depth)
    return Corpus(data.features, data.labels, data.offsets, ideal, int(depth))


def largest_query(corpus: Corpus) -> int:
    return int(np.diff(corpus.offsets).max())


@borrowing
def rank_query(corpus: Corpus, query: int, weights: FloatArray, scores: FloatArray, ranking: IntArray) -> int:
    """Fill `ranking` with a query's best documents by linear score; return their number."""
    first = corpus.offsets[query]
    count = corpus.offsets[query + 1] - first
    score_documents(corpus.features, first, weights, scores[:count])
    return rank_top(scores[:count], ranking)


@borrowing
def list_quality(corpus: Corpus, query: int, ranking: IntArray, shown: int) -> float:
    """Return the NDCG of a list for a query; 0 if no document is relevant."""
    ideal = corpus.ideal[query]
    if ideal == 0.0:
        return 0.0
    return float(dcg(corpus.labels, corpus.offsets[query], ranking, min(shown, corpus.depth)) / ideal)


@compiled
def orders_quality(corpus: Corpus, orders: IntArray) -> FloatArray:
    """Return the mean NDCG of rankers, one per row of `orders`."""
    means = np.zeros(len(orders))
    counted = 0
    for query in range(len(corpus.ideal)):
        counted += corpus.ideal[query] > 0.0
        first, stop = corpus.offsets[query], corpus.offsets[query + 1]
        for ranker in range(len(orders)):
            means[ranker] += list_quality(corpus, query, orders[ranker, first:stop], stop - first)
    return means / counted


@compiled
def mean_quality(corpus: Corpus, weights: FloatArray) -> float:
    """Return a linear ranker's mean NDCG over the queries that have a relevant document."""
    scores = np.empty(len(corpus.labels))
    score_documents(corpus.features, 0, weights, scores)
    rankings = np.empty(len(scores), np.int64)
    queries = np.arange(len(corpus.ideal))
    rank_queries(scores, corpus.labels, corpus.offsets, queries, corpus.depth, rankings)
    return float(orders_quality(corpus, rankings.reshape(1, -1))[0])
