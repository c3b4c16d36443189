"""Perfect users who are given so few comparisons that they tell rankers apart no better than others do."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from duelist.duel import FloatArray, IntArray
from duelist_reproductions.dudik2015.users.estimates import Users


@dataclass(frozen=True, eq=False)
class AsClear:
    """The chance of a Condorcet winner by size: of both kinds of users, and of perfect ones as unclear."""

    sizes: IntArray
    comparisons: int
    """Of a pair, by both kinds of users."""
    fewer: float
    """From so many, perfect users tell rankers apart as clearly as informational ones from all."""
    informational: FloatArray
    perfect: FloatArray
    unclear: FloatArray
    """With perfect users, from those fewer comparisons."""

    @classmethod
    def of(cls, informational: Users, perfect: Users, asked: slice) -> Self:
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
