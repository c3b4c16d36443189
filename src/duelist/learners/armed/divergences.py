"""What RMED knows of each pair and arm, and its loops: whose turn it is.

The empirical divergence I_i says how strongly all duels speak against arm i. It sums n_ij d(mu_ij, 1/2) over
the arms j that i has lost to more often than not: exp(-I_i) is how likely it is that i beats them all. It
changes only when i is compared, and is then summed up anew, in O(K), so that the rounding of a million duels
does not add up.

The paper's lists L_R and L_N are NOW and NEXT in the state. An arm is listed as soon as its evidence exceeds
the leader's by at most ln t + f(K), the condition J.
"""

from math import exp, inf, log
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.duel import FloatArray, IntArray
from duelist.kernels.arms import ArmMenu, is_active
from duelist.kernels.compile import borrowing
from duelist.learners.armed.base import record, square
from duelist.learners.armed.clock import LOG_COUNTED, later, log_round, next_time, time_before

OUT, NEXT, NOW = 0, 1, 2
"""Where an arm stands: on no list, on L_N, the next loop's list, or on L_R, what remains of this loop's."""

NOBODY = -1  # in the place of an arm
THIS_LOOP = -1.0
"""In the place of the ln t at which a list was made: the list of this loop, which the state holds."""

LARGEST = 700.0  # an exponent for which exp is still finite


class Rules(NamedTuple):
    slack: float  # f(K)
    draws: float  # how often every pair is drawn at least
    alpha: float  # and at least alpha ln ln t times (RMED2)
    weighs_regret: bool  # whether opponents are chosen by the regret they cost (RMED2, RMED2FH)
    fixes_rivals: bool  # whether that is done once for all (RMED2FH)
    everyone: ArmMenu  # all arms, since `tell` sees no menu


class State(NamedTuple):
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
    for index in range(len(state.order)):
        i = state.order[index]
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
    for index in range(len(state.order)):
        j = state.order[index]
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
    for index in range(len(state.order)):
        j = state.order[index]
        if state.divergence[i, j] > 0.0 and is_active(menu, j):
            cost = (lead(state, leader, i) + lead(state, leader, j)) / state.divergence[i, j]
            if cost < least:
                cheapest, least = j, cost
    return int(cheapest)


@borrowing
def draws_due(rules: Rules, log_t: float) -> float:
    """Return how often every pair must have been drawn before round t; ln ln t is 0 where it is negative."""
    return max(rules.draws, rules.alpha * log(max(log_t, 1.0)))


@borrowing
def is_likely(rules: Rules, more: float, log_t: float) -> bool:
    """Return whether J holds in round t for an arm with so much more evidence against it than the leader."""
    return more <= log_t + rules.slack


@borrowing
def take_turn(rules: Rules, state: State, left: int, right: int, log_t: float) -> None:
    """Lines 15, 16 and 19 of Algorithm 1, after a duel in round t.

    Of the two arms it was the turn of the one that comes first in this loop; the other was its opponent.
    """
    k, least = len(state.turn), state.evidence[leader_on(state, rules.everyone)]
    for index in range(k):
        arm = state.order[index]
        if arm in (left, right) and state.turn[arm] == NOW:
            state.turn[arm] = OUT
            break
    remaining = 0
    for i in range(k):
        if state.turn[i] == OUT and is_likely(rules, state.evidence[i] - least, log_t):
            state.turn[i] = NEXT
        remaining += state.turn[i] == NOW
    if remaining == 0:
        for i in range(k):
            state.turn[i] = NOW if state.turn[i] == NEXT else OUT


@borrowing
def is_listed(rules: Rules, state: State, menu: ArmMenu, arm: int, least: float, log_t: float) -> bool:
    """Return whether an arm is on the list that was made in round t, or on that of this loop.

    On a menu that leaves arms out only J counts, by evidence on the menu: lists are made with that of all.
    """
    if len(menu.active) == 0 and log_t == THIS_LOOP:
        return bool(state.turn[arm] == NOW)
    likely = is_likely(rules, evidence_on(state, menu, arm) - least, log_t)
    return likely or (len(menu.active) == 0 and bool(state.turn[arm] == NEXT))


@borrowing
def next_arm(rules: Rules, state: State, menu: ArmMenu, leader: int, log_t: float, passed: int) -> int:
    """Return the first arm in order that is listed, other than `passed`; NOBODY if there is none.

    On a menu that leaves arms out it is the arm compared least, and a leader that meets itself comes last.
    """
    chosen, fewest, whole = NOBODY, inf, len(menu.active) == 0
    least = evidence_on(state, menu, leader)
    resting = not whole and hardest_opponent(state, menu, leader) == NOBODY
    for index in range(len(state.order)):
        arm = state.order[index]
        left_out = arm == passed or (resting and arm == leader)
        if not left_out and is_listed(rules, state, menu, arm, least, log_t):
            compared = 0.0
            for j in range(len(menu.active)):
                compared += state.duels[arm, j]
            if compared < fewest:
                chosen, fewest = arm, compared
            if whole:
                break
    return leader if chosen == NOBODY and passed == NOBODY else int(chosen)


@borrowing
def wake_time(
    rules: Rules, state: State, menu: ArmMenu, leader: int, time: float, log_counted: float
) -> float:
    """Return the time up to which the leader alone is listed and meets itself, or `time` if it does not.

    Nothing is learned in such a round, so this lasts until ln t alone lists another arm or makes a pair due.
    """
    least, log_wake = evidence_on(state, menu, leader), inf
    if rules.alpha > 0.0:
        log_wake = exp(min(fewest_draws(state, menu) / rules.alpha, LARGEST))
    for i in range(len(state.turn)):
        if i != leader and is_active(menu, i):
            if len(menu.active) == 0 and state.turn[i] != OUT:
                return time
            log_wake = min(log_wake, evidence_on(state, menu, i) - least - rules.slack)
    return time_before(max(log_wake, 0.0), time, log_counted)


@borrowing
def catch_up(rules: Rules, state: State, until: float) -> None:
    """Let the leader meet itself in the rounds that were passed over before a duel was asked."""
    leader = leader_on(state, rules.everyone)
    resting = hardest_opponent(state, rules.everyone, leader) == NOBODY
    while resting and later(state.told[0], until) != state.told[0]:
        resting = next_arm(rules, state, rules.everyone, leader, THIS_LOOP, NOBODY) == leader
        wake = wake_time(rules, state, rules.everyone, leader, state.told[0], LOG_COUNTED)
        if resting and later(wake, until) != wake:
            take_turn(rules, state, leader, leader, log_round(wake))
            state.told[0] = next_time(wake)
        else:
            resting = False
