"""The standing of a study: the content of leaderboard and dashboard, as plain values."""

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
"""Maximum number of equally long stages of the chart of shares."""
MOST_APART = 7
"""Number of arms with their own layer in that chart: those shown most often."""


class ShareLayer(NamedTuple):
    """An arm's layer in the chart of shares: points of a polygon in a square of 100 by 100."""

    name: str
    points: str


class Shares(NamedTuple):
    """Share of appearances in duels per arm and stage; the shares of a stage sum to 1."""

    arms: tuple[str, ...]
    """The arms shown most often, in descending order."""
    others: int
    """Number of other arms, which share the last column."""
    ends: tuple[int, ...]
    """The number of the last vote of each stage."""
    rows: tuple[tuple[float, ...], ...]
    """For each stage, the share of each arm, then that of all others."""

    @property
    def layers(self) -> tuple[ShareLayer, ...]:
        """The layers of the chart from the bottom up; a stage is drawn at its last vote."""
        if not self.rows:
            return ()
        names = [*self.arms, *([f"{self.others} others"] if self.others else [])]
        across = [0.0, *(100.0 * end / self.ends[-1] for end in self.ends)]
        floors = [[100.0] * len(across)]
        layers = []
        for index, name in enumerate(names):
            column = [row[index] for row in self.rows]
            below = floors[-1]
            # the first stage's share is drawn from the first vote on
            above = [down - 100.0 * share for down, share in zip(below, [*column[:1], *column], strict=True)]
            outline = [*zip(across, above, strict=True), *reversed([*zip(across, below, strict=True)])]
            layers.append(ShareLayer(name, " ".join(f"{x:.4g},{y:.4g}" for x, y in outline)))
            floors.append(above)
        return tuple(layers)


def shares_of(votes: Votes) -> Shares:
    """Return how often each arm was shown, in stages of equally many votes, give or take one."""
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
    shares = np.hstack(columns) / np.maximum(shown.sum(axis=1, keepdims=True), 1.0)
    return Shares(
        arms=tuple(votes.arms[arm] for arm in apart),
        others=len(rest),
        ends=tuple(ends.tolist()),
        rows=tuple(tuple(row) for row in shares.tolist()),
    )


MOST_CIRCLES = 3
LONGEST_WAY = 6
"""Maximum number of arms of a cycle that are named."""


def circles_of(
    arms: Sequence[str], wins: FloatArray, retired: Collection[int], proven: Sequence[str]
) -> tuple[str, ...]:
    """Return a sentence for each cycle among the arms that are not retired; a tie is half a win for each.

    An arm beats another here if the confidence interval of its share of wins lies above 1/2, per pair and
    without correction for multiple comparisons.

    Parameters
    ----------
    arms : sequence of str
        The names of all arms.
    wins : array of shape (k, k)
        How often each arm beat each other.
    retired : collection of int
        The retired arms.
    proven : sequence of str
        The cycle that the verdict has proven and names already.
    """
    active = [arm for arm in range(len(arms)) if arm not in retired]
    votes = wins[np.ix_(active, active)]
    lower, upper = wilson_interval(votes, CONFIDENCE)
    matrix = np.where(lower > 0.5, 1.0, np.where(upper < 0.5, 0.0, 0.5))
    sentences, names = [], list(map(Labels(arms).in_sentence, arms))
    for cycle in cycles(matrix)[:MOST_CIRCLES]:
        way = [active[arm] for arm in cycle.shortest]
        if {arms[arm] for arm in way} == set(proven):
            continue
        if len(way) > LONGEST_WAY:
            sentences.append(f"{counted(len(way), 'arm')} beat each other in a cycle.")
            continue
        steps = [
            f"{names[one]} beats {names[other]} ({wins[one, other]:g} to {wins[other, one]:g})"
            for one, other in pairwise([*way, way[0]])
        ]
        sentences.append(f"{', '.join(steps[:-1])} and {steps[-1]}.")
    return tuple(sentences)


MOST_PAIRED = 30
"""Number of arms, the best first, in the table of pairs."""
LAST = 20
"""Number of latest votes to list."""


class PairStanding(NamedTuple):
    """The votes between two arms, from the first arm's side."""

    wins: float
    ties: float
    votes: float

    @property
    def heat(self) -> int:
        """The pair's colour from 0 (lost) to 10 (won); with few votes it stays near the middle.

        Examples
        --------
        >>> PairStanding(wins=1, ties=0, votes=1).heat, PairStanding(wins=60, ties=0, votes=60).heat
        (7, 10)
        """
        return round(10.0 * (self.wins + 0.5 * self.ties + 1.0) / (self.votes + 2.0))


@dataclass(frozen=True)
class Standing:
    """The current result of a study and its confidence."""

    seq: int
    """Number of the last journal event it includes."""
    answers: int
    """The number of votes that count."""
    repeats: int
    """How many of them repeat a voter's earlier vote on the same pair and item, and add no evidence."""
    unnamed: int
    """How many of them have no voter name."""
    verdict: str
    """The verdict as a sentence."""
    finding: str
    """ "winner", "no winner" or "undecided"."""
    leader: str | None
    """The arm with the most evidence in its favour; None without evidence."""
    confidence: float
    """Confidence that the leader is the winner."""
    delta: float
    closed: bool
    votes_left: tuple[float, float] | None
    """Approximate range of votes still needed; None if not computed."""
    leaderboard: Leaderboard
    ratings_note: str
    """A remark about the ratings, or why there are none."""
    pairs: tuple[tuple[PairStanding | None, ...], ...]
    """A square table of the first arms; None on the diagonal."""
    shares: Shares
    people: tuple[Voter, ...]
    judges: tuple[Voter, ...]
    circles: tuple[str, ...]
    """Cycles of arms that beat each other, as sentences."""
    last: tuple[Vote, ...]
    """The latest votes, newest first."""

    @property
    def done(self) -> bool:
        """Whether there are enough votes: a winner is proven, or it is proven that none exists."""
        return self.finding != "undecided"

    @property
    def more(self) -> str:
        """The approximate number of votes still needed, in words; empty if unknown or done."""
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
    """Return the standing of a study of arms.

    Parameters
    ----------
    study : Study
        A study of arms.
    delta : float, default 0.05
        The share of studies in which a verdict may be wrong.
    votes_left : tuple of two floats, optional
        The result of `Study.votes_left`, which can take seconds to compute.

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
    # a snapshot, because others may ask and tell while votes are read and counted
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
    some = np.ix_(order, order)
    tables = [table[some].tolist() for table in (tally.wins, tally.ties, tally.votes)]
    rows = range(len(order))
    return tuple(
        tuple(None if i == j else PairStanding(*(table[i][j] for table in tables)) for j in rows)
        for i in rows
    )


def note_on(board: Leaderboard) -> str:
    if board.ratings is None:
        why = "there are no votes"
        if any(row.votes for row in board.rows):
            won = any(row.wins for row in board.rows)
            few = "no two arms have both won and lost against each other, directly or through other arms"
            why = few if won else "all votes are ties"
        return f"No ratings yet: {why}."
    note = board.note
    if board.ratings.unrated:
        rated = f"{count(len(board.ratings.arms))} of {count(len(board.rows))} arms have ratings"
        note = f"{rated}, and ranks among each other; the rest have none yet. {note}"
    return note


def sentence(verdict: Verdict, label: Labels) -> str:
    """Return a verdict as a sentence, with names of arms shortened where they are too long."""
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
