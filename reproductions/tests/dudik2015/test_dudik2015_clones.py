from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from made import claims_with, holds, make_results

from duelist.duel import FloatArray
from duelist.laboratory import Arrays, ItemResults, Piece, Scale, Sources
from duelist_reproductions.dudik2015 import PAPER
from duelist_reproductions.dudik2015.clones import ITEM, findings, show
from duelist_reproductions.dudik2015.clones_sweep import duplicate, example, restore_signs, scores

EXPECTED = PAPER.expected["clones"]
NOWHERE = Sources(None)


@cache
def played() -> ItemResults:
    return make_results(ITEM, lambda piece: piece.do(NOWHERE), Scale.QUICK)


def changed(piece: str, name: str, change: Callable[[FloatArray], FloatArray]) -> ItemResults:
    """Return what was played, with one array changed."""

    def arrays(one: Piece) -> Arrays:
        kept = played()[one.name]
        return {**kept, name: change(kept[name])} if one.name == piece else kept

    return make_results(ITEM, arrays)


def added(where: tuple[int | list[int], ...], amount: float) -> Callable[[FloatArray], FloatArray]:
    def change(array: FloatArray) -> FloatArray:
        moved = array.copy()
        moved[where] += amount
        return moved

    return change


def test_three_arms_beat_all_others_and_each_other_in_a_cycle() -> None:
    matrix = example(7, 0.8).matrix
    assert (matrix[:3, 3:] > 0.5).all()
    assert [matrix[pair] for pair in ((0, 1), (1, 2), (2, 0))] == [0.8] * 3


def test_scores_and_weights_by_hand() -> None:
    tied = np.array([[0.5, 0.5, 0.9], [0.5, 0.5, 0.2], [0.1, 0.8, 0.5]])
    assert scores(tied).tolist() == [[1.0, 0.0, 1.0], [1.5, 0.5, 1.0], [2.0, 1.0, 1.0]]
    arrays = duplicate(NOWHERE, k=5, chance=0.75)
    assert arrays["weights_after"] == pytest.approx([1 / 6, 1 / 3, 1 / 3, 0.0, 0.0, 1 / 6], abs=1e-12)
    assert arrays["scores_after"][0].tolist() == [3.0, 3.0, 4.0, 1.0, 0.0, 3.0]


def test_signs_are_found_and_a_duplicate_moves_borda_scores_as_by_hand() -> None:
    found = restore_signs(NOWHERE)
    assert [
        [0.0, 0.5, -0.5, 0.5, -0.95],
        [-0.5, 0.0, 0.5, -0.2, 0.5],
        [0.5, -0.5, 0.0, -0.2, 0.5],
        [-0.5, 0.2, 0.2, 0.0, 0.5],
        [0.95, -0.5, -0.5, -0.5, 0.0],
    ] in found["margins"].round(12).tolist()
    assert found["copeland"][0].tolist() == [2.0, 2.0, 2.0, 3.0, 1.0]
    # against all others, the fourth gains 0.2 by a second third arm, the second 0.5: sums 0.6 and 0.8
    assert found["borda"][0] == pytest.approx([0.44375, 0.5375, 0.5375, 0.55, 0.43125])
    assert found["borda_after"] == pytest.approx([0.405, 0.58, 0.53, 0.56, 0.395, 0.53])
    assert found["weights_after"] == pytest.approx([1 / 3, 1 / 3, 1 / 6, 0.0, 0.0, 1 / 6], abs=1e-12)


def test_an_arm_beats_all_copeland_winners() -> None:
    found = played()["seven-arms"]
    assert found["copeland"].tolist() == [3.0, 4.0, 4.0, 4.0, 2.0, 2.0, 2.0]
    assert found["margins"][0] == pytest.approx([0.0, 0.4, 0.4, 0.4, -0.4, -0.4, -0.4])
    assert found["weights"] == pytest.approx([3 / 9, *[1 / 9] * 6], abs=1e-12)


@pytest.mark.parametrize(
    ("claims", "piece", "name", "change"),
    [
        ("before", "k=6-chance=1", "scores_before", added((0, 4), 5.0)),
        ("before", "k=6-chance=1", "weights_before", added((0,), 1e-6)),
        ("scores", "k=4-chance=0.6", "scores_after", added((1, 0), 0.4)),
        ("copeland never scores", "k=4-chance=0.6", "scores_after", added((2, 1), 1.0)),
        ("never scores", "k=4-chance=0.6", "scores_after", added((0, 1), 1.0)),
        ("von_neumann", "k=12-chance=0.6", "weights_after", added((5,), 1e-3)),
        ("von_neumann", "k=12-chance=0.6", "margins_after", added((1,), 1e-6)),
        ("signs", "five-arms", "margins", lambda margins: margins[:1]),
        ("borda", "five-arms", "borda", added((1, 0), 1.0)),
        ("random_walk", "five-arms", "random_walk", added((0, 1), 1.0)),
        ("borda_clones", "five-arms", "borda_after", added((3,), 0.1)),
        ("borda_clones", "five-arms", "borda_after", added((2,), 0.05)),
        ("borda_clones", "five-arms", "weights_after", added((2,), 1e-6)),
        ("beaten_winners", "seven-arms", "copeland", added((0,), 1.0)),
        ("beaten_winners", "seven-arms", "copeland", added((1,), 1.0)),
        ("beaten_winners", "seven-arms", "copeland", added(([1, 2, 3],), 2.0)),
        ("beaten_winners", "seven-arms", "margins", added((1, 0), 0.5)),
        ("beaten_winners", "seven-arms", "weights", added((0,), 1e-6)),
    ],
)
def test_a_wrong_number_fails_its_claims_alone(
    claims: str, piece: str, name: str, change: Callable[[FloatArray], FloatArray]
) -> None:
    verdicts = holds(PAPER, ITEM, changed(piece, name, change))
    assert claims_with(verdicts, False) == set(claims.split())
    assert claims_with(verdicts, None) == set()


def test_the_tolerance_is_the_one_expected() -> None:
    for claim, piece, name in (
        ("before", "k=6-chance=1", "weights_before"),
        ("von_neumann", "k=12-chance=0.6", "margins_after"),
        ("borda_clones", "five-arms", "weights_after"),
        ("beaten_winners", "seven-arms", "weights"),
    ):
        results = changed(piece, name, added((0,), 1e-6))
        wider = {**EXPECTED["claims"], claim: {**EXPECTED["claims"][claim], "tolerance": 1e-5}}
        assert np.all(findings(results, {**EXPECTED, "claims": wider})[claim].value)
        assert not np.all(findings(results, EXPECTED)[claim].value)


def test_what_the_paper_says_holds_and_is_shown() -> None:
    assert set(holds(PAPER, ITEM, played()).values()) == {True}
    tables = show(played(), EXPECTED)
    assert all(len(row) == len(table.headings) for table in tables for row in table.rows)
    assert tables[0].rows[0] == ["Copeland score, a tie counts nothing", "alone", "4", "4", "4", "-"]
    assert tables[0].rows[-1][2:] == ["0.1667", "0.3333", "0.3333", "0.1667"]
