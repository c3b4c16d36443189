from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made import claims_with, holds
from numpy.random import default_rng
from numpy.testing import assert_array_equal
from real_data import DATA, needs_data
from scipy.stats import chi2

from duelist.duel import FloatArray
from duelist.laboratory import (
    ClaimVerdict,
    Drawing,
    ItemResults,
    PieceResult,
    ResultTable,
    Scale,
    Sources,
    judge,
)
from duelist.laboratory.sources import made_up_preferences
from duelist.preferences import beats
from duelist.winners import condorcet, copeland, von_neumann, von_neumann_support
from duelist.winners.top_cycle import top_cycle
from duelist_reproductions.dudik2015 import PAPER
from duelist_reproductions.dudik2015 import subsets_sweep as sweep
from duelist_reproductions.dudik2015.subsets import ITEM, show
from duelist_reproductions.dudik2015.subsets_sweep import ALL_INSIDE, NONE_INSIDE, RANKERS, SIZES, SOME_INSIDE
from duelist_reproductions.dudik2015.subsets_tally import Tally, chance_of_counts, groups
from duelist_reproductions.subsets_with_winners import winner_chances

EXPECTED = PAPER.expected["subsets"]
MADE_UP = Sources(None)


def block(matrix: FloatArray, arms: tuple[int, ...]) -> FloatArray:
    return matrix[np.ix_(arms, arms)]


def naive_character(matrix: FloatArray) -> sweep.Character:
    """From a whole subset, by the definitions."""
    support, winners = set(von_neumann_support(matrix)), set(copeland(matrix))
    inside = ALL_INSIDE if winners <= support else SOME_INSIDE if winners & support else NONE_INSIDE
    return sweep.Character(len(support), inside, int(max(beats(matrix)[:, arm].sum() for arm in support)))


def test_chances_are_those_of_small_subsets_looked_at() -> None:
    matrix, counted = sweep.preferences(MADE_UP), sweep.count(MADE_UP)
    assert counted["size"].tolist() == list(SIZES)
    assert counted["chance"][0] == 1.0
    triples = list(combinations(range(RANKERS), 3))[::50]
    cycles = np.mean([condorcet(block(matrix, arms)) is None for arms in triples])
    assert 1.0 - counted["chance"][1] == pytest.approx(cycles, abs=4.5 * np.sqrt(cycles / len(triples)))


def test_every_subset_is_as_likely_as_any() -> None:
    matrix = made_up_preferences(8, seed=10, winner=False)
    wins = beats(matrix).astype(np.int64)
    draws, rng = 35_000, default_rng(0)
    for k in (2, 4, 8):
        tops = np.zeros((draws, 8), np.bool_)
        sweep.draw_top_cycles(wins - wins.T + 1, k, tops, rng)
        subsets = list(combinations(range(8), k))
        expected: dict[tuple[int, ...], float] = {}
        for arms in subsets:
            top = tuple(arms[arm] for arm in top_cycle(block(matrix, arms)))
            expected[top] = expected.get(top, 0.0) + 1.0 / len(subsets)
        found, numbers = np.unique(tops, axis=0, return_counts=True)
        drawn = {
            tuple(np.flatnonzero(row).tolist()): n / draws for row, n in zip(found, numbers, strict=True)
        }
        assert drawn.keys() == expected.keys()
        for top, chance in expected.items():
            assert drawn[top] == pytest.approx(chance, abs=4.5 * np.sqrt(chance / draws))


@pytest.mark.parametrize("decimals", [15, 1])  # the latter makes ties
def test_supports_in_large_sets_are_those_of_the_whole_game(decimals: int) -> None:
    matrix = made_up_preferences(60, seed=1, winner=False).round(decimals)
    rng = default_rng(4)
    sets = [
        np.sort(rng.permutation(60)[:k]) for k in (1, 2, 3, 8, 11, 12, 20, 30, 50, 59, 60) for _ in (0, 1)
    ]
    sizes = set()
    for arms, support in zip(sets, sweep.supports(matrix, sets), strict=True):
        whole = [0] if len(arms) == 1 else np.flatnonzero(von_neumann(matrix[np.ix_(arms, arms)]))
        assert set(support.tolist()) == set(arms[whole].tolist())
        sizes.add(len(support))
    assert len(sizes) > 1


SMALL_AND_LARGE = [k for k in (2, 3, 5, 8, 12, 20, 30, 40, 50) for _ in range(12)]


@pytest.mark.parametrize(
    ("folder", "sizes"),
    [(None, SMALL_AND_LARGE), pytest.param(DATA, [50] * 300, marks=needs_data)],
)
def test_a_top_cycle_tells_all_about_its_subset(folder: Path | None, sizes: list[int]) -> None:
    matrix, rng = sweep.preferences(Sources(folder)), default_rng(5)
    subsets = [tuple(rng.permutation(RANKERS)[:k].tolist()) for k in sizes]
    cycles = np.zeros((len(subsets), RANKERS), np.bool_)
    for row, arms in zip(cycles, subsets, strict=True):
        row[[arms[arm] for arm in top_cycle(block(matrix, arms))]] = True
    found = sweep.characters(matrix, cycles)
    assert found == [naive_character(block(matrix, arms)) for arms in subsets]
    assert {one.support for one in found} >= {1, 3}
    assert any(one.inside < ALL_INSIDE for one in found)


def test_equal_seeds_draw_equal_subsets_and_loses_none() -> None:
    first, again, other = (sweep.sample(MADE_UP, luck=luck, subsets=3) for luck in (1, 1, 2))
    assert int(first["number"].sum()) == 3 * len(SIZES)
    assert set(first["size"].tolist()) == set(SIZES)
    for name, column in first.items():
        assert_array_equal(column, again[name])
    assert any(not np.array_equal(column, other[name]) for name, column in first.items())


Row = tuple[int, int, int, int, int]
"""Size, support, how many Copeland winners are inside, loss, number."""
GOOD: list[Row] = [
    (10, 1, ALL_INSIDE, 0, 8000),
    (10, 3, ALL_INSIDE, 0, 1999),
    (10, 5, ALL_INSIDE, 1, 1),
    (99, 1, ALL_INSIDE, 0, 4000),
    (99, 3, ALL_INSIDE, 1, 5965),
    (99, 3, SOME_INSIDE, 2, 34),
    (99, 3, NONE_INSIDE, 2, 1),
]


def made(
    rows: list[Row], chances: tuple[float, float] = (0.8, 0.4), scale: Scale = Scale.PAPER, real: bool = True
) -> ItemResults:
    found = {"counting": PieceResult({}, {"size": np.array([10, 99]), "chance": np.array(chances)})}
    for luck, part in enumerate((rows[:3], rows[3:])):
        drawn = dict(zip(Tally._fields, np.array(part).T, strict=True))
        found[f"luck={luck}"] = PieceResult({"luck": luck, "subsets": 10_000}, drawn)
    return ItemResults(scale, real, found)


def judged(*made_of: Any, **kinds: Any) -> dict[str, ClaimVerdict]:
    return {one.name: one for one in judge(PAPER, ITEM, made(*made_of, **kinds)).verdicts}


def test_what_the_paper_says_is_found_to_hold() -> None:
    verdicts = judged(GOOD)
    assert all(verdict.holds for verdict in verdicts.values())
    assert not any(verdict.note for verdict in verdicts.values())


@pytest.mark.parametrize(
    ("claim", "change"),
    [
        ("at_most_five", {0: (10, 7, ALL_INSIDE, 0, 8000)}),
        ("one_or_three", {2: (10, 5, ALL_INSIDE, 2, 60)}),
        ("five", {2: (10, 5, ALL_INSIDE, 2, 7)}),
        ("one_copeland", {6: (99, 3, NONE_INSIDE, 2, 30)}),
        ("all_copeland", {5: (99, 3, SOME_INSIDE, 2, 500)}),
        ("fewer_by_size", {5: (99, 3, ALL_INSIDE, 2, 34), 6: (99, 3, NONE_INSIDE, 2, 35)}),
        ("fewer_by_size", {5: (99, 3, ALL_INSIDE, 2, 34), 6: (99, 3, ALL_INSIDE, 2, 1)}),
        ("fewer_by_size", {1: (10, 3, SOME_INSIDE, 1, 12), 2: (10, 3, ALL_INSIDE, 1, 1988)}),
        ("losses", {1: (10, 3, ALL_INSIDE, 4, 1999)}),
        ("odd", {1: (10, 2, ALL_INSIDE, 1, 1999)}),
        ("counting", {0: (10, 1, ALL_INSIDE, 0, 7000)}),
    ],
)
def test_wrong_numbers_are_found_wrong(claim: str, change: dict[int, Row]) -> None:
    assert judged([change.get(place, row) for place, row in enumerate(GOOD)])[claim].holds is False


def test_subsets_with_a_winner_do_not_hide_what_the_others_are() -> None:
    # all that can be wrong is, but 19 of 20 subsets have a Condorcet winner
    easy: list[Row] = [(k, 1, ALL_INSIDE, 0, 19 * number) for k, number in ((10, 8000), (99, 4000))]
    hard: list[Row] = [(10, 3, SOME_INSIDE, 9, 8000), (99, 3, NONE_INSIDE, 98, 4000)]
    verdicts = judged([*easy, *hard], (0.95, 0.95))
    assert verdicts["all_copeland"].holds is verdicts["losses"].holds is False
    assert verdicts["all_copeland"].note
    # and what holds by them alone is said
    verdicts = judged([*GOOD[:2], (10, 5, NONE_INSIDE, 1, 18), *GOOD[3:]])
    for claim in ("one_or_three", "one_copeland"):
        assert verdicts[claim].holds is True
        assert verdicts[claim].note == EXPECTED["if_only_by_winners"]


def test_a_sampler_that_prefers_an_arm_a_little_is_found_out() -> None:
    matrix = sweep.preferences(MADE_UP)
    favourite = int(beats(matrix).sum(axis=1).argmax())
    sizes, subsets = np.array(SIZES), 7500
    chance = sweep.count(MADE_UP)["chance"]
    # the odds that the favourite is drawn are a tenth too high; winners depend on whether it is
    others = np.delete(np.delete(matrix, favourite, 0), favourite, 1)
    without = winner_chances(beats(others))[1:]
    inside = sizes / RANKERS
    with_it = (chance - (1.0 - inside) * without) / inside
    odds = 1.1 * inside / (1.0 - inside)
    biased = odds / (1.0 + odds) * with_it + without / (1.0 + odds)
    rng, drawn = default_rng(3), np.full(len(sizes), subsets)
    for truth, fair in ((chance, True), (biased, False)):
        likely = [chance_of_counts(rng.binomial(subsets, truth), drawn, chance) for _ in range(20)]
        assert {by_chance >= EXPECTED["claims"]["counting"]["tolerance"] for by_chance in likely} == {fair}


def test_chi_square_detects_more_than_chance() -> None:
    drawn, chance = np.array([1000, 1000, 1000]), np.array([0.5, 0.2, 0.001])
    exact = np.array([500, 200, 1])
    assert chance_of_counts(exact, drawn, chance) == pytest.approx(1.0)
    # 2 deviations at the first size; the last expects too few and joins the second
    found = np.array([500 + 2 * np.sqrt(250), 200, 1]).round().astype(int)
    assert chance_of_counts(found, drawn, chance) == pytest.approx(chi2.sf(32**2 / 250, 2), rel=1e-9)
    assert chance_of_counts(found, drawn, chance, fitted=1) < chance_of_counts(found, drawn, chance)
    assert chance_of_counts(np.array([999]), np.array([1000]), np.array([1.0])) == 0.0
    assert chance_of_counts(np.array([1]), np.array([1000]), np.array([0.0])) == 0.0
    assert chance_of_counts(np.array([0]), np.array([1000]), np.array([0.0])) == 1.0


def test_a_chance_that_rises_or_stays_high_is_no_drop() -> None:
    for chances in ((0.4, 0.41), (0.9, 0.6)):
        verdict = judged(GOOD, chances)["condorcet"]
        assert verdict.holds is False
        assert verdict.note
        assert judged(GOOD, chances, scale=Scale.QUICK)["condorcet"].holds is None


def test_what_the_scale_and_the_data_allow_is_judged() -> None:
    unjudged = claims_with(holds(PAPER, ITEM, made(GOOD, scale=Scale.QUICK)), None)
    assert unjudged == {"condorcet", "five", "all_copeland", "fewer_by_size"}
    assert claims_with(holds(PAPER, ITEM, made(GOOD, real=False)), True) == {"odd", "counting"}


def test_pieces_are_added_up_and_shown() -> None:
    shown = show(made(GOOD), EXPECTED)
    drawn = [one.name for one in shown if isinstance(one, Drawing)]
    assert drawn == ["condorcet", "supports", "copeland", "losses"]
    everything, hard = (one for one in shown if isinstance(one, ResultTable))
    assert all(len(row) == len(table.headings) for table in (everything, hard) for row in table.rows)
    assert everything.rows[-1][:4] == ["2-135", "20,000", "60.000%", "39.995%"]
    assert hard.rows[-1][:4] == ["2-135", "8,000", "0.000%", "99.987%"]


def test_sizes_are_grouped_until_enough_are_expected() -> None:
    hits, misses = np.array([1.0, 4.0, 9.0, 2.0]), np.full(4, 9.0)
    assert groups(hits, misses).tolist() == [0, 0, 1, 1]  # what is left joins the last
