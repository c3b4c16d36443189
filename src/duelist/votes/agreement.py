"""How often voters agree with the majority of other people, where both have voted."""

from typing import NamedTuple

import numpy as np

from duelist.duel import BoolArray, IntArray
from duelist.votes.counting import counted_rows
from duelist.votes.table import Votes


class Agreement(NamedTuple):
    """For each voter, how their votes compare with those of other people on the same pair and item.

    A pair and item are left out where nobody else voted on them.
    """

    compared: IntArray
    """Votes for an arm where most other people are for an arm."""
    agreed: IntArray
    """How many of these are for the same arm."""
    ties: IntArray
    """Ties where most other people are for an arm."""
    splits: IntArray
    """Votes where other people are for no arm: as many for each, or all ties."""


def agreement_with_people(votes: Votes, people: BoolArray) -> Agreement:
    """Return how often each voter agrees with the majority of other people.

    Parameters
    ----------
    votes : Votes
        With voters; of a voter's votes on one pair and item, the first counts.
    people : array of shape (voters,)
        Which voters are people; votes without a name are people's too.

    Examples
    --------
    >>> votes = Votes(["a", "b"], [0, 0, 1], [1, 1, 0], [1, 1, 1], voters=["ann", "bob", "judge"])
    >>> agreement_with_people(votes, np.array([True, True, False])).agreed
    array([1, 1, 0])
    """
    many = len(people)
    if votes.voters is None:
        return Agreement(*np.zeros((4, many), np.int64))
    rows = np.flatnonzero(counted_rows(votes))
    voter, left, right = votes.voters.codes[rows], votes.left[rows], votes.right[rows]
    items = np.zeros(len(rows), np.int64) if votes.items is None else votes.items.codes[rows] + 1
    pair = np.minimum(left, right) * votes.k + np.maximum(left, right)
    _, sight = np.unique(items * votes.k**2 + pair, return_inverse=True)
    lead = np.where(left < right, 1.0, -1.0) * (2.0 * votes.outcomes[rows] - 1.0)
    is_person = np.append(people, True)[voter]  # votes without a name have the number -1, the last
    voted = np.bincount(sight, weights=is_person)[sight] - is_person
    others = np.round(np.bincount(sight, weights=lead * is_person)[sight] - lead * is_person, 9)
    known = (voter >= 0) & (voted > 0)

    def by_voter(kind: BoolArray) -> IntArray:
        return np.bincount(voter[known & kind], minlength=many)[:many]

    ahead, split = lead != 0.0, others == 0.0
    return Agreement(
        compared=by_voter(ahead & ~split),
        agreed=by_voter(ahead & ~split & (np.sign(lead) == np.sign(others))),
        ties=by_voter(~ahead & ~split),
        splits=by_voter(split),
    )
