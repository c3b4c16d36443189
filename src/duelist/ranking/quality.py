"""The quality of a ranker by every measure of the field."""

from collections.abc import Callable

import numpy as np

from duelist.duel import FloatArray
from duelist.ranking.dataset import RankingData
from duelist.ranking.metrics import average_precision, err, ndcg, precision, reciprocal_rank

MEASURES: dict[str, Callable[[FloatArray, RankingData], FloatArray]] = {
    "NDCG@10": ndcg,
    "ERR@10": err,
    "precision@10": precision,
    "average precision": average_precision,
    "reciprocal rank": reciprocal_rank,
}


def mean_quality(scores: FloatArray, data: RankingData) -> dict[str, float]:
    """Return each measure's mean over the queries that have a relevant document.

    Examples
    --------
    >>> from duelist.ranking import synthetic_ranking_data
    >>> data = synthetic_ranking_data(queries=20, features=3)
    >>> round(mean_quality(data.labels.astype(float), data)["NDCG@10"], 6)
    1.0
    """
    return {name: float(np.nanmean(measure(scores, data))) for name, measure in MEASURES.items()}
