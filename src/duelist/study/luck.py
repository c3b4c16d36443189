"""Luck that depends on what is asked and on nothing else, so that asking once more does no harm."""

from functools import lru_cache
from hashlib import blake2b

import numpy as np
from numpy.random import Generator, Philox, SeedSequence

START = np.iinfo(np.uint64).max
"""In the place of a sequence number: luck of the beginning, such as orders of arms."""


class Luck:
    """A generator that is set to a place of its own before every use, rather than made anew.

    The place is a counter of NumPy's Philox. Equal places give equal luck, in any process and in any order,
    and different places never overlap.

    Examples
    --------
    >>> luck = Luck(seed=7)
    >>> first = luck.at(seq=3).random()
    >>> luck.at(seq=4).random() == first, luck.at(seq=3).random() == first
    (False, True)
    """

    def __init__(self, seed: int, worker: int = 0) -> None:
        self._source = Philox(key=SeedSequence([seed, worker]).generate_state(2, np.uint64))
        self._rng = Generator(self._source)
        self._blank = self._source.state
        self._counter = self._blank["state"]["counter"]

    def at(self, seq: int, asks: int = 0, voter: str | None = None) -> Generator:
        """Return the generator, set to an ask: after which event, which ask since then, and for whom."""
        counter = self._counter
        counter[0], counter[1], counter[2] = 0, seq, asks
        counter[3] = 0 if voter is None else voter_number(voter)
        self._source.state = self._blank
        return self._rng

    def start(self) -> Generator:
        """Return the generator, set to the beginning of a study."""
        return self.at(START)

    def rank(self, arm: int) -> float:
        """Return a number that gives an arm its place in orders drawn at the start, whenever it joined."""
        return self.at(START, arm + 1).random()


def draft_luck(ticket: str, page: int) -> Generator:
    """Return the luck of one page of a list: given the id of its ticket, to draft it again gives the same.

    Examples
    --------
    >>> first, again, next_page = (draft_luck("0a" * 16, page).random() for page in (1, 1, 2))
    >>> first == again, first == next_page
    (True, False)
    """
    return Generator(Philox(key=int(ticket, 16), counter=page << 64))


@lru_cache(maxsize=4096)
def voter_number(voter: str) -> int:
    """Return a number from 1 that stands for a voter."""
    return int.from_bytes(blake2b(voter.encode(), digest_size=8).digest(), "little") | 1
