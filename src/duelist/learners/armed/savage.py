"""Condorcet SAVAGE (Urvoy, Clerot, Féraud, Naamane, ICML 2013)."""

from dataclasses import dataclass
from math import log
from typing import Annotated, NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.card import Card
from duelist.constraints import Count, Range
from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.kernels.arms import ArmMenu, book
from duelist.kernels.compile import borrowing, compiled
from duelist.kernels.duels import DuelBuffer
from duelist.kernels.loop import Kernels, Run
from duelist.learners.armed.base import (
    ArmedLearner,
    most_beaten,
    number,
    record,
    skip_decided,
    square,
    take_out,
)
from duelist.learners.armed.matches import calm, new_race, proven_side, race
from duelist.learners.base import folding, playing


class Rules(NamedTuple):
    spread: float  # log(2 N T / delta) / 2: the confidence radius after n duels is sqrt(spread / n)


class State(NamedTuple):
    wins: FloatArray  # wins[i, j]: how often i beat j
    duels: IntArray  # duels[i, j] = duels[j, i]
    remains: BoolArray  # whether an arm may still be the winner
    queue: IntArray  # the remaining arms in their fixed order, then unused entries
    size: IntArray  # number of remaining arms
    sweep: IntArray  # number of complete sweeps through the remaining pairs
    cursor: IntArray  # indices into the queue of the next pair without a duel in this sweep


@borrowing
def ask(rules: Rules, state: State, menu: ArmMenu, duel: DuelBuffer, rng: Generator) -> None:
    """Fill in the remaining pair with the fewest duels, or the last remaining arm against itself."""
    duel.sides[0] = state.queue[state.cursor[0] if state.size[0] > 1 else 0]
    duel.sides[1] = state.queue[state.cursor[1] if state.size[0] > 1 else 0]


@borrowing
def tell(rules: Rules, state: State, duel: DuelBuffer, outcome: float) -> None:
    """Count the outcome, and remove an arm once its upper bound against another arm is below 1/2."""
    left, right = duel.sides[0], duel.sides[1]
    if left == right or not (state.remains[left] and state.remains[right]):
        return
    record(state.wins, left, right, outcome)
    state.duels[left, right] += 1
    state.duels[right, left] += 1
    remove_loser(rules, state, left, right)
    follow(state)


@borrowing
def remove_loser(rules: Rules, state: State, left: int, right: int) -> None:
    result = proven_side(rules.spread, state.wins[left, right], state.duels[left, right])
    if result != 0:
        remove(state, right if result > 0 else left)


@borrowing
def remove(state: State, loser: int) -> None:
    take_out(state, loser)
    state.cursor[0], state.cursor[1] = 0, 1


@borrowing
def follow(state: State) -> None:
    """Move the cursor past pairs with a duel in this sweep, and start every sweep that is due."""
    while state.size[0] > 1:
        while state.cursor[0] < state.size[0] - 1:
            pair = state.queue[state.cursor[0]], state.queue[state.cursor[1]]
            if state.duels[pair] == state.sweep[0]:
                return
            state.cursor[1] += 1
            if state.cursor[1] == state.size[0]:
                state.cursor[0] += 1
                state.cursor[1] = state.cursor[0] + 1
        state.sweep[0] += 1
        state.cursor[0], state.cursor[1] = 0, 1


@compiled
def skip_batch(rules: Rules, state: State, run: Run, limit: int) -> None:
    """Play whole sweeps at once, until the first removal or for `limit` rounds."""
    size = state.size[0]
    pairs = size * (size - 1) // 2
    if size == 1 or limit < pairs or state.cursor[0] > 0 or state.cursor[1] > 1:
        return
    matches = new_race(pairs)
    i = 0
    for first in range(size):
        for second in range(first + 1, size):
            left, right = state.queue[first], state.queue[second]
            if state.duels[left, right] != state.sweep[0]:
                return
            matches.left[i] = left
            matches.right[i] = right
            matches.wins[i] = state.wins[left, right]
            matches.duels[i] = state.sweep[0]
            i += 1
    binding = race(rules.spread, True, limit // pairs, matches, run)
    for i in range(pairs):
        left, right = matches.left[i], matches.right[i]
        book(run.world, run.ledger, left, right, matches.duels[i] - state.sweep[0])
        state.wins[left, right] = matches.wins[i]
        state.wins[right, left] = matches.duels[i] - matches.wins[i]
        state.duels[left, right] = state.duels[right, left] = matches.duels[i]
    if binding >= 0:
        state.sweep[0] = matches.duels[binding] - 1
        remove_loser(rules, state, matches.left[binding], matches.right[binding])
    else:
        state.sweep[0] += limit // pairs
    follow(state)


@borrowing
def best(rules: Rules, state: State, menu: ArmMenu, answer: IntArray) -> None:
    answer[0] = most_beaten(state.wins, state.queue, state.size[0], menu)


@borrowing
def plan(rules: Rules, state: State, menu: ArmMenu, duels: DuelBuffer, rng: Generator) -> int:
    """Fill in the pairs of all duels up to the first that may remove an arm; return their number."""
    planned, size, sweep = 0, state.size[0], state.sweep[0]
    while size > 1 and planned < len(duels.sides):
        for first in range(size):
            for second in range(first + 1, size):
                left, right = state.queue[first], state.queue[second]
                met = state.duels[left, right]
                if met <= sweep and planned < len(duels.sides):
                    duels.sides[planned, 0] = left
                    duels.sides[planned, 1] = right
                    planned += 1
                    if sweep + 1 >= met + calm(rules.spread, state.wins[left, right], float(met)):
                        return planned
        sweep += 1
    return planned


play = playing(ask, tell, best, skip_decided, skip_batch)
fold = folding(tell)


@dataclass(frozen=True)
class CondorcetSavage(ArmedLearner[State]):
    """Find the Condorcet winner by comparing all pairs equally often and removing arms that lose.

    Every remaining pair is compared equally often. An arm is removed, with all its pairs, once it loses one
    of them with confidence. Needs only a Condorcet winner. With probability 1 - delta, the winner is found
    after O(sum_j j log(K T / delta) / gap_j^2) duels.

    Parameters
    ----------
    horizon : int
        Number of rounds T over which the bounds hold.
    delta : float or None, default None
        Probability of an error; None means 1/T, which bounds the expected regret.

    Notes
    -----
    Deviations from the paper: none. The radius after n duels is sqrt(log(2 N T / delta) / (2 n)), with
    N = K (K - 1) / 2 pairs. Pairs with equally few duels come in a random order drawn at the start; Zoghi et
    al. (2014) draw such pairs at random instead. Answers may come late or out of order; those about a removed
    arm are ignored, and an arm that a study retires is removed. Past the horizon, exploration continues until
    one arm remains. Simulations draw many sweeps at once as binomials, exactly in distribution
    (`matches.race`).

    References
    ----------
    Urvoy, Clerot, Féraud, Naamane (2013). Generic Exploration and K-armed Voting Bandits. ICML.

    Examples
    --------
    >>> from duelist import simulate
    >>> from duelist.problems import worst_case
    >>> learner = CondorcetSavage(horizon=100_000)
    >>> simulate(learner, worst_case(5, 0.2), horizon=100_000, runs=3)["CondorcetSavage"].best.tolist()
    [0, 0, 0]
    """

    horizon: Count
    delta: Annotated[float, Range(above=0.0, below=1.0, remedy="Leave it out for 1/horizon.")] | None = None

    card = Card(
        seeks="Condorcet winner",
        assumes="a Condorcet winner",
        regret="O(K² log T) in expectation",
        citation="Urvoy, Clerot, Féraud, Naamane (2013). Generic Exploration and K-armed Voting Bandits",
        needs_horizon=True,
        hands_out_batches=True,
        example={"horizon": 50_000},
    )
    kernels = Kernels(ask, tell, best, play, fold, plan)

    def rules(self, k: int) -> Rules:
        delta = 1.0 / self.horizon if self.delta is None else self.delta
        return Rules(0.5 * log(k * (k - 1) * self.horizon / delta))

    def eliminate(self, state: State, arm: int) -> bool:
        if state.remains[arm] and state.size[0] > 1:
            remove(state, arm)
            follow(state)
        return not state.remains[arm]

    def blank(self, k: int, rng: Generator) -> State:
        return State(
            wins=square(k),
            duels=np.zeros((k, k), np.int64),
            remains=np.ones(k, np.bool_),
            queue=rng.permutation(k),
            size=number(k),
            sweep=number(),
            cursor=np.array([0, 1], np.int64),
        )
