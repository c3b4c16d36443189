"""The incumbent of Interleaved Filter, its matches with the arms of W, and what a complete sweep decides."""

from typing import NamedTuple

from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.kernels.compile import borrowing
from duelist.learners.armed.matches import verdict
from duelist.learners.armed.remaining import take_out


class Rules(NamedTuple):
    """Hyperparameters, as the kernels read them."""

    spread: float  # factor * log(1 / delta): the confidence radius after t duels is sqrt(spread / t)
    prunes: bool  # whether lines 16-18 of Algorithm 3 apply


class State(NamedTuple):
    """What has been learned: the incumbent b, and its match with each arm of W."""

    wins: FloatArray  # of the incumbent over each arm
    duels: IntArray  # of the incumbent with each arm
    remains: BoolArray  # whether an arm is in W
    queue: IntArray  # W in its fixed order, then unused room
    size: IntArray  # of W
    incumbent: IntArray
    sweep: IntArray  # sweeps through W that are complete
    cursor: IntArray  # the next arm of the queue that has not had its duel of this sweep


@borrowing
def follow(rules: Rules, state: State) -> None:
    """Move the cursor past arms that have had their duel, and close every sweep that is complete."""
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
    for place in range(state.size[0]):
        arm = state.queue[place]
        result = verdict(rules.spread, state.wins[arm], state.duels[arm])
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
    """Give up an arm for good; return False if it is the winner, and no other is left to take its place."""
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
    """Lines 16-20: prune what the old incumbent led, make the challenger incumbent, start anew."""
    kept = 0
    for place in range(state.size[0]):
        arm = state.queue[place]
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
