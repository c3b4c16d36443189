"""What Double Thompson Sampling knows of each pair, and of each arm how many others are proven to beat it.

An arm j that leads i is proven to beat it while u_ij <= 1/2, that is, until alpha ln t reaches
n (1/2 - mean_ij)^2. An arm's proven losses, K - 1 less its optimistic Copeland score, are counted again when
it was compared or when alpha ln t reaches the least of these numbers: a round costs O(K) instead of O(K^2).
"""

from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.duel import FloatArray, IntArray
from duelist.kernels.arms import ArmMenu, is_active
from duelist.kernels.compile import borrowing
from duelist.learners.armed.base import number, square
from duelist.learners.armed.posteriors import chance_of_upset

NEVER = np.finfo(np.float64).max  # an alpha ln t that is not reached


class State(NamedTuple):
    """What has been learned; all but `wins` and `told` restates them so that a round reads rows."""

    wins: FloatArray  # wins[i, j]: how often i beat j
    chance: FloatArray  # chance[i, j]: the posterior chance that j beats i; 0 for i itself
    hold: FloatArray  # hold[i, j]: j is proven to beat i until alpha ln t reaches this
    losses: IntArray  # losses[i]: how many arms are proven to beat i
    fall: FloatArray  # fall[i]: the alpha ln t at which there are fewer of them
    told: IntArray  # one number: rounds so far
    order: IntArray  # of the arms, drawn at the start: who is named best among equals


def blank_state(k: int, rng: Generator) -> State:
    """Return the state before the first duel of `k` arms."""
    return State(
        wins=square(k),
        chance=0.5 * (1.0 - np.eye(k)),
        hold=square(k),
        losses=np.zeros(k, np.int64),
        fall=np.full(k, NEVER),
        told=number(),
        order=rng.permutation(k),
    )


@borrowing
def restate(state: State, i: int, j: int) -> None:
    """Restate what the wins of a pair say; the losses of both arms are to be counted again."""
    won, lost = state.wins[i, j], state.wins[j, i]
    lead = won - lost
    proof = lead * lead / (4.0 * (won + lost))
    state.hold[i, j] = proof if lead < 0.0 else 0.0
    state.hold[j, i] = proof if lead > 0.0 else 0.0
    upset = chance_of_upset(min(won, lost), max(won, lost))
    state.chance[i, j] = upset if lead > 0.0 else 1.0 - upset
    state.chance[j, i] = 1.0 - upset if lead > 0.0 else upset
    state.fall[i] = state.fall[j] = 0.0


@borrowing
def recount(state: State, width: float) -> None:
    """Count losses again where they may have changed, for `width`, which is alpha ln t."""
    for i in range(len(state.fall)):
        if state.fall[i] <= width:
            losses, fall = 0, NEVER
            for j in range(len(state.fall)):
                if state.hold[i, j] > width:
                    losses += 1
                    fall = min(fall, state.hold[i, j])
            state.losses[i] = losses
            state.fall[i] = fall


@borrowing
def losses_on(state: State, menu: ArmMenu, i: int, width: float) -> int:
    """Return how many arms on the menu are proven to beat an arm; an arm off the menu loses to all."""
    k = len(state.fall)
    if len(menu.active) == 0 and width < state.fall[i]:
        return int(state.losses[i])
    if not is_active(menu, i):
        return k
    losses = 0
    for j in range(k):
        losses += state.hold[i, j] > width and is_active(menu, j)
    return losses


@borrowing
def fewest_losses(state: State, menu: ArmMenu, width: float) -> int:
    """Return the number of losses that makes an arm a candidate."""
    fewest = len(state.fall)
    for i in range(len(state.fall)):
        fewest = min(fewest, losses_on(state, menu, i, width))
    return fewest


@borrowing
def sole_candidate(state: State, menu: ArmMenu, width: float) -> int:
    """Return the only candidate: the arm with the fewest losses; -1 if there are several."""
    sole, fewest = -1, fewest_losses(state, menu, width)
    for i in range(len(state.fall)):
        if losses_on(state, menu, i, width) == fewest:
            if sole >= 0:
                return -1
            sole = i
    return sole
