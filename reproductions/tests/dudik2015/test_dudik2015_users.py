from itertools import combinations
from typing import Any

import numpy as np
import pytest
from made import claims_with, holds
from numpy.random import default_rng
from numpy.testing import assert_allclose, assert_array_equal

from duelist.clicks import CLICK_MODELS
from duelist.duel import Duel, FloatArray
from duelist.interleaving import Probabilistic
from duelist.laboratory import Drawing, ItemResults, PieceResult, ResultTable, Scale, Sources, agrees
from duelist.laboratory.sources import made_up_preferences
from duelist.problems import RankerDuel
from duelist.winners import condorcet
from duelist_reproductions.dudik2015 import PAPER, users_sweep
from duelist_reproductions.dudik2015.users import ITEM, show, taste
from duelist_reproductions.dudik2015.users_estimates import AsClear, Users, chances
from duelist_reproductions.dudik2015.users_sweep import FEATURES, GRADES, INFORMATIONAL, PERFECT, compare

EXPECTED = PAPER.expected["users"]
MADE_UP = Sources(None)
ARMS = 12


def above(matrix: FloatArray) -> FloatArray:
    return matrix[np.triu_indices(len(matrix), 1)]


def pieces_of(matrix: FloatArray, noise: float, number: int = 16, seed: int = 0) -> FloatArray:
    """Shares with random errors of this size."""
    share = above(matrix)
    return share + noise * default_rng(seed).standard_normal((number, len(share)))


def in_line(gap: float) -> FloatArray:
    """Every arm beats those after it."""
    ranks = np.arange(ARMS)
    return np.asarray(0.5 + gap * np.sign(ranks[np.newaxis, :] - ranks[:, np.newaxis]))


def in_circle(gap: float, arms: int = ARMS) -> FloatArray:
    """Every arm beats about half of the others, those next to it, so that large subsets have no winner."""
    ahead = (np.arange(arms)[np.newaxis, :] - np.arange(arms)[:, np.newaxis]) % arms
    upper = np.triu(np.where(ahead <= arms // 2, 0.5 + gap, 0.5 - gap), 1)
    return upper + np.tril(1.0 - upper.T, -1) + 0.5 * np.eye(arms)


def made(
    informational: FloatArray, perfect: FloatArray, scale: Scale = Scale.PAPER, real: bool = True
) -> ItemResults:
    found = {
        f"{user}-{luck}": PieceResult({"user": user, "luck": luck, "comparisons": 100}, {"share": share})
        for user, shares in ((INFORMATIONAL, informational), (PERFECT, perfect))
        for luck, share in enumerate(shares)
    }
    return ItemResults(scale, real, found)


def verdicts(*made_of: Any) -> dict[str, bool | None]:
    return holds(PAPER, ITEM, made(*made_of))


@pytest.mark.parametrize("user", [INFORMATIONAL, PERFECT])
def test_shares_are_those_of_pages_shown_one_by_one(user: str) -> None:
    data = users_sweep.load_queries(MADE_UP)
    assert (data.d, data.grades) == (FEATURES, GRADES)
    share = compare(MADE_UP, user=user, luck=3, every=45, comparisons=30_000)["share"]
    problem = RankerDuel(data, [0, 45, 90, 135], Probabilistic(), CLICK_MODELS[user](GRADES), seed=3)
    rng, plays = default_rng(0), 6000
    for pair, ours in zip(combinations(range(4), 2), share, strict=True):
        outcomes = [problem.play(Duel(*pair), rng) for _ in range(plays)]
        assert ours == pytest.approx(np.mean(outcomes), abs=4.0 * np.std(outcomes) / np.sqrt(plays))
    # so far apart that neither rankers nor users can have been taken for others
    assert np.abs(share - 0.5).max() > (0.03 if user == INFORMATIONAL else 0.06)


def test_every_piece_has_a_separate_stream_also_in_the_order_of_tied_documents() -> None:
    first, again, other = (
        compare(MADE_UP, user=PERFECT, luck=luck, every=20, comparisons=40)["share"] for luck in (1, 1, 2)
    )
    assert_array_equal(first, again)
    assert not np.array_equal(first, other)
    clicks = CLICK_MODELS[PERFECT](GRADES)
    one_order = RankerDuel(
        users_sweep.load_queries(MADE_UP), range(0, FEATURES, 20), Probabilistic(), clicks, seed=0
    )
    estimated = one_order.estimate(40, seed=2, workers=1, progress=False).matrix
    assert not np.array_equal(above(estimated), other)


@pytest.mark.parametrize("decimals", [15, 1])  # the latter makes ties
def test_chances_are_those_of_looking_at_all_subsets(decimals: int) -> None:
    matrix = made_up_preferences(8, seed=10, winner=False).round(decimals)
    found = chances(above(matrix))
    for k, chance in zip(range(2, 8), found, strict=True):
        blocks = [matrix[np.ix_(arms, arms)] for arms in combinations(range(8), k)]
        assert chance == pytest.approx(np.mean([condorcet(block) is not None for block in blocks]))
    assert found.min() < 1.0


def test_no_piece_is_used_twice() -> None:
    shares = 0.5 + 0.1 * default_rng(1).standard_normal((8, 3))
    users = Users(shares, 100)
    assert users.amounts == [100, 200, 400, 800]
    for amount, number in zip(users.amounts, (8, 4, 2, 1), strict=True):
        estimates = users.estimates(amount)
        assert len(estimates) == number
        assert_allclose(estimates.mean(axis=0), shares.mean(axis=0))
    assert_allclose(users.estimates(400)[1], shares[4:].mean(axis=0))
    assert_array_equal(users.whole, users.estimates(800)[0])
    assert_allclose(users.mean_chances(200), np.mean([chances(one) for one in users.estimates(200)], axis=0))
    resampled = np.array(users.resampled(4000))
    assert_allclose(resampled.mean(axis=0), shares.mean(axis=0), atol=0.003)
    assert_allclose(resampled.std(axis=0), shares.std(axis=0) / np.sqrt(8), rtol=0.1)


def test_clarity_is_the_gap_in_standard_errors() -> None:
    users = Users(pieces_of(made_up_preferences(40), noise=0.05), 100)
    middle = np.median(np.abs(above(made_up_preferences(40)) - 0.5))
    assert users.clearness(1600) == pytest.approx(middle / 0.0125, rel=0.08)
    assert users.clearness(100) == pytest.approx(users.clearness(1600) / 4.0)


CLEAR = made_up_preferences(40)


@pytest.mark.parametrize(
    ("informational", "perfect", "noise", "holding", "failing"),
    [
        (0.5 + 0.4 * (CLEAR - 0.5), CLEAR, 0.05, "informational comparisons taste", ""),  # of the same taste
        (in_circle(0.04), in_line(0.04), 0.08, "condorcet informational", "taste"),
        (in_line(0.06), in_line(0.02), 0.08, "", "informational"),
        (in_circle(0.1), in_line(0.1), 1e-9, "informational", "comparisons"),
    ],
)
def test_users_are_told_apart(
    informational: FloatArray, perfect: FloatArray, noise: float, holding: str, failing: str
) -> None:
    held = verdicts(pieces_of(informational, noise), pieces_of(perfect, noise, seed=1))
    assert claims_with(held, True) >= set(holding.split())
    assert claims_with(held, False) >= set(failing.split())


def test_what_half_of_the_comparisons_contradict_is_not_judged() -> None:
    # together, those in line outweigh the circle, but the circle fills a half of its own
    circle, line = pieces_of(in_circle(0.02), 0.001, number=8), pieces_of(in_line(0.03), 0.001, seed=1)
    assert claims_with(verdicts(np.vstack([circle, line[:8]]), line), None) >= {
        "informational",
        "comparisons",
    }


@pytest.mark.parametrize(
    ("left", "held", "up_to"),
    [
        ((0.0, 0.0, 0.0), True, 7),
        ((0.09, -0.09, -0.09), True, 7),
        ((0.15, 0.15, 0.15), False, 0),
        ((0.0, 0.0, -0.5), False, 6),
        ((-0.15, -0.15, -0.15), False, 0),
        ((0.0, 0.25, -0.25), False, 5),  # opposite differences do not cancel
    ],
)
def test_what_is_left_of_the_difference_counts_in_both_directions(
    left: tuple[float, ...], held: bool, up_to: int
) -> None:
    claim = EXPECTED["claims"]["taste"]
    finding = taste(
        AsClear(np.arange(5, 8), 4000, 600.0, np.full(3, 0.2), np.array(left)), claim["tolerance"]
    )
    assert agrees(claim, finding.value, finding.limit) is held
    assert f"up to {up_to} " in finding.ours


def test_perfect_users_are_made_as_unclear_as_the_others() -> None:
    perfect = made_up_preferences(40)
    halved = Users(pieces_of(0.5 + 0.5 * (perfect - 0.5), 0.05, seed=0), 100)
    whole = Users(pieces_of(perfect, 0.05, seed=1), 100)
    matched, asked = AsClear.of(halved, whole, np.arange(5, 22)), slice(3, 20)
    assert matched.comparisons == 1600
    # half the gap takes four times the comparisons
    assert 400 < matched.fewer < 440
    nearest, next_one = (whole.mean_chances(amount)[asked] for amount in (400, 800))
    unclear = nearest + np.log2(matched.fewer / 400) * (next_one - nearest)
    assert_allclose(matched.whole, (chances(whole.whole) - chances(halved.whole))[asked])
    assert_allclose(matched.left, unclear - chances(halved.whole)[asked])


def test_a_pair_that_is_not_told_apart_leaves_it_open() -> None:
    matrix = in_line(0.1)
    matrix[1, 2], matrix[2, 1] = 0.4, 0.6  # 0 beats 2, which beats 1; does 0 beat 1?
    for lead, held in ((-0.1, True), (-0.008, None), (0.0, False), (0.1, False)):
        matrix[0, 1], matrix[1, 0] = 0.5 + lead, 0.5 - lead
        assert verdicts(pieces_of(matrix, 0.02), pieces_of(matrix, 0.02))["condorcet"] is held


def test_a_chance_that_rises_does_not_drop_even_if_it_ends_low() -> None:
    matrix = in_circle(0.1, arms=40)
    matrix[0, 1:], matrix[1:, 0] = 0.6, 0.4
    matrix[0, 1], matrix[1, 0] = 0.4, 0.6
    found = chances(above(matrix))
    assert found[8] < found[18]
    assert found[-1] < 0.1
    shares = pieces_of(matrix, 0.001)
    assert verdicts(shares, shares)["condorcet"] is False


@pytest.mark.parametrize(("scale", "real"), [(Scale.QUICK, True), (Scale.PAPER, False)])
def test_few_comparisons_or_made_up_documents_say_nothing(scale: Scale, real: bool) -> None:
    held = verdicts(pieces_of(in_line(0.02), 0.08), pieces_of(in_line(0.06), 0.08, seed=1), scale, real)
    assert set(held.values()) == {None}


def test_chances_are_drawn_and_listed_by_comparisons() -> None:
    shares = pieces_of(in_line(0.1), 0.001, number=8)
    drawing, table = show(made(shares, shares[:4]), EXPECTED)
    assert isinstance(drawing, Drawing)
    labels = drawing.figure.axes[0].get_legend_handles_labels()[1]
    assert labels == [
        f"{one} comparisons" for one in ("perfect, 400", "informational, 400", "informational, 100")
    ]
    assert isinstance(table, ResultTable)
    assert [row[:2] for row in table.rows[3:5]] == [["informational", "800"], ["perfect", "100"]]
    assert all(len(row) == len(table.headings) for row in table.rows)
    assert table.rows[3][3:] == ["1.000 (1.00-1.00)", "1.000 (1.00-1.00)", "0 of 1"]
