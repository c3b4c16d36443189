"""Who voted: how often, how far they agree with the others, and what looks like stuffing or carelessness."""

from typing import NamedTuple

import numpy as np

from duelist.arena.standing.ballots import UNNAMED, Ballots
from duelist.arena.standing.marks import marks_of
from duelist.arena.standing.pair_votes import pair_votes, total
from duelist.duel import BoolArray, IntArray

FEWEST = 5
"""Votes that can be compared, without which no share of agreement is given."""


class Voter(NamedTuple):
    """One voter, or one judge."""

    name: str
    votes: int
    """The number of votes that count."""
    compared: int
    """Votes on pairs on which most of the other people prefer one arm; ties and repeated votes left out."""
    agreed: int
    """How many of these are for that arm."""
    marks: tuple[str, ...] = ()
    """What is suspicious, each in a few words."""

    @property
    def agreement(self) -> float | None:
        """The share of votes that agree with the majority of other people; None where there are too few."""
        return self.agreed / self.compared if self.compared >= FEWEST else None


def voters_of(ballots: Ballots) -> tuple[tuple[Voter, ...], tuple[Voter, ...]]:
    """Return people and judges, each with those that are marked first, then by their number of votes."""
    judges = ballots.is_judge()
    compared, agreed = agreement_with_people(ballots, judges)
    votes = np.bincount(ballots.voters - UNNAMED, minlength=len(judges) + 1)[1:]
    marks = marks_of(ballots, judges)
    everyone = [
        Voter(name, int(votes[voter]), int(compared[voter]), int(agreed[voter]), marks.get(voter, ()))
        for voter, name in enumerate(ballots.names)
        if votes[voter]  # not one whose votes were all taken back
    ]
    everyone.sort(key=lambda voter: (not voter.marks, -voter.votes))
    is_judge = dict(zip(ballots.names, judges.tolist(), strict=True))
    return (
        tuple(voter for voter in everyone if not is_judge[voter.name]),
        tuple(voter for voter in everyone if is_judge[voter.name]),
    )


def agreement_with_people(ballots: Ballots, judges: BoolArray) -> tuple[IntArray, IntArray]:
    """Return for each voter how many votes can be compared with those of other people, and how many agree.

    A vote can be compared if it is no tie, and if of all other people's votes on its pair more are for one
    arm than for the other. Unnamed votes are people's. Judges are compared with people, not people with
    judges.
    """
    own = pair_votes(ballots, ballots.fresh & ballots.decisive)
    # the number of unnamed voters, -1, is the last
    of_people = np.append(~judges, True)[own.voter]
    votes, won = own.totals(of_people)
    lead = 2 * (won - own.won * of_people) - (votes - own.votes * of_people)
    agreed = np.where(lead > 0, own.won, own.votes - own.won)
    rows = (lead != 0) & (own.voter != UNNAMED)
    return (
        total(own.voter[rows], own.votes[rows], len(judges)),
        total(own.voter[rows], agreed[rows], len(judges)),
    )
