"""Duels that were asked and not yet answered: best effort, in memory or shared by several workers."""

from collections import OrderedDict, deque
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np

from duelist.duel import Duel
from duelist.journal import Journal
from duelist.journal.protocol import OpenDuelTable
from duelist.study.choices import ALONE, Items, Pair
from duelist.votes.counting import Comparison

MOST = 10_000
"""The largest number of voters with open duels; the oldest are forgotten first."""
MOST_OTHERS = 256
"""The number of latest duels without a voter that are remembered."""
EXPIRE_EVERY = 60.0
"""Seconds between two deletions of old rows of a shared table."""


class OpenDuel(NamedTuple):
    """A duel that was asked and not yet answered."""

    duel: Duel
    ticket: str
    pair: Pair | None
    time: float
    context: Any = None
    item: str | None = None


class OpenDuels(Protocol):
    """The store of a study's open duels.

    A voter who asks again gets the same duel again. `elsewhere` and `claim` may wait for a database and are
    called without the study's lock; the other methods return at once and are called with it.
    """

    waits: bool
    """Whether `elsewhere` and `claim` wait for a database."""

    @property
    def pairs(self) -> Mapping[Pair, int]:
        """The number of open duels of each pair."""

    def open(self, voter: str | None, opened: OpenDuel, first: bool = False) -> None:
        """Remember a duel that was asked; with `first`, it comes before the voter's other open duels."""

    def of(self, voter: str, context: Any, items: Items | None) -> list[OpenDuel]:
        """Return a voter's open duels in a context and, if there are items, on one of them."""

    def seen_by(self, voter: str) -> list[Comparison]:
        """Return the pairs of a voter's open duels, each with its item."""

    def close(self, voter: str | None, ticket: str) -> None:
        """Forget a duel that was answered or skipped, by the id of its ticket."""

    def close_anonymous(self) -> None:
        """Forget the duels that were asked without a voter."""

    def forget_arm(self, arm: int) -> None:
        """Forget the duels of a retired arm: they are not shown again."""

    def expire(self, now: float) -> None:
        """Forget duels that were asked too long ago and, if there are too many voters, the oldest."""

    def elsewhere(self, voter: str, now: float) -> str | None:
        """Return the sealed ticket of a voter's duel that another process may have opened."""

    def claim(self, voter: str, ticket: str, now: float, instead_of: str | None = None) -> str:
        """Open the duel of a sealed ticket for a voter in all processes; return the ticket that is open then.

        It is a different ticket if another process was faster, unless that one is `instead_of`.
        """


class DuelsInMemory:
    """The open duels of one process: kept until their voter answers or, without one, to the next event.

    Asks without a voter cannot be told apart. They are forgotten at the next event and change no later duel.
    """

    waits = False

    def __init__(self, timeout: float) -> None:
        self.timeout = timeout
        self.pairs: dict[Pair, int] = {}
        self._voters: OrderedDict[str, list[OpenDuel]] = OrderedDict()
        self._others: deque[OpenDuel] = deque()

    def open(self, voter: str | None, opened: OpenDuel, first: bool = False) -> None:
        """Remember a duel that was asked. See `OpenDuels.open`."""
        if voter is None:
            self._others.append(opened)
            if len(self._others) > MOST_OTHERS:
                self._uncount([self._others.popleft()])
        else:
            known = self._voters.setdefault(voter, [])
            known.insert(0 if first else len(known), opened)
            self._voters.move_to_end(voter)
        if opened.pair is not None:
            self.pairs[opened.pair] = self.pairs.get(opened.pair, 0) + 1

    def of(self, voter: str, context: Any, items: Items | None) -> list[OpenDuel]:
        """Return a voter's open duels. See `OpenDuels.of`."""
        among = ALONE if items is None else items
        opened = self._voters.get(voter, ())
        return [one for one in opened if np.array_equal(one.context, context) and one.item in among]

    def seen_by(self, voter: str) -> list[Comparison]:
        """Return the pairs of a voter's open duels. See `OpenDuels.seen_by`."""
        return [(*one.pair, one.item) for one in self._voters.get(voter, ()) if one.pair is not None]

    def close(self, voter: str | None, ticket: str) -> None:
        """Forget a duel. See `OpenDuels.close`."""
        if voter is not None and voter in self._voters:
            self._remove(voter, [one for one in self._voters[voter] if one.ticket == ticket])

    def close_anonymous(self) -> None:
        """Forget the duels that were asked without a voter."""
        if self._others:
            self._uncount(self._others)
            self._others.clear()

    def forget_arm(self, arm: int) -> None:
        """Forget the duels of an arm. See `OpenDuels.forget_arm`."""
        for voter, opened in list(self._voters.items()):
            self._remove(voter, [one for one in opened if one.pair is not None and arm in one.pair])

    def expire(self, now: float) -> None:
        """Forget old duels. See `OpenDuels.expire`."""
        while self._voters:
            voter, opened = next(iter(self._voters.items()))
            # all duels of a voter stay open as long as the newest one
            if len(self._voters) <= MOST and now - max(one.time for one in opened) <= self.timeout:
                return
            self._remove(voter, opened)

    def elsewhere(self, voter: str, now: float) -> str | None:
        """Return None: processes do not share this memory."""
        return None

    def claim(self, voter: str, ticket: str, now: float, instead_of: str | None = None) -> str:
        """Return the ticket: no other process can have been faster."""
        return ticket

    def _remove(self, voter: str, removed: list[OpenDuel]) -> None:
        left = [one for one in self._voters[voter] if one not in removed]
        self._uncount(removed)
        if left:
            self._voters[voter] = left
        else:
            del self._voters[voter]

    def _uncount(self, removed: Iterable[OpenDuel]) -> None:
        for one in removed:
            if one.pair is not None:
                self.pairs[one.pair] -= 1
                if self.pairs[one.pair] == 0:
                    del self.pairs[one.pair]


class SharedDuels(DuelsInMemory):
    """Open duels with a table that tells all processes which duel a voter was shown."""

    waits = True

    def __init__(self, timeout: float, table: OpenDuelTable) -> None:
        super().__init__(timeout)
        self._table, self._next_expiry = table, 0.0

    def elsewhere(self, voter: str, now: float) -> str | None:
        """Return the sealed ticket of a voter's duel. See `OpenDuels.elsewhere`."""
        if now >= self._next_expiry:
            self._next_expiry = now + EXPIRE_EVERY
            self._table.expire(now, self.timeout)
        return self._table.of(voter, now, self.timeout)

    def claim(self, voter: str, ticket: str, now: float, instead_of: str | None = None) -> str:
        """Open a duel in all processes. See `OpenDuels.claim`."""
        return self._table.offer(voter, ticket, now, self.timeout, instead_of)


def open_duels_of(journal: Journal, timeout: float) -> OpenDuels:
    """Return the store of open duels: the journal's table where workers share one, otherwise memory."""
    table = journal.open_duels
    return DuelsInMemory(timeout) if table is None else SharedDuels(timeout, table)
