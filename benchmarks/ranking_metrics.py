"""How fast rankings are measured."""

from collections.abc import Callable
from importlib import import_module

import numpy as np
from numpy.random import default_rng

from benchmarks.table import Figure, seconds
from duelist.duel import FloatArray, IntArray
from duelist.ranking import RankingData, ndcg

QUERIES, DOCUMENTS, PLACES = 1000, 100, 10


def numpy_ndcg(scores: FloatArray, labels: IntArray) -> FloatArray:
    """Return the NDCG of queries of equal length, one a row; ties fall as they may."""
    discounts = 1.0 / np.log2(np.arange(PLACES) + 2.0)
    gains = 2.0**labels - 1.0
    shown = np.argsort(-scores, axis=1)[:, :PLACES]
    best = -np.sort(-gains, axis=1)[:, :PLACES]
    ratio: FloatArray = (np.take_along_axis(gains, shown, axis=1) @ discounts) / (best @ discounts)
    return ratio


def figures() -> list[Figure]:
    rng = default_rng(0)
    labels = rng.choice(5, (QUERIES, DOCUMENTS), p=[0.5, 0.3, 0.15, 0.03, 0.02])
    scores = rng.random((QUERIES, DOCUMENTS))
    data = RankingData(
        np.zeros((labels.size, 1), np.float32),
        labels.ravel(),
        np.array([str(query) for query in range(QUERIES)]),
        np.arange(QUERIES + 1) * DOCUMENTS,
    )
    gains = 2.0**labels - 1.0

    def against(name: str, work: Callable[[], object]) -> Figure:
        ndcg(scores.ravel(), data)
        ours = min(seconds(lambda: ndcg(scores.ravel(), data, PLACES)) for _ in range(20))
        theirs = min(seconds(work) for _ in range(5))
        return Figure(
            f"NDCG@{PLACES}, {QUERIES:,} queries of {DOCUMENTS} documents: milliseconds",
            f"{ours * 1e3:.2f} ms",
            f"{theirs * 1e3:.1f} ms",
            name,
            theirs / ours,
        )

    ndcg_score = import_module("sklearn.metrics").ndcg_score
    return [
        against("scikit-learn's ndcg_score", lambda: ndcg_score(gains, scores, k=PLACES)),
        against("NumPy, sorting every query", lambda: numpy_ndcg(scores, labels)),
    ]
