"""Cycles: arms that beat each other all the way round."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from duelist.duel import BoolArray
from duelist.preferences import beats


class Cycle(NamedTuple):
    """Arms of which each is beaten by another, directly or through others, and beats it so too."""

    arms: tuple[int, ...]
    """All of them, in their order."""
    shortest: tuple[int, ...]
    """A shortest way round: each beats the next, and the last the first."""


def cycles(matrix: ArrayLike) -> tuple[Cycle, ...]:
    """Return every set of arms that no order can tell apart, the strongest set first.

    These are the strongly connected parts of who beats whom that have more than one arm. Ties beat nobody.

    References
    ----------
    Moon (1968). Topics on tournaments. Section 3: irreducible tournaments.

    Examples
    --------
    Three arms in a cycle, and one that loses to all of them.

    >>> cycles([[0.5, 0.9, 0.1, 0.6], [0.1, 0.5, 0.9, 0.6], [0.9, 0.1, 0.5, 0.6], [0.4, 0.4, 0.4, 0.5]])
    (Cycle(arms=(0, 1, 2), shortest=(0, 1, 2)),)
    """
    wins = beats(matrix)
    reaches = wins
    for _ in range(len(wins).bit_length()):
        reaches = reaches | _follow(reaches, reaches)
    together = reaches & reaches.T
    parts = {tuple(np.flatnonzero(row).tolist()): None for row in together if row.any()}
    # an arm of a stronger part reaches all that an arm of a weaker one does, and more
    strongest_first = sorted(parts, key=lambda part: (-int(reaches[part[0]].sum()), part))
    return tuple(Cycle(part, _shortest(wins, part)) for part in strongest_first)


def _follow(first: BoolArray, then: BoolArray) -> BoolArray:
    """Return who reaches whom by one step of each kind; counts of ways are exact in floats."""
    return first.astype(np.float64) @ then.astype(np.float64) > 0.0


def _shortest(wins: BoolArray, part: tuple[int, ...]) -> tuple[int, ...]:
    """Return a shortest cycle among arms that are known to have one."""
    inside = wins[np.ix_(part, part)]
    by_length = [inside]
    while not by_length[-1].diagonal().any():
        by_length.append(_follow(inside, by_length[-1]))
    way = [int(np.argmax(by_length[-1].diagonal()))]
    for rest in by_length[-2::-1]:
        way.append(int(np.argmax(inside[way[-1]] & rest[:, way[0]])))
    return tuple(part[arm] for arm in way)
