"""Ratings of those arms that have one by now, and what there is to say of the others."""

from typing import NamedTuple

import numpy as np

from duelist.arena.standing.ballots import UNNAMED, Ballots
from duelist.duel import TIE, IntArray
from duelist.ratings import bradley_terry
from duelist.ratings.result import RatedArm
from duelist.text import count, counted
from duelist.votes import Votes

WON, LOST = "won every vote against rated arms", "lost every vote against rated arms"
APART, UNSEEN = "not compared with rated arms yet", "no votes yet"


class Rated(NamedTuple):
    """What arms are rated, by their numbers, and why others are not."""

    lines: dict[int, RatedArm]
    """In points: 400 are odds of 10 to 1, and 1,000 is the mean of all rated arms."""
    reasons: dict[int, str]
    """Why an arm has no rating; for all arms where there are no ratings."""
    note: str
    """What to know about the ratings, in sentences; why there are none, where there are none."""


def rate_arms(ballots: Ballots, wins: IntArray, ties: IntArray) -> Rated:
    """Rate the largest set of arms that have ratings, given the tallies of the votes.

    The most likely ratings are finite only among arms of which each won or tied against each other, directly
    or through others. Where some arms won, or lost, all their votes against these, those votes tell nothing
    about the differences among these: they are rated by the votes between them.
    """
    members = largest_part(wins, ties)
    unrated = {arm: reason(arm, members, wins, ties) for arm in range(len(wins)) if arm not in members}
    if len(members) < 2:
        why = "they need two arms or more that won and lost against each other, directly or through others"
        if not (wins + ties).any():
            why = "there are no votes"
        return Rated({}, dict.fromkeys(range(len(wins)), ""), f"There are no ratings yet: {why}.")
    within = np.ix_(members, members)
    if not wins[within].any():
        return Rated({}, dict.fromkeys(range(len(wins)), ""), "There are no ratings yet: all votes are ties.")
    votes, clusters = votes_between(ballots, members)
    by_voter = clusters > len(members)
    found = bradley_terry(votes, clusters="voter" if by_voter else None).on_elo_scale()
    lines = {members[int(line.arm)]: line for line in found.rows()}
    note = (
        "Intervals allow for votes of the same person resembling each other."
        if by_voter and (ballots.voters != UNNAMED).any()
        else "Intervals take every vote by itself."
    )
    if unrated:
        note = (
            f"{counted(len(members), 'arm')} of {count(len(wins))} have ratings, and ranks among each other; "
            f"the others do not yet. {note}"
        )
    return Rated(lines, unrated, note)


def largest_part(wins: IntArray, ties: IntArray) -> list[int]:
    """Return the most arms of which each won or tied against each other, directly or through others.

    Of equally many, it is those with more votes.
    """
    from scipy.sparse.csgraph import connected_components

    _, parts = connected_components(wins + ties > 0, directed=True, connection="strong")
    votes = np.bincount(parts, weights=(wins + wins.T + ties).sum(axis=1))
    largest = np.lexsort((votes, np.bincount(parts)))[-1]
    return [int(arm) for arm in np.flatnonzero(parts == largest)]


def reason(arm: int, members: list[int], wins: IntArray, ties: IntArray) -> str:
    """Return why an arm has no rating."""
    if not (wins[arm] + wins[:, arm] + ties[arm]).any():
        return UNSEEN
    if wins[arm, members].any():
        return WON
    return LOST if wins[members, arm].any() else APART


def votes_between(ballots: Ballots, members: list[int]) -> tuple[Votes, int]:
    """Return the votes between some arms, called by their places, and the number of independent voters."""
    place = np.full(ballots.k, -1)
    place[members] = np.arange(len(members))
    left, right = place[ballots.left], place[ballots.right]
    kept = ballots.fresh & (left >= 0) & (right >= 0)
    voters = ballots.voters[kept]
    outcomes = 0.5 + 0.5 * np.sign(ballots.outcomes[kept] - TIE)
    texts = np.array(["", *map(str, range(len(ballots.names)))], object)[voters - UNNAMED]
    names = [str(number) for number in range(len(members))]
    votes = Votes(names, left[kept], right[kept], outcomes, voters=texts)
    unnamed = int((voters == UNNAMED).sum())
    return votes, unnamed + len(np.unique(voters[voters != UNNAMED]))
