"""Who voted: how often, how far they agree with the others, and what looks like stuffing or carelessness."""

from typing import NamedTuple

import numpy as np

from duelist.arena.judges.judge import is_judge
from duelist.arena.standing.marks import marks_of
from duelist.votes.agreement import agreement_with_people
from duelist.votes.table import Votes

FEWEST = 5
"""Votes that can be compared, without which no share of agreement is given."""


class Voter(NamedTuple):
    """One voter, or one judge."""

    name: str
    votes: int
    """The number of votes that count."""
    compared: int
    """Votes on pairs and items on which most other people prefer one arm; ties and repeats left out."""
    agreed: int
    """How many of these are for that arm."""
    marks: tuple[str, ...] = ()
    """What is suspicious, each in a few words."""

    @property
    def agreement(self) -> float | None:
        """The share of votes that agree with the majority of other people; None where there are too few."""
        return self.agreed / self.compared if self.compared >= FEWEST else None


def voters_of(votes: Votes) -> tuple[tuple[Voter, ...], tuple[Voter, ...]]:
    """Return people and judges, each with those that are marked first, then by their number of votes."""
    if votes.voters is None:
        return (), ()
    names = votes.voters.names
    judges = np.array([is_judge(name) for name in names], np.bool_)
    found = agreement_with_people(votes, ~judges)
    cast = np.bincount(votes.voters.codes + 1, minlength=len(names) + 1)[1:]
    marks = marks_of(votes, judges)
    everyone = [
        (judges[voter], Voter(name, int(cast[voter]), compared, agreed, marks.get(voter, ())))
        for voter, (name, compared, agreed) in enumerate(
            zip(names, found.compared.tolist(), found.agreed.tolist(), strict=True)
        )
        if cast[voter]  # not one whose votes were all taken back
    ]
    everyone.sort(key=lambda one: (not one[1].marks, -one[1].votes))
    return (
        tuple(voter for judge, voter in everyone if not judge),
        tuple(voter for judge, voter in everyone if judge),
    )
