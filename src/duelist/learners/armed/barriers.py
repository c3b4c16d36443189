"""What RUCB knows of each pair, and each arm's barrier: how much optimism makes it a possible champion.

An arm c is a possible champion if u_cj >= 1/2 for all j, that is, where j leads c, if alpha ln t reaches
n (1/2 - mean_cj)^2. The largest of these numbers, the barrier, decides for all j at once, and changes only
when c is compared: a round costs O(K) instead of O(K^2).
"""

from math import inf
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.duel import FloatArray, IntArray
from duelist.kernels.arms import ArmMenu
from duelist.kernels.compile import borrowing
from duelist.learners.armed.base import number, square

UNSEEN = 2.0  # the upper bound of a pair never compared: x/0 := 1 in both terms of line 3

NOBODY = -1  # instead of an arm, where none is remembered


class State(NamedTuple):
    """What has been learned; `rate` and `doubt` restate `wins` so that a round reads one row of each."""

    wins: FloatArray  # wins[i, j]: how often i beat j
    rate: FloatArray  # rate[i, j]: the share of their duels that j won; 1/2 for i itself
    doubt: FloatArray  # doubt[i, j]: 1 / sqrt(n) after n duels; 0 before the first and for i itself
    barrier: FloatArray  # barrier[i]: i is a possible champion once alpha ln t reaches this
    keeper: IntArray  # keeper[i]: the arm that sets i's barrier
    told: FloatArray  # the time: rounds so far, or -ln t where they are too many to count
    order: IntArray  # of the arms, drawn at the start: who is named best among equals
    remembered: IntArray  # one number, the set B: the last arm that alone was a possible champion; -1 if none


def blank_state(k: int, rng: Generator) -> State:
    """Return the state before the first duel of `k` arms."""
    rate = np.full((k, k), UNSEEN)
    np.fill_diagonal(rate, 0.5)
    return State(
        wins=square(k),
        rate=rate,
        doubt=square(k),
        barrier=np.zeros(k),
        keeper=np.zeros(k, np.int64),
        told=np.zeros(1),
        order=rng.permutation(k),
        remembered=number(NOBODY),
    )


@borrowing
def upper_bound(state: State, i: int, j: int, width: float) -> float:
    """Lines 3 and 4: u_ij = mean_ij + sqrt(alpha ln t / n), with `width` the root of alpha ln t."""
    return float(state.rate[j, i] + width * state.doubt[j, i])


@borrowing
def hold(state: State, i: int, j: int) -> float:
    """Return the alpha ln t up to which j keeps i from being champion: n (1/2 - mean_ij)^2 if j leads i."""
    lead, doubt = state.rate[i, j] - 0.5, state.doubt[i, j]
    return (lead / doubt) * (lead / doubt) if lead > 0.0 and doubt > 0.0 else 0.0


@borrowing
def move_barrier(state: State, i: int, j: int) -> None:
    """Keep barrier[i] the largest hold on i, when that of j has changed."""
    changed = hold(state, i, j)
    if changed >= state.barrier[i]:
        state.barrier[i] = changed
        state.keeper[i] = j
    elif state.keeper[i] == j:
        state.barrier[i] = 0.0
        for rival in range(len(state.barrier)):
            height = hold(state, i, rival)
            if height > state.barrier[i]:
                state.barrier[i] = height
                state.keeper[i] = rival


@borrowing
def barrier_on(state: State, menu: ArmMenu, i: int) -> float:
    """Return an arm's barrier as far as rivals on the menu set it; an arm off the menu is behind all."""
    if len(menu.active) == 0:
        return float(state.barrier[i])
    if not menu.active[i]:
        return inf
    if menu.active[state.keeper[i]]:
        return float(state.barrier[i])
    height = 0.0
    for j in range(len(state.barrier)):
        if menu.active[j]:
            height = max(height, hold(state, i, j))
    return height
