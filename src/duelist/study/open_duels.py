"""Duels that were asked and are not yet answered: best effort, in the memory of one process."""

from collections import OrderedDict, deque
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from duelist.duel import Duel
from duelist.study.choices import ALONE, Items, Pair
from duelist.votes.counting import Sight

MOST = 10_000
"""Voters whose open duels are remembered; the oldest are forgotten first."""

MOST_OTHERS = 256
"""Duels without a voter that are remembered, the last ones."""


class OpenDuel(NamedTuple):
    """A duel that somebody is looking at."""

    duel: Duel
    ticket: str
    pair: Pair | None
    time: float
    context: Any = None
    item: str | None = None


class OpenDuels:
    """Open duels: those of voters until they answer, and of others until the next event.

    A voter who asks again gets the same duel again. An ask without a voter cannot be told from another one,
    so that it is remembered only as long as nothing else happens: it changes no later duel.
    """

    def __init__(self, patience: float) -> None:
        self.patience = patience
        self.pairs: dict[Pair, int] = {}
        """How many open duels each pair has."""
        self._voters: OrderedDict[str, list[OpenDuel]] = OrderedDict()
        self._others: deque[OpenDuel] = deque()

    def add(self, voter: str | None, opened: OpenDuel) -> None:
        """Remember a duel that was asked."""
        if voter is None:
            self._others.append(opened)
            if len(self._others) > MOST_OTHERS:
                self._uncount([self._others.popleft()])
        else:
            self._voters.setdefault(voter, []).append(opened)
            self._voters.move_to_end(voter)
        if opened.pair is not None:
            self.pairs[opened.pair] = self.pairs.get(opened.pair, 0) + 1

    def add_first(self, voter: str, opened: OpenDuel) -> None:
        """Remember a duel that a voter is shown before their other ones."""
        self.add(voter, opened)
        self._voters[voter].insert(0, self._voters[voter].pop())

    def of(self, voter: str, context: Any, items: Items | None) -> list[OpenDuel]:
        """Return a voter's open duels in a context, on one of the items if there are any."""
        among = ALONE if items is None else items
        opened = self._voters.get(voter, ())
        return [one for one in opened if np.array_equal(one.context, context) and one.item in among]

    def seen_by(self, voter: str) -> list[Sight]:
        """Return the pairs of a voter's open duels, each with its item."""
        return [(*one.pair, one.item) for one in self._voters.get(voter, ()) if one.pair is not None]

    def expire(self, now: float) -> None:
        """Forget duels that were asked too long ago, and of too many voters those who asked first."""
        while self._voters:
            voter, opened = next(iter(self._voters.items()))
            if len(self._voters) <= MOST and now - opened[-1].time <= self.patience:
                return
            self._remove(voter, opened)

    def close(self, voter: str | None, ticket: str) -> None:
        """Forget a duel that was answered or skipped."""
        if voter is not None and voter in self._voters:
            self._remove(voter, [one for one in self._voters[voter] if one.ticket == ticket])

    def next_event(self) -> None:
        """Forget the duels that were asked without a voter."""
        if self._others:
            self._uncount(self._others)
            self._others.clear()

    def forget_arm(self, arm: int) -> None:
        """Forget the duels of an arm that is retired: they are not shown again."""
        for voter, opened in list(self._voters.items()):
            self._remove(voter, [one for one in opened if one.pair is not None and arm in one.pair])

    def _remove(self, voter: str, gone: list[OpenDuel]) -> None:
        left = [one for one in self._voters[voter] if one not in gone]
        self._uncount(gone)
        if left:
            self._voters[voter] = left
        else:
            del self._voters[voter]

    def _uncount(self, gone: Iterable[OpenDuel]) -> None:
        for one in gone:
            if one.pair is not None:
                self.pairs[one.pair] -= 1
                if self.pairs[one.pair] == 0:
                    del self.pairs[one.pair]
