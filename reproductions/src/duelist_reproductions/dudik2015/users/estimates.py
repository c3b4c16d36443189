"""What the pieces say together: preferences from fewer or more comparisons, and how rare winners are then."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
from numpy.random import default_rng

from duelist.duel import FloatArray, IntArray
from duelist.laboratory import PieceResult
from duelist.preferences import beats, gaps
from duelist_reproductions.subsets_with_winners import winner_chances


@dataclass(frozen=True)
class Estimate:
    """Preferences among all rankers."""

    matrix: FloatArray

    @classmethod
    def of(cls, pieces: Sequence[PieceResult]) -> Self:
        """Put pieces together that have equally many comparisons each."""
        share = np.mean([piece["share"] for piece in pieces], axis=0)
        rankers = int(np.sqrt(2 * len(share))) + 1
        matrix = np.full((rankers, rankers), 0.5)
        first, second = np.triu_indices(rankers, 1)
        matrix[first, second] = share
        matrix[second, first] = 1.0 - share
        return cls(matrix)

    @property
    def sizes(self) -> IntArray:
        """All sizes of subsets but that of the whole set."""
        return np.arange(2, len(self.matrix))

    @cached_property
    def chances(self) -> FloatArray:
        """The exact chance that a random subset has a Condorcet winner, by size.

        It must beat all others. Where it only ties with one, as features do that rank alike, there is none.
        """
        return winner_chances(beats(self.matrix))[1:-1]

    @property
    def middle_gap(self) -> float:
        """By how much the better ranker of a pair is preferred: the median over pairs."""
        return float(np.median(np.abs(gaps(self.matrix)[np.triu_indices(len(self.matrix), 1)])))

    def falls(self, limit: float) -> bool:
        """Return whether the chance of a Condorcet winner never rises with the size, and ends below a limit."""
        return bool(np.all(np.diff(self.chances) <= 0.0) and self.chances[-1] < limit)


@dataclass(frozen=True)
class Users:
    """All that one kind of users said, in pieces."""

    pieces: Sequence[PieceResult]

    @property
    def amounts(self) -> list[int]:
        """How many comparisons of a pair an estimate may have: those of a piece, doubled until all are in."""
        doublings = len(self.pieces).bit_length()
        return [self.pieces[0].setting["comparisons"] * 2**n for n in range(doublings)]

    def estimates(self, comparisons: int) -> list[Estimate]:
        """Return as many estimates from n comparisons as there are pieces for, none used twice."""
        each = comparisons // self.pieces[0].setting["comparisons"]
        return [Estimate.of(self.pieces[at : at + each]) for at in range(0, len(self.pieces), each)]

    @cached_property
    def whole(self) -> Estimate:
        """The estimate from all comparisons."""
        return Estimate.of(self.pieces)

    def resampled(self, times: int) -> list[Estimate]:
        """Return estimates from as many pieces, drawn with replacement: what other luck might have said."""
        drawn = default_rng(0).integers(len(self.pieces), size=(times, len(self.pieces)))
        return [Estimate.of([self.pieces[place] for place in places]) for places in drawn]

    def mean_chances(self, comparisons: int) -> FloatArray:
        """Return the chance of a Condorcet winner by size, averaged over the estimates."""
        return np.asarray(np.mean([one.chances for one in self.estimates(comparisons)], axis=0))

    def standard_error(self, comparisons: int) -> float:
        """Return by how much luck moves a preference that is estimated from n comparisons."""
        variance = np.var([piece["share"] for piece in self.pieces], axis=0, ddof=1).mean()
        return float(np.sqrt(variance * self.pieces[0].setting["comparisons"] / comparisons))

    def clearness(self, comparisons: int) -> float:
        """Return how many standard errors the better ranker of a pair is ahead: the median over pairs."""
        return self.whole.middle_gap / self.standard_error(comparisons)


class AsClear(NamedTuple):
    """The chance of a Condorcet winner by size: of both kinds of users, and of perfect ones as unclear.

    Those are given so few comparisons that they tell rankers apart no better than informational users do.
    """

    sizes: IntArray
    comparisons: int
    """Of a pair, by both kinds of users."""
    fewer: float
    """From which perfect users tell rankers apart as clearly as informational ones from all."""
    informational: FloatArray
    perfect: FloatArray
    unclear: FloatArray
    """With perfect users, from those fewer comparisons."""

    @classmethod
    def of(cls, informational: Users, perfect: Users, asked: slice) -> "AsClear":
        """Interpolate between the numbers of comparisons there are estimates from, for the sizes asked."""
        amount = min(informational.amounts[-1], perfect.amounts[-1])
        clearness = np.log([perfect.clearness(one) for one in perfect.amounts])
        rows = np.array([perfect.mean_chances(one)[asked] for one in perfect.amounts])
        wanted = np.log(informational.clearness(amount))
        return cls(
            sizes=informational.whole.sizes[asked],
            comparisons=amount,
            fewer=float(np.exp(np.interp(wanted, clearness, np.log(perfect.amounts)))),
            informational=informational.mean_chances(amount)[asked],
            perfect=perfect.mean_chances(amount)[asked],
            unclear=np.array([np.interp(wanted, clearness, chances) for chances in rows.T]),
        )

    @property
    def whole(self) -> FloatArray:
        """By how much the chance is lower with informational users, from equally many comparisons."""
        return np.asarray(self.perfect - self.informational)

    @property
    def left(self) -> FloatArray:
        """By how much it is still lower than with perfect users as unclear; below 0 if it is higher then."""
        return np.asarray(self.unclear - self.informational)

    def explained(self, limit: float) -> int:
        """Return the size up to which, at every size, less than this part of the difference is left; or 0."""
        missed = np.flatnonzero(np.abs(self.left) >= limit * self.whole)
        below = self.sizes[: missed[0]] if len(missed) else self.sizes
        return int(below[-1]) if len(below) else 0
