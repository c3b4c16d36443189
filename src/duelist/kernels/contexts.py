"""Finitely many contexts in compiled code: menus, and a world with known preferences in each context."""

from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.duel import LEFT_WINS, RIGHT_WINS, TIE, FloatArray, IntArray
from duelist.kernels.compile import borrowing, compiled, overload_for
from duelist.kernels.duels import DuelBuffer
from duelist.kernels.loop import Ledger, close, prepare, step

REGRET, ERROR = 0, 1  # rows of a ledger's measures


class ActionMenu(NamedTuple):
    """The actions in a context."""

    k: int
    context: IntArray  # one number


class ContextWorld(NamedTuple):
    """The preferences that decide duels, and the policies that learners are measured against."""

    preferences: FloatArray  # preferences[c, a, b]: probability that a beats b in context c
    chances: FloatArray  # probability of each context
    cumulated: FloatArray  # cumulative probabilities of the contexts
    order: IntArray  # the contexts in order of appearance; empty if they are drawn at random
    policies: IntArray  # one row per policy: its action in each context


def action_menu(k: int, context: int = 0) -> ActionMenu:
    """Return the menu of `k` actions in a context."""
    return ActionMenu(k, np.full(1, context, np.int64))


@borrowing
def draw_context(world: ContextWorld, menu: ActionMenu, played: int, world_rng: Generator) -> None:
    """Write the context of the next round, after `played` rounds."""
    if len(world.order) > 0:
        menu.context[0] = world.order[played % len(world.order)]
    else:
        menu.context[0] = np.searchsorted(world.cumulated, world_rng.random(), side="right")


@borrowing
def book_actions(ledger: Ledger, context: int, left: int, right: int) -> None:
    ledger.played[0] += 1
    ledger.plays[context, left] += 1
    ledger.plays[context, right] += 1


@compiled
def largest_gain(world: ContextWorld, against: FloatArray) -> float:
    """Return the gain of the best policy: its weighted margins over other actions, summed over contexts."""
    contexts, k = against.shape
    gains = np.zeros((contexts, k))
    for context in range(contexts):
        for action in range(k):
            for other in range(k):
                margin = 2.0 * world.preferences[context, action, other] - 1.0
                gains[context, action] += margin * against[context, other]
    largest = -np.inf
    for policy in range(len(world.policies)):
        gain = 0.0
        for context in range(contexts):
            gain += gains[context, world.policies[policy, context]]
        largest = max(largest, gain)
    return largest


@overload_for(prepare, ContextWorld)
def prepare_actions(world: ContextWorld, menu: ActionMenu, played: int, world_rng: Generator) -> None:
    draw_context(world, menu, played, world_rng)


@overload_for(step, ContextWorld)
def step_actions(world: ContextWorld, ledger: Ledger, duel: DuelBuffer, world_rng: Generator) -> float:
    """Draw the winner by the pair's preference in the context of the duel; an action ties with itself."""
    context, left, right = duel.context[0], duel.sides[0], duel.sides[1]
    book_actions(ledger, context, left, right)
    if left == right:
        return TIE
    return LEFT_WINS if world_rng.random() < world.preferences[context, left, right] else RIGHT_WINS


@overload_for(close, ContextWorld)
def close_actions(world: ContextWorld, ledger: Ledger, checkpoint: int) -> None:
    """Record the mean regret per round so far, and the best policy's gain against what is learned."""
    contexts, k = ledger.plays.shape
    shown, learned = np.zeros((contexts, k)), np.zeros((contexts, k))
    for context in range(contexts):
        for action in range(k):
            shown[context, action] = ledger.plays[context, action] / (2.0 * ledger.played[0])
            learned[context, action] = world.chances[context] * ledger.answer[context, action]
    ledger.measures[REGRET, checkpoint] = largest_gain(world, shown)
    ledger.measures[ERROR, checkpoint] = largest_gain(world, learned)
