"""The votes of a study as columns: read once, and then only what was added since."""

from array import array
from bisect import bisect_right
from threading import Lock
from typing import NamedTuple

import numpy as np

from duelist.arena.judges.judge import is_judge
from duelist.duel import TIE, BoolArray, FloatArray, IntArray
from duelist.journal import Answered, Recorded
from duelist.study import Study
from duelist.study.choices import require_named
from duelist.study.live_fold import without_collections

UNNAMED = -1
"""The number of a voter whose name is not known."""


class Ballots(NamedTuple):
    """Votes that count, in the order in which they were recorded, a row for each."""

    arms: tuple[str, ...]
    """The names of all arms, those that are retired too."""
    left: IntArray
    right: IntArray
    outcomes: FloatArray
    """1 where the left arm was preferred, 0 where the right one was, 0.5 for a tie."""
    times: FloatArray
    """Seconds since 1970; 0 where it is not known."""
    voters: IntArray
    """The voter's place in `names`, or `UNNAMED`."""
    names: tuple[str, ...]
    items: tuple[str | None, ...]
    """The items of the last votes, where they have one."""
    tickets: tuple[str, ...]
    """The ticket ids of the last votes."""
    fresh: BoolArray
    """Whether the voter had not voted on the same pair and item before: other votes prove nothing new."""

    @property
    def k(self) -> int:
        """The number of arms."""
        return len(self.arms)

    @property
    def decisive(self) -> BoolArray:
        """Which votes are no ties."""
        return np.asarray(self.outcomes != TIE)

    def is_judge(self) -> BoolArray:
        """Return which voters are judges, in the order of `names`."""
        return np.array([is_judge(name) for name in self.names], np.bool_)

    def tallies(self) -> tuple[IntArray, IntArray]:
        """Return who beat whom how often, and who tied with whom how often, repeated votes left out.

        A vote by degree, such as 0.8, counts for the arm that it prefers.
        """
        left, right, outcomes = self.left[self.fresh], self.right[self.fresh], self.outcomes[self.fresh]
        won, lost = outcomes > TIE, outcomes < TIE
        winner = np.where(won, left, right)[won | lost]
        loser = np.where(won, right, left)[won | lost]
        ties = count_pairs(self.k, left[outcomes == TIE], right[outcomes == TIE])
        return count_pairs(self.k, winner, loser), ties + ties.T


def count_pairs(k: int, first: IntArray, second: IntArray) -> IntArray:
    """Return how often each of k arms came first with each other second."""
    return np.bincount(first * k + second, minlength=k * k).reshape(k, k)


class Moment(NamedTuple):
    """What a study knows after its first `seq` events, besides the votes."""

    seq: int
    arms: tuple[str, ...]
    """The names of all arms, those that are retired too."""
    retired: frozenset[int]
    left_out: frozenset[str]
    """The tickets whose answers were taken back."""
    closed: bool


def moment_of(study: Study) -> Moment:
    """Return what a study of arms knows now, besides the votes."""
    with study.live.lock:
        fold = study.live.current()
        arms = require_named(fold.choices)
        return Moment(
            fold.seq, tuple(arms.names), frozenset(arms.retired), frozenset(fold.left_out), fold.closed
        )


class BallotBox:
    """Reads the votes of a study, and keeps them, so that a second look reads only what is new.

    Parameters
    ----------
    study : Study
        A study of arms.

    Examples
    --------
    >>> from duelist import Duel
    >>> study = Study(arms=["haiku", "limerick"])
    >>> box = BallotBox(study)
    >>> study.tell(Duel("haiku", "limerick"), "left", voter="ann")
    >>> study.tell(Duel("limerick", "haiku"), "tie")
    >>> ballots = box.count()
    >>> ballots.names, ballots.voters.tolist(), ballots.outcomes.tolist()
    (('ann',), [0, -1], [1.0, 0.5])
    """

    def __init__(self, study: Study) -> None:
        self._study, self._seq, self._lock = study, 0, Lock()
        self._seqs, self._left, self._right = array("q"), array("q"), array("q")
        self._voters, self._items = array("q"), array("q")
        self._outcomes, self._times = array("d"), array("d")
        self._tickets: list[str] = []
        self._numbers: dict[str, int] = {}
        self._item_numbers: dict[str | None, int] = {}

    def count(self, moment: Moment | None = None, last: int = 20) -> Ballots:
        """Return all votes that count, by now or at a moment, with the ticket ids of the `last` ones."""
        moment = moment or moment_of(self._study)
        with self._lock:
            if moment.seq > self._seq:
                self._follow(moment.seq)
            many = bisect_right(self._seqs, moment.seq)
            left, right, voters, items = (
                np.array(one[:many], np.int64) for one in (self._left, self._right, self._voters, self._items)
            )
            outcomes, times = (np.array(one[:many], np.float64) for one in (self._outcomes, self._times))
            tickets, names = self._tickets[:many], tuple(self._numbers)
            item_names = tuple(self._item_numbers)
        kept = np.ones(many, np.bool_)
        if moment.left_out:
            kept = np.fromiter((ticket not in moment.left_out for ticket in tickets), np.bool_, many)
        left, right, voters, items = left[kept], right[kept], voters[kept], items[kept]
        newest = np.flatnonzero(kept)[max(len(left) - last, 0) :]
        return Ballots(
            arms=moment.arms,
            left=left,
            right=right,
            outcomes=outcomes[kept],
            times=times[kept],
            voters=voters,
            names=names,
            items=tuple(item_names[item] for item in items[len(items) - len(newest) :]),
            tickets=tuple(tickets[row] for row in newest),
            fresh=first_of_each(len(moment.arms), left, right, voters, items),
        )

    def _follow(self, seq: int) -> None:
        with without_collections():
            for recorded in self._study.journal.read(self._seq):
                if recorded.seq > seq:
                    break
                self._add(recorded)
        self._seq = seq

    def _add(self, recorded: Recorded) -> None:
        event = recorded.event
        if not (isinstance(event, Answered) and isinstance(event.left, int) and isinstance(event.right, int)):
            return
        self._seqs.append(recorded.seq)
        self._left.append(event.left)
        self._right.append(event.right)
        self._outcomes.append(event.outcome)
        self._times.append(event.time)
        self._tickets.append(event.ticket)
        self._items.append(self._item_numbers.setdefault(event.item, len(self._item_numbers)))
        known = self._numbers
        self._voters.append(UNNAMED if event.voter is None else known.setdefault(event.voter, len(known)))


def first_of_each(k: int, left: IntArray, right: IntArray, voters: IntArray, items: IntArray) -> BoolArray:
    """Return which votes are a voter's first on their pair and item; those of unnamed voters all are."""
    fresh = np.asarray(voters == UNNAMED)
    named = np.flatnonzero(~fresh)
    pair = np.minimum(left, right) * k + np.maximum(left, right)
    sight = (voters * (items.max(initial=0) + 1) + items) * k * k + pair
    _, first = np.unique(sight[named], return_index=True)
    fresh[named[first]] = True
    return fresh
