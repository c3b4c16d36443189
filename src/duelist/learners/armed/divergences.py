"""RMED's statistics of pairs and arms, and its loops over the arms.

The empirical divergence I_i measures the evidence that arm i is not the winner. It is the sum of
n_ij d(mu_ij, 1/2) over the arms j that i has lost to more often than not: exp(-I_i) is the likelihood that i
beats them all. It changes only when i is compared, and is then recomputed in O(K), because rounding errors
would otherwise accumulate over millions of duels.

The paper's lists L_R and L_N are NOW and NEXT in the state. An arm is listed as soon as its evidence exceeds
the leader's by at most ln t + f(K), which is condition J.
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
"""The list of an arm: none, L_N (the next loop), or L_R (the rest of this loop)."""

NOBODY = -1  # no arm
THIS_LOOP = -1.0
"""Used instead of the ln t at which a list was made: the list of this loop, which is in the state."""

LARGEST = 700.0  # an exponent for which exp is still finite


class Rules(NamedTuple):
    slack: float  # f(K)
    draws: float  # minimum number of draws of every pair
    alpha: float  # and at least alpha ln ln t draws (RMED2)
    weighs_regret: bool  # whether opponents are chosen by the regret they cost (RMED2, RMED2FH)
    fixes_rivals: bool  # whether they are chosen only once (RMED2FH)
    everyone: ArmMenu  # a menu of all arms, since `tell` receives none


class State(NamedTuple):
    wins: FloatArray  # wins[i, j]: how often i beat j
    duels: FloatArray  # duels[i, j]: how often they met, N_ij
    divergence: FloatArray  # divergence[i, j]: d(mu_ij, 1/2) if j leads i, else 0
    evidence: FloatArray  # evidence[i]: I_i
    fewest: FloatArray  # fewest[i]: number of duels of i with the arm that it met least
    turn: IntArray  # turn[i]: OUT, NEXT or NOW
    rival: IntArray  # rival[i]: b*(i) once it is fixed (RMED2FH)
    told: FloatArray  # the time: rounds so far, or -ln t if they are too many to count
    order: IntArray  # random permutation of the arms: the order of every loop, and of ties


def blank_state(k: int, rng: Generator) -> State:
    """Return the initial state of `k` arms: all of them are on the first loop's list."""
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
    """Return for each arm the number of duels with the arm that it met least."""
    others = ~np.eye(len(duels), dtype=np.bool_)
    return np.asarray(duels.min(axis=1, where=others, initial=inf))


@borrowing
def divergence_below_half(p: float) -> float:
    """Return d+(p, 1/2): the divergence of p from 1/2 if p is smaller, else 0."""
    if p >= 0.5:
        return 0.0
    losses = (1.0 - p) * log(2.0 * (1.0 - p))
    wins = p * log(2.0 * p) if p > 0.0 else 0.0
    # Pinsker's bound, because near 1/2 the sum loses all its digits
    return max(wins + losses, 2.0 * (p - 0.5) * (p - 0.5))


@borrowing
def count(state: State, left: int, right: int, outcome: float) -> None:
    """Count a duel of two different arms and update the statistics derived from it."""
    record(state.wins, left, right, outcome)
    state.duels[left, right] += 1.0
    state.duels[right, left] += 1.0
    restate(state, left, right)
    restate(state, right, left)


@borrowing
def restate(state: State, i: int, j: int) -> None:
    """Recompute the statistics of i after a duel with j."""
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
    """Return the smallest number of duels of any pair on the menu."""
    fewest = inf
    for i in range(len(state.fewest)):
        if is_active(menu, i):
            fewest = min(fewest, fewest_of(state, menu, i))
    return fewest


@borrowing
def fewest_of(state: State, menu: ArmMenu, i: int) -> float:
    """Return the smallest number of duels of an arm with any other arm on the menu."""
    if len(menu.active) == 0:
        return float(state.fewest[i])
    fewest = inf
    for j in range(len(state.fewest)):
        if j != i and menu.active[j]:
            fewest = min(fewest, state.duels[i, j])
    return fewest


@borrowing
def evidence_on(state: State, menu: ArmMenu, i: int) -> float:
    """Return I_i restricted to rivals on the menu; infinite for an arm that is not on the menu."""
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
    """Return i*, the arm with the least evidence against it; ties go to the first in order."""
    leader, least = NOBODY, inf
    for index in range(len(state.order)):
        i = state.order[index]
        evidence = evidence_on(state, menu, i)
        if evidence < least:
            leader, least = i, evidence
    return int(leader)


@borrowing
def is_opponent(state: State, i: int, j: int) -> bool:
    """Return whether j is in O_i, the other arms that i did not beat more often than not."""
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
    """Return b*(i), equation (6): the opponent that proves i's defeat at the least regret, or NOBODY."""
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
    """Return how often every pair must have been drawn before round t; a negative ln ln t counts as 0."""
    return max(rules.draws, rules.alpha * log(max(log_t, 1.0)))


@borrowing
def is_likely(rules: Rules, more: float, log_t: float) -> bool:
    """Return whether J holds in round t for an arm with `more` evidence against it than the leader has."""
    return more <= log_t + rules.slack


@borrowing
def take_turn(rules: Rules, state: State, left: int, right: int, log_t: float) -> None:
    """Lines 15, 16 and 19 of Algorithm 1, after a duel in round t.

    The arm that comes first in this loop took its turn; the other one was its opponent.
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
    """Return whether an arm is on the list made in round t, or on the list of this loop.

    The lists are made for all arms, so on a menu that excludes some of them, only condition J counts, with
    the evidence on the menu.
    """
    if len(menu.active) == 0 and log_t == THIS_LOOP:
        return bool(state.turn[arm] == NOW)
    likely = is_likely(rules, evidence_on(state, menu, arm) - least, log_t)
    return likely or (len(menu.active) == 0 and bool(state.turn[arm] == NEXT))


@borrowing
def next_arm(rules: Rules, state: State, menu: ArmMenu, leader: int, log_t: float, passed: int) -> int:
    """Return the first listed arm other than `passed`, or NOBODY.

    On a menu that excludes some arms, return the listed arm with the fewest duels; a leader that would meet
    itself comes last.
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
    """Return the time until which only the leader is listed and meets itself; `time` if it does not.

    Nothing is learned in these rounds, so they continue until ln t lists another arm or makes a pair due.
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
    """Replay the rounds that were skipped before a duel was asked, in which the leader met itself."""
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
