"""Random subsets of 136 rankers: their Condorcet, Copeland and von Neumann winners.

All properties measured here depend only on a subset's top cycle, the smallest set of arms that each beat
every arm outside: the von Neumann winner and the Copeland winners lie in it, and its arms lose only to each
other. So compiled code draws subsets and reduces them to their top cycles, and every top cycle is examined
once.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.random import Generator, default_rng

from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.kernels.compile import compiled
from duelist.laboratory.sources import Sources, made_up_preferences
from duelist.laboratory.work import Arrays, ItemResults, Piece, grid, settings
from duelist.preferences import ROUNDING, beats, gaps, leaders
from duelist.winners import von_neumann_many
from duelist.winners.top_cycle import lowest_at_the_top
from duelist_reproductions.subsets_with_winners import winner_chances

MATRIX = "preferences/mslr136.csv"
RANKERS = 136
SIZES = range(2, RANKERS)
"""Every size except that of the whole set, which has only one subset."""
NONE_INSIDE, SOME_INSIDE, ALL_INSIDE = 0, 1, 2
"""Which Copeland winners have weight in the von Neumann winner."""
FEW = 10
"""Number of arms of a large top cycle to solve for first, and to add at a time."""
SETTINGS = settings(pieces=(2, 10), subsets=(25, 750))
"""Subsets of each size per piece; at the paper's scale 1,005,000 in all: it says over a million."""


def plan(results: ItemResults) -> list[Piece]:
    """Return the pieces: exact chances, and random subsets of all sizes with separate random streams."""
    setting = SETTINGS[results.scale]
    drawn = grid(sample, {"luck": range(setting.pieces)}, {"subsets": setting.subsets})
    return [Piece("counting", count, cost=0.01), *drawn]


def preferences(sources: Sources) -> FloatArray:
    return sources.matrix(MATRIX, RANKERS) if sources.real else made_up_preferences(RANKERS, winner=False)


def count(sources: Sources) -> Arrays:
    """Return the exact chance that a subset has a Condorcet winner, by size."""
    return {"size": np.array(SIZES), "chance": winner_chances(beats(preferences(sources)))[1:-1]}


def sample(sources: Sources, *, luck: int, subsets: int) -> Arrays:
    """Draw subsets of every size, and count them by kind, as a table in columns."""
    matrix, rng = preferences(sources), default_rng(luck)
    wins = beats(matrix).astype(np.int64)
    tops = np.zeros((len(SIZES) * subsets, len(matrix)), np.bool_)
    for place, k in enumerate(SIZES):
        draw_top_cycles(wins - wins.T + 1, k, tops[place * subsets : (place + 1) * subsets], rng)
    packed, which = np.unique(np.packbits(tops, axis=1), axis=0, return_inverse=True)
    cycles = np.unpackbits(packed, axis=1, count=len(matrix)).astype(np.bool_)
    kinds = np.array(characters(matrix, cycles))[which.ravel()]
    rows, numbers = np.unique(np.column_stack([np.repeat(SIZES, subsets), kinds]), axis=0, return_counts=True)
    columns = dict(zip(("size", *Character._fields), rows.T, strict=True))
    return {**columns, "number": numbers}


@compiled
def draw_top_cycles(points: IntArray, k: int, tops: BoolArray, rng: Generator) -> None:
    """Draw subsets of k arms, one per row of `tops`, and mark the arms of their top cycles.

    `points[i, j]` is the score of arm i against arm j: 2 for a win, 1 for a tie, also with itself.
    """
    arms = len(points)
    drawn = np.arange(arms)
    gained = np.empty(k, np.int64)
    for top in tops:
        for place in range(k):
            other = place + int(rng.random() * (arms - place))
            drawn[place], drawn[other] = drawn[other], drawn[place]
        for place in range(k):
            gained[place] = -1
            for other in range(k):
                gained[place] += points[drawn[place], drawn[other]]
        lowest = lowest_at_the_top(np.sort(gained)[::-1])
        for place in range(k):
            top[drawn[place]] = gained[place] >= lowest


class Character(NamedTuple):
    """Properties of a subset."""

    support: int
    """Number of arms with weight in the von Neumann winner: one if and only if it is a Condorcet winner."""
    inside: int
    """Whether none, some or all Copeland winners are among them."""
    loss: int
    """Maximum number of arms that one of them loses to."""


def characters(matrix: FloatArray, cycles: BoolArray) -> list[Character]:
    """Return the properties of subsets with these top cycles, given as rows that mark their arms."""
    wins, sets, found = beats(matrix), [np.flatnonzero(cycle) for cycle in cycles], []
    for arms, support in zip(sets, supports(matrix, sets), strict=True):
        won, weighted = wins[np.ix_(arms, arms)], np.isin(arms, support)
        inside = weighted[list(leaders(won.sum(axis=1).astype(np.float64)))]
        share = ALL_INSIDE if inside.all() else SOME_INSIDE if inside.any() else NONE_INSIDE
        found.append(Character(len(support), share, int(won.sum(axis=0)[weighted].max())))
    return found


def supports(matrix: FloatArray, sets: Sequence[IntArray]) -> list[IntArray]:
    """Return the arms of each set that have weight in the von Neumann winner among its arms.

    For a large set, start with the few arms that beat most others, and add those that beat or tie with the
    lottery found, until there are none. Then no other arm can have weight: against the lottery found, every
    arm of a von Neumann winner has to tie.
    """
    margins = gaps(matrix)
    found = list(sets)
    considered = {}
    for place, arms in enumerate(sets):
        if len(arms) > 1:
            beaten = (margins[np.ix_(arms, arms)] > 0.0).sum(axis=1)
            considered[place] = arms[np.argsort(-beaten, kind="stable")[:FEW]]
    while considered:
        lotteries = von_neumann_many(matrix[np.ix_(arms, arms)] for arms in considered.values())
        rest = {}
        for (place, arms), lottery in zip(considered.items(), lotteries, strict=True):
            others = np.setdiff1d(sets[place], arms)
            margin = lottery @ margins[np.ix_(arms, others)]
            worst = np.argsort(margin, kind="stable")[:FEW]
            rivals = others[worst[margin[worst] <= ROUNDING]]
            if len(rivals):
                rest[place] = np.concatenate([arms, rivals])
            else:
                found[place] = arms[lottery > 0.0]
        considered = rest
    return found
