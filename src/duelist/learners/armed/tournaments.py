"""Sampled tournaments: who beats whom, every pair by a sample of its posterior.

The first candidate of Double Thompson Sampling is the candidate with the fewest losses in such a tournament.
Results are read from a table of random numbers and need not be kept; an arm's are read until it has lost too
often, so that few of the K^2 pairs are looked at.
"""

from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.kernels.arms import ArmMenu, is_active
from duelist.kernels.compile import borrowing, compiled
from duelist.kernels.random import number_at
from duelist.learners.armed.posteriors import divergence_from_half, sample_lead
from duelist.learners.armed.proofs import State, fewest_losses, losses_on


class Tournament(NamedTuple):
    """The key of its table, and what is known of it beforehand."""

    key: int
    loser: int  # an arm that loses; -1 if that is not known of any
    winner: int  # to which arm: the first in their order that beats it


@borrowing
def loses(state: State, tournament: Tournament, i: int, j: int) -> bool:
    """Return whether i loses to j."""
    if i == tournament.loser and j <= tournament.winner:
        return j == tournament.winner
    if j == tournament.loser and i <= tournament.winner:
        return i != tournament.winner
    low, high = min(i, j), max(i, j)
    high_wins = number_at(tournament.key, low * len(state.fall) + high) < state.chance[low, high]
    return bool(high_wins == (i == low))


@borrowing
def losses_in(state: State, menu: ArmMenu, tournament: Tournament, i: int, most: int) -> int:
    """Return how many arms beat i; if more than `most` do, a number above `most`."""
    losses = 0
    for j in range(len(state.fall)):
        if losses > most:
            break
        if j != i and is_active(menu, j):
            losses += loses(state, tournament, i, j)
    return losses


@borrowing
def by_lot(state: State, tournament: Tournament, i: int, j: int) -> int:
    """Return the arm with the larger number of its own in the table: a fair way to choose among many."""
    own = len(state.fall) + 1
    return j if number_at(tournament.key, j * own) > number_at(tournament.key, i * own) else i


@borrowing
def pick_first(
    plus: bool, state: State, menu: ArmMenu, width: float, tournament: Tournament, rng: Generator
) -> int:
    """Lines 4 to 11: of the arms with the fewest proven losses, that with the fewest in a tournament."""
    k, proven = len(state.fall), fewest_losses(state, menu, width)
    first, fewest, ties = -1, k, 0
    for i in range(k):
        if losses_on(state, menu, i, width) == proven:
            losses = losses_in(state, menu, tournament, i, fewest)
            if losses < fewest:
                first, fewest, ties = i, losses, 1
            elif losses == fewest:
                ties += 1
                first = by_lot(state, tournament, first, i)
    if plus and ties > 1:
        first = least_regret(state, menu, width, tournament, proven, fewest, rng)
    return first


@borrowing
def first_above(state: State, menu: ArmMenu, arm: int, width: float, luck: float) -> int:
    """Return the first, by number, whose sample against an arm exceeds 1/2; the arm itself if none does.

    Only those are asked that are not proven to beat it at `width`, which is alpha ln t. One of them does if
    `luck`, uniform on [0, 1), is below the chance of it.
    """
    some, none = 0.0, 1.0
    for i in range(len(state.fall)):
        if state.hold[arm, i] <= width and is_active(menu, i):
            some += none * state.chance[arm, i]
            none *= 1.0 - state.chance[arm, i]
            if luck < some:
                return i
    return arm


@borrowing
def chance_above(state: State, menu: ArmMenu, arm: int, width: float) -> float:
    """Return the chance that one of them does, added up in the same order."""
    some, none = 0.0, 1.0
    for i in range(len(state.fall)):
        if state.hold[arm, i] <= width and is_active(menu, i):
            some += none * state.chance[arm, i]
            none *= 1.0 - state.chance[arm, i]
    return some


@compiled
def least_regret(
    state: State,
    menu: ArmMenu,
    width: float,
    tournament: Tournament,
    proven: int,
    fewest: int,
    rng: Generator,
) -> int:
    """Return which of the candidates that tie with the fewest losses has the least estimated regret: D-TS+.

    Telling a pair apart takes 1 / d(theta, 1/2) duels, and each costs by how much the scores of the two, on
    average, are below the highest; all of it as it is in the tournament.
    """
    k = len(state.fall)
    least, losses, tied, regret = k, np.zeros(k, np.int64), np.zeros(k, np.bool_), np.zeros(k)
    for i in range(k):
        if is_active(menu, i):
            losses[i] = losses_in(state, menu, tournament, i, k)
            tied[i] = losses[i] == fewest and losses_on(state, menu, i, width) == proven
            least = min(least, losses[i])
    for i in range(k):
        for j in range(i):
            cost = losses[i] + losses[j] - 2 * least
            if (tied[i] or tied[j]) and cost > 0 and is_active(menu, i) and is_active(menu, j):
                duels = 1.0 / divergence_from_half(sampled_lead(state, tournament, i, j, rng))
                regret[i] += cost * duels
                regret[j] += cost * duels
    first = -1
    for i in range(k):
        if tied[i] and (first < 0 or regret[i] < regret[first]):
            first = i
        elif tied[i] and regret[i] == regret[first]:
            first = by_lot(state, tournament, first, i)
    return first


@borrowing
def sampled_lead(state: State, tournament: Tournament, i: int, j: int, rng: Generator) -> float:
    """Return the sample by which one of a pair beats the other."""
    winner, loser = (j, i) if loses(state, tournament, i, j) else (i, j)
    return sample_lead(state.wins[winner, loser], state.wins[loser, winner], state.chance[loser, winner], rng)
