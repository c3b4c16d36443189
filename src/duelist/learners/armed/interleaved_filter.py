"""Interleaved Filter 1 and 2 (Yue, Broder, Kleinberg, Joachims, JCSS 2012, Algorithms 2 and 3)."""

from dataclasses import dataclass, replace
from math import log
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.card import Card
from duelist.constraints import Count, Positive
from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.kernels.arms import ArmMenu, book
from duelist.kernels.compile import borrowing, compiled
from duelist.kernels.duels import DuelBuffer
from duelist.kernels.loop import Kernels, Run
from duelist.learners.armed.base import ArmedLearner, number, take_out
from duelist.learners.armed.matches import calm, new_race, proven_side, race
from duelist.learners.base import folding, playing


class Rules(NamedTuple):
    spread: float  # factor * log(1 / delta): the confidence radius after t duels is sqrt(spread / t)
    prunes: bool  # whether lines 16-18 of Algorithm 3 apply


class State(NamedTuple):
    """The incumbent b, and its match with each arm of W."""

    wins: FloatArray  # of the incumbent over each arm
    duels: IntArray  # of the incumbent with each arm
    remains: BoolArray  # whether an arm is in W
    queue: IntArray  # W in its fixed order, then unused entries
    size: IntArray  # number of arms in W
    incumbent: IntArray
    sweep: IntArray  # number of complete sweeps through W
    cursor: IntArray  # the next arm of the queue without a duel in this sweep


@borrowing
def follow(rules: Rules, state: State) -> None:
    """Move the cursor past arms with a duel in this sweep, and close every complete sweep."""
    while state.size[0] > 0:
        while state.cursor[0] < state.size[0]:
            if state.duels[state.queue[state.cursor[0]]] == state.sweep[0]:
                return
            state.cursor[0] += 1
        close_sweep(rules, state)


@borrowing
def close_sweep(rules: Rules, state: State) -> None:
    """Lines 11-21 of Algorithm 3, or 11-18 of Algorithm 2."""
    state.sweep[0] += 1
    state.cursor[0] = 0
    challenger = -1
    kept = 0
    for index in range(state.size[0]):
        arm = state.queue[index]
        result = proven_side(rules.spread, state.wins[arm], state.duels[arm])
        if result > 0:
            state.remains[arm] = False  # line 13: the incumbent beats it
        else:
            state.queue[kept] = arm
            kept += 1
            if result < 0 and challenger < 0:
                challenger = arm  # line 15: it beats the incumbent
    state.size[0] = kept
    if challenger >= 0:
        crown(rules, state, challenger)


@borrowing
def drop(rules: Rules, state: State, arm: int) -> bool:
    """Remove an arm permanently; return False if it is the incumbent and no other arm remains."""
    if arm == state.incumbent[0]:
        if state.size[0] == 0:
            return False
        crown(Rules(rules.spread, False), state, state.queue[0])
    elif state.remains[arm]:
        take_out(state, arm)
        state.cursor[0] = 0
        follow(rules, state)
    return True


@borrowing
def crown(rules: Rules, state: State, challenger: int) -> None:
    """Lines 16-20: prune the arms behind the old incumbent, replace it by the challenger, start again."""
    kept = 0
    for index in range(state.size[0]):
        arm = state.queue[index]
        if arm == challenger or (rules.prunes and state.wins[arm] > 0.5 * state.duels[arm]):
            state.remains[arm] = False
        else:
            state.queue[kept] = arm
            kept += 1
        state.wins[arm] = 0.0
        state.duels[arm] = 0
    state.size[0] = kept
    state.incumbent[0] = challenger
    state.sweep[0] = 0


@borrowing
def ask(rules: Rules, state: State, menu: ArmMenu, duel: DuelBuffer, rng: Generator) -> None:
    """Lines 8-9: the incumbent meets the next arm of W, or itself if W is empty (Algorithm 1, line 4)."""
    incumbent, challenger = state.incumbent[0], state.queue[state.cursor[0]]
    duel.sides[0] = incumbent
    duel.sides[1] = challenger if state.size[0] > 0 else incumbent


@borrowing
def tell(rules: Rules, state: State, duel: DuelBuffer, outcome: float) -> None:
    """Line 10: count the outcome, unless it is about an earlier incumbent or a removed arm."""
    left, right = duel.sides[0], duel.sides[1]
    if left == state.incumbent[0]:
        arm, won = right, outcome
    elif right == state.incumbent[0]:
        arm, won = left, 1.0 - outcome
    else:
        return
    if state.remains[arm]:
        state.wins[arm] += won
        state.duels[arm] += 1
        follow(rules, state)


@borrowing
def skip_idle(rules: Rules, state: State, run: Run, limit: int) -> None:
    """Skip all remaining rounds once W is empty: the winner is exploited (Algorithm 1, lines 3-5)."""
    if state.size[0] == 0 and run.duel.sides[0] == run.duel.sides[1]:
        book(run.world, run.ledger, state.incumbent[0], state.incumbent[0], limit)


@compiled
def skip_batch(rules: Rules, state: State, run: Run, limit: int) -> None:
    """Play whole sweeps at once, until the incumbent is defeated or `limit` rounds are played."""
    size = state.size[0]
    if size == 0 or limit < size or state.cursor[0] > 0:
        return
    matches = new_race(size)
    for i in range(size):
        arm = state.queue[i]
        if state.duels[arm] != state.sweep[0]:
            return
        matches.left[i] = state.incumbent[0]
        matches.right[i] = arm
        matches.wins[i] = state.wins[arm]
        matches.duels[i] = state.sweep[0]
    race(rules.spread, False, limit // size, matches, run)
    last = state.sweep[0]
    for i in range(size):
        arm = matches.right[i]
        book(run.world, run.ledger, matches.left[i], arm, matches.duels[i] - state.sweep[0])
        state.wins[arm] = matches.wins[i]
        state.duels[arm] = matches.duels[i]
        last = max(last, matches.duels[i])
    state.sweep[0] = last - 1
    close_sweep(rules, state)


@borrowing
def best(rules: Rules, state: State, menu: ArmMenu, answer: IntArray) -> None:
    answer[0] = state.incumbent[0]


@borrowing
def plan(rules: Rules, state: State, menu: ArmMenu, duels: DuelBuffer, rng: Generator) -> int:
    """Fill in the pairs of all sweeps before the first that may decide a match; return their number."""
    size = state.size[0]
    last = np.iinfo(np.int64).max if size > 0 else 0
    for index in range(size):
        arm = state.queue[index]
        last = min(last, state.duels[arm] + calm(rules.spread, state.wins[arm], float(state.duels[arm])))
    planned = 0
    for sweep in range(state.sweep[0], last):
        if planned == len(duels.sides):
            break
        for index in range(size):
            if planned < len(duels.sides) and state.duels[state.queue[index]] <= sweep:
                duels.sides[planned, 0] = state.incumbent[0]
                duels.sides[planned, 1] = state.queue[index]
                planned += 1
    return planned


play = playing(ask, tell, best, skip_idle, skip_batch)
fold = folding(tell)


@dataclass(frozen=True)
class InterleavedFilter(ArmedLearner[State]):
    """Base class of `InterleavedFilter1` and `InterleavedFilter2`."""

    horizon: Count
    factor: Positive = 4.0

    kernels = Kernels(ask, tell, best, play, fold, plan)
    prunes: ClassVar[bool]

    def rules(self, k: int) -> Rules:
        return Rules(self.factor * log(self.horizon * k**2), self.prunes)  # delta = 1 / (T K^2), line 2

    def eliminate(self, state: State, arm: int) -> bool:
        return drop(self.rules_for(state), state, arm)

    def blank(self, k: int, rng: Generator) -> State:  # lines 3-4
        order = rng.permutation(k)
        remains = np.ones(k, np.bool_)
        remains[order[0]] = False
        return State(
            wins=np.zeros(k),
            duels=np.zeros(k, np.int64),
            remains=remains,
            queue=np.append(order[1:], 0),
            size=number(k - 1),
            incumbent=number(order[0]),
            sweep=number(),
            cursor=number(),
        )


@dataclass(frozen=True)
class InterleavedFilter1(InterleavedFilter):
    """Find the best of totally ordered arms by comparing an incumbent with all others in turn.

    An arm is removed once the incumbent beats it with confidence. An arm that beats the incumbent with
    confidence replaces it. Needs a total order, strong stochastic transitivity and the stochastic triangle
    inequality. Regret is O(K log K log T / eps) with high probability (Theorem 1).

    Parameters
    ----------
    horizon : int
        Number of rounds T; the winner is wrong with probability at most 1/T.
    factor : float, default 4
        Factor of the confidence radius, sqrt(factor log(1/delta) / t) after t duels. The paper proves its
        bounds for 4; its conference slides use 1, which explores less.

    Notes
    -----
    Deviations from the paper: none. If several arms beat the incumbent in the same sweep, the first in order
    replaces it. Answers may come late or out of order: a sweep is complete when every arm of W has had a
    duel, and each arm is judged by its own number of duels. If a study retires an arm, it is removed from W;
    if it is the incumbent, the first arm of W becomes the new incumbent and the sweeps start again. Past the
    horizon, exploration continues until W is empty. Simulations draw many sweeps at once as binomials,
    exactly in distribution (`matches.race`).

    References
    ----------
    Yue, Broder, Kleinberg, Joachims (2012). The K-armed Dueling Bandits Problem. Journal of Computer and
    System Sciences 78(5). Algorithms 1 and 2.

    Examples
    --------
    >>> from duelist import simulate
    >>> from duelist.problems import worst_case
    >>> learner = InterleavedFilter1(horizon=100_000)
    >>> simulate(learner, worst_case(5, 0.2), horizon=100_000, runs=3)["InterleavedFilter1"].best.tolist()
    [0, 0, 0]
    """

    card = Card(
        seeks="best arm of a total order",
        assumes="a total order, strong stochastic transitivity and the stochastic triangle inequality",
        regret="O(K log K log T) with high probability",
        citation="Yue, Broder, Kleinberg, Joachims (2012). The K-armed Dueling Bandits Problem",
        needs_horizon=True,
        hands_out_batches=True,
        example={"horizon": 50_000},
    )
    prunes = False


@dataclass(frozen=True)
class InterleavedFilter2(InterleavedFilter):
    """Find the best of totally ordered arms, pruning every arm that was behind a defeated incumbent.

    Like `InterleavedFilter1`, with the same assumptions, but when an incumbent is replaced, every arm that
    was behind it is removed too. Expected regret is O(K log T / eps), optimal up to a constant (Theorem 2).

    Parameters
    ----------
    horizon, factor
        As for `InterleavedFilter1`.

    Notes
    -----
    Deviations from the paper: none. Everything but lines 16-18 is as in `InterleavedFilter1`.

    References
    ----------
    Yue, Broder, Kleinberg, Joachims (2012). The K-armed Dueling Bandits Problem. Journal of Computer and
    System Sciences 78(5). Algorithms 1 and 3.

    Examples
    --------
    >>> from duelist import simulate
    >>> from duelist.problems import worst_case
    >>> learner = InterleavedFilter2(horizon=100_000)
    >>> simulate(learner, worst_case(5, 0.2), horizon=100_000, runs=3)["InterleavedFilter2"].best.tolist()
    [0, 0, 0]
    """

    card = replace(InterleavedFilter1.card, regret="O(K log T) in expectation")
    prunes = True
