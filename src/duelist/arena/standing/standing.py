"""How a study stands: all that a leaderboard and a dashboard say, as plain values."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from math import isinf
from typing import NamedTuple

from duelist.arena.standing.arms import ArmStanding, PairStanding, arms_of, pairs_of
from duelist.arena.standing.ballots import UNNAMED, BallotBox, Ballots, moment_of
from duelist.arena.standing.circles import circles_of
from duelist.arena.standing.labels import Labels
from duelist.arena.standing.rating import rate_arms
from duelist.arena.standing.shares import Shares, shares_of
from duelist.arena.standing.voters import Voter, voters_of
from duelist.stopping import Verdict
from duelist.study import Study
from duelist.study.votes import EARLIEST, EPOCH, LATEST, WORDS
from duelist.text import count

MOST_PAIRED = 30
"""How many arms are compared pair by pair: the best, of more than a page can show."""
LAST = 20
"""How many of the last votes are listed."""


class LastVote(NamedTuple):
    """A vote, as it can be looked up and taken back."""

    ticket: str
    time: datetime | None
    voter: str | None
    left: str
    right: str
    outcome: str | float
    item: str | None


@dataclass(frozen=True)
class Standing:
    """What the votes of a study say by now, and how sure it is."""

    seq: int
    """The number of the journal's last event that it knows."""
    answers: int
    """The number of votes that count."""
    repeats: int
    """How many of them repeat a voter's earlier vote on the same pair and item, and prove nothing new."""
    unnamed: int
    """How many of them name no voter."""
    verdict: str
    """What is proven, in a sentence."""
    finding: str
    """ "winner", "no winner" or "undecided"."""
    leader: str | None
    """The arm with the most evidence for it; None while there is none."""
    confidence: float
    """How sure it is that the leader is the winner."""
    delta: float
    closed: bool
    votes_left: tuple[float, float] | None
    """About how many more votes it will take; None where it was not computed."""
    arms: tuple[ArmStanding, ...]
    """The best first."""
    ratings_note: str
    """What to know about the ratings, or why there are none."""
    pairs: tuple[tuple[PairStanding | None, ...], ...]
    """A row for each of the first arms, a column too; None for an arm and itself."""
    shares: Shares
    people: tuple[Voter, ...]
    judges: tuple[Voter, ...]
    circles: tuple[str, ...]
    """Arms that beat each other in a circle, in sentences."""
    last: tuple[LastVote, ...]
    """The last votes, the newest first."""

    @property
    def done(self) -> bool:
        """Whether there are enough votes: a winner is proven, or that there is none."""
        return self.finding != "undecided"

    @property
    def more(self) -> str:
        """About how many more votes it will take, in words; nothing where it is not known, or done."""
        if self.done or self.votes_left is None:
            return ""
        low, high = self.votes_left
        if isinf(low):
            return "no end in sight"
        if isinf(high):
            return f"at least about {count(round(low))} more"
        many = f"about {count(round(low))}"
        return f"{many} more" if round(low) == round(high) else f"{many} to {count(round(high))} more"


def standing_of(
    study: Study,
    delta: float = 0.05,
    *,
    votes_left: tuple[float, float] | None = None,
    box: BallotBox | None = None,
) -> Standing:
    """Return how a study of arms stands.

    Parameters
    ----------
    study : Study
        A study of arms.
    delta : float, default 0.05
        The share of studies in which a verdict may be wrong.
    votes_left : tuple of two floats, optional
        What `Study.votes_left` returned, which can take seconds.
    box : BallotBox, optional
        Of the same study: who looks often keeps one, so that only new votes are read.

    Examples
    --------
    >>> from duelist import Duel
    >>> study = Study(arms=["haiku", "limerick"])
    >>> for number in range(20):
    ...     study.tell(Duel("haiku", "limerick"), "left", voter=f"voter {number}")
    >>> standing = standing_of(study)
    >>> standing.leader, standing.done, len(standing.people)
    ('haiku', True, 20)
    >>> standing.pairs[0][1]
    PairStanding(wins=20, ties=0, votes=20)
    """
    with study.live.lock:
        moment, verdict = moment_of(study), study.verdict(delta)
    # others may ask and tell while votes are read and counted
    ballots = (box or BallotBox(study)).count(moment, LAST)
    wins, ties = ballots.tallies()
    rated = rate_arms(ballots, wins, ties)
    arms = arms_of(ballots.arms, moment.retired, wins, ties, rated)
    people, judges = voters_of(ballots)
    return Standing(
        seq=moment.seq,
        answers=len(ballots.left),
        repeats=int((~ballots.fresh).sum()),
        unnamed=int((ballots.voters == UNNAMED).sum()),
        verdict=sentence(verdict, Labels(ballots.arms)),
        finding=verdict.finding,
        leader=verdict.leader if verdict.confidence > 0.0 or verdict.winner else None,
        confidence=verdict.confidence,
        delta=delta,
        closed=moment.closed,
        votes_left=votes_left,
        arms=arms,
        ratings_note=rated.note,
        pairs=pairs_of([arm.number for arm in arms[:MOST_PAIRED]], wins, ties),
        shares=shares_of(ballots),
        people=people,
        judges=judges,
        circles=circles_of(ballots.arms, wins + 0.5 * ties, moment.retired, verdict.circle),
        last=last_votes(ballots),
    )


def sentence(verdict: Verdict, label: Labels) -> str:
    """Return a verdict in words, with the names of arms as far as there is room for them."""
    named = label.in_sentence
    return str(
        replace(
            verdict,
            winner=None if verdict.winner is None else named(verdict.winner),
            circle=tuple(map(named, verdict.circle)),
            leader=named(verdict.leader),
            unproven=tuple(map(named, verdict.unproven)),
            rivals=tuple(map(named, verdict.rivals)),
        )
    )


def last_votes(ballots: Ballots) -> tuple[LastVote, ...]:
    """Return the last votes, the newest first."""
    first = len(ballots.left) - len(ballots.tickets)
    return tuple(
        LastVote(
            ticket=ballots.tickets[row - first],
            time=date_of(float(ballots.times[row])),
            voter=None if ballots.voters[row] == UNNAMED else ballots.names[ballots.voters[row]],
            left=ballots.arms[ballots.left[row]],
            right=ballots.arms[ballots.right[row]],
            outcome=WORDS.get(float(ballots.outcomes[row]), float(ballots.outcomes[row])),
            item=ballots.items[row - first],
        )
        for row in range(len(ballots.left) - 1, first - 1, -1)
    )


def date_of(seconds: float) -> datetime | None:
    """Return a time; None for the first second of 1970, which stands for one that is not known."""
    return EPOCH + timedelta(seconds=min(max(seconds, EARLIEST), LATEST)) if seconds else None
