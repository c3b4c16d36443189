"""The slides' summary of balanced interleaving: what passes, and who would fail it."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import binomtest
from slides.slides_results import (
    EVERY,
    EXPECTED,
    ITEM,
    failed,
    few_queries,
    made,
    verdicts,
)

from duelist.duel import LEFT_WINS, RIGHT_WINS
from duelist.interleaving import Balanced
from duelist.laboratory.items import Drawing, ResultTable
from duelist.laboratory.sources import Sources
from duelist.laboratory.work import ItemResults, PieceResult, Scale
from duelist.problems import RankerDuel
from duelist.ranking.corpus import corpus_of
from duelist_reproductions.slides import PAPER
from duelist_reproductions.slides.degraded import TOP, Listed, degraded_rankers
from duelist_reproductions.slides.exact import outcome_chances
from duelist_reproductions.slides.months import new_month, watch
from duelist_reproductions.slides.readings import LABELS, effect_of, enough_from, read
from duelist_reproductions.slides.sweep import LEVEL, PAIRS, duels

pytest_plugins = ["quick_scale"]


def test_one_level_for_all_tests() -> None:
    pytest.importorskip("matplotlib")
    assert EXPECTED["claims"]["significant"]["tolerance"] / len(PAIRS) == LEVEL
    table = ITEM.show(made(), EXPECTED)[-1]
    assert isinstance(table, ResultTable)
    tests = [heading for heading in table.headings if " test" in heading or "t-test" in heading]
    assert [heading.endswith("at 0.33%") for heading in tests if "largest" not in heading] == [True] * 3
    # by the normal law, the 2.94 of a level of 0.05 / 15 and the 0.84 of 80% instead of 1.96 and 0.84
    planned = int(table.rows[0][-2].replace(",", ""))
    assert planned == pytest.approx(((2.935 + 0.842) / 0.025) ** 2 * (0.55 / 4 - 0.025**2), rel=0.002)


def test_readings_by_hand() -> None:
    seen = read(made(), sighted=True)
    assert seen.preference[0, 0].tolist() == [0.525, 0.525]
    outcomes = np.repeat([LEFT_WINS, RIGHT_WINS, 0.5], [30, 25, 45])
    assert seen.deviation[0, 0, 0] == pytest.approx(outcomes.std())
    assert seen.margin(0.05)[0, 0, 0] == pytest.approx(1.96 * outcomes.std() / 10.0, rel=1e-4)
    assert seen.p_values[0, 0, 0] == pytest.approx(binomtest(30, 55).pvalue)
    assert seen.ordered.all()
    assert seen.significant(LEVEL)[0, 0].tolist() == [False, True]
    assert read(made(losses=seen.wins, wins=seen.losses), sighted=True).significant(LEVEL).any() is np.False_
    assert effect_of(seen, 3)[0] == pytest.approx(0.025)
    assert enough_from(np.array([True, False, False]), np.array([1, 2, 3])) is None


def test_what_the_slides_say_holds_of_what_they_describe() -> None:
    assert verdicts(made()) == dict.fromkeys(EXPECTED["claims"], True)


def test_what_differs_fails() -> None:
    wins, losses = (made()["clicks"][name].copy() for name in ("wins", "losses"))
    counted = {"growing_significance", "preference_as_defined"}
    swapped = wins.copy(), losses.copy()
    swapped[0][1, 7], swapped[1][1, 7] = losses[1, 7], wins[1, 7]
    turned = made(wins=swapped[0], losses=swapped[1])
    assert failed(turned) == {"expected_order", "significant"} | counted
    assert LABELS[7] in ITEM.findings(turned, EXPECTED)["expected_order"].note
    close = losses.copy()
    close[0, 2, -1] = 5_750  # a difference of 250 in 11,750 has p = 0.02: enough alone, not among 15
    assert failed(made(losses=close)) == {"significant"} | counted
    quality = made()["clicks"]["quality"].copy()
    quality[:, 4, 0] = 0.39
    assert failed(made(quality=quality)) == {"low_impact"}
    one = np.zeros(EVERY, np.int64)
    one[1, 1] = 1
    assert failed(made(without=one)) == failed(made(uneven=one)) == {"low_impact"}
    assert failed(made(blind_losses=losses)) == {"not_by_bias", "preference_as_defined"}
    assert verdicts(made(truth=np.array([0.6, 0.5, 0.5, 0.4, 0.3, 0.2])))["expected_order"] is None


def test_significance_that_comes_too_early_fails() -> None:
    wins, losses = (made()["clicks"][name].copy() for name in ("wins", "losses"))
    wins[:, :, 0], losses[:, :, 0] = 45, 10  # p = 0.000002 after 100 impressions, where 30 to 25 is expected
    assert failed(made(wins=wins, losses=losses)) == {"growing_significance"}


def test_counts_that_the_exact_chances_do_not_give_fail() -> None:
    # 12,000 wins of 40,000 where 12,400 are expected are more than four standard errors away
    assert failed(made(exact_win=np.array([[0.31], [0.3]]) * np.ones(EVERY))) == {"preference_as_defined"}
    unequal = np.array([[0.25], [0.3001]]) * np.ones(EVERY)
    assert failed(made(exact_loss=unequal)) == {"not_by_bias"}


def test_a_test_that_never_errs_is_too_timid() -> None:
    # 300 comparisons of nothing, none of which is significant at 5%
    wins = np.tile(made()["blind"]["wins"], (10, 1, 1))
    assert failed(made(blind_wins=wins, blind_losses=wins)) == {"not_by_bias"}


def test_blind_people_do_not_tell_rankers_apart(play_quickly: Callable[[str], ItemResults]) -> None:
    results = play_quickly(PAPER.name_of(ITEM))
    (seen,) = (name for name, one in results.items() if one.setting.get("sighted"))
    (blind,) = results.where(sighted=False)
    fooled = dict(results) | {seen: PieceResult({"sighted": True}, blind)}
    assert {"expected_order", "significant", "growing_significance", "preference_as_defined"} == failed(
        ItemResults(Scale.QUICK, False, fooled)
    )
    assert verdicts(results) == dict.fromkeys(EXPECTED["claims"], True)


def test_a_biased_pair_is_found_out_by_blind_clicks() -> None:
    data = few_queries()
    order = RankerDuel(data, degraded_rankers(data)).orders[0]
    sizes = np.diff(data.offsets)
    rows = np.repeat(data.offsets[:-1], sizes)
    scores, shifted = np.empty(len(rows)), np.empty(len(rows))
    scores[rows + order] = rows - np.arange(len(rows))
    shifted[rows + order] = np.where(np.arange(len(rows)) == rows, -9.5, scores[rows + order])
    rankers = [Listed("plain", scores), Listed("shifted", shifted)]
    problem = RankerDuel(data, rankers, Balanced(), duels(Sources(None), 1, False).clicks)
    month = new_month(20_000)
    watch(problem.contest(), corpus_of(data), 0, 1, TOP, month, np.random.default_rng(0))
    wins, losses = (made()["blind"][name].copy() for name in ("wins", "losses"))
    wins[0, 3, -1], losses[0, 3, -1] = (
        (month.outcomes == LEFT_WINS).sum(),
        (month.outcomes == RIGHT_WINS).sum(),
    )
    assert "not_by_bias" in failed(made(blind_wins=wins, blind_losses=losses))
    win, loss = outcome_chances(problem, 0, 1, 10)
    assert loss - win > 0.05
    exact = made()["exact"]["win"].copy(), made()["exact"]["loss"].copy()
    exact[0][1, 3], exact[1][1, 3] = win, loss
    assert "not_by_bias" in failed(made(exact_win=exact[0], exact_loss=exact[1]))


def test_figures_are_drawn_from_results() -> None:
    pytest.importorskip("matplotlib")
    shown = ITEM.show(made(), EXPECTED)
    preferences, significance = (one for one in shown if isinstance(one, Drawing))
    assert [axes.get_title() for axes in preferences.figure.axes] == list(LABELS)
    assert len(significance.figure.axes[0].lines) == 10
    for one in (preferences, significance):
        one.figure.canvas.draw()
    lengths, pairs = (one for one in shown if isinstance(one, ResultTable))
    assert [row[0] for row in pairs.rows] == list(LABELS)
    assert [row[:2] for row in lengths.rows] == [["100", "0 of 30"], ["20,000", "30 of 30"]]
