"""Matches: pairs that are compared repeatedly until a confidence bound decides which arm is better.

Interleaved Filter and SAVAGE both play a set of matches in sweeps: one duel per match, in a fixed order.
Matches are independent until one of them is decided. So `race` plays all of them up to that point without
playing single duels: it draws all duels of a match that cannot decide it yet at once.
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
    """A set of matches that have all had the same number of duels."""

    left: IntArray
    right: IntArray
    wins: FloatArray  # of the left arm
    duels: IntArray


@borrowing
def proven_side(spread: float, wins: float, duels: float) -> int:
    """Return 1 if the left arm is better by the bound sqrt(spread / duels), -1 if the right arm is, else 0.

    Both sides of the bound are multiplied by the number of duels: |wins - duels / 2| >= sqrt(spread duels).
    """
    lead = wins - 0.5 * duels
    if lead * lead < spread * duels or lead == 0.0:
        return 0
    return 1 if lead > 0.0 else -1


@borrowing
def calm(spread: float, wins: float, duels: float) -> int:
    """Return the number of further duels up to the first one that can decide the match; at least 1.

    If one side wins all further duels and the other one has x wins, the match is decided as soon as y duels
    satisfy y / 2 - x >= sqrt(spread y), that is, sqrt(y) >= r + sqrt(r^2 + 2 x) with r = sqrt(spread).
    """
    root = sqrt(spread) + sqrt(spread + 2.0 * min(wins, duels - wins))
    # rounding can only make the number smaller, and at least one duel is drawn
    return max(int(root * root * (1.0 - 1e-12) - duels), 1)


@compiled
def race(spread: float, either: bool, cap: int, matches: Race, run: Run) -> int:
    """Play all matches until one of them stops the race, or for `cap` sweeps; return its index, or -1.

    The race stops when the right arm wins a match or, if `either`, when any arm does; otherwise a match that
    the left arm wins just ends. Afterwards every match has as many duels as if it had been played in sweeps:
    up to the deciding duel if `either`, else up to the end of that sweep or of the match.

    Exact in distribution. Matches are drawn ahead in the order of their duels, in batches that can be decided
    only by their last duel. When a match stops the race, all other matches began their last batch before that
    sweep. How many of the wins in such a batch fall before the sweep is an urn draw, since their order does
    not matter.
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
        decided = proven_side(spread, matches.wins[i], matches.duels[i])
        if decided == 0:
            put_first(queue, waiting, matches.duels[i] * size + i)
        else:
            waiting -= 1
            put_first(queue, waiting, queue[waiting])
            if either or decided < 0:
                # within one sweep, the match that comes first decides
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
    """Replace the smallest number of a heap, like heapq.heapreplace, which takes longer to compile."""
    index, below = 0, 1
    while below < size:
        if below + 1 < size:
            below += heap[below + 1] < heap[below]  # without a branch, which would be mispredicted
        if heap[below] >= number:
            break
        heap[index] = heap[below]
        index, below = below, 2 * below + 1
    heap[index] = number


@borrowing
def first_of_urn(wins: float, duels: int, first: int, world_rng: Generator) -> int:
    """Return how many of the wins of n duels in random order fall among the `first` ones."""
    found = 0
    for drawn in range(min(first, duels - first)):
        if world_rng.random() * (duels - drawn) < wins - found:
            found += 1
    # by symmetry, the duels drawn may as well be the last ones
    return found if 2 * first <= duels else int(wins) - found


@compiled
def new_race(size: int) -> Race:
    return Race(np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size), np.empty(size, np.int64))
