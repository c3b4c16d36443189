"""Ratings of bootstrap samples: as many votes, or clusters, as there are, drawn with replacement."""

from typing import NamedTuple

import numpy as np
from numpy.random import default_rng

from duelist.duel import FloatArray, IntArray
from duelist.ratings.clusters import Grouping, Sparse
from duelist.ratings.evidence import Evidence
from duelist.ratings.newton import maximize, summed

SLIGHT_RIDGE = 1e-3  # keeps ratings finite in samples without a win, or without a loss, of an arm
SETTLED = 1e-6
CELLS_AT_ONCE = 4_000_000  # numbers in the largest table that is made at a time


class Units(NamedTuple):
    """What samples are drawn from; the tables have a row for each unit and a column for each cell."""

    times: FloatArray
    """How many equal units each one stands for."""
    votes: Sparse
    margins: Sparse
    ties: Sparse


def bootstrap(
    evidence: Evidence,
    point: FloatArray,
    ridge: float,
    ties: bool,
    grouping: Grouping | None,
    samples: int,
    seed: int,
) -> FloatArray:
    """Return the estimates of samples, a row for each."""
    rng, cells = default_rng(seed), evidence.cells()
    units = votes_alone(evidence) if grouping is None else clusters_of(evidence, grouping)
    total = units.times.sum()
    at_once = max(CELLS_AT_ONCE // max(point.size**2, len(units.times), len(cells.first)), 1)
    found = []
    for start in range(0, samples, at_once):
        many = min(at_once, samples - start)
        drawn = rng.multinomial(int(total), units.times / total, size=many).astype(np.float64)
        sample = cells._replace(
            votes=drawn @ units.votes, margins=drawn @ units.margins, ties=drawn @ units.ties
        )
        begin = np.repeat(point[None], many, axis=0)
        found.append(maximize(sample, begin, max(ridge, SLIGHT_RIDGE), ties, SETTLED))
    return np.concatenate(found)


def votes_alone(evidence: Evidence) -> Units:
    """Return votes that are alike in all that counts as units."""
    _, margin = np.unique(evidence.margin, return_inverse=True)
    _, weight = np.unique(evidence.weights, return_inverse=True)
    kinds = (evidence.cell * (margin.max() + 1) + margin) * (weight.max() + 1) + weight
    _, rows, kind = np.unique(kinds, return_index=True, return_inverse=True)
    times = summed(kind, evidence.counts, len(rows))
    return _units(evidence, times, rows, np.arange(len(rows)), np.ones(len(rows)))


def clusters_of(evidence: Evidence, grouping: Grouping) -> Units:
    """Return clusters of votes as units."""
    rows = np.arange(len(evidence.cell))
    return _units(evidence, grouping.times, rows, grouping.unit, grouping.share)


def _units(evidence: Evidence, times: FloatArray, rows: IntArray, unit: IntArray, share: FloatArray) -> Units:
    from scipy.sparse import csr_array

    heavy = share * evidence.weights[rows]
    places, shape = (unit, evidence.cell[rows]), (len(times), len(evidence.first))
    votes, margins, ties = (
        csr_array((values, places), shape=shape)
        for values in (heavy, heavy * evidence.margin[rows], heavy * evidence.tie[rows])
    )
    return Units(times, votes, margins, ties)
