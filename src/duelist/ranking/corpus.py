"""Ranking data as kernels see it, and the quality of a linear ranker on it."""

from typing import NamedTuple

import numpy as np

from duelist.duel import FeatureArray, FloatArray, IntArray
from duelist.errors import require_whole
from duelist.kernels.compile import compiled
from duelist.ranking.dataset import RankingData
from duelist.ranking.measuring import dcg, ideal_dcg
from duelist.ranking.ordering import rank_queries, rank_top, score_documents


class Corpus(NamedTuple):
    """Documents, query by query, and how good a list of them can be."""

    features: FeatureArray
    labels: IntArray
    offsets: IntArray
    ideal: FloatArray  # of each query: the DCG of the best list of `depth` documents, 0 if none is relevant
    depth: int


def corpus_of(data: RankingData, depth: int = 10) -> Corpus:
    """Return data as kernels see it; NDCG is that of the first `depth` places.

    Examples
    --------
    >>> corpus_of(RankingData([[0.1], [0.7]], [0, 1], ["svm"], [0, 2])).ideal
    array([1.])
    """
    require_whole("depth", depth, 1)
    ideal = np.empty(len(data))
    for query in range(len(data)):
        ideal[query] = ideal_dcg(data.labels, data.offsets[query], data.offsets[query + 1], depth)
    return Corpus(data.features, data.labels, data.offsets, ideal, int(depth))


@compiled
def largest_query(corpus: Corpus) -> int:
    """Return the most documents that a query has."""
    most = 0
    for query in range(len(corpus.ideal)):
        most = max(most, corpus.offsets[query + 1] - corpus.offsets[query])
    return most


@compiled
def rank_query(corpus: Corpus, query: int, weights: FloatArray, scores: FloatArray, ranking: IntArray) -> int:
    """Write the best documents of a query by linear score, as many as there is room for; return how many."""
    first = corpus.offsets[query]
    count = corpus.offsets[query + 1] - first
    score_documents(corpus.features, first, weights, scores[:count])
    return rank_top(scores[:count], ranking)


@compiled
def list_quality(corpus: Corpus, query: int, ranking: IntArray, shown: int) -> float:
    """Return the NDCG of a list for a query, by its first `depth` places; 0 if nothing is relevant."""
    ideal = corpus.ideal[query]
    if ideal == 0.0:
        return 0.0
    return float(dcg(corpus.labels, corpus.offsets[query], ranking, min(shown, corpus.depth)) / ideal)


@compiled
def orders_quality(corpus: Corpus, orders: IntArray) -> FloatArray:
    """Return the mean NDCG of rankers, given by their orders of every query's documents, one ranker a row."""
    means = np.zeros(len(orders))
    counted = 0
    for query in range(len(corpus.ideal)):
        if corpus.ideal[query] > 0.0:
            counted += 1
            first, stop = corpus.offsets[query], corpus.offsets[query + 1]
            for ranker in range(len(orders)):
                means[ranker] += list_quality(corpus, query, orders[ranker, first:stop], stop - first)
    return means / counted


@compiled
def mean_quality(corpus: Corpus, weights: FloatArray) -> float:
    """Return a linear ranker's NDCG, averaged over the queries that have a relevant document.

    Ties are broken as in `metrics`: to the ranker's disadvantage.
    """
    scores = np.empty(len(corpus.labels))
    score_documents(corpus.features, 0, weights, scores)
    rankings = np.empty(len(scores), np.int64)
    rank_queries(scores, corpus.labels, corpus.offsets, corpus.depth, rankings)
    total, counted = 0.0, 0
    for query in range(len(corpus.ideal)):
        if corpus.ideal[query] > 0.0:
            first, stop = corpus.offsets[query], corpus.offsets[query + 1]
            total += list_quality(corpus, query, rankings[first:stop], stop - first)
            counted += 1
    return total / counted
