from itertools import combinations
from math import comb

import numpy as np
from numpy.random import default_rng

from duelist.assumptions import total_order
from duelist.duel import FloatArray
from duelist.laboratory import ItemResults, Scale, Sources, made_up_preferences
from duelist.preferences import beats
from duelist_reproductions.zoghi2014.figure5_sweep import (
    count_orders,
    cyclic_triples,
    plan,
    sample_orders,
)


def with_a_tie() -> FloatArray:
    preferences = made_up_preferences(7, seed=6, winner=False)
    preferences[2, 5] = preferences[5, 2] = 0.5
    return preferences


def blocks(preferences: FloatArray, k: int) -> list[FloatArray]:
    return [preferences[np.ix_(arms, arms)] for arms in combinations(range(len(preferences)), k)]


def test_orders_are_sampled_as_by_looking_at_every_subset() -> None:
    preferences, samples = with_a_tie(), 50_000
    ordered = count_orders(beats(preferences), samples, default_rng(0))
    assert ordered[0] == samples
    for k in range(2, 8):
        exact = np.mean([total_order(block) is not None for block in blocks(preferences, k)])
        error = np.sqrt(exact * (1.0 - exact) / samples)
        assert abs(ordered[k - 1] / samples - exact) <= 4.0 * error
    # a tie is no order, a cycle is none, and some subsets are neither
    assert 0 < ordered[2] < ordered[1] < samples


def test_a_line_is_always_in_order_and_a_cycle_never() -> None:
    line = np.triu(np.ones((6, 6), bool), 1)
    assert count_orders(line, 100, default_rng(0)).tolist() == [100] * 6
    shuffled = default_rng(1).permutation(6)
    assert count_orders(line[np.ix_(shuffled, shuffled)], 100, default_rng(0)).tolist() == [100] * 6
    cycle = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]], bool)
    assert count_orders(cycle, 100, default_rng(0)).tolist() == [100, 100, 0]


def test_cycles_are_counted() -> None:
    preferences = with_a_tie()
    tied = comb(5, 1)
    unordered = sum(total_order(block) is None for block in blocks(preferences, 3))
    # of triples with the tied pair none is ordered, and none is a cycle
    assert cyclic_triples(beats(preferences)) == unordered - tied > 0


def test_equal_seeds_give_equal_counts() -> None:
    first, again, other = (
        sample_orders(Sources(None), samples=500, seed=seed)["ordered"] for seed in (0, 0, 1)
    )
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_the_paper_samples_a_hundred_thousand() -> None:
    pieces = {piece.name: piece for piece in plan(ItemResults(Scale.PAPER, real=True))}
    assert pieces["total-order"].setting["samples"] == 100_000
