import json
from itertools import combinations

import numpy as np
import pytest
from numpy.random import default_rng
from numpy.testing import assert_array_equal
from real_data import DATA, needs_data

from duelist.laboratory.items import Drawing, Finding, Grid
from duelist.laboratory.made_up import made_up_preferences
from duelist.laboratory.sources import Sources
from duelist.laboratory.work import Result, Results, Scale
from duelist.preferences import beats
from duelist.reproductions.dudik2015 import PAPER
from duelist.reproductions.dudik2015.subsets.figures import show
from duelist.reproductions.dudik2015.subsets.sweep import (
    ALL_INSIDE,
    NONE_INSIDE,
    RANKERS,
    SIZES,
    SOME_INSIDE,
    Character,
    chance_of_a_winner,
    characters,
    draw_top_cycles,
    plan,
    preferences,
    sample,
    supports,
)
from duelist.reproductions.dudik2015.subsets.tally import Tally
from duelist.reproductions.dudik2015.subsets.verdicts import judge
from duelist.types import FloatArray
from duelist.winners import condorcet, copeland, von_neumann, von_neumann_support
from duelist.winners.top_cycle import top_cycle

EXPECTED = PAPER.expected["subsets"]
MADE_UP = Sources(None)


def block(matrix: FloatArray, arms: tuple[int, ...]) -> FloatArray:
    return matrix[np.ix_(arms, arms)]


def naive_character(matrix: FloatArray) -> Character:
    """From a whole subset, by the definitions."""
    support, winners = set(von_neumann_support(matrix)), set(copeland(matrix))
    inside = ALL_INSIDE if winners <= support else SOME_INSIDE if winners & support else NONE_INSIDE
    return Character(len(support), inside, int(max(beats(matrix)[:, arm].sum() for arm in support)))


def test_pieces_have_names_of_their_own_and_plain_settings() -> None:
    for scale in Scale:
        pieces = plan(Results(scale, real=True))
        assert len({piece.name for piece in pieces}) == len(pieces)
        assert all(json.loads(json.dumps(piece.setting)) == piece.setting for piece in pieces)
    drawn = sum(piece.setting.get("subsets", 0) for piece in plan(Results(Scale.PAPER, real=True))) * len(
        SIZES
    )
    assert drawn > 1_000_000


def test_chances_are_those_of_looking_at_all_subsets() -> None:
    matrix = made_up_preferences(8, seed=10, winner=False)
    beaten = beats(matrix).sum(axis=1).tolist()
    shares = []
    for k in range(2, 9):
        subsets = list(combinations(range(8), k))
        shares.append(sum(condorcet(block(matrix, arms)) is not None for arms in subsets) / len(subsets))
        assert chance_of_a_winner(beaten, k) == pytest.approx(shares[-1], abs=1e-15)
    assert min(shares) < 1.0


def test_every_subset_is_as_likely_as_any() -> None:
    matrix = made_up_preferences(8, seed=10, winner=False)
    wins = beats(matrix).astype(np.int64)
    draws, rng = 35_000, default_rng(0)
    for k in (2, 4, 8):
        tops = np.zeros((draws, 8), np.bool_)
        draw_top_cycles(wins - wins.T + 1, k, tops, rng)
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
        np.sort(rng.permutation(60)[:k]) for k in (1, 2, 3, 8, 11, 12, 20, 30, 40, 50, 59, 60) for _ in (0, 1)
    ]
    sizes = set()
    for arms, support in zip(sets, supports(matrix, sets), strict=True):
        whole = [0] if len(arms) == 1 else np.flatnonzero(von_neumann(matrix[np.ix_(arms, arms)]))
        assert set(support.tolist()) == set(arms[whole].tolist())
        sizes.add(len(support))
    assert len(sizes) > 1


def test_a_top_cycle_tells_all_about_its_subset() -> None:
    matrix = preferences(MADE_UP)
    rng = default_rng(5)
    subsets = [
        tuple(rng.permutation(RANKERS)[:k].tolist())
        for k in (2, 3, 5, 8, 12, 20, 30, 40, 50)
        for _ in range(12)
    ]
    cycles = np.zeros((len(subsets), RANKERS), np.bool_)
    for row, arms in zip(cycles, subsets, strict=True):
        row[[arms[arm] for arm in top_cycle(block(matrix, arms))]] = True
    found = characters(matrix, cycles)
    assert found == [naive_character(block(matrix, arms)) for arms in subsets]
    assert {one.support for one in found} >= {1, 3}
    assert any(one.inside < ALL_INSIDE for one in found)


@needs_data
def test_real_subsets_are_as_by_the_definitions() -> None:
    matrix = preferences(Sources(DATA))
    rng = default_rng(6)
    subsets = [tuple(rng.permutation(RANKERS)[:50].tolist()) for _ in range(300)]
    cycles = np.zeros((len(subsets), RANKERS), np.bool_)
    for row, arms in zip(cycles, subsets, strict=True):
        row[[arms[arm] for arm in top_cycle(block(matrix, arms))]] = True
    assert characters(matrix, cycles) == [naive_character(block(matrix, arms)) for arms in subsets]


def test_equal_luck_draws_equal_subsets_and_loses_none() -> None:
    first, again, other = (sample(MADE_UP, luck=luck, subsets=3) for luck in (1, 1, 2))
    assert int(first["number"].sum()) == 3 * len(SIZES)
    assert set(first["size"].tolist()) == set(SIZES)
    for name, column in first.items():
        assert_array_equal(column, again[name])
    assert any(not np.array_equal(column, other[name]) for name, column in first.items())


Row = tuple[int, int, int, int, int]
"""Size, support, how many Copeland winners are inside, loss, number."""
GOOD: list[Row] = [
    (10, 1, ALL_INSIDE, 0, 8000),
    (10, 3, ALL_INSIDE, 1, 1999),
    (10, 5, ALL_INSIDE, 2, 1),
    (99, 1, ALL_INSIDE, 0, 4000),
    (99, 3, ALL_INSIDE, 1, 5995),
    (99, 3, SOME_INSIDE, 2, 5),
]


def judged(
    rows: list[Row], chances: tuple[float, float] = (0.8, 0.4), scale: Scale = Scale.PAPER, real: bool = True
) -> dict[str, Finding]:
    names = ("size", "support", "inside", "loss", "number")
    drawn = dict(zip(names, np.array(rows).T, strict=True))
    found = {
        "counting": Result({}, {"size": np.array([10, 99]), "chance": np.array(chances)}),
        "subsets=0": Result({"luck": 0, "subsets": 10_000}, drawn),
    }
    return judge(Results(scale, real, found), EXPECTED)


def test_what_the_paper_says_is_found_to_hold() -> None:
    findings = judged(GOOD)
    assert findings.keys() == EXPECTED["claims"].keys()
    assert all(finding.holds for finding in findings.values())


@pytest.mark.parametrize(
    ("claim", "change"),
    [
        ("at_most_five", {0: (10, 7, ALL_INSIDE, 0, 8000)}),
        ("one_or_three", {2: (10, 5, ALL_INSIDE, 2, 60)}),
        ("five", {2: (10, 5, ALL_INSIDE, 2, 7)}),
        ("one_copeland", {5: (99, 3, NONE_INSIDE, 2, 30)}),
        ("all_copeland", {5: (99, 3, SOME_INSIDE, 2, 1500)}),
        ("losses", {1: (10, 3, ALL_INSIDE, 9, 1999)}),
        ("odd", {1: (10, 2, ALL_INSIDE, 1, 1999)}),
        ("counting", {0: (10, 1, ALL_INSIDE, 0, 7000)}),
    ],
)
def test_wrong_numbers_are_found_wrong(claim: str, change: dict[int, Row]) -> None:
    findings = judged([change.get(place, row) for place, row in enumerate(GOOD)])
    assert findings[claim].holds is False


def test_a_chance_that_rises_or_stays_high_is_no_drop() -> None:
    for chances in ((0.4, 0.41), (0.9, 0.6)):
        finding = judged(GOOD, chances)["condorcet"]
        assert finding.holds is False
        assert finding.note
        assert judged(GOOD, chances, scale=Scale.QUICK)["condorcet"].holds is None


def test_made_up_preferences_say_nothing_about_rankers() -> None:
    findings = judged(GOOD, real=False)
    assert {name for name, finding in findings.items() if finding.holds is not None} == {"odd", "counting"}
    assert all(finding.note for finding in findings.values() if finding.holds is None)


def quick_results(sources: Sources) -> Results:
    results = Results(Scale.QUICK, sources.real)
    found = {piece.name: Result(piece.setting, piece.do(sources)) for piece in plan(results)}
    return Results(Scale.QUICK, sources.real, found)


def test_pieces_are_added_up_and_shown() -> None:
    results = quick_results(MADE_UP)
    assert Tally.of(results).total == 50 * len(SIZES)
    assert all(finding.holds is not False for finding in judge(results, EXPECTED).values())
    shown = show(results, EXPECTED)
    assert [one.name for one in shown if isinstance(one, Drawing)] == [
        "condorcet",
        "supports",
        "copeland",
        "losses",
    ]
    (table,) = (one for one in shown if isinstance(one, Grid))
    assert all(len(row) == len(table.headings) for row in table.rows)


@needs_data
def test_real_rankers_at_the_quick_scale() -> None:
    findings = judge(quick_results(Sources(DATA)), EXPECTED)
    assert {name for name, finding in findings.items() if finding.holds is None} == {"condorcet", "five"}
    assert all(finding.holds is not False for finding in findings.values())
