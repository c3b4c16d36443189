"""Whom RUCB compares: drawing a champion, remembering the last that was alone, finding its challenger.

An arm is a possible champion, one of the set C, once alpha ln t, here `width`, reaches its barrier. The set B
of the proceedings holds at most one arm, and is kept as its number.
"""

import numpy as np
from numpy.random import Generator

from duelist.kernels.arms import ArmMenu, is_active
from duelist.kernels.compile import borrowing
from duelist.kernels.random import below
from duelist.learners.armed.barriers import NOBODY, State, barrier_on, upper_bound

MOST = np.finfo(np.float64).max  # above the barrier of every arm on the menu

EVERY_ARM = ArmMenu(np.zeros(0, np.bool_), True, np.zeros((0, 0)))  # the menu of all arms


@borrowing
def count_candidates(state: State, menu: ArmMenu, width: float, first: int) -> int:
    """Return how many of the first arms have a barrier of at most `width`."""
    candidates = 0
    if len(menu.active) == 0:  # a loop of its own, which runs on vectors
        for i in range(first):
            candidates += state.barrier[i] <= width
    else:
        for i in range(first):
            candidates += barrier_on(state, menu, i) <= width
    return candidates


@borrowing
def recall(state: State, menu: ArmMenu, width: float, remembered: int) -> int:
    """Return whom B holds in a round: the only possible champion, or the one before while it is possible."""
    candidates, last = 0, NOBODY
    for i in range(len(state.barrier)):
        if barrier_on(state, menu, i) <= width:
            candidates, last = candidates + 1, i
    if candidates == 1:
        return last
    return remembered if remembered != NOBODY and barrier_on(state, menu, remembered) <= width else NOBODY


@borrowing
def pick_champion(state: State, menu: ArmMenu, width: float, remembered: int, rng: Generator) -> int:
    """Line 5: any c with u_cj >= 1/2 for all j, drawn at random; any arm if there is none.

    One that is remembered is possible, and is drawn half of the time, or always where it is alone.
    """
    k = len(state.barrier)
    candidates = count_candidates(state, menu, width, k)
    if candidates == 0:
        width = MOST
        candidates = count_candidates(state, menu, width, k)
    if remembered == NOBODY:
        place = below(candidates, rng)
    else:
        place = count_candidates(state, menu, width, remembered)
        if below(min(candidates, 2), rng) == 1:
            other = below(candidates - 1, rng)
            place = other + (other >= place)
    champion = 0
    for i in range(k):
        place -= barrier_on(state, menu, i) <= width
        if place < 0:
            champion = i
            break
    return champion


@borrowing
def pick_challenger(state: State, menu: ArmMenu, champion: int, width: float, rng: Generator) -> int:
    """Line 6: the j with the largest u_jc, ties at random; the champion if none exceeds 1/2."""
    k = len(state.barrier)
    challenger, highest, ties = champion, 0.5, 1
    for j in range(k):
        upper = upper_bound(state, j, champion, width)
        if upper > highest and is_active(menu, j):
            challenger, highest, ties = j, upper, 1
        elif upper == highest and is_active(menu, j):
            ties += highest > 0.5
    passed = below(ties, rng)
    for j in range(k if ties > 1 else 0):
        if upper_bound(state, j, champion, width) == highest and is_active(menu, j):
            if passed == 0:
                challenger = j
            passed -= 1
    return challenger
