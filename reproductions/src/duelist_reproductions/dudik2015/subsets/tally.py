"""What was drawn, all pieces together: how many subsets there are of every kind."""

from dataclasses import dataclass, fields
from typing import Self

import numpy as np

from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.laboratory.work import ItemResults


@dataclass(frozen=True)
class Tally:
    """A table in columns: `number` subsets of this size, support and so on; a kind may have several rows."""

    size: IntArray
    support: IntArray
    inside: IntArray
    winners: IntArray
    loss: IntArray
    number: IntArray

    @classmethod
    def of(cls, results: ItemResults) -> Self:
        """Put the pieces' tables below each other."""
        pieces = [one for one in results.values() if "luck" in one.setting]
        return cls(*(np.concatenate([one[column.name] for one in pieces]) for column in fields(cls)))

    def where(self, chosen: BoolArray) -> Self:
        """Return the chosen rows."""
        return type(self)(*(getattr(self, column.name)[chosen] for column in fields(self)))

    def part(self, smallest: int, largest: int) -> Self:
        """Return the rows of some sizes."""
        return self.where((smallest <= self.size) & (self.size <= largest))

    @property
    def contested(self) -> Self:
        """Subsets without a Condorcet winner; where there is one, all definitions agree that it wins."""
        return self.where(self.support > 1)

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

    def count(self, chosen: BoolArray) -> int:
        """Return how many subsets are of the chosen rows."""
        return int(self.number[chosen].sum())

    def share(self, chosen: BoolArray) -> float:
        """Return which part of all subsets is of the chosen rows."""
        return self.count(chosen) / self.total

    def counts(self, chosen: BoolArray) -> IntArray:
        """Return how many subsets of each size are of the chosen rows."""
        return np.array([self.count(chosen & (self.size == k)) for k in self.sizes])

    def shares(self, chosen: BoolArray) -> FloatArray:
        """Return which part of the subsets of each size is of the chosen rows."""
        return np.asarray(self.counts(chosen) / self.counts(self.size > 0))
