from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from duelist.duel import FloatArray
from duelist.problems.findings import PairedComparisons, compare_pairs
from duelist.winners import copeland

ARMS = ("dense", "bm25", "random")


def counts(
    dense_bm25: tuple[int, int], dense_random: tuple[int, int], bm25_random: tuple[int, int]
) -> FloatArray:
    wins = np.zeros((3, 3))
    for (i, j), (won, lost) in zip(
        ((0, 1), (0, 2), (1, 2)), (dense_bm25, dense_random, bm25_random), strict=True
    ):
        wins[i, j], wins[j, i] = won, lost
    return wins


def paired(wins: FloatArray, leaders: tuple[int, ...] = (0,), has_winner: bool = True) -> PairedComparisons:
    return compare_pairs(ARMS, wins, 0.95, leaders, has_winner)


def test_intervals_are_wilsons() -> None:
    won, duels, z = 30, 40, NormalDist().inv_cdf(0.975)
    centre = (won + z * z / 2) / (duels + z * z)
    half = z / (duels + z * z) * (won * (duels - won) / duels + z * z / 4) ** 0.5
    pair = paired(counts((30, 10), (1, 0), (1, 0))).pairs[1]
    assert pair[:4] == ("dense", "bm25", 30, 40)
    assert (pair.lower, pair.upper) == pytest.approx((centre - half, centre + half))


def test_settled() -> None:
    compared = paired(counts((60, 20), (80, 4), (5, 4)))
    assert compared.settled
    assert compared.open_rivals == ()
    assert compared.verdict.startswith("Settled: dense")
    assert compared.total == 173


def test_open_rival_is_named() -> None:
    compared = paired(counts((6, 4), (80, 4), (50, 3)))
    assert not compared.settled
    assert compared.open_rivals == ("bm25",)
    assert compared.verdict.startswith("Needs more comparisons: dense")
    assert "against bm25 " in compared.verdict


def test_half_is_not_settled_by_higher_confidence() -> None:
    wins = counts((60, 40), (80, 4), (50, 3))
    assert compare_pairs(ARMS, wins, 0.90, (0,), True).settled
    assert not compare_pairs(ARMS, wins, 0.99, (0,), True).settled


def test_no_winner_without_a_comparison() -> None:
    compared = paired(counts((6, 4), (0, 0), (50, 3)), leaders=(0, 1), has_winner=False)
    assert compared.unseen == (("dense", "random"),)
    assert not compared.settled
    assert "never compared count as ties" in compared.verdict


def test_no_winner_in_a_cycle() -> None:
    compared = paired(counts((60, 4), (4, 60), (60, 4)), leaders=(0, 1, 2), has_winner=False)
    assert compared.unseen == ()
    assert compared.open_rivals == ()
    assert compared.verdict.startswith("No arm beats all others")
    assert [pair[:2] for pair in compared.pairs] == [
        ("dense", "bm25"),
        ("random", "dense"),
        ("bm25", "random"),
    ]


def test_pairs_of_the_leader_come_first_and_the_least_sure_of_them_before() -> None:
    compared = paired(counts((60, 20), (6, 4), (1, 1)))
    assert [pair[:2] for pair in compared.pairs] == [
        ("dense", "random"),
        ("dense", "bm25"),
        ("bm25", "random"),
    ]


@given(
    st.integers(2, 5).flatmap(lambda k: arrays(np.float64, (k, k), elements=st.integers(0, 30).map(float)))
)
def test_every_pair_is_accounted_for_once(wins: FloatArray) -> None:
    np.fill_diagonal(wins, 0.0)
    k = len(wins)
    labels = tuple(f"arm{i}" for i in range(k))
    played = wins + wins.T
    rates = np.divide(wins, played, out=np.full((k, k), 0.5), where=played > 0)
    leaders = copeland(rates)
    compared = compare_pairs(labels, wins, 0.95, leaders, has_winner=False)
    named = [frozenset(pair[:2]) for pair in compared.pairs] + [frozenset(pair) for pair in compared.unseen]
    assert len(named) == len(set(named)) == k * (k - 1) // 2
    assert compared.total == wins.sum()
    assert all(0.0 <= pair.lower <= pair.wins / pair.duels <= pair.upper <= 1.0 for pair in compared.pairs)
    assert all(pair.wins >= pair.duels / 2 for pair in compared.pairs)
    with_leader = [bool({*pair[:2]} & {*compared.leaders}) for pair in compared.pairs]
    assert with_leader == sorted(with_leader, reverse=True)
