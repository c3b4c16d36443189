"""Rankers of known order: a good one, and copies with top documents swapped for lower ones."""

from dataclasses import dataclass

import numpy as np

from duelist.duel import FloatArray
from duelist.problems.contests import orders_of
from duelist.ranking import RankingData
from duelist.ranking.corpus import corpus_of, orders_quality

TOP = 5
"""Number of top documents that may be swapped."""
BELOW = 6
"""First of the places, counted from 0, that they are swapped with."""
NEEDED = BELOW + TOP
"""Minimum number of documents of a query."""
SHOWN = 10
"""Length of a list."""


@dataclass(frozen=True, eq=False)
class Listed:
    """A ranker defined by its lists."""

    name: str
    scores: FloatArray

    def score(self, data: RankingData) -> FloatArray:
        """Return a score for every document, by its place in the list."""
        return self.scores


def long_enough(data: RankingData) -> RankingData:
    return data.subset(np.flatnonzero(np.diff(data.offsets) >= NEEDED))


def degraded_rankers(data: RankingData, seed: int = 0) -> list[Listed]:
    """Return the best feature as a ranker, and five that swap one, two and so on of its top five documents.

    Each ranker does one swap more than the one before: places 1 to 5 and places 7 to 11 are paired at random,
    separately for every query, and the documents of n pairs change places.
    """
    features = orders_of(range(data.d), data, seed)
    best = features[int(orders_quality(corpus_of(data, SHOWN), features).argmax())]
    orders = np.tile(best, (TOP + 1, 1))
    rng = np.random.default_rng(seed)
    for first in data.offsets[:-1]:
        upper, lower = first + rng.permutation(TOP), first + BELOW + rng.permutation(TOP)
        for swaps in range(1, TOP + 1):
            high, low = upper[:swaps], lower[:swaps]
            orders[swaps, high], orders[swaps, low] = best[low], best[high]
    sizes = np.diff(data.offsets)
    rows = np.repeat(data.offsets[:-1], sizes)
    places = np.arange(len(rows)) - rows
    rankers = []
    for swaps, order in enumerate(orders):
        scores = np.empty(len(order))
        scores[rows + order] = -places
        rankers.append(Listed(f"SWAP{swaps}" if swaps else "ORIG", scores))
    return rankers
