"""Arms that beat each other in a circle, in words."""

from collections.abc import Collection, Sequence
from itertools import pairwise

import numpy as np

from duelist.arena.standing.labels import Labels
from duelist.assumptions import cycles
from duelist.duel import FloatArray
from duelist.preferences import wilson_interval
from duelist.text import counted

CONFIDENCE = 0.95
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
