import json
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from duelist.duel import FloatArray
from duelist.laboratory.items import Table
from duelist.laboratory.sources import Sources
from duelist.laboratory.work import ItemResults, PieceResult, Scale
from duelist_reproductions.dudik2015 import PAPER
from duelist_reproductions.dudik2015.clones.figures import show
from duelist_reproductions.dudik2015.clones.sweep import (
    beat_copeland_winners,
    duplicate,
    duplicate_third,
    example,
    plan,
    restore_signs,
    scores,
)
from duelist_reproductions.dudik2015.clones.verdicts import judge

EXPECTED = PAPER.expected["clones"]
NOWHERE = Sources(None)


@cache
def pieces_played() -> tuple[tuple[str, PieceResult], ...]:
    pieces = plan(ItemResults(Scale.QUICK, real=True))
    return tuple((piece.name, PieceResult(piece.setting, dict(piece.do(NOWHERE)))) for piece in pieces)


def played() -> dict[str, PieceResult]:
    return dict(pieces_played())


def test_pieces_have_names_of_their_own_and_plain_settings() -> None:
    pieces = plan(ItemResults(Scale.PAPER, real=True))
    assert len({piece.name for piece in pieces}) == len(pieces)
    assert all(json.loads(json.dumps(piece.setting)) == piece.setting for piece in pieces)


def test_three_arms_beat_all_others_and_each_other_in_a_cycle() -> None:
    matrix = example(7, 0.8).matrix
    assert (matrix[:3, 3:] > 0.5).all()
    assert [matrix[pair] for pair in ((0, 1), (1, 2), (2, 0))] == [0.8] * 3


def test_scores_by_hand() -> None:
    tied = np.array([[0.5, 0.5, 0.9], [0.5, 0.5, 0.2], [0.1, 0.8, 0.5]])
    assert scores(tied).tolist() == [[1.0, 0.0, 1.0], [1.5, 0.5, 1.0], [2.0, 1.0, 1.0]]


def test_a_duplicate_halves_its_arm() -> None:
    arrays = duplicate(NOWHERE, k=5, chance=0.75)
    assert arrays["weights_after"] == pytest.approx([1 / 6, 1 / 3, 1 / 3, 0.0, 0.0, 1 / 6], abs=1e-12)
    assert arrays["scores_after"][0].tolist() == [3.0, 3.0, 4.0, 1.0, 0.0, 3.0]


def test_the_signs_are_found() -> None:
    found = restore_signs(NOWHERE)
    assert [
        [0.0, 0.5, -0.5, 0.5, -0.95],
        [-0.5, 0.0, 0.5, -0.2, 0.5],
        [0.5, -0.5, 0.0, -0.2, 0.5],
        [-0.5, 0.2, 0.2, 0.0, 0.5],
        [0.95, -0.5, -0.5, -0.5, 0.0],
    ] in found["margins"].round(12).tolist()
    assert found["copeland"][0].tolist() == [2.0, 2.0, 2.0, 3.0, 1.0]


def test_a_duplicate_moves_borda_scores_as_by_hand() -> None:
    # against all others, the fourth gains 0.2 by a second third arm, the second 0.5: sums 0.6 and 0.8
    found = duplicate_third(NOWHERE)
    assert found["borda_before"] == pytest.approx([0.44375, 0.5375, 0.5375, 0.55, 0.43125])
    assert found["borda_after"] == pytest.approx([0.405, 0.58, 0.53, 0.56, 0.395, 0.53])
    assert found["weights_after"] == pytest.approx([1 / 3, 1 / 3, 1 / 6, 0.0, 0.0, 1 / 6], abs=1e-12)


def test_an_arm_beats_all_copeland_winners() -> None:
    found = beat_copeland_winners(NOWHERE)
    assert found["copeland"].tolist() == [3.0, 4.0, 4.0, 4.0, 2.0, 2.0, 2.0]
    assert found["margins"][0] == pytest.approx([0.0, 0.4, 0.4, 0.4, -0.4, -0.4, -0.4])
    assert np.abs(found["margins"] + found["margins"].T).max() < 1e-12
    assert found["weights"] == pytest.approx([3 / 9, *[1 / 9] * 6], abs=1e-12)


def test_what_the_paper_says_is_found_to_hold() -> None:
    findings = judge(ItemResults(Scale.QUICK, real=True, found=played()), EXPECTED)
    assert findings.keys() == EXPECTED["claims"].keys()
    assert all(finding.value for finding in findings.values())


def added(where: tuple[int | list[int], ...], amount: float) -> Callable[[FloatArray], FloatArray]:
    def change(array: FloatArray) -> FloatArray:
        changed = array.copy()
        changed[where] += amount
        return changed

    return change


@pytest.mark.parametrize(
    ("claim", "piece", "name", "change"),
    [
        ("before", "k=6-chance=1.0", "scores_before", added((0, 4), 5.0)),
        ("before", "k=6-chance=1.0", "weights_before", added((0,), 1e-6)),
        ("scores", "k=4-chance=0.6", "scores_after", added((1, 0), 0.5)),
        ("copeland", "k=4-chance=0.6", "scores_after", added((2, 1), 1.0)),
        ("never", "k=4-chance=0.6", "scores_after", added((0, 1), 1.0)),
        ("von_neumann", "k=12-chance=0.6", "weights_after", added((5,), 1e-3)),
        ("von_neumann", "k=12-chance=0.6", "margins_after", added((1,), 1e-6)),
        ("signs", "five-arms", "margins", lambda margins: margins[:1]),
        ("borda", "five-arms", "borda", added((1, 0), 1.0)),
        ("random_walk", "five-arms", "random_walk", added((0, 1), 1.0)),
        ("borda_clones", "five-arms-duplicate", "borda_after", added((3,), 0.1)),
        ("borda_clones", "five-arms-duplicate", "borda_after", added((2,), 0.05)),
        ("borda_clones", "five-arms-duplicate", "weights_after", added((2,), 1e-6)),
        ("beaten_winners", "seven-arms", "copeland", added((0,), 1.0)),
        ("beaten_winners", "seven-arms", "copeland", added((1,), 1.0)),
        ("beaten_winners", "seven-arms", "copeland", added(([1, 2, 3],), 2.0)),
        ("beaten_winners", "seven-arms", "margins", added((1, 0), 0.5)),
        ("beaten_winners", "seven-arms", "weights", added((0,), 1e-6)),
    ],
)
def test_wrong_numbers_are_found_wrong(
    claim: str, piece: str, name: str, change: Callable[[FloatArray], FloatArray]
) -> None:
    found = played()
    found[piece] = PieceResult(
        found[piece].setting, {**found[piece].arrays, name: change(found[piece][name])}
    )
    findings = judge(ItemResults(Scale.PAPER, real=True, found=found), EXPECTED)
    assert findings[claim].value is False


@pytest.mark.parametrize(
    ("claim", "piece", "name"),
    [
        ("before", "k=6-chance=1.0", "weights_before"),
        ("von_neumann", "k=12-chance=0.6", "margins_after"),
        ("borda_clones", "five-arms-duplicate", "weights_after"),
        ("beaten_winners", "seven-arms", "weights"),
    ],
)
def test_the_tolerance_is_the_one_expected(claim: str, piece: str, name: str) -> None:
    found = played()
    changed = {**found[piece].arrays, name: added((0,), 1e-6)(found[piece][name])}
    found[piece] = PieceResult(found[piece].setting, changed)
    claims = EXPECTED["claims"]
    wider = {**EXPECTED, "claims": {**claims, claim: {**claims[claim], "tolerance": 1e-5}}}
    results = ItemResults(Scale.PAPER, real=True, found=found)
    assert [judge(results, one)[claim].value for one in (EXPECTED, wider)] == [False, True]


def test_tables_are_full() -> None:
    tables = show(ItemResults(Scale.QUICK, real=True, found=played()), EXPECTED)
    assert len(tables) == 5
    for table in tables:
        assert isinstance(table, Table)
        assert all(len(row) == len(table.headings) for row in table.rows)
    assert [row[-1] for row in tables[0].rows] == [
        "1, 2, 3",
        "3",
        "1, 2, 3",
        "3",
        "1, 2, 3",
        "1, 3, duplicate",
    ]
