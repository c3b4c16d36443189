"""Rankers as arms: features, weights or models that order a query's documents."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.random import default_rng

from duelist.duel import FloatArray, IntArray
from duelist.errors import ParameterError
from duelist.ranking import RankingData


def scores_of(ranker: Any, data: RankingData) -> FloatArray:
    """Return a ranker's score for every document.

    A ranker is the number of a feature, from 0; the weights of all features; or has a method `score`.
    """
    if hasattr(ranker, "score"):
        scores = np.asarray(ranker.score(data), np.float64)
    elif isinstance(ranker, int | np.integer):
        if not 0 <= ranker < data.d:
            raise ParameterError(f"ranker {ranker!r} is no feature; the data has 0 to {data.d - 1}.")
        scores = data.features[:, ranker].astype(np.float64)
    else:
        weights = np.asarray(ranker, np.float64)
        if weights.shape != (data.d,):
            raise ParameterError(
                f"a ranker must be a feature's number, {data.d} weights, or have score(data); got {ranker!r}."
            )
        scores = data.features @ weights
    if scores.shape != data.labels.shape or not np.isfinite(scores).all():
        raise ParameterError(f"ranker {ranker!r} must give every document a finite score.")
    return scores


def orders_of(rankers: Sequence[Any], data: RankingData, seed: int) -> IntArray:
    """Return every ranker's order of every query's documents, numbered from 0 in each query.

    Documents of equal score are put in an order drawn once, the same for all rankers.
    """
    query = np.repeat(np.arange(len(data)), np.diff(data.offsets))
    lots = default_rng(seed).permutation(len(data.labels))
    orders = np.empty((len(rankers), len(data.labels)), np.int64)
    for place, ranker in enumerate(rankers):
        orders[place] = np.lexsort((lots, -scores_of(ranker, data), query))
    orders -= data.offsets[query]
    return orders


def names_of(rankers: Sequence[Any]) -> tuple[str, ...]:
    """Return what to call rankers: a feature by its number, a model by its name, another by its place."""
    names = []
    for place, ranker in enumerate(rankers):
        if isinstance(ranker, int | np.integer):
            names.append(f"feature {ranker}")
        else:
            names.append(str(getattr(ranker, "name", "") or f"ranker {place}"))
    return tuple(names)
