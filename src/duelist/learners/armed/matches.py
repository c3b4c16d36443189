"""Matches: pairs that meet again and again until a confidence bound tells who is better.

Interleaved Filter and SAVAGE both play a set of matches in sweeps, one duel of every match a sweep, in a
fixed order. A match concerns no other match until one is decided, so `race` plays all of them to that point
without playing single duels: it draws as many duels of a match at once as cannot yet decide it.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.duel import FloatArray, IntArray
from duelist.kernels.arms import wins_in
from duelist.kernels.compile import borrowing, compiled
from duelist.kernels.loop import Run


class Race(NamedTuple):
    """A set of matches, all of which have had the same number of duels."""

    left: IntArray
    right: IntArray
    wins: FloatArray  # of the left arm
    duels: IntArray


@borrowing
def verdict(spread: float, wins: float, duels: float) -> int:
    """Return 1 or -1 when the bound sqrt(spread / duels) tells that the left or the right arm is better.

    Both sides are multiplied by the number of duels: |wins - duels / 2| >= sqrt(spread duels).
    """
    lead = wins - 0.5 * duels
    if lead * lead < spread * duels or lead == 0.0:
        return 0
    return 1 if lead > 0.0 else -1


@borrowing
def calm(spread: float, wins: float, duels: float) -> int:
    """Return how many coming duels cannot decide a match, whatever their outcomes; at least 1.

    If one side wins all further duels, and the other had x wins, the match is decided when y duels satisfy
    y / 2 - x >= sqrt(spread y): from sqrt(y) = r + sqrt(r^2 + 2 x) on, with r = sqrt(spread).
    """
    root = sqrt(spread) + sqrt(spread + 2.0 * min(wins, duels - wins))
    # rounding may only make the calm shorter, and a single duel is always drawn alone
    return max(int(root * root * (1.0 - 1e-12) - duels), 1)


@compiled
def race(spread: float, either: bool, cap: int, matches: Race, run: Run) -> int:
    """Play matches to the first that binds all, or for `cap` sweeps; return its index, or -1.

    A match that the right arm wins binds all, and, if `either`, one that the left arm wins; otherwise the
    latter just ends. Afterwards every match has as many duels as when played in sweeps: if `either`, up to
    the very duel that decided; if not, up to the end of its sweep, or its own end.

    Exact in distribution. Matches are drawn ahead in the order of their duels, each by a stretch that cannot
    be decided before its last duel. When a match binds, all others began their last stretch before that
    sweep; how many of its wins fall before the sweep is an urn draw, since their order does not matter.
    """
    size = len(matches.left)
    start = matches.duels.copy()
    at_start = matches.wins.copy()
    end = matches.duels[0] + cap
    binding = -1
    queue, waiting = np.empty(size, np.int64), size
    for i in range(size):
        queue[i] = matches.duels[i] * size + i
    while waiting > 0:
        duels, i = divmod(queue[0], size)
        if duels >= end:
            break
        stretch = min(calm(spread, matches.wins[i], duels), end - duels)
        start[i] = duels
        at_start[i] = matches.wins[i]
        matches.wins[i] += wins_in(run, matches.left[i], matches.right[i], stretch)
        matches.duels[i] = duels + stretch
        decided = verdict(spread, matches.wins[i], matches.duels[i])
        if decided == 0:
            put_first(queue, waiting, matches.duels[i] * size + i)
        else:
            waiting -= 1
            put_first(queue, waiting, queue[waiting])
            if either or decided < 0:
                # an equal sweep comes first where its place in the sweep does
                if matches.duels[i] < end or binding < 0 or i < binding:
                    binding = i
                end = matches.duels[i]
    for i in range(size):
        duels = end - 1 if either and binding >= 0 and i > binding else end
        if matches.duels[i] > duels:
            urn = matches.duels[i] - start[i]
            wins_left = matches.wins[i] - at_start[i]
            matches.wins[i] = at_start[i] + first_of_urn(wins_left, urn, duels - start[i], run.world_rng)
            matches.duels[i] = duels
    return binding


@borrowing
def put_first(heap: IntArray, size: int, number: int) -> None:
    """Put a number in the place of a heap's smallest; as heapq does, which takes half a second to compile."""
    index, below = 0, 1
    while below < size:
        if below + 1 < size:
            below += heap[below + 1] < heap[below]  # no branch: which is smaller cannot be foreseen
        if heap[below] >= number:
            break
        heap[index] = heap[below]
        index, below = below, 2 * below + 1
    heap[index] = number


@borrowing
def first_of_urn(wins: float, duels: int, first: int, world_rng: Generator) -> int:
    """Return how many of the wins among n duels, in random order, fall among the first ones."""
    found = 0
    for drawn in range(min(first, duels - first)):
        if world_rng.random() * (duels - drawn) < wins - found:
            found += 1
    # in random order, those drawn may as well be the last ones
    return found if 2 * first <= duels else int(wins) - found


@compiled
def new_race(size: int) -> Race:
    """Return room for n matches."""
    return Race(np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size), np.empty(size, np.int64))
