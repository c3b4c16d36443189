"""The ranking SVM (Joachims, KDD 2002): a linear ranker learned from labels, as a reference."""

from importlib import import_module
from typing import Any

import numpy as np
from numpy.random import Generator, default_rng

from duelist.duel import FloatArray, IntArray
from duelist.errors import ParameterError, needing_extra, require_positive, require_whole
from duelist.ranking.dataset import RankingData
from duelist.ranking.linear import LinearRanker
from duelist.ranking.metrics import ndcg

TRIED_C = (0.01, 0.1, 1.0, 10.0, 100.0)


def fit_ranking_svm(
    data: RankingData,
    c: float | None = None,
    validation: RankingData | None = None,
    seed: int = 0,
    most_pairs: int = 100_000,
) -> LinearRanker:
    """Fit the linear ranker that separates each query's better documents from its worse ones.

    It is a linear support vector machine on the differences of their features.

    Parameters
    ----------
    data : RankingData
        The training queries.
    c : float, optional
        The weight of the mean loss over all pairs, relative to the penalty on large weights; 10 by default.
    validation : RankingData, optional
        Queries on which c is chosen from 0.01, 0.1, 1, 10 and 100, by mean NDCG@10.
    seed : int, default 0
        The seed of the sampling of pairs.
    most_pairs : int, default 100,000
        The maximum number of pairs; if there are more, this number is sampled.

    Returns
    -------
    LinearRanker
        The fitted ranker.

    Raises
    ------
    ParameterError
        If both `c` and `validation` are given, a number is out of range, or no query has different labels.
    MissingExtraError
        If scikit-learn is not installed.

    Notes
    -----
    All pairs have the same weight, as in SVMrank by default. The hinge loss is squared, as in Chapelle and
    Keerthi (2010). Features are divided by the root mean square of their differences, which makes the result
    independent of their units and c comparable between data sets.

    References
    ----------
    Joachims (2002). Optimizing Search Engines Using Clickthrough Data. KDD.
    Chapelle, Keerthi (2010). Efficient Algorithms for Ranking with SVMs. Information Retrieval 13.

    Examples
    --------
    >>> from duelist.ranking import synthetic_ranking_data
    >>> data = synthetic_ranking_data(queries=20)
    >>> ranker = fit_ranking_svm(data)
    >>> ranker.made
    {'by': 'ranking SVM', 'c': 10.0, 'pairs': 1173}
    >>> bool(np.nanmean(ndcg(ranker.score(data), data)) > 0.9)
    True
    """
    require_whole("most_pairs", most_pairs, 1)
    require_whole("seed", seed, 0)
    if c is not None:
        require_positive("c", c)
        if validation is not None:
            raise ParameterError("c and validation cannot be combined; give only one of them.")
    better, worse = draw_pairs(data, most_pairs, default_rng(seed))
    differences = data.features[better].astype(np.float64) - data.features[worse]
    if validation is None:
        return separate(differences, 10.0 if c is None else float(c))
    rankers = [separate(differences, tried) for tried in TRIED_C]
    gains = [ndcg(ranker.score(validation), validation, empty=0.0).mean() for ranker in rankers]
    return rankers[int(np.argmax(gains))]


def draw_pairs(data: RankingData, most: int, rng: Generator) -> tuple[IntArray, IntArray]:
    """Return the better and the worse documents of all pairs with different labels, or of a sample."""
    # pairs are numbered by the better document, in the order of labels: `below` counts the worse ones
    order, below = np.empty_like(data.labels), np.empty_like(data.labels)
    for query in range(len(data)):
        rows = data.rows(query)
        labels = data.labels[rows]
        order[rows] = rows.start + np.argsort(labels, kind="stable")
        below[rows] = np.searchsorted(np.sort(labels), np.sort(labels))
    ends = np.cumsum(below)
    total = int(ends[-1])
    if total == 0:
        raise ParameterError("data has no query with different labels, so there is nothing to learn from.")
    pairs = np.arange(total) if total <= most else rng.choice(total, most, replace=False)
    better = np.searchsorted(ends, pairs, side="right")
    starts = data.offsets[np.searchsorted(data.offsets, better, side="right") - 1]
    return order[better], order[starts + pairs - (ends[better] - below[better])]


def separate(differences: FloatArray, c: float) -> LinearRanker:
    """Return the ranker that makes these differences of features positive, with a margin."""
    with needing_extra("ranking SVM", "rank"):
        svm: Any = import_module("sklearn.svm")
    spread = np.sqrt(np.mean(differences**2, axis=0))
    spread[spread == 0.0] = 1.0
    examples = differences / spread
    if len(examples) == 1:
        examples = np.repeat(examples, 2, axis=0)
    # a classifier needs two classes: negate half of the pairs, which leaves the loss unchanged
    signs = np.where(np.arange(len(examples)) % 2 == 0, 1.0, -1.0)
    options = {"loss": "squared_hinge", "dual": False, "fit_intercept": False, "max_iter": 10_000}
    classifier = svm.LinearSVC(C=c / len(examples), **options)
    classifier.fit(examples * signs[:, np.newaxis], signs)
    made = {"by": "ranking SVM", "c": c, "pairs": len(differences)}
    return LinearRanker(classifier.coef_[0] / spread, made)
