"""The measures of `duelist.ranking.metrics`, compiled: each goes through the queries and writes their values.

Of each kernel: `labels` and `offsets` are the data, `k` is the number of places that count or ALL, `rankings`
what `rank_queries` wrote, `empty` the value of a query without a relevant document.
"""

from duelist.duel import FloatArray, IntArray
from duelist.kernels.compile import compiled
from duelist.ranking.gains import dcg, gain, ideal_dcg

ALL = 2**62
"""As a number of places: one for every document."""


@compiled
def measure_ndcg(
    labels: IntArray, offsets: IntArray, k: int, rankings: IntArray, empty: float, values: FloatArray
) -> None:
    """Write each query's discounted cumulative gain, divided by the best there is."""
    for query in range(len(values)):
        first, stop = offsets[query], offsets[query + 1]
        best = ideal_dcg(labels, first, stop, k)
        value = empty
        if best > 0.0:
            value = dcg(labels, first, rankings[first:stop], min(k, stop - first)) / best
        values[query] = value


@compiled
def measure_err(
    labels: IntArray,
    offsets: IntArray,
    k: int,
    rankings: IntArray,
    scale: float,
    empty: float,
    values: FloatArray,
) -> None:
    """Write each query's expected reciprocal rank, where a gain of `scale` would satisfy for certain."""
    for query in range(len(values)):
        first, stop = offsets[query], offsets[query + 1]
        total, unsatisfied = 0.0, 1.0
        for place in range(min(k, stop - first)):
            satisfied = gain(labels[first + rankings[first + place]]) / scale
            total += unsatisfied * satisfied / (place + 1)
            unsatisfied *= 1.0 - satisfied
        values[query] = total if relevant_in(labels, first, stop, 1) > 0 else empty


@compiled
def measure_average_precision(
    labels: IntArray,
    offsets: IntArray,
    k: int,
    rankings: IntArray,
    relevant: int,
    empty: float,
    values: FloatArray,
) -> None:
    """Write the mean over all relevant documents of the precision at their place, 0 beyond k."""
    for query in range(len(values)):
        first, stop = offsets[query], offsets[query + 1]
        found, total = 0, 0.0
        for place in range(min(k, stop - first)):
            if labels[first + rankings[first + place]] >= relevant:
                found += 1
                total += found / (place + 1)
        sought = relevant_in(labels, first, stop, relevant)
        values[query] = total / sought if sought > 0 else empty


@compiled
def measure_reciprocal_rank(
    labels: IntArray,
    offsets: IntArray,
    k: int,
    rankings: IntArray,
    relevant: int,
    empty: float,
    values: FloatArray,
) -> None:
    """Write one divided by the place of the first relevant document, 0 beyond k."""
    for query in range(len(values)):
        first, stop = offsets[query], offsets[query + 1]
        shown = min(k, stop - first)
        place = 0
        while place < shown and labels[first + rankings[first + place]] < relevant:
            place += 1
        found = 1.0 / (place + 1) if place < shown else 0.0
        values[query] = found if relevant_in(labels, first, stop, relevant) > 0 else empty


@compiled
def measure_precision(
    labels: IntArray,
    offsets: IntArray,
    k: int,
    rankings: IntArray,
    relevant: int,
    empty: float,
    values: FloatArray,
) -> None:
    """Write the share of the k places that show a relevant document."""
    for query in range(len(values)):
        first, stop = offsets[query], offsets[query + 1]
        found = 0
        for place in range(min(k, stop - first)):
            found += labels[first + rankings[first + place]] >= relevant
        places = stop - first if k == ALL else k
        values[query] = found / places if relevant_in(labels, first, stop, relevant) > 0 else empty


@compiled
def relevant_in(labels: IntArray, first: int, stop: int, relevant: int) -> int:
    """Return how many of the documents from row `first` up to `stop` have a label of at least `relevant`."""
    count = 0
    for row in range(first, stop):
        count += labels[row] >= relevant
    return count
