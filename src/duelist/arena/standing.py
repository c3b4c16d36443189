"""How a study stands: all that a leaderboard and a dashboard say, as plain values."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import isinf
from typing import NamedTuple

import numpy as np

from duelist.analysis.analysis import verdict_of
from duelist.analysis.leaderboard import Leaderboard, leaderboard_of
from duelist.arena.voters import Voter, voters_of
from duelist.assumptions import cycles
from duelist.defaults import CONFIDENCE, DELTA
from duelist.duel import FloatArray
from duelist.preferences import wilson_interval
from duelist.stopping import Verdict
from duelist.study import Study
from duelist.study.state import require_verdicts
from duelist.text import Labels, count, counted
from duelist.votes.counting import Tally
from duelist.votes.counting import count as count_votes
from duelist.votes.table import Vote, Votes

MOST_STAGES = 40
"""Into how many stages of equal length the votes are divided, at most."""
MOST_APART = 7
"""How many arms are told apart: those shown most often."""


class ShareLayer(NamedTuple):
    """An arm's part of a chart of shares, as points of a polygon; 100 across and 100 down are all."""

    name: str
    points: str


class Shares(NamedTuple):
    """The share of places in duels that each arm filled, stage by stage; the shares of a stage sum to 1."""

    arms: tuple[str, ...]
    """Those shown most often, the most often first."""
    others: int
    """How many other arms there are; they share the last column, if there are any."""
    ends: tuple[int, ...]
    """The number of the last vote of each stage."""
    rows: tuple[tuple[float, ...], ...]
    """For each stage the share of each arm, then that of all others."""

    @property
    def layers(self) -> tuple[ShareLayer, ...]:
        """The layers of a chart, from the bottom up; a stage lies where its last vote does."""
        if not self.rows:
            return ()
        names = [*self.arms, *([f"{self.others} others"] if self.others else [])]
        across = [0.0, *(100.0 * end / self.ends[-1] for end in self.ends)]
        floors = [[100.0] * len(across)]
        layers = []
        for place, name in enumerate(names):
            column = [row[place] for row in self.rows]
            below = floors[-1]
            # a stage's share holds from its beginning
            above = [down - 100.0 * share for down, share in zip(below, [*column[:1], *column], strict=True)]
            outline = [*zip(across, above, strict=True), *reversed([*zip(across, below, strict=True)])]
            layers.append(ShareLayer(name, " ".join(f"{x:.4g},{y:.4g}" for x, y in outline)))
            floors.append(above)
        return tuple(layers)


def shares_of(votes: Votes) -> Shares:
    """Return who was shown how often, in stages of equally many votes, give or take one."""
    n, k = len(votes.left), votes.k
    stages = min(n, MOST_STAGES)
    ends = np.arange(1, stages + 1) * n // max(stages, 1)
    stage = np.searchsorted(ends, np.arange(n), side="right")
    shown = np.zeros((stages, k))
    for side in (votes.left, votes.right):
        shown += np.bincount(stage * k + side, minlength=stages * k).reshape(stages, k)
    order = np.argsort(-shown.sum(axis=0), kind="stable")
    apart, rest = (order, order[:0]) if k <= MOST_APART + 1 else (order[:MOST_APART], order[MOST_APART:])
    columns = [shown[:, apart], *([shown[:, rest].sum(axis=1, keepdims=True)] if len(rest) else [])]
    places = np.hstack(columns) / np.maximum(shown.sum(axis=1, keepdims=True), 1.0)
    return Shares(
        arms=tuple(votes.arms[arm] for arm in apart),
        others=len(rest),
        ends=tuple(ends.tolist()),
        rows=tuple(tuple(row) for row in places.tolist()),
    )


MOST_CIRCLES = 3
LONGEST_WAY = 6
"""Arms of a circle that are named."""


def circles_of(
    arms: Sequence[str], wins: FloatArray, retired: Collection[int], proven: Sequence[str]
) -> tuple[str, ...]:
    """Return a sentence for each circle among arms that may be shown; a tie is half a win for each.

    An arm beats another here if the interval of its share of wins, for each pair by itself, lies above 1/2.

    Parameters
    ----------
    arms : sequence of str
        The names of all arms.
    wins : array of shape (k, k)
        Who beat whom how often.
    retired : collection of int
        The arms that are shown no more.
    proven : sequence of str
        The circle that a verdict has proven, which the verdict tells already.
    """
    active = [arm for arm in range(len(arms)) if arm not in retired]
    votes = wins[np.ix_(active, active)]
    lower, upper = wilson_interval(votes, CONFIDENCE)
    matrix = np.where(lower > 0.5, 1.0, np.where(upper < 0.5, 0.0, 0.5))
    told, names = [], list(map(Labels(arms).in_sentence, arms))
    for cycle in cycles(matrix)[:MOST_CIRCLES]:
        way = [active[arm] for arm in cycle.shortest]
        if {arms[arm] for arm in way} == set(proven):
            continue
        if len(way) > LONGEST_WAY:
            told.append(f"{counted(len(way), 'arm')} beat each other in a circle.")
            continue
        steps = [
            f"{names[one]} beats {names[other]} ({wins[one, other]:g} to {wins[other, one]:g})"
            for one, other in pairwise([*way, way[0]])
        ]
        told.append(f"{', '.join(steps[:-1])} and {steps[-1]}.")
    return tuple(told)


MOST_PAIRED = 30
"""How many arms are compared pair by pair: the best, of more than a page can show."""
LAST = 20
"""How many of the last votes are listed."""


class PairStanding(NamedTuple):
    """How the votes between two arms went, seen from the first."""

    wins: float
    ties: float
    votes: float

    @property
    def heat(self) -> int:
        """How warm a pair is, from 0, lost, to 10, won; few votes leave it near the middle.

        Examples
        --------
        >>> PairStanding(wins=1, ties=0, votes=1).heat, PairStanding(wins=60, ties=0, votes=60).heat
        (7, 10)
        """
        return round(10.0 * (self.wins + 0.5 * self.ties + 1.0) / (self.votes + 2.0))


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
    leaderboard: Leaderboard
    ratings_note: str
    """What to know about the ratings, or why there are none."""
    pairs: tuple[tuple[PairStanding | None, ...], ...]
    """A row for each of the first arms, a column too; None for an arm and itself."""
    shares: Shares
    people: tuple[Voter, ...]
    judges: tuple[Voter, ...]
    circles: tuple[str, ...]
    """Arms that beat each other in a circle, in sentences."""
    last: tuple[Vote, ...]
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
    study: Study, delta: float = DELTA, *, votes_left: tuple[float, float] | None = None
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
    PairStanding(wins=20.0, ties=0.0, votes=20.0)
    """
    state = study.state()
    # others may ask and tell while votes are read and counted
    require_verdicts(state)
    votes = state.votes()
    tally = count_votes(votes)
    verdict = verdict_of(votes, tally, delta)
    board = leaderboard_of(votes, tally=tally, scale="elo")
    people, judges = voters_of(votes)
    return Standing(
        seq=state.seq,
        answers=tally.answers,
        repeats=tally.repeats,
        unnamed=tally.answers if votes.voters is None else int(votes.voters.missing.sum()),
        verdict=sentence(verdict, Labels(votes.arms)),
        finding=verdict.finding,
        leader=verdict.leader if verdict.confidence > 0.0 or verdict.winner else None,
        confidence=verdict.confidence,
        delta=delta,
        closed=state.closed,
        votes_left=votes_left,
        leaderboard=board,
        ratings_note=note_on(board),
        pairs=pairs_of([row.number for row in board.rows[:MOST_PAIRED]], tally),
        shares=shares_of(votes),
        people=people,
        judges=judges,
        circles=circles_of(votes.arms, tally.scores, votes.retired, verdict.circle),
        last=tuple(reversed(votes[max(len(votes) - LAST, 0) :])),
    )


def pairs_of(order: list[int], tally: Tally) -> tuple[tuple[PairStanding | None, ...], ...]:
    """Return how the votes between arms went, in this order."""
    some = np.ix_(order, order)
    tables = [table[some].tolist() for table in (tally.wins, tally.ties, tally.votes)]
    places = range(len(order))
    return tuple(
        tuple(None if i == j else PairStanding(*(table[i][j] for table in tables)) for j in places)
        for i in places
    )


def note_on(board: Leaderboard) -> str:
    """Return what to know about the ratings, or why there are none."""
    if board.ratings is None:
        why = "There are no votes."
        if any(row.votes for row in board.rows):
            won = any(row.wins for row in board.rows)
            few = "No two arms have won and lost against each other yet, directly or through others."
            why = few if won else "All votes are ties."
        return f"There are no ratings yet. {why}"
    note = board.note
    if board.ratings.unrated:
        rated = f"{count(len(board.ratings.arms))} of {count(len(board.rows))} arms have ratings"
        note = f"{rated}, and ranks among each other; the others do not yet. {note}"
    return note


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
