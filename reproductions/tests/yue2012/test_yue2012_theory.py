from math import log

import numpy as np
import pytest

from duelist.laboratory.items import Expected
from duelist.laboratory.sources import Sources
from duelist.laboratory.work import ItemResults, PieceResult, Scale
from duelist.learners.armed import InterleavedFilter1
from duelist.problems import worst_case
from duelist_reproductions.yue2012 import PAPER
from duelist_reproductions.yue2012.expectations import harmonic
from duelist_reproductions.yue2012.sweep import EPSILON, HORIZON
from duelist_reproductions.yue2012.theory import (
    first_filter_matches,
    match_duels,
    plan_theory,
    proven_regret,
    second_filter_matches,
    walk_chances,
    walk_lengths,
)
from duelist_reproductions.yue2012.theory_verdicts import judge_theory, walk_spread
from duelist_reproductions.yue2012.watched import play_watched

EXPECTED = PAPER.expected["theorems"]


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
    assert second_filter_matches(k) == pytest.approx(proof)
    assert first_filter_matches(3) == pytest.approx(2 * 2.5)
    assert match_duels(10, 1_000, 0.1) == pytest.approx(1_600.0 * log(100_000))
    assert proven_regret("if1", 3, 10, 0.5) == pytest.approx(5.0 * 64.0 * log(90) * 0.5)


@pytest.fixture(scope="module")
def played() -> ItemResults:
    pieces = plan_theory(ItemResults(Scale.QUICK, real=False))
    found = {piece.name: PieceResult(piece.setting, piece.do(Sources(None))) for piece in pieces}
    return ItemResults(Scale.QUICK, real=False, found=found)


def altered(results: ItemResults, **changes: float) -> ItemResults:
    """Multiply arrays."""
    found = {
        name: PieceResult(
            one.setting, {key: values * changes.get(key, 1) for key, values in one.arrays.items()}
        )
        for name, one in results.items()
    }
    return ItemResults(results.scale, results.real, found)


def with_tolerance(claim: str, tolerance: float) -> Expected:
    claims = EXPECTED["claims"]
    return {**EXPECTED, "claims": {**claims, claim: {**claims[claim], "tolerance": tolerance}}}


def test_everything_holds(played: ItemResults) -> None:
    findings = judge_theory(played, EXPECTED)
    assert set(findings) == set(EXPECTED["claims"])
    assert all(finding.value for finding in findings.values())


@pytest.mark.parametrize(
    ("claim", "changes"),
    [
        ("rounds", {"if2_rounds": 1.25}),
        ("rounds", {"if1_rounds": 0.8}),
        ("dominated", {"if1_rounds": 1.6}),
        ("if1_matches", {"if1_matches": 1.6}),
        ("if2_matches", {"if2_matches": 2.4}),
        ("exact_matches", {"if1_matches": 0.9}),
        ("exact_matches", {"if2_matches": 1.1}),
        ("exact_regret", {"if2_regret": 1.05}),
        ("exact_regret", {"if1_regret": 0.95}),
        ("regret", {"if1_regret": 0.02}),
        ("regret", {"if2_regret": 12.0}),
    ],
)
def test_wrong_numbers_are_found_out(played: ItemResults, claim: str, changes: dict[str, float]) -> None:
    assert judge_theory(altered(played, **changes), EXPECTED)[claim].value is False


@pytest.mark.parametrize("factor", [3.84, 4.16])
def test_a_radius_off_by_2_percent_is_found_out(played: ItemResults, factor: float) -> None:
    single = played["single-matches"]
    learner = InterleavedFilter1(HORIZON, factor)
    other = play_watched(learner, worst_case(2, EPSILON), (HORIZON,), range(len(single["if1_duels"])), seed=2)
    wrong = PieceResult(single.setting, {**single.arrays, "if1_duels": other["duels"]})
    results = ItemResults(played.scale, played.real, {**played.found, "single-matches": wrong})
    assert judge_theory(results, EXPECTED)["match_length"].value is False


@pytest.mark.parametrize(
    ("claim", "tolerance"),
    [
        ("walk", 0.0),
        ("rounds", 0.0),
        ("if1_matches", 1e9),
        ("if2_matches", 1e9),
        ("mistakes", -1.0),
        ("regret", 1e9),
        ("match_length", 1.0),
        ("full_matches", 0.0),
        ("exact_matches", 0.0),
        ("exact_regret", 0.0),
    ],
)
def test_tolerances_are_those_of_the_expectations(played: ItemResults, claim: str, tolerance: float) -> None:
    assert judge_theory(played, with_tolerance(claim, tolerance))[claim].value is False


def test_domination_has_its_tolerance_too(played: ItemResults) -> None:
    more = altered(played, if1_rounds=1.6)
    assert judge_theory(more, with_tolerance("dominated", 1e-300))["dominated"].value is True


def test_walks_of_another_length_are_found_out(played: ItemResults) -> None:
    counts = np.roll(played["walks"]["lengths"], 1, axis=1)
    walks = PieceResult(played["walks"].setting, {"lengths": counts})
    wrong = ItemResults(played.scale, played.real, {**played.found, "walks": walks})
    assert judge_theory(wrong, EXPECTED)["walk"].value is False


def test_a_filter_that_does_not_prune_is_found_out(played: ItemResults) -> None:
    found = {
        name: PieceResult(one.setting, {**one.arrays, **{key: one[key.replace("if2", "if1")] for key in one}})
        for name, one in played.items()
    }
    wrong = judge_theory(ItemResults(played.scale, played.real, found), EXPECTED)
    assert wrong["pruning_saves"].value is False
    assert wrong["exact_matches"].value is False


def test_a_wrong_winner_is_found_out(played: ItemResults) -> None:
    name = next(name for name, one in played.items() if "winner" in one)
    best = played[name]["if1_best"].copy()
    best[3] += 1
    wrong = PieceResult(played[name].setting, {**played[name].arrays, "if1_best": best})
    results = ItemResults(played.scale, played.real, {**played.found, name: wrong})
    assert judge_theory(results, EXPECTED)["mistakes"].value is False
