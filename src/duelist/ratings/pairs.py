"""Votes counted by pair of arms, once or in many samples of them."""

from typing import NamedTuple

import numpy as np

from duelist.duel import FloatArray, IntArray


class Pairs(NamedTuple):
    """How often the first arm of each pair won, lost and tied; a row for each sample of the votes."""

    k: int
    """How many arms there are."""
    first: IntArray
    second: IntArray
    won: FloatArray
    lost: FloatArray
    tied: FloatArray

    @property
    def votes(self) -> FloatArray:
        """The votes of each pair."""
        return self.won + self.lost + self.tied

    def table(self, values: FloatArray) -> FloatArray:
        """Return numbers of pairs as tables of K x K: the first arm is the row, the second the column."""
        tables = np.zeros((len(values), self.k, self.k))
        tables[:, self.first, self.second] = values
        return tables

    def by_arm(self, values: FloatArray) -> FloatArray:
        """Return for each arm the sum over its pairs, taken negative where it is the second of the pair."""
        tables = self.table(values)
        return np.asarray(tables.sum(axis=2) - tables.sum(axis=1))

    def laplacian(self, weights: FloatArray) -> FloatArray:
        """Return the sum over pairs of w (e - f)(e - f)', where e and f are the two arms' unit vectors."""
        tables = self.table(weights)
        tables += tables.transpose(0, 2, 1)
        of_arms = tables.sum(axis=2)
        np.negative(tables, out=tables)
        arms = np.arange(self.k)
        tables[:, arms, arms] = of_arms
        return tables


def pairs_of(wins: IntArray, ties: IntArray) -> Pairs:
    """Return the counts of all pairs that met, in one sample, from tables of wins and of ties."""
    first, second = np.nonzero(np.triu(wins + wins.T + ties))
    columns = (wins[first, second], wins[second, first], ties[first, second])
    won, lost, tied = (column[None].astype(np.float64) for column in columns)
    return Pairs(len(wins), first, second, won, lost, tied)
