"""Pairs with their intervals, in the order in which they matter."""

from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from duelist import Votes
from duelist.analysis.analysis import compare_pairs
from duelist.analysis.result import Pair
from duelist.duel import FloatArray
from duelist.preferences import estimate
from duelist.votes import count
from duelist.winners import copeland

ARMS = ("dense", "bm25", "random")


def paired(
    dense_bm25: tuple[int, int], dense_random: tuple[int, int], bm25_random: tuple[int, int]
) -> tuple[Pair, ...]:
    wins = np.zeros((3, 3))
    for (i, j), (won, lost) in zip(
        ((0, 1), (0, 2), (1, 2)), (dense_bm25, dense_random, bm25_random), strict=True
    ):
        wins[i, j], wins[j, i] = won, lost
    return compare_pairs(ARMS, count(Votes.from_counts(wins, arms=ARMS)), 0.95)


def test_intervals_are_wilsons() -> None:
    won, votes, z = 30, 40, NormalDist().inv_cdf(0.975)
    centre = (won + z * z / 2) / (votes + z * z)
    half = z / (votes + z * z) * (won * (votes - won) / votes + z * z / 4) ** 0.5
    pair = paired((30, 10), (1, 0), (1, 0))[1]
    assert pair[:4] == ("dense", "bm25", 30, 40)
    assert (pair.lower, pair.upper) == pytest.approx((centre - half, centre + half))


def test_pairs_of_the_leader_come_first_and_the_least_sure_of_them_before() -> None:
    assert [pair[:2] for pair in paired((60, 20), (6, 4), (1, 1))] == [
        ("dense", "random"),
        ("dense", "bm25"),
        ("bm25", "random"),
    ]
    assert [pair[:2] for pair in paired((60, 4), (4, 60), (61, 4))] == [
        ("dense", "bm25"),
        ("random", "dense"),
        ("bm25", "random"),
    ]


def test_a_pair_without_votes_is_left_out() -> None:
    assert [pair[:2] for pair in paired((6, 4), (0, 0), (3, 50))] == [("dense", "bm25"), ("random", "bm25")]


@given(
    st.integers(2, 5).flatmap(lambda k: arrays(np.float64, (k, k), elements=st.integers(0, 30).map(float)))
)
def test_every_pair_is_there_once(wins: FloatArray) -> None:
    np.fill_diagonal(wins, 0.0)
    k = len(wins)
    arms = tuple(f"arm{index}" for index in range(k))
    tally = count(Votes.from_counts(wins, arms=arms))
    compared = compare_pairs(arms, tally, 0.95)
    named = {frozenset(pair[:2]) for pair in compared}
    assert len(named) == len(compared) == np.triu(wins + wins.T > 0.0, 1).sum()
    assert sum(pair.votes for pair in compared) == wins.sum()
    assert all(0.0 <= pair.lower <= pair.wins / pair.votes <= pair.upper <= 1.0 for pair in compared)
    assert all(pair.wins >= pair.votes / 2 for pair in compared)
    leaders = {arms[arm] for arm in copeland(estimate(tally.scores))}
    order = [(not {*pair[:2]} & leaders, pair.lower) for pair in compared]
    assert order == sorted(order)
