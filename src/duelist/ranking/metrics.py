"""Ranking metrics: a number for each query, from the scores of its documents.

Documents are ranked by score, highest first. If scores are equal, lower labels come first: ties are not
rewarded, and the result does not depend on the order of the rows.
"""

from collections.abc import Callable
from math import nan

import numpy as np
from numpy.typing import ArrayLike

from duelist.duel import FloatArray
from duelist.errors import ParameterError, require_whole
from duelist.ranking.corpus import FEW, rank_queries
from duelist.ranking.dataset import RankingData
from duelist.ranking.measuring import ALL, Ranked, find_relevant, measure_err, measure_ndcg
from duelist.text import counted

MOST_GRADES = 1000  # beyond, gains of 2^grade overflow


def ndcg(scores: ArrayLike, data: RankingData, k: int | None = 10, empty: float = nan) -> FloatArray:
    """Return each query's normalised discounted cumulative gain: 1 for an ideal ranking.

    A document of grade r at place p gains (2^r - 1) / log2(p + 1); the sum over the first k places is divided
    by the largest possible sum.

    Parameters
    ----------
    scores : array of shape (documents,)
        The documents' scores; documents are ranked from the highest to the lowest.
    data : RankingData
        The documents.
    k : int or None, default 10
        The cut-off, which may exceed the number of documents; None for all places.
    empty : float, default nan
        The value of a query without a relevant document. Average over the others with `numpy.nanmean`; LETOR
        and some papers count these queries as 0.

    Returns
    -------
    array of shape (queries,)
        The NDCG of each query.

    Raises
    ------
    ParameterError
        If there is not one number per document, or `k` is out of range.

    References
    ----------
    Järvelin, Kekäläinen (2002). Cumulated Gain-Based Evaluation of IR Techniques. ACM TOIS.
    Burges et al. (2005). Learning to Rank Using Gradient Descent. ICML.

    Examples
    --------
    >>> data = RankingData(np.zeros((5, 1)), [1, 0, 2, 0, 0], ["svm", "bandit"], [0, 3, 5])
    >>> ndcg([0.9, 0.1, 0.5, 0.4, 0.3], data).round(4)
    array([0.7967,    nan])
    """
    ranked = order_documents(scores, data, k)
    require_low(data.grades)
    values = np.full(len(data), empty, np.float64)
    measure_ndcg(ranked, values)
    return values


def err(
    scores: ArrayLike, data: RankingData, k: int | None = 10, grades: int | None = None, empty: float = nan
) -> FloatArray:
    """Return each query's expected reciprocal rank of the place where a user is satisfied and stops.

    A document of grade r satisfies with probability (2^r - 1) / 2^(grades - 1).

    Parameters
    ----------
    scores : array of shape (documents,)
        The documents' scores; documents are ranked from the highest to the lowest.
    data : RankingData
        The documents.
    k : int or None, default 10
        The cut-off, which may exceed the number of documents; None for all places.
    grades : int, optional
        The number of grades; by default that of `data`. Give it if `data` is a part that may lack the highest
        grade.
    empty : float, default nan
        The value of a query without a relevant document.

    Returns
    -------
    array of shape (queries,)
        The expected reciprocal rank of each query.

    Raises
    ------
    ParameterError
        If there is not one number per document, or `k` or `grades` is out of range.

    References
    ----------
    Chapelle, Metzler, Zhang, Grinspan (2009). Expected Reciprocal Rank for Graded Relevance. CIKM.

    Examples
    --------
    >>> data = RankingData(np.zeros((3, 1)), [1, 0, 2], ["svm"], [0, 3])
    >>> err([0.9, 0.1, 0.5], data)
    array([0.53125])
    """
    ranked = order_documents(scores, data, k)
    grades = data.grades if grades is None else grades
    require_whole("grades", grades, data.grades)
    require_low(grades)
    values = np.full(len(data), empty, np.float64)
    measure_err(ranked, values, 2.0 ** (grades - 1))
    return values


def average_precision(
    scores: ArrayLike, data: RankingData, k: int | None = None, relevant: int = 1, empty: float = nan
) -> FloatArray:
    """Return each query's average precision; its mean over queries is MAP.

    It is the mean, over all relevant documents, of the precision down to their place, 0 beyond place k.

    Parameters
    ----------
    scores : array of shape (documents,)
        The documents' scores; documents are ranked from the highest to the lowest.
    data : RankingData
        The documents.
    k : int, optional
        The cut-off, which may exceed the number of documents; all places by default.
    relevant : int, default 1
        The lowest label of a relevant document.
    empty : float, default nan
        The value of a query without a relevant document.

    Returns
    -------
    array of shape (queries,)
        The average precision of each query.

    Raises
    ------
    ParameterError
        If there is not one number per document, or `k` or `relevant` is out of range.

    Examples
    --------
    >>> data = RankingData(np.zeros((3, 1)), [1, 0, 2], ["svm"], [0, 3])
    >>> average_precision([0.9, 0.5, 0.1], data).round(4)
    array([0.8333])
    """
    sought, _, _, total = count_relevant(scores, data, k, relevant)
    return np.where(sought > 0.0, total / np.maximum(sought, 1.0), empty)


def reciprocal_rank(
    scores: ArrayLike, data: RankingData, k: int | None = None, relevant: int = 1, empty: float = nan
) -> FloatArray:
    """Return one divided by the place of the first relevant document, 0 beyond place k; its mean is MRR.

    Parameters
    ----------
    scores : array of shape (documents,)
        The documents' scores; documents are ranked from the highest to the lowest.
    data : RankingData
        The documents.
    k : int, optional
        The cut-off, which may exceed the number of documents; all places by default.
    relevant : int, default 1
        The lowest label of a relevant document.
    empty : float, default nan
        The value of a query without a relevant document.

    Returns
    -------
    array of shape (queries,)
        The reciprocal rank of each query.

    Raises
    ------
    ParameterError
        If there is not one number per document, or `k` or `relevant` is out of range.

    Examples
    --------
    >>> data = RankingData(np.zeros((3, 1)), [1, 0, 2], ["svm"], [0, 3])
    >>> reciprocal_rank([0.1, 0.9, 0.5], data)
    array([0.5])
    """
    sought, _, reciprocal, _ = count_relevant(scores, data, k, relevant)
    return np.where(sought > 0.0, reciprocal, empty)


def precision(
    scores: ArrayLike, data: RankingData, k: int | None = 10, relevant: int = 1, empty: float = nan
) -> FloatArray:
    """Return each query's share of relevant documents in the first k places.

    Places without a document count as not relevant.

    Parameters
    ----------
    scores : array of shape (documents,)
        The documents' scores; documents are ranked from the highest to the lowest.
    data : RankingData
        The documents.
    k : int or None, default 10
        The cut-off, which may exceed the number of documents; None for all documents.
    relevant : int, default 1
        The lowest label of a relevant document.
    empty : float, default nan
        The value of a query without a relevant document.

    Returns
    -------
    array of shape (queries,)
        The precision of each query.

    Raises
    ------
    ParameterError
        If there is not one number per document, or `k` or `relevant` is out of range.

    Examples
    --------
    >>> data = RankingData(np.zeros((3, 1)), [1, 0, 2], ["svm"], [0, 3])
    >>> precision([0.1, 0.9, 0.5], data, k=2), precision([0.1, 0.9, 0.5], data, k=4)
    (array([0.5]), array([0.5]))
    """
    sought, found, _, _ = count_relevant(scores, data, k, relevant)
    return np.where(sought > 0.0, found / (np.diff(data.offsets) if k is None else float(k)), empty)


def count_relevant(scores: ArrayLike, data: RankingData, k: int | None, relevant: int) -> FloatArray:
    require_whole("relevant", relevant, 1)
    ranked = order_documents(scores, data, k)
    values = np.empty((4, len(data)))
    find_relevant(ranked, values, relevant)
    return values


def order_documents(scores: ArrayLike, data: RankingData, k: int | None) -> Ranked:
    """Validate the scores and return the queries with their documents ranked."""
    if not isinstance(data, RankingData):
        raise ParameterError(f"data must be RankingData, as from load_ranking_data(); got {data!r:.80}.")
    try:
        given = np.ascontiguousarray(scores, np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"scores must be numbers, one per document: {error}.") from error
    documents = counted(len(data.labels), "document")
    if given.shape != data.labels.shape:
        raise ParameterError(f"scores must be one number for each of {documents}; got shape {given.shape}.")
    if np.isnan(given).any():
        raise ParameterError(f"scores must be numbers; got nan for {np.isnan(given).sum()} of {documents}.")
    require_whole("k", ALL if k is None else k, 1)
    places = ALL if k is None else min(int(k), ALL)
    rankings = np.empty(len(given), np.int64)
    is_long = np.minimum(np.diff(data.offsets), places) > FEW
    rank_queries(given, data.labels, data.offsets, np.flatnonzero(~is_long), places, rankings)
    for query in np.flatnonzero(is_long).tolist():
        rows = data.rows(query)
        rankings[rows] = np.lexsort((data.labels[rows], -given[rows]))
    return Ranked(data.labels, data.offsets, places, rankings)


def require_low(grades: int) -> None:
    if grades > MOST_GRADES:
        raise ParameterError(
            f"labels must be below {MOST_GRADES}, because gains are 2^label; got {grades - 1}."
        )


def mean_quality(scores: FloatArray, data: RankingData) -> dict[str, float]:
    """Return each metric's mean over the queries that have a relevant document."""
    measures: dict[str, Callable[[FloatArray, RankingData], FloatArray]] = {
        "NDCG@10": ndcg,
        "ERR@10": err,
        "precision@10": precision,
        "average precision": average_precision,
        "reciprocal rank": reciprocal_rank,
    }
    return {name: float(np.nanmean(measure(scores, data))) for name, measure in measures.items()}
