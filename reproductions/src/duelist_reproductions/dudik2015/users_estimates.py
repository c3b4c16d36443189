"""Preferences estimated from fewer or more comparisons, and the chances of Condorcet winners."""

from typing import NamedTuple

import numpy as np
from numpy.random import default_rng

from duelist.duel import FloatArray, IntArray
from duelist.laboratory import ItemResults
from duelist.preferences import beats
from duelist_reproductions.subsets_with_winners import winner_chances


def chances(share: FloatArray) -> FloatArray:
    """Return the exact chance that a random subset has a Condorcet winner, by size from 2 to all but one.

    `share` is how often the first of every pair of arms is preferred. A winner must beat all others; a tie,
    such as between features that rank alike, is not a win.
    """
    arms = int(np.sqrt(2 * len(share))) + 1
    matrix = np.full((arms, arms), 0.5)
    first, second = np.triu_indices(arms, 1)
    matrix[first, second], matrix[second, first] = share, 1.0 - share
    return winner_chances(beats(matrix))[1:-1]


def falls(by_size: FloatArray, limit: float) -> bool:
    """Return whether a chance never rises with size, and ends below a limit."""
    return bool(np.all(np.diff(by_size) <= 0.0) and by_size[-1] < limit)


class Users(NamedTuple):
    """All comparisons by one kind of user; estimates are shares of all pairs, as in a row of the pieces."""

    pieces: FloatArray
    comparisons: int
    """Comparisons of a pair per piece."""

    @classmethod
    def of(cls, results: ItemResults, name: str) -> "Users":
        """Select one kind of user from the results."""
        pieces = results.where(user=name)
        return cls(np.array([one["share"] for one in pieces]), pieces[0].setting["comparisons"])

    @property
    def amounts(self) -> list[int]:
        """Possible numbers of comparisons per pair: those of a piece, doubled up to all."""
        return [self.comparisons * 2**n for n in range(len(self.pieces).bit_length())]

    @property
    def whole(self) -> FloatArray:
        """The estimate from all comparisons."""
        return np.asarray(self.pieces.mean(axis=0))

    def estimates(self, comparisons: int) -> FloatArray:
        """Return all disjoint estimates from n comparisons."""
        grouped = self.pieces.reshape(-1, comparisons // self.comparisons, self.pieces.shape[1])
        return np.asarray(grouped.mean(axis=1))

    def resampled(self, times: int) -> list[FloatArray]:
        """Return bootstrapped estimates from equally many pieces, drawn with replacement."""
        drawn = default_rng(0).integers(len(self.pieces), size=(times, len(self.pieces)))
        return [self.pieces[places].mean(axis=0) for places in drawn]

    def mean_chances(self, comparisons: int) -> FloatArray:
        """Return the chance of a Condorcet winner by size, averaged over the estimates."""
        return np.asarray(np.mean([chances(one) for one in self.estimates(comparisons)], axis=0))

    def clearness(self, comparisons: int) -> float:
        """Return the median lead of the better ranker of a pair, in standard errors."""
        error = np.sqrt(self.pieces.var(axis=0, ddof=1).mean() * self.comparisons / comparisons)
        return float(np.median(np.abs(self.whole - 0.5)) / error)


class AsClear(NamedTuple):
    """How much rarer Condorcet winners are with informational than with perfect users, by size."""

    sizes: IntArray
    comparisons: int
    """Comparisons of a pair by either kind of user."""
    fewer: float
    """Comparisons from which perfect users distinguish rankers as clearly as informational users from all."""
    whole: FloatArray
    """Difference of the chances from equally many comparisons."""
    left: FloatArray
    """Remaining difference if perfect users have fewer; negative if reversed."""

    @classmethod
    def of(cls, informational: Users, perfect: Users, asked: IntArray) -> "AsClear":
        """Interpolate between the available numbers of comparisons, for the given sizes."""
        amount = min(informational.amounts[-1], perfect.amounts[-1])
        clearness = np.log([perfect.clearness(one) for one in perfect.amounts])
        rows = np.array([perfect.mean_chances(one)[asked - 2] for one in perfect.amounts])
        wanted = np.log(informational.clearness(amount))
        theirs = informational.mean_chances(amount)[asked - 2]
        unclear = np.array([np.interp(wanted, clearness, column) for column in rows.T])
        fewer = float(np.exp(np.interp(wanted, clearness, np.log(perfect.amounts))))
        whole = perfect.mean_chances(amount)[asked - 2] - theirs
        return cls(asked, amount, fewer, whole, unclear - theirs)

    def explained(self, limit: float) -> int:
        """Return the size up to which less than this share of the difference remains at every size, or 0."""
        missed = np.flatnonzero(np.abs(self.left) >= limit * self.whole)
        below = self.sizes[: missed[0]] if len(missed) else self.sizes
        return int(below[-1]) if len(below) else 0
