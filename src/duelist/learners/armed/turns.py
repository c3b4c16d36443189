"""RMED's loops: whose turn it is, who is on the next loop's list, and how long the leader meets itself alone.

The paper's lists L_R and L_N are NOW and NEXT in the state. An arm is listed as soon as its evidence exceeds
the leader's by at most ln t + f(K), the condition J.
"""

from math import exp, inf, log
from typing import NamedTuple

from duelist.kernels.arms import ArmMenu, is_active
from duelist.kernels.compile import borrowing
from duelist.learners.armed.clock import LOG_COUNTED, later, log_round, next_time, time_before
from duelist.learners.armed.divergences import (
    NEXT,
    NOBODY,
    NOW,
    OUT,
    State,
    evidence_on,
    fewest_draws,
    hardest_opponent,
    leader_on,
)

THIS_LOOP = -1.0
"""In the place of the ln t at which a list was made: the list of this loop, which the state holds."""

LARGEST = 700.0  # an exponent for which exp is still finite


class Rules(NamedTuple):
    """Hyperparameters, as the kernels read them."""

    slack: float  # f(K)
    draws: float  # how often every pair is drawn at least
    alpha: float  # and at least alpha ln ln t times (RMED2)
    weighs_regret: bool  # whether opponents are chosen by the regret they cost (RMED2, RMED2FH)
    fixes_rivals: bool  # whether that is done once for all (RMED2FH)
    everyone: ArmMenu  # all arms, since `tell` sees no menu


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
    for place in range(k):
        arm = state.order[place]
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
    for place in range(len(state.order)):
        arm = state.order[place]
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
