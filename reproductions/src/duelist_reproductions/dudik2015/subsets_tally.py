"""What was drawn, all pieces together: how many subsets there are of every kind, and how likely by luck."""

from typing import NamedTuple

import numpy as np
from scipy.stats import chi2

from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.laboratory import ItemResults
from duelist_reproductions.dudik2015.subsets_sweep import ALL_INSIDE, NONE_INSIDE

FEWEST = 5.0
"""Chi-square approximates the law of counts if at least this number is expected (Cochran's rule)."""


class Tally(NamedTuple):
    """A table in columns: `number` subsets of this size, support and so on; a kind may have several rows."""

    size: IntArray
    support: IntArray
    inside: IntArray
    loss: IntArray
    number: IntArray

    @classmethod
    def of(cls, results: ItemResults) -> "Tally":
        """Put the pieces' tables below each other."""
        pieces = [one for one in results.values() if "luck" in one.setting]
        return cls(*(np.concatenate([one[column] for one in pieces]) for column in cls._fields))

    def where(self, chosen: BoolArray) -> "Tally":
        """Return the chosen rows."""
        return Tally(*(column[chosen] for column in self))

    @property
    def contested(self) -> "Tally":
        """Subsets without a Condorcet winner; where there is one, all definitions agree that it wins."""
        return self.where(self.support > 1)

    @property
    def one_inside(self) -> BoolArray:
        """Where a Copeland winner has weight."""
        return np.asarray(self.inside > NONE_INSIDE)

    @property
    def all_inside(self) -> BoolArray:
        """Where all Copeland winners have weight."""
        return np.asarray(self.inside == ALL_INSIDE)

    @property
    def total(self) -> int:
        """How many subsets were drawn."""
        return int(self.number.sum())

    @property
    def sizes(self) -> IntArray:
        """The sizes of which subsets were drawn."""
        return np.unique(self.size)

    @property
    def mean_loss(self) -> float:
        """To which part of the others the weakest arm of a support loses, on average."""
        return float((self.loss / (self.size - 1) * self.number).sum() / self.total)

    def share(self, chosen: BoolArray) -> float:
        """Return which part of all subsets is of the chosen rows."""
        return int(self.number[chosen].sum()) / self.total

    def counts(self, chosen: BoolArray) -> IntArray:
        """Return how many subsets of each size are of the chosen rows."""
        return np.array([self.number[chosen & (self.size == k)].sum() for k in self.sizes])

    def shares(self, chosen: BoolArray) -> FloatArray:
        """Return which part of the subsets of each size is of the chosen rows."""
        return np.asarray(self.counts(chosen) / self.counts(self.size > 0))


def chance_of_counts(found: IntArray, drawn: IntArray, chance: FloatArray, fitted: int = 0) -> float:
    """Return how likely a chi-square over all sizes is as large, by luck alone.

    Of the subsets `drawn` of each size, those `found` are of a kind that has this `chance`, to know which
    `fitted` numbers were fitted to the counts. It adds up what is little at every size, as a sampler leaves
    it that prefers an arm. Neighbouring sizes are put together until enough are expected. What has a chance
    of 0 or 1 has to come out exactly.
    """
    if np.any((found > 0) & (chance == 0.0)) or np.any((found < drawn) & (chance == 1.0)):
        return 0.0
    group = groups(drawn * chance, drawn * (1.0 - chance))
    away = np.bincount(group, found - drawn * chance)
    variance = np.bincount(group, drawn * chance * (1.0 - chance))
    if not variance.any():
        return 1.0
    return float(chi2.sf((away**2 / variance).sum(), len(variance) - fitted))


def groups(hits: FloatArray, misses: FloatArray) -> IntArray:
    """Return the group of every size: neighbours that together expect enough hits and enough misses."""
    group = np.zeros(len(hits), np.int64)
    full, hit, missed = 0, 0.0, 0.0
    for place in range(len(hits)):
        group[place] = full
        hit, missed = hit + hits[place], missed + misses[place]
        if min(hit, missed) >= FEWEST:
            full, hit, missed = full + 1, 0.0, 0.0
    return np.minimum(group, max(full - 1, 0))
