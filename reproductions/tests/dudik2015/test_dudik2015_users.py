import json
from itertools import combinations

import numpy as np
import pytest
from numpy.random import default_rng
from numpy.testing import assert_allclose, assert_array_equal
from real_data import DATA, needs_rankings

from duelist.duel import Duel, FloatArray
from duelist.interleaving import Probabilistic
from duelist.laboratory.items import Drawing, Finding, Table
from duelist.laboratory.made_up import made_up_preferences
from duelist.laboratory.sources import Sources
from duelist.laboratory.work import ItemResults, PieceResult, Scale
from duelist.problems import RankerDuel, clicks
from duelist.winners import condorcet, von_neumann_support
from duelist_reproductions.dudik2015 import PAPER
from duelist_reproductions.dudik2015.users.as_clear import AsClear
from duelist_reproductions.dudik2015.users.estimates import Estimate, Users
from duelist_reproductions.dudik2015.users.figures import show
from duelist_reproductions.dudik2015.users.sweep import (
    FEATURES,
    GRADES,
    INFORMATIONAL,
    PERFECT,
    compare,
    load_queries,
    plan,
)
from duelist_reproductions.dudik2015.users.tables import best_rankers
from duelist_reproductions.dudik2015.users.verdicts import ANOTHER_TASTE, TURNED_ROUND, judge, taste

EXPECTED = PAPER.expected["users"]
MADE_UP = Sources(None)
ARMS = 12
PIECES = 16


def above(matrix: FloatArray) -> FloatArray:
    return matrix[np.triu_indices(len(matrix), 1)]


def pieces_of(matrix: FloatArray, noise: float, number: int = PIECES, seed: int = 0) -> list[FloatArray]:
    """Shares that luck moves by so much."""
    rng = default_rng(seed)
    return [above(matrix) + noise * rng.standard_normal(len(above(matrix))) for _ in range(number)]


def users_of(shares: list[FloatArray], user: str = INFORMATIONAL) -> dict[str, PieceResult]:
    return {
        f"{user}-{luck}": PieceResult({"user": user, "luck": luck, "comparisons": 100}, {"share": share})
        for luck, share in enumerate(shares)
    }


def in_line(gap: float) -> FloatArray:
    """Every arm beats those after it."""
    ranks = np.arange(ARMS)
    return np.asarray(0.5 + gap * np.sign(ranks[np.newaxis, :] - ranks[:, np.newaxis]))


def in_circle(gap: float, arms: int = ARMS) -> FloatArray:
    """Every arm beats about half of the others, those next to it, so that large subsets have no winner."""
    ahead = (np.arange(arms)[np.newaxis, :] - np.arange(arms)[:, np.newaxis]) % arms
    upper = np.triu(np.where(ahead <= arms // 2, 0.5 + gap, 0.5 - gap), 1)
    return upper + np.tril(1.0 - upper.T, -1) + 0.5 * np.eye(arms)


def judged(
    informational: list[FloatArray],
    perfect: list[FloatArray],
    scale: Scale = Scale.PAPER,
    real: bool = True,
) -> dict[str, Finding]:
    found = users_of(informational) | users_of(perfect, PERFECT)
    return judge(ItemResults(scale, real, found), EXPECTED)


def test_pieces_have_names_of_their_own_and_plain_settings() -> None:
    for scale in Scale:
        pieces = plan(ItemResults(scale, real=True))
        assert len({piece.name for piece in pieces}) == len(pieces)
        assert all(json.loads(json.dumps(piece.setting)) == piece.setting for piece in pieces)
        for user in (INFORMATIONAL, PERFECT):
            number = sum(piece.setting["user"] == user for piece in pieces)
            assert number.bit_count() == 1
            assert number >= 4
    comparisons = [piece.setting["comparisons"] for piece in pieces if piece.setting["user"] == INFORMATIONAL]
    assert sum(comparisons) == 8000


@pytest.mark.parametrize("user", [INFORMATIONAL, PERFECT])
def test_shares_are_those_of_pages_shown_one_by_one(user: str) -> None:
    data = load_queries(MADE_UP)
    assert (data.d, data.grades) == (FEATURES, GRADES)
    share = compare(MADE_UP, user=user, luck=3, every=45, comparisons=30_000)["share"]
    problem = RankerDuel(data, [0, 45, 90, 135], Probabilistic(), clicks.CLICK_MODELS[user](GRADES), seed=3)
    rng, plays = default_rng(0), 6000
    for pair, ours in zip(combinations(range(4), 2), share, strict=True):
        outcomes = [problem.play(Duel(*pair), rng) for _ in range(plays)]
        assert ours == pytest.approx(np.mean(outcomes), abs=4.0 * np.std(outcomes) / np.sqrt(plays))
    # so far apart that neither rankers nor users can have been taken for others
    assert np.abs(share - 0.5).max() > (0.03 if user == INFORMATIONAL else 0.06)


def test_every_piece_has_luck_of_its_own_also_in_the_order_of_tied_documents() -> None:
    first, again, other = (
        compare(MADE_UP, user=PERFECT, luck=luck, every=20, comparisons=40)["share"] for luck in (1, 1, 2)
    )
    assert_array_equal(first, again)
    assert not np.array_equal(first, other)
    data = load_queries(MADE_UP)
    one_order = RankerDuel(data, range(0, FEATURES, 20), Probabilistic(), clicks.perfect(GRADES), seed=0)
    estimated = one_order.estimate(40, seed=2, workers=1, progress=False).matrix
    assert not np.array_equal(above(estimated), other)


@pytest.mark.parametrize("decimals", [15, 1])  # the latter makes ties
def test_chances_are_those_of_looking_at_all_subsets(decimals: int) -> None:
    matrix = made_up_preferences(8, seed=10, winner=False).round(decimals)
    estimate = Estimate.of(list(users_of([above(matrix)] * 3).values()))
    assert_allclose(estimate.matrix, matrix, atol=1e-15)
    assert estimate.sizes.tolist() == [2, 3, 4, 5, 6, 7]
    for k, chance in zip(estimate.sizes, estimate.chances, strict=True):
        blocks = [matrix[np.ix_(arms, arms)] for arms in combinations(range(8), int(k))]
        assert chance == pytest.approx(np.mean([condorcet(block) is not None for block in blocks]))
    assert estimate.chances.min() < 1.0


@pytest.mark.parametrize("decimals", [15, 1])  # the latter makes ties
def test_supports_are_as_large_as_in_all_subsets(decimals: int) -> None:
    matrix = made_up_preferences(8, seed=10, winner=False).round(decimals)
    drawn = 3000
    tally = Estimate(matrix).tally(drawn)
    assert tally.total == 6 * drawn
    seen = set()
    for k in range(2, 8):
        blocks = [matrix[np.ix_(arms, arms)] for arms in combinations(range(8), k)]
        sizes = np.array([len(von_neumann_support(block)) for block in blocks])
        seen |= set(sizes.tolist())
        found = tally.part(k, k)
        for size in np.union1d(sizes, found.support):
            share = np.mean(sizes == size)
            ours = found.share(found.support == size)
            assert ours == pytest.approx(share, abs=4.5 * np.sqrt(share / drawn))
    assert len(seen) > 1


def test_no_piece_is_used_twice() -> None:
    rng = default_rng(1)
    shares = [0.5 + 0.1 * rng.standard_normal(3) for _ in range(8)]
    users = Users.of(ItemResults(Scale.PAPER, real=True, found=users_of(shares)), INFORMATIONAL)
    assert users.amounts == [100, 200, 400, 800]
    for amount, number in zip(users.amounts, (8, 4, 2, 1), strict=True):
        estimates = users.estimates(amount)
        assert len(estimates) == number
        together = np.mean([above(one.matrix) for one in estimates], axis=0)
        assert_allclose(together, np.mean(shares, axis=0))
    assert_allclose(above(users.estimates(400)[1].matrix), np.mean(shares[4:], axis=0))
    assert_allclose(users.whole.matrix, users.estimates(800)[0].matrix)
    mean = np.mean([one.chances for one in users.estimates(200)], axis=0)
    assert_allclose(users.mean_chances(200), mean)
    resampled = np.array([above(one.matrix) for one in users.resampled(4000)])
    assert_allclose(resampled.mean(axis=0), np.mean(shares, axis=0), atol=0.003)
    assert_allclose(resampled.std(axis=0), np.std(shares, axis=0) / np.sqrt(8), rtol=0.1)


def test_clearness_is_the_gap_in_units_of_luck() -> None:
    shares = pieces_of(made_up_preferences(40), noise=0.05)
    users = Users(list(users_of(shares).values()))
    assert users.standard_error(100) == pytest.approx(0.05, rel=0.03)
    assert users.standard_error(1600) == pytest.approx(0.0125, rel=0.03)
    middle = np.median(np.abs(above(made_up_preferences(40)) - 0.5))
    assert users.whole.middle_gap == pytest.approx(middle, rel=0.05)
    assert users.clearness(1600) == pytest.approx(middle / 0.0125, rel=0.08)


def test_less_clear_users_have_rarer_winners_and_it_is_not_their_taste() -> None:
    perfect = made_up_preferences(40)
    informational = 0.5 + 0.4 * (perfect - 0.5)
    findings = judged(pieces_of(informational, 0.05), pieces_of(perfect, 0.05, seed=1))
    assert findings.keys() == EXPECTED["claims"].keys()
    assert {name: finding.value for name, finding in findings.items() if name != "condorcet"} == {
        "informational": True,
        "comparisons": True,
        "taste": True,
    }


def test_another_taste_is_found_out() -> None:
    findings = judged(pieces_of(in_circle(0.04), 0.08), pieces_of(in_line(0.04), 0.08, seed=1))
    assert findings["condorcet"].value is True
    assert findings["informational"].value is True
    assert findings["taste"].value is False


def unclear(*chances: float) -> AsClear:
    """Informational users have winners in half of the subsets, perfect ones in 7 of 10, or in these."""
    even = np.full(len(chances), 0.5)
    sizes = np.arange(5, 5 + len(chances))
    return AsClear(sizes, 4000, 600.0, even, even + 0.2, np.array(chances))


@pytest.mark.parametrize(
    ("matched", "holds", "up_to"),
    [
        (unclear(0.5, 0.5, 0.5), True, 7),
        (unclear(0.59, 0.41, 0.41), True, 7),
        (unclear(0.65, 0.65, 0.65), False, 0),
        (unclear(0.5, 0.5, 0.0), False, 6),
        (unclear(0.35, 0.35, 0.35), False, 0),
        (unclear(0.5, 0.75, 0.25), False, 5),  # opposite differences do not cancel
    ],
)
def test_what_is_left_of_the_difference_counts_in_both_directions(
    matched: AsClear, holds: bool, up_to: int
) -> None:
    limit = EXPECTED["claims"]["taste"]["tolerance"]
    finding = taste(matched, limit)
    assert finding.value is holds
    assert matched.explained(limit) == up_to
    assert f"up to {up_to} " in finding.ours


def test_a_difference_turned_round_is_told_from_another_taste() -> None:
    notes = [taste(unclear(chance), 0.5).note for chance in (0.65, 0.35, 0.5)]
    assert notes == [ANOTHER_TASTE, TURNED_ROUND, ""]


def test_perfect_users_are_made_as_unclear_as_the_others() -> None:
    perfect = made_up_preferences(40)
    halved, whole = (
        Users(list(users_of(pieces_of(matrix, 0.05, seed=seed)).values()))
        for seed, matrix in enumerate((0.5 + 0.5 * (perfect - 0.5), perfect))
    )
    matched = AsClear.of(halved, whole, slice(3, 20))
    assert matched.comparisons == 1600
    assert matched.sizes.tolist() == list(range(5, 22))
    # half the gap takes four times the comparisons
    assert 400 < matched.fewer < 440
    nearest, next_one = (whole.mean_chances(amount)[3:20] for amount in (400, 800))
    part = np.log2(matched.fewer / 400)
    assert_allclose(matched.unclear, nearest + part * (next_one - nearest))
    assert_allclose(matched.whole, (whole.whole.chances - halved.whole.chances)[3:20])
    assert_allclose(matched.left, matched.unclear - halved.whole.chances[3:20])


def test_more_winners_are_not_fewer() -> None:
    findings = judged(pieces_of(in_line(0.06), 0.08), pieces_of(in_line(0.02), 0.08, seed=1))
    assert findings["informational"].value is False


def test_a_ranker_that_beats_all_others_makes_the_chance_rise() -> None:
    finding = judged(pieces_of(in_line(0.1), 0.01), pieces_of(in_line(0.1), 0.01))["condorcet"]
    assert finding.value is False
    assert finding.note


def test_a_pair_that_is_not_told_apart_leaves_it_open() -> None:
    matrix = in_line(0.1)
    matrix[1, 2], matrix[2, 1] = 0.4, 0.6  # 0 beats 2, which beats 1; does 0 beat 1?
    for lead, holds in ((-0.1, True), (-0.008, None), (0.0, False), (0.1, False)):
        matrix[0, 1], matrix[1, 0] = 0.5 + lead, 0.5 - lead
        finding = judged(pieces_of(matrix, 0.02), pieces_of(matrix, 0.02))["condorcet"]
        assert finding.value is holds
        assert bool(finding.note) is not bool(holds)


def test_a_chance_that_rises_does_not_drop_even_if_it_ends_low() -> None:
    matrix = in_circle(0.1, arms=40)
    matrix[0, 1:], matrix[1:, 0] = 0.6, 0.4
    matrix[0, 1], matrix[1, 0] = 0.4, 0.6
    chances = Estimate(matrix).chances
    assert chances[8] < chances[18]
    assert chances[-1] < 0.1
    shares = pieces_of(matrix, 0.001)
    assert judged(shares, shares)["condorcet"].value is False


def test_without_luck_comparisons_do_not_matter() -> None:
    rng = default_rng(2)
    shares = [above(in_circle(0.1)) + 1e-9 * rng.standard_normal(66) for _ in range(PIECES)]
    assert judged(shares, pieces_of(in_line(0.1), 0.01))["comparisons"].value is False


def test_what_half_of_the_comparisons_contradict_is_not_judged() -> None:
    # together, those in line outweigh the circle, but the circle fills a half of its own
    circle = pieces_of(in_circle(0.02), 0.001, number=8)
    line = pieces_of(in_line(0.03), 0.001, number=8, seed=1)
    findings = judged(circle + line, pieces_of(in_line(0.03), 0.001, seed=2))
    for claim in ("informational", "comparisons"):
        assert findings[claim].value is None
        assert findings[claim].note


@pytest.mark.parametrize(("scale", "real"), [(Scale.QUICK, True), (Scale.PAPER, False)])
def test_few_comparisons_or_made_up_documents_say_nothing(scale: Scale, real: bool) -> None:
    findings = judged(pieces_of(in_line(0.02), 0.08), pieces_of(in_line(0.06), 0.08, seed=1), scale, real)
    assert all(finding.value is None and finding.note for finding in findings.values())


def quick_results(sources: Sources) -> ItemResults:
    pieces = plan(ItemResults(Scale.QUICK, sources.real))
    found = {piece.name: PieceResult(piece.setting, piece.do(sources)) for piece in pieces}
    return ItemResults(Scale.QUICK, sources.real, found)


@pytest.mark.parametrize("sources", [MADE_UP, pytest.param(Sources(DATA), marks=needs_rankings)])
def test_the_quick_scale_is_judged_and_shown(sources: Sources) -> None:
    results = quick_results(sources)
    findings = judge(results, EXPECTED)
    assert findings.keys() == EXPECTED["claims"].keys()
    assert all(finding.value is not False for finding in findings.values())
    drawing, *tables = show(results, EXPECTED)
    assert isinstance(drawing, Drawing)
    assert len(drawing.figure.axes) == 3
    assert len(tables) == 4
    for table in tables:
        assert isinstance(table, Table)
        assert table.rows
        assert all(len(row) == len(table.headings) for row in table.rows)


def test_the_best_ranker_is_named_with_its_lead() -> None:
    matrix = in_line(0.1)
    matrix[0, 7], matrix[7, 0] = 0.52, 0.48
    users = Users(list(users_of(pieces_of(matrix, 0.008)).values()))
    (row,) = best_rankers({"some": users}).rows
    assert row[3:5] == ["0", "7"]
    lead, error = (float(part) for part in row[5].split("±"))
    assert lead == pytest.approx(0.02, abs=0.006)
    assert error == pytest.approx(0.002, rel=0.6)
    assert row[6] == "100%"
