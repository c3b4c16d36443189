from math import log

import numpy as np
import pytest

from duelist.duel import FloatArray
from duelist.laboratory import Sources
from duelist_reproductions.single_match import match_chances, mean_length
from duelist_reproductions.yue2012.expectations import (
    arms_behind,
    expect,
    expected_matches,
    expected_regret,
    harmonic,
    proven_matches,
    proven_regret,
    radius_at_one,
    shortest_of,
    walk_chances,
    walk_spread,
)
from duelist_reproductions.yue2012.sweep import walk_lengths


def behind_by_recursion(k: int, prunes: bool, removed: FloatArray) -> FloatArray:
    """Follow incumbents from the worst to the best; `removed` is who is removed while so many are better."""
    behind = np.zeros(k + 1)
    for arm in range(k, 0, -1):
        behind[arm] = (k - arm) / k
        for before in range(arm + 1, k + 1):
            stays = 0.0 if prunes else behind[before] * (1.0 - removed[before - 1])
            behind[arm] += (stays + (before - 1 - arm) / before) / (before - 1)
    return behind[1:]


@pytest.mark.parametrize("name", ["if1", "if2"])
@pytest.mark.parametrize("k", [2, 3, 8, 40])
def test_arms_behind_an_incumbent(name: str, k: int) -> None:
    # of an arm behind and so many better ones, the former is the first with this chance
    first = 1.0 / np.arange(1, k + 1)
    assert arms_behind(name, k) == pytest.approx(behind_by_recursion(k, name == "if2", first))


@pytest.mark.parametrize("k", [2, 7, 256])
def test_expected_matches_have_a_short_form(k: int) -> None:
    assert expected_matches("if1", k) == pytest.approx(k * (harmonic(k) - 1.0))
    assert expected_matches("if2", k) == pytest.approx(2.0 * (k - harmonic(k)))


def test_matches_decided_in_the_same_sweep_hardly_matter() -> None:
    k, horizon = 16, 10**7
    chances = match_chances(radius_at_one(k, horizon), 0.6)
    not_before = 1.0 - np.cumsum(chances) + chances
    removed = np.array([(chances * not_before**better).sum() for better in range(k)])
    exact = k - harmonic(k) + behind_by_recursion(k, False, removed).sum()
    assert expected_matches("if1", k) == pytest.approx(exact, rel=3e-4)


def test_regret_with_two_arms_is_half_of_the_only_match() -> None:
    shortest = np.array([0.0, 700.0, 500.0])
    for name in ("if1", "if2"):
        assert expected_regret(name, 2, shortest, 0.1) == pytest.approx(0.1 * 700.0 / 2.0)


def test_regret_with_three_arms() -> None:
    one, two, epsilon = 10.0, 8.0, 0.1
    # the best begins: it has two matches; or the second: the best beats it, and the third meets it until one
    # of both matches is decided, and unless pruned, with an even chance, then the best; or the third: one of
    # the others beats it, and then both have a match
    best, second = epsilon * one, epsilon * (two + one / 2.0)
    left = epsilon * one / 2.0
    third = epsilon * (two / 2.0 + two) + 0.5 * left + 0.5 * left
    if1, if2 = (best + second + share * left + third for share in (0.5, 0.0))
    shortest = np.array([0.0, one, two, 7.0])
    assert expected_regret("if1", 3, shortest, epsilon) == pytest.approx(if1 / 3.0)
    assert expected_regret("if2", 3, shortest, epsilon) == pytest.approx(if2 / 3.0)


def test_shortest_of_several_drawn() -> None:
    chances = match_chances(4.0, 0.8)
    drawn = np.random.default_rng(0).choice(len(chances), (20_000, 5), p=chances / chances.sum())
    shortest = shortest_of(chances, 5)
    assert shortest[1] == pytest.approx(mean_length(chances))
    for matches in (2, 5):
        assert shortest[matches] == pytest.approx(drawn[:, :matches].min(axis=1).mean(), rel=0.01)


def test_what_is_saved() -> None:
    saved = expect(Sources(None), sizes=[3, 5], horizon=10, epsilon=0.3)
    assert saved["shortest"].shape == (2, 6)
    chances = match_chances(4.0 * log(10 * 5**2), 0.8)
    lengths = np.arange(len(chances))
    assert saved["shortest"][1] == pytest.approx(shortest_of(chances, 5))
    variance = (chances * lengths**2).sum() - mean_length(chances) ** 2
    assert saved["deviation"][1] == pytest.approx(np.sqrt(variance), rel=1e-6)


def chances_by_recursion(k: int) -> dict[int, float]:
    """Follow the walk itself: from node j to each of the nodes before it."""
    if k == 1:
        return {1: 1.0}
    found: dict[int, float] = {}
    for node in range(1, k):
        for length, chance in chances_by_recursion(node).items():
            found[length + 1] = found.get(length + 1, 0.0) + chance / (k - 1)
    return found


@pytest.mark.parametrize("k", [2, 3, 6, 9])
def test_walks_are_as_long_as_lemma_5_says(k: int) -> None:
    chances = walk_chances(k)
    assert len(chances) == k + 1
    slow = chances_by_recursion(k)
    assert chances == pytest.approx([slow.get(length, 0.0) for length in range(k + 1)])
    assert (chances * np.arange(k + 1)).sum() == pytest.approx(1.0 + harmonic(k - 1))


def test_walked_lengths() -> None:
    lengths = walk_lengths(9, 20_000, np.random.default_rng(0))
    shares = np.bincount(lengths, minlength=10) / 20_000
    assert np.abs(shares - walk_chances(9)).max() < 0.015
    variance = (walk_chances(9) * (np.arange(10) - 1.0 - harmonic(8)) ** 2).sum()
    assert walk_spread(8) == pytest.approx(np.sqrt(variance))


def test_bounds() -> None:
    k = 7
    proof = sum(1.0 + sum(1.0 / i for i in range(j + 1, k)) for j in range(1, k)) + 2.0 * (k - 1)
    assert proven_matches("if2", k) == pytest.approx(proof)
    assert proven_matches("if1", 3) == pytest.approx(2 * 2.5)
    assert proven_regret("if1", 3, 10, 0.5) == pytest.approx(5.0 * 64.0 * log(90) * 0.5)
