"""What RMED knows of each pair, and the empirical divergence I_i: how strongly all duels speak against arm i.

I_i sums n_ij d(mu_ij, 1/2) over the arms j that i has lost to more often than not: exp(-I_i) is how likely it
is that i beats them all. It changes only when i is compared, and is then summed up anew, in O(K), so that the
rounding of a million duels does not add up.
"""

from math import inf, log
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.duel import FloatArray, IntArray
from duelist.kernels.arms import ArmMenu, is_active
from duelist.kernels.compile import borrowing
from duelist.learners.armed.base import record, square

OUT, NEXT, NOW = 0, 1, 2
"""Where an arm stands: on no list, on L_N, the next loop's list, or on L_R, what remains of this loop's."""

NOBODY = -1  # in the place of an arm


class State(NamedTuple):
    """What has been learned."""

    wins: FloatArray  # wins[i, j]: how often i beat j
    duels: FloatArray  # duels[i, j]: how often they met, N_ij
    divergence: FloatArray  # divergence[i, j]: d(mu_ij, 1/2) if j leads i, else 0
    evidence: FloatArray  # evidence[i]: I_i
    fewest: FloatArray  # fewest[i]: the duels of i with the arm that it met least
    turn: IntArray  # turn[i]: OUT, NEXT or NOW
    rival: IntArray  # rival[i]: b*(i) once it is fixed (RMED2FH)
    told: FloatArray  # the time: rounds so far, or -ln t where they are too many to count
    order: IntArray  # of the arms, drawn at the start: of every loop, and of arms that are alike


def blank_state(k: int, rng: Generator) -> State:
    """Return the state before the first duel of `k` arms: all are on the first loop's list."""
    return State(
        wins=square(k),
        duels=square(k),
        divergence=square(k),
        evidence=np.zeros(k),
        fewest=np.zeros(k),
        turn=np.full(k, NOW, np.int64),
        rival=np.full(k, NOBODY, np.int64),
        told=np.zeros(1),
        order=rng.permutation(k),
    )


def fewest_duels(duels: FloatArray) -> FloatArray:
    """Return for each arm the duels with the arm that it met least."""
    others = ~np.eye(len(duels), dtype=np.bool_)
    return np.asarray(duels.min(axis=1, where=others, initial=inf))


@borrowing
def divergence_below_half(p: float) -> float:
    """Return d+(p, 1/2): the divergence of p from 1/2 if p is smaller, else 0."""
    if p >= 0.5:
        return 0.0
    losses = (1.0 - p) * log(2.0 * (1.0 - p))
    wins = p * log(2.0 * p) if p > 0.0 else 0.0
    # Pinsker's bound: next to 1/2 the sum loses all digits
    return max(wins + losses, 2.0 * (p - 0.5) * (p - 0.5))


@borrowing
def count(state: State, left: int, right: int, outcome: float) -> None:
    """Count a duel of two different arms and restate what follows from it."""
    record(state.wins, left, right, outcome)
    state.duels[left, right] += 1.0
    state.duels[right, left] += 1.0
    restate(state, left, right)
    restate(state, right, left)


@borrowing
def restate(state: State, i: int, j: int) -> None:
    """Restate what is known of i after a duel with j."""
    state.divergence[i, j] = divergence_below_half(state.wins[i, j] / state.duels[i, j])
    evidence, fewest = 0.0, inf
    for other in range(len(state.evidence)):
        evidence += state.duels[i, other] * state.divergence[i, other]
        if other != i:
            fewest = min(fewest, state.duels[i, other])
    state.evidence[i] = evidence
    state.fewest[i] = fewest


@borrowing
def fewest_draws(state: State, menu: ArmMenu) -> float:
    """Return the number of duels of the pair on the menu that was drawn least."""
    fewest = inf
    for i in range(len(state.fewest)):
        if is_active(menu, i):
            fewest = min(fewest, fewest_of(state, menu, i))
    return fewest


@borrowing
def fewest_of(state: State, menu: ArmMenu, i: int) -> float:
    """Return the number of duels of an arm with the arm on the menu that it met least."""
    if len(menu.active) == 0:
        return float(state.fewest[i])
    fewest = inf
    for j in range(len(state.fewest)):
        if j != i and menu.active[j]:
            fewest = min(fewest, state.duels[i, j])
    return fewest


@borrowing
def evidence_on(state: State, menu: ArmMenu, i: int) -> float:
    """Return I_i as far as rivals on the menu make it; no evidence is enough against an arm off the menu."""
    if len(menu.active) == 0:
        return float(state.evidence[i])
    if not menu.active[i]:
        return inf
    evidence = 0.0
    for j in range(len(state.evidence)):
        if menu.active[j]:
            evidence += state.duels[i, j] * state.divergence[i, j]
    return evidence


@borrowing
def leader_on(state: State, menu: ArmMenu) -> int:
    """Return i*, the arm with the least evidence against it, the first in order of several."""
    leader, least = NOBODY, inf
    for place in range(len(state.order)):
        i = state.order[place]
        evidence = evidence_on(state, menu, i)
        if evidence < least:
            leader, least = i, evidence
    return int(leader)


@borrowing
def is_opponent(state: State, i: int, j: int) -> bool:
    """Return whether j is in O_i: another arm, which i did not beat more often than not."""
    return i != j and bool(2.0 * state.wins[i, j] <= state.duels[i, j])


@borrowing
def hardest_opponent(state: State, menu: ArmMenu, i: int) -> int:
    """Return the opponent in O_i against which i wins least; NOBODY if O_i is empty."""
    hardest, least = NOBODY, inf
    for place in range(len(state.order)):
        j = state.order[place]
        if is_opponent(state, i, j) and is_active(menu, j):
            rate = state.wins[i, j] / state.duels[i, j]
            if rate < least:
                hardest, least = j, rate
    return int(hardest)


@borrowing
def lead(state: State, i: int, j: int) -> float:
    """Return the gap mu_ij - 1/2, which is 0 for an arm and itself."""
    return float(state.wins[i, j] / state.duels[i, j] - 0.5) if i != j else 0.0


@borrowing
def cheapest_opponent(state: State, menu: ArmMenu, leader: int, i: int) -> int:
    """Return b*(i), equation (6): who shows at the least regret that i loses; NOBODY if i lost to none."""
    cheapest, least = NOBODY, inf
    for place in range(len(state.order)):
        j = state.order[place]
        if state.divergence[i, j] > 0.0 and is_active(menu, j):
            cost = (lead(state, leader, i) + lead(state, leader, j)) / state.divergence[i, j]
            if cost < least:
                cheapest, least = j, cost
    return int(cheapest)
