"""Synthetic data that resembles that of learning to rank."""

import numpy as np
from numpy.random import Generator, default_rng

from duelist.duel import FeatureArray, FloatArray, IntArray
from duelist.errors import require_whole
from duelist.ranking.dataset import RankingData

RELEVANT_SHARE = 0.2  # the share of documents that are relevant
QUERY_SPREAD = 1.0  # the standard deviation of queries' mean relevance, in units of that of documents
FACTORS = 5


def synthetic_ranking_data(
    queries: int = 200, documents: int = 20, features: int = 46, grades: int = 3, seed: int = 0
) -> RankingData:
    """Return synthetic queries and documents, with features scaled per query, as in LETOR.

    About a fifth of the documents are relevant, few of them highly; many queries have none. Features are
    correlated with relevance and with each other; some are skewed and often 0, some only noise, and a few,
    which depend on the query alone, are 0 after scaling.

    Parameters
    ----------
    queries, features, grades, seed : int, default 200, 46, 3 and 0
        The number of queries, features and grades; equal seeds give equal data.
    documents : int, default 20
        The mean number of documents of a query, which has from half of it to one and a half.

    Examples
    --------
    >>> data = synthetic_ranking_data(queries=100)
    >>> data, len(data.with_relevant())
    (RankingData(100 queries, 2,021 documents, 46 features, grades 0-2), 67)
    """
    for name, value in (("queries", queries), ("documents", documents), ("features", features)):
        require_whole(name, value, 1)
    require_whole("grades", grades, 2)
    require_whole("seed", seed, 0)
    rng = default_rng(seed)
    sizes = rng.integers((documents + 1) // 2, documents + documents // 2 + 1, queries)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    query_of = np.repeat(np.arange(queries), sizes)
    worth = rng.standard_normal(len(query_of))
    served = worth + QUERY_SPREAD * rng.standard_normal(queries)[query_of]
    seen = _draw_features(worth, query_of, features, rng)
    # by how well documents serve their query, each grade rarer than the one below
    bars = np.quantile(served, 1.0 - RELEVANT_SHARE * 0.4 ** np.arange(grades - 1))
    names = np.arange(1, queries + 1).astype(np.str_)
    return RankingData(seen, np.searchsorted(bars, served), names, offsets).normalised()


def _draw_features(worth: FloatArray, query_of: IntArray, features: int, rng: Generator) -> FeatureArray:
    kinds = rng.choice(4, features, p=(0.5, 0.25, 0.15, 0.1))
    plain, skewed, noise, of_query = range(4)
    clearness = rng.uniform(0.1, 0.6, features) * ((kinds == plain) | (kinds == skewed))
    loadings = np.zeros((FACTORS, features))
    loadings[rng.integers(FACTORS, size=features), np.arange(features)] = rng.uniform(0.5, 1.5, features)
    own = rng.uniform(0.3, 1.0, features)
    factors = rng.standard_normal((len(worth), FACTORS))
    unexplained = own * rng.standard_normal((len(worth), features))
    seen: FloatArray = worth[:, None] * clearness + factors @ loadings + unexplained
    seen[:, kinds == skewed] = np.maximum(np.exp(seen[:, kinds == skewed]) - 1.0, 0.0)
    seen[:, kinds == noise] = rng.random((len(worth), int((kinds == noise).sum())))
    constant = rng.random((int(query_of[-1]) + 1, int((kinds == of_query).sum())))
    seen[:, kinds == of_query] = constant[query_of]
    return seen.astype(np.float32)
