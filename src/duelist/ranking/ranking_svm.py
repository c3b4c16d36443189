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
    """Return the linear ranker that separates each query's better documents from its worse ones.

    It is a linear support vector machine on the differences of their features.

    Parameters
    ----------
    data, validation : RankingData, the latter optional
        The training queries, and others on which to choose c, of 0.01, 0.1, 1, 10 and 100, by mean NDCG@10.
    c : float, optional
        The weight of the mean loss over all pairs, against that of large weights; by default 10.
    seed, most_pairs : int, default 0 and 100,000
        If there are more pairs than `most_pairs`, that many are drawn.

    Notes
    -----
    Every pair has the same weight, as in SVMrank by default. The hinge loss is squared, as in Chapelle and
    Keerthi (2010). Features are divided by the root mean square of their differences, so that their units do
    not matter, and c means the same for all data.

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
            raise ParameterError("give c or validation, not both: one sets what the other chooses.")
    better, worse = draw_pairs(data, most_pairs, default_rng(seed))
    differences = data.features[better].astype(np.float64) - data.features[worse]
    if validation is None:
        return separate(differences, 10.0 if c is None else float(c))
    rankers = [separate(differences, tried) for tried in TRIED_C]
    gains = [ndcg(ranker.score(validation), validation, empty=0.0).mean() for ranker in rankers]
    return rankers[int(np.argmax(gains))]


def draw_pairs(data: RankingData, most: int, rng: Generator) -> tuple[IntArray, IntArray]:
    """Return the rows of better and of worse documents, for all pairs with different labels, or some."""
    # pairs are numbered by the better document, in the order of labels: `below` is how many it is better than
    order, below = np.empty_like(data.labels), np.empty_like(data.labels)
    for query in range(len(data)):
        rows = data.rows(query)
        labels = data.labels[rows]
        order[rows] = rows.start + np.argsort(labels, kind="stable")
        below[rows] = np.searchsorted(np.sort(labels), np.sort(labels))
    ends = np.cumsum(below)
    total = int(ends[-1])
    if total == 0:
        raise ParameterError("data must hold a query with different labels; there is nothing to learn from.")
    pairs = np.arange(total) if total <= most else rng.choice(total, most, replace=False)
    places = np.searchsorted(ends, pairs, side="right")
    starts = data.offsets[np.searchsorted(data.offsets, places, side="right") - 1]
    return order[places], order[starts + pairs - (ends[places] - below[places])]


def separate(differences: FloatArray, c: float) -> LinearRanker:
    """Return the ranker that makes these differences of features positive, with a margin."""
    with needing_extra("ranking SVM", "rank"):
        svm: Any = import_module("sklearn.svm")
    spread = np.sqrt(np.mean(differences**2, axis=0))
    spread[spread == 0.0] = 1.0
    examples = differences / spread
    if len(examples) == 1:
        examples = np.repeat(examples, 2, axis=0)
    # a classifier needs two classes: half of the pairs are turned round, which costs the same
    signs = np.where(np.arange(len(examples)) % 2 == 0, 1.0, -1.0)
    options = {"loss": "squared_hinge", "dual": False, "fit_intercept": False, "max_iter": 10_000}
    classifier = svm.LinearSVC(C=c / len(examples), **options)
    classifier.fit(examples * signs[:, np.newaxis], signs)
    made = {"by": "ranking SVM", "c": c, "pairs": len(differences)}
    return LinearRanker(classifier.coef_[0] / spread, made)
