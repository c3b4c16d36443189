"""Counts of subsets by kind over all pieces, and tests of these counts."""

from typing import NamedTuple

import numpy as np
from scipy.stats import chi2

from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.laboratory import ItemResults
from duelist_reproductions.dudik2015.subsets_sweep import ALL_INSIDE, NONE_INSIDE

FEWEST = 5.0
"""Minimum expected count for the chi-square approximation (Cochran's rule)."""


class Tally(NamedTuple):
    """A table in columns: `number` subsets with a size, support and so on; a kind may have several rows."""

    size: IntArray
    support: IntArray
    inside: IntArray
    loss: IntArray
    number: IntArray

    @classmethod
    def of(cls, results: ItemResults) -> "Tally":
        """Concatenate the pieces' tables."""
        pieces = [one for one in results.values() if "luck" in one.setting]
        return cls(*(np.concatenate([one[column] for one in pieces]) for column in cls._fields))

    def where(self, chosen: BoolArray) -> "Tally":
        return Tally(*(column[chosen] for column in self))

    @property
    def contested(self) -> "Tally":
        """Subsets without a Condorcet winner, which would win by all definitions."""
        return self.where(self.support > 1)

    @property
    def one_inside(self) -> BoolArray:
        """Rows in which a Copeland winner has weight."""
        return np.asarray(self.inside > NONE_INSIDE)

    @property
    def all_inside(self) -> BoolArray:
        """Rows in which all Copeland winners have weight."""
        return np.asarray(self.inside == ALL_INSIDE)

    @property
    def total(self) -> int:
        """Number of subsets drawn."""
        return int(self.number.sum())

    @property
    def sizes(self) -> IntArray:
        """Sizes of the subsets drawn."""
        return np.unique(self.size)

    @property
    def mean_loss(self) -> float:
        """Mean share of the other arms that beat the weakest arm of a support."""
        return float((self.loss / (self.size - 1) * self.number).sum() / self.total)

    def share(self, chosen: BoolArray) -> float:
        """Return the chosen rows' share of all subsets."""
        return int(self.number[chosen].sum()) / self.total

    def counts(self, chosen: BoolArray) -> IntArray:
        """Return the number of subsets in the chosen rows, by size."""
        return np.array([self.number[chosen & (self.size == k)].sum() for k in self.sizes])

    def shares(self, chosen: BoolArray) -> FloatArray:
        """Return the chosen rows' share of the subsets, by size."""
        return np.asarray(self.counts(chosen) / self.counts(self.size > 0))


def chance_of_counts(found: IntArray, drawn: IntArray, chance: FloatArray, fitted: int = 0) -> float:
    """Return the p-value of a chi-square test over all sizes.

    Of the subsets `drawn` of each size, those `found` are of a kind with this `chance`, for which `fitted`
    parameters were fitted to the counts. The test adds up small deviations at every size, such as those of a
    sampler that prefers an arm. Neighbouring sizes are merged until expected counts suffice. Counts with a
    chance of 0 or 1 must agree exactly.
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
    """Return the group of every size: neighbours with enough expected hits and misses in total."""
    group = np.zeros(len(hits), np.int64)
    full, hit, missed = 0, 0.0, 0.0
    for place in range(len(hits)):
        group[place] = full
        hit, missed = hit + hits[place], missed + misses[place]
        if min(hit, missed) >= FEWEST:
            full, hit, missed = full + 1, 0.0, 0.0
    return np.minimum(group, max(full - 1, 0))
