"""Kernels of draws from a softmax over ranks.

A ranking draws the document at rank r with a chance proportional to r^-tau, among those not yet taken.
"""

import numpy as np
from numpy.random import Generator

from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.errors import ParameterError, require_positive
from duelist.interleaving.page import Page
from duelist.kernels.compile import compiled

EXHAUSTED = -1.0  # stands for a chance where the ranking has nothing left to draw
STEEPEST = 50.0


def require_tau(tau: float) -> None:
    """Check the steepness of a softmax."""
    require_positive("tau", tau)
    if tau > STEEPEST:
        raise ParameterError(f"tau must be at most {STEEPEST:g}; got {tau!r}.")


@compiled
def rank_weights(count: int, tau: float) -> FloatArray:
    """Return r^-tau for the ranks from 1 on; products of known powers are cheaper than powers."""
    weights = np.empty(count)
    for i in range(count):
        rank = i + 1
        if rank > 2 and rank % 2 == 0:
            weights[i] = weights[1] * weights[rank // 2 - 1]
        elif rank > 3 and rank % 3 == 0:
            weights[i] = weights[2] * weights[rank // 3 - 1]
        else:
            weights[i] = rank**-tau
    return weights


@compiled
def draw_order(
    ranking: IntArray, weights: FloatArray, taken: BoolArray, room: int, rng: Generator
) -> IntArray:
    """Return the first documents that a ranking draws, one after the other, without taken ones."""
    # Each document has a clock, exponential at the rate of its weight; they are drawn as the clocks ring.
    # Once the room is filled, only documents that ring before the last of them matter, and `waiting` says
    # both how many do not and when the next one rings.
    order = np.empty(min(room, len(ranking)), np.int64)
    rings = np.empty(len(order))
    filled = 0
    i = 0
    while i < len(ranking) and filled < len(order):
        if not taken[ranking[i]]:
            insert(rng.standard_exponential() / weights[i], ranking[i], rings, order, filled)
            filled += 1
        i += 1
    while i < len(ranking) and filled > 0:
        end = min(2 * i, len(ranking))
        highest = weights[i]  # no weight up to `end` is higher
        while i < end:
            rate = rings[filled - 1] * highest
            waiting = rng.standard_exponential()
            if waiting >= rate * (end - i):
                i = end
            else:
                passed = int(waiting / rate)
                i += passed
                ring = (waiting - passed * rate) / weights[i]
                if ring < rings[filled - 1] and not taken[ranking[i]]:
                    insert(ring, ranking[i], rings, order, filled - 1)
                i += 1
    return order[:filled]


@compiled
def insert(ring: float, document: int, rings: FloatArray, order: IntArray, filled: int) -> None:
    """Insert a document into the first `filled`, in the order in which they ring."""
    place = filled
    while place > 0 and rings[place - 1] > ring:
        rings[place] = rings[place - 1]
        order[place] = order[place - 1]
        place -= 1
    rings[place] = ring
    order[place] = document


@compiled
def chances_to_draw(ranking: IntArray, weights: FloatArray, page: Page, ranks: IntArray) -> FloatArray:
    """Return the chance of this ranking to draw the document at each place; write all ranks, 0 for none."""
    # from the bottom up, because subtracting weights from the top would leave only rounding errors
    ranks[:] = 0
    remaining = 0.0
    for i in range(len(ranking) - 1, -1, -1):
        ranks[ranking[i]] = i + 1
        if not page.taken[ranking[i]]:
            remaining += weights[i]
    chances = np.empty(page.shown[0])
    for place in range(page.shown[0] - 1, -1, -1):
        rank = ranks[page.documents[place]]
        weight = weights[rank - 1] if rank > 0 else 0.0
        remaining += weight
        chances[place] = weight / remaining if remaining > 0.0 else EXHAUSTED
    return chances
