"""Kernels of `duelist.ranking.metrics`, which write a value for each query.

The gain of a document of grade r is 2^r - 1, discounted by 1 / log2(p + 1) at place p, from 1. Gains are
summed from the top, which makes the gain of an ideal ranking exact to the last bit.
"""

from math import log2
from typing import NamedTuple

import numpy as np

from duelist.duel import FloatArray, IntArray
from duelist.kernels.compile import borrowing, compiled

ALL = 2**62  # more places than documents
DISCOUNTS = 1.0 / np.log2(np.arange(1000) + 2.0)  # of the first places, from 0; others are computed
GAINS = 2.0 ** np.arange(32) - 1.0  # of the first grades; others are computed


class Ranked(NamedTuple):
    """Queries and the order of their documents."""

    labels: IntArray
    offsets: IntArray
    k: int  # the cut-off, or ALL
    rankings: IntArray  # as `rank_queries` writes them


@borrowing
def gain(grade: int) -> float:
    return float(GAINS[grade]) if grade < len(GAINS) else 2.0**grade - 1.0


@borrowing
def discount(place: int) -> float:
    return float(DISCOUNTS[place]) if place < len(DISCOUNTS) else 1.0 / log2(place + 2.0)


@borrowing
def dcg(labels: IntArray, first: int, ranking: IntArray, shown: int) -> float:
    """Return the DCG of the documents `first + ranking[place]`, for every place below `shown`."""
    total = 0.0
    for place in range(shown):
        total += gain(labels[first + ranking[place]]) * discount(place)
    return total


@borrowing
def ideal_dcg(labels: IntArray, first: int, stop: int, k: int) -> float:
    """Return the highest DCG of k places with the documents of the rows from `first` to `stop` - 1."""
    grades = labels[first:stop]
    grade = 0  # starts at the highest; each pass over the documents finds the next lower one
    for i in range(len(grades)):
        grade = max(grade, grades[i])
    total, place = 0.0, 0
    while grade > 0 and place < k:
        count, lower = 0, 0
        for i in range(len(grades)):
            count += grades[i] == grade
            lower = max(lower, grades[i] if grades[i] < grade else 0)
        worth = gain(grade)
        for taken in range(place, min(k, place + count)):
            total += worth * discount(taken)
        place += count
        grade = lower
    return total


@compiled
def measure_ndcg(ranked: Ranked, values: FloatArray) -> None:
    """Write the NDCG of queries that have a relevant document."""
    for query in range(len(values)):
        first, stop = ranked.offsets[query], ranked.offsets[query + 1]
        best = ideal_dcg(ranked.labels, first, stop, ranked.k)
        if best > 0.0:
            shown = min(ranked.k, stop - first)
            values[query] = dcg(ranked.labels, first, ranked.rankings[first:stop], shown) / best


@compiled
def measure_err(ranked: Ranked, values: FloatArray, scale: float) -> None:
    """Write the ERR of queries that have a relevant document; a gain of `scale` always satisfies."""
    for query in range(len(values)):
        first, stop = ranked.offsets[query], ranked.offsets[query + 1]
        total, unsatisfied = 0.0, 1.0
        for place in range(min(ranked.k, stop - first)):
            satisfied = gain(ranked.labels[first + ranked.rankings[first + place]]) / scale
            total += unsatisfied * satisfied / (place + 1)
            unsatisfied *= 1.0 - satisfied
        if relevant_in(ranked, query, 1) > 0:
            values[query] = total


@compiled
def find_relevant(ranked: Ranked, values: FloatArray, relevant: int) -> None:
    """Write the relevant documents, those in the first k places, reciprocal ranks and summed precisions."""
    for query in range(values.shape[1]):
        first, stop = ranked.offsets[query], ranked.offsets[query + 1]
        found, reciprocal, total = 0, 0.0, 0.0
        for place in range(min(ranked.k, stop - first)):
            if ranked.labels[first + ranked.rankings[first + place]] >= relevant:
                found += 1
                total += found / (place + 1)
                reciprocal = max(reciprocal, 1.0 / (place + 1))
        values[0, query], values[1, query] = relevant_in(ranked, query, relevant), found
        values[2, query], values[3, query] = reciprocal, total


@compiled
def relevant_in(ranked: Ranked, query: int, relevant: int) -> int:
    """Return the number of a query's documents with a label of at least `relevant`."""
    count = 0
    for row in range(ranked.offsets[query], ranked.offsets[query + 1]):
        count += ranked.labels[row] >= relevant
    return count
