"""What the pieces say together: preferences from fewer or more comparisons, and how rare winners are then."""

from typing import NamedTuple

import numpy as np
from numpy.random import default_rng

from duelist.duel import FloatArray, IntArray
from duelist.laboratory import ItemResults
from duelist.preferences import beats
from duelist_reproductions.subsets_with_winners import winner_chances


def chances(share: FloatArray) -> FloatArray:
    """Return the exact chance that a random subset has a Condorcet winner, by size from 2 to all but one.

    `share` is how often the first of every pair of arms is preferred. A winner must beat all others: where it
    only ties with one, as features do that rank alike, there is none.
    """
    arms = int(np.sqrt(2 * len(share))) + 1
    matrix = np.full((arms, arms), 0.5)
    first, second = np.triu_indices(arms, 1)
    matrix[first, second], matrix[second, first] = share, 1.0 - share
    return winner_chances(beats(matrix))[1:-1]


def falls(by_size: FloatArray, limit: float) -> bool:
    """Return whether a chance never rises with the size, and ends below a limit."""
    return bool(np.all(np.diff(by_size) <= 0.0) and by_size[-1] < limit)


class Users(NamedTuple):
    """All that one kind of users said: estimates are shares of all pairs, as in a row of the pieces."""

    pieces: FloatArray
    comparisons: int
    """Of a pair, in each piece."""

    @classmethod
    def of(cls, results: ItemResults, name: str) -> "Users":
        """Take one kind of users from the results."""
        pieces = results.where(user=name)
        return cls(np.array([one["share"] for one in pieces]), pieces[0].setting["comparisons"])

    @property
    def amounts(self) -> list[int]:
        """How many comparisons of a pair an estimate may have: those of a piece, doubled until all are in."""
        return [self.comparisons * 2**n for n in range(len(self.pieces).bit_length())]

    @property
    def whole(self) -> FloatArray:
        """The estimate from all comparisons."""
        return np.asarray(self.pieces.mean(axis=0))

    def estimates(self, comparisons: int) -> FloatArray:
        """Return as many estimates from n comparisons as there are pieces for, none used twice."""
        grouped = self.pieces.reshape(-1, comparisons // self.comparisons, self.pieces.shape[1])
        return np.asarray(grouped.mean(axis=1))

    def resampled(self, times: int) -> list[FloatArray]:
        """Return estimates from as many pieces, drawn with replacement: what other luck might have said."""
        drawn = default_rng(0).integers(len(self.pieces), size=(times, len(self.pieces)))
        return [self.pieces[places].mean(axis=0) for places in drawn]

    def mean_chances(self, comparisons: int) -> FloatArray:
        """Return the chance of a Condorcet winner by size, averaged over the estimates."""
        return np.asarray(np.mean([chances(one) for one in self.estimates(comparisons)], axis=0))

    def clearness(self, comparisons: int) -> float:
        """Return how many standard errors the better ranker of a pair is ahead: the median over pairs."""
        error = np.sqrt(self.pieces.var(axis=0, ddof=1).mean() * self.comparisons / comparisons)
        return float(np.median(np.abs(self.whole - 0.5)) / error)


class AsClear(NamedTuple):
    """How much rarer Condorcet winners are with informational users than with perfect ones, by size."""

    sizes: IntArray
    comparisons: int
    """Of a pair, by both kinds of users."""
    fewer: float
    """From which perfect users tell rankers apart as clearly as informational ones from all."""
    whole: FloatArray
    """By how much the chance is lower, from equally many comparisons."""
    left: FloatArray
    """By how much it is still lower if perfect users have fewer; below 0 if it is higher then."""

    @classmethod
    def of(cls, informational: Users, perfect: Users, asked: IntArray) -> "AsClear":
        """Interpolate between the numbers of comparisons there are estimates from, for the sizes asked."""
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
        """Return the size up to which, at every size, less than this part of the difference is left; or 0."""
        missed = np.flatnonzero(np.abs(self.left) >= limit * self.whole)
        below = self.sizes[: missed[0]] if len(missed) else self.sizes
        return int(below[-1]) if len(below) else 0
