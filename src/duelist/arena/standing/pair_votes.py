"""Votes counted by voter and pair of arms."""

from typing import NamedTuple

import numpy as np

from duelist.duel import TIE, BoolArray, IntArray
from duelist.votes.table import Texts, Votes

UNNAMED = -1
"""The number of a voter whose name is not known."""


class PairVotes(NamedTuple):
    """A row for each voter and each pair that they voted on; all unnamed voters together are one."""

    voter: IntArray
    smaller: IntArray
    """The arm of the pair that has the smaller number, and the other one."""
    larger: IntArray
    pair: IntArray
    """Which pair it is; pairs are numbered from 0."""
    votes: IntArray
    """How many votes there are."""
    won: IntArray
    """How many of them are for the smaller arm."""

    def totals(self, rows: BoolArray) -> tuple[IntArray, IntArray]:
        """Return for the pair of each row the votes on it in `rows`, and those for its smaller arm."""
        pairs = int(self.pair.max(initial=-1)) + 1
        votes = total(self.pair[rows], self.votes[rows], pairs)
        won = total(self.pair[rows], self.won[rows], pairs)
        return votes[self.pair], won[self.pair]


def pair_votes(votes: Votes, voters: Texts, kept: BoolArray) -> PairVotes:
    """Return the votes that are kept, none of them ties, counted by voter and pair."""
    k, left, right = votes.k, votes.left[kept], votes.right[kept]
    won = (votes.outcomes[kept] > TIE) == (left < right)
    pair = np.minimum(left, right) * k + np.maximum(left, right)
    keys, row = np.unique((voters.codes[kept] - UNNAMED) * k * k + pair, return_inverse=True)
    known, pair = np.unique(keys % (k * k), return_inverse=True)
    return PairVotes(
        voter=keys // (k * k) + UNNAMED,
        smaller=known[pair] // k,
        larger=known[pair] % k,
        pair=pair,
        votes=np.bincount(row, minlength=len(keys)),
        won=np.bincount(row[won], minlength=len(keys)),
    )


def total(places: IntArray, counts: IntArray, size: int) -> IntArray:
    """Return the sum of counts at each of as many places."""
    return np.bincount(places, weights=counts, minlength=size).astype(np.int64)
