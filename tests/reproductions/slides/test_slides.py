"""The slides' summary of balanced interleaving: six rankers of known order, and who would fail it."""

import json
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from real_data import DATA, needs_rankings
from scipy.stats import binomtest

from duelist.browsing import browse
from duelist.interleaving import Balanced
from duelist.laboratory.items import Drawing, Grid
from duelist.laboratory.sources import Sources
from duelist.laboratory.work import Result, Results, Scale
from duelist.problems import RankerDuel, clicks
from duelist.ranking import RankingData, ndcg, synthetic_ranking_data
from duelist.ranking.corpus import corpus_of
from duelist.reproductions.slides import PAPER
from duelist.reproductions.slides.degraded import TOP, Listed, degraded_rankers, long_enough
from duelist.reproductions.slides.months import new_month, watch
from duelist.reproductions.slides.readings import LABELS, effect_of, most_by_luck, read
from duelist.reproductions.slides.sweep import PAIRS, SWEEPS, interleave, plan
from duelist.types import LEFT_WINS, RIGHT_WINS

[ITEM] = PAPER.items
EXPECTED = PAPER.expected[ITEM.name]
NOWHERE = Sources(None)
MARKS = np.array([1_000, 20_000])


def few_queries() -> RankingData:
    return long_enough(synthetic_ranking_data(queries=40, documents=20, seed=2))


def played(scale: Scale, sources: Sources) -> Results:
    found = {
        piece.name: Result(piece.setting, piece.do(sources)) for piece in plan(Results(scale, sources.real))
    }
    return Results(scale, sources.real, found)


def made(**changed: Any) -> Results:
    """Two months in which every pair shows the expected order, and blind clicks show nothing."""
    wins = np.array([300, 6_000]) * np.ones((2, len(PAIRS), 1), np.int64)
    losses = np.array([200, 5_000]) * np.ones((2, len(PAIRS), 1), np.int64)
    arrays = {
        "impressions": MARKS,
        "wins": wins,
        "losses": losses,
        "quality": np.tile([0.5, 0.6, 0.4], (2, len(PAIRS), 1)),
        "without": np.zeros((2, len(PAIRS)), np.int64),
        "decided": np.full((2, len(PAIRS)), 5_000.0),
        "truth": np.linspace(0.6, 0.4, 6),
    }
    blind = arrays | {"losses": wins, "decided": np.full((2, len(PAIRS)), np.nan)}
    for name, value in changed.items():
        if name.startswith("blind_"):
            blind[name.removeprefix("blind_")] = value
        else:
            arrays[name] = value
    found = {"clicks": Result({"sighted": True}, arrays), "blind": Result({"sighted": False}, blind)}
    return Results(Scale.PAPER, real=False, found=found)


def verdicts(results: Results) -> dict[str, bool | None]:
    return {name: one.holds for name, one in ITEM.judge(results, EXPECTED).items()}


def test_each_ranker_does_one_swap_more() -> None:
    data = few_queries()
    rankers = degraded_rankers(data)
    orders = RankerDuel(data, rankers).orders
    for query in range(len(data)):
        lists = orders[:, data.rows(query)]
        for swaps, (before, after) in enumerate(pairwise(lists), start=1):
            moved = np.flatnonzero(before != after)
            assert len(moved) == 2
            assert moved[0] < TOP < moved[1] <= 2 * TOP
            assert before[moved].tolist() == after[moved][::-1].tolist()
            assert (lists[0] != after).sum() == 2 * swaps
    best = max(ndcg(data.features[:, feature], data, 10, empty=0.0).mean() for feature in range(data.d))
    assert ndcg(rankers[0].score(data), data, 10, empty=0.0).mean() >= best
    quality = RankerDuel(data, rankers).quality
    assert quality[0] - quality[5] > 0.1


def test_watching_is_interleaving_and_clicking_impression_by_impression() -> None:
    data = few_queries()
    problem = RankerDuel(data, degraded_rankers(data), Balanced(), clicks.informational(3))
    month = new_month(300)
    watch(problem.contest(), corpus_of(data), 0, 3, TOP, month, np.random.default_rng(4))
    rng = np.random.default_rng(4)
    quality, judged = np.zeros(3), 0
    for impression in range(300):
        query = int(rng.random() * len(data))
        labels = data.labels[data.rows(query)]
        left, right = (problem.orders[ranker, data.rows(query)] for ranker in (0, 3))
        shown = Balanced().interleave(left.tolist(), right.tolist(), rng, 10)
        documents = np.array(shown.documents, np.int64)
        clicked = np.empty(len(documents), np.bool_)
        browse(problem.user, labels[documents], len(documents), clicked, rng)
        assert month.outcomes[impression] == Balanced().credit(shown, documents[clicked].tolist())
        if labels.any():
            judged += 1
            one = RankingData(np.zeros((len(labels), 1)), labels, ["q"], [0, len(labels)])
            for place, ranking in enumerate((documents, left[:10], right[:10])):
                scores = np.full(len(labels), -1e9)
                scores[ranking] = -np.arange(len(ranking))
                quality[place] += ndcg(scores, one, 10)[0]
    assert month.judged[0] == judged
    np.testing.assert_allclose(month.quality, quality)
    assert month.without[0] == 0


def test_a_list_that_hides_what_is_good_is_noticed() -> None:
    # eleven documents of which only the first is relevant; a page of one place shows it to every other person
    labels = np.array([1] + [0] * 10)
    data = RankingData(np.arange(11.0)[:, np.newaxis], labels, ["q"], [0, 11])
    rankers = [Listed("good", -np.arange(11.0)), Listed("bad", np.arange(11.0))]
    problem = RankerDuel(data, rankers, Balanced(), clicks.perfect(2), length=1)
    month = new_month(400)
    watch(problem.contest(), corpus_of(data), 0, 1, TOP, month, np.random.default_rng(0))
    assert 150 < month.without[0] < 250
    assert month.quality[0] == 400 - month.without[0]


def test_months_have_their_own_luck_and_are_counted() -> None:
    setting: dict[str, Any] = {"files": 1, "impressions": 300, "sighted": True}
    both = interleave(NOWHERE, **setting, first=0, months=2)
    second = interleave(NOWHERE, **setting, first=1, months=1)
    np.testing.assert_array_equal(both["wins"][1], second["wins"][0])
    assert (both["wins"][0] != both["wins"][1]).any()
    assert both["impressions"][-1] == 300
    assert (np.diff(both["wins"], axis=2) >= 0).all()
    assert (both["wins"] + both["losses"] <= both["impressions"]).all()
    assert (both["truth"][:-1] > both["truth"][1:]).all()


@pytest.mark.parametrize("scale", list(Scale))
def test_the_plan_plays_every_month_once(scale: Scale) -> None:
    pieces = plan(Results(scale, real=True))
    assert len({piece.name for piece in pieces}) == len(pieces)
    for sighted in (True, False):
        settings = [piece.setting for piece in pieces if piece.setting["sighted"] is sighted]
        months = [month for one in settings for month in range(one["first"], one["first"] + one["months"])]
        assert months == list(range(SWEEPS[scale].months))
    assert json.loads(json.dumps([piece.setting for piece in pieces])) == [one.setting for one in pieces]


def test_readings_by_hand() -> None:
    seen = read(made(), sighted=True)
    assert seen.preference[0, 0].tolist() == [0.55, 0.525]
    outcomes = np.repeat([LEFT_WINS, RIGHT_WINS, 0.5], [300, 200, 500])
    assert seen.deviation[0, 0, 0] == pytest.approx(outcomes.std())
    assert seen.margin(0.95)[0, 0, 0] == pytest.approx(1.96 * outcomes.std() / np.sqrt(1_000), rel=1e-4)
    assert seen.p_values[0, 0, 0] == pytest.approx(binomtest(300, 500).pvalue)
    assert effect_of(seen, 3)[0] == pytest.approx(0.025)
    assert most_by_luck(20, 0.05, 0.99) == 4


def test_what_the_slides_say_holds_of_what_they_describe() -> None:
    assert verdicts(made()) == dict.fromkeys(EXPECTED["claims"], True)


def test_what_differs_fails() -> None:
    wins, losses = (made()["clicks"][name].copy() for name in ("wins", "losses"))
    swapped = wins.copy(), losses.copy()
    swapped[0][1, 7], swapped[1][1, 7] = losses[1, 7], wins[1, 7]
    turned = ITEM.judge(made(wins=swapped[0], losses=swapped[1]), EXPECTED)
    assert {name for name, one in turned.items() if one.holds is False} == {"expected_order", "significant"}
    assert LABELS[7] in turned["expected_order"].note
    close = losses.copy()
    close[0, 2, -1] = 5_750  # a difference of 250 in 11,750 has p = 0.02: enough alone, not among 15
    assert verdicts(made(losses=close)) == dict.fromkeys(EXPECTED["claims"], True) | {"significant": False}
    quality = made()["clicks"]["quality"].copy()
    quality[:, 4, 0] = 0.39
    assert verdicts(made(quality=quality))["low_impact"] is False
    without = np.zeros((2, len(PAIRS)), np.int64)
    without[1, 1] = 1
    assert verdicts(made(without=without))["low_impact"] is False
    assert verdicts(made(blind_losses=losses))["not_by_bias"] is False
    assert verdicts(made(truth=np.array([0.6, 0.5, 0.5, 0.4, 0.3, 0.2])))["expected_order"] is None


def test_blind_people_do_not_tell_rankers_apart() -> None:
    results = played(Scale.QUICK, NOWHERE)
    blind = results["blind-first=0"]
    fooled = Results(Scale.QUICK, False, {"clicks": Result({"sighted": True}, blind.arrays), "blind": blind})
    assert verdicts(fooled)["expected_order"] is False
    assert verdicts(fooled)["significant"] is False
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
    problem = RankerDuel(data, rankers, Balanced(), clicks.random_clicks(0.3, 3))
    month = new_month(20_000)
    watch(problem.contest(), corpus_of(data), 0, 1, TOP, month, np.random.default_rng(0))
    wins, losses = (made()["blind"][name].copy() for name in ("wins", "losses"))
    wins[0, 3, -1], losses[0, 3, -1] = (
        (month.outcomes == LEFT_WINS).sum(),
        (month.outcomes == RIGHT_WINS).sum(),
    )
    assert verdicts(made(blind_wins=wins, blind_losses=losses))["not_by_bias"] is False


@needs_rankings
def test_a_quick_look_at_real_documents_holds() -> None:
    results = played(Scale.QUICK, Sources(DATA))
    assert verdicts(results) == dict.fromkeys(EXPECTED["claims"], True)


def test_figures_are_drawn_from_results() -> None:
    pytest.importorskip("matplotlib")
    shown = ITEM.show(made(), EXPECTED)
    preferences, significance = (one for one in shown if isinstance(one, Drawing))
    assert [axes.get_title() for axes in preferences.figure.axes] == list(LABELS)
    assert len(significance.figure.axes[0].lines) == 5
    for one in (preferences, significance):
        one.figure.canvas.draw()
    [table] = (one for one in shown if isinstance(one, Grid))
    assert [row[0] for row in table.rows] == list(LABELS)
    assert {len(row) for row in table.rows} == {len(table.headings)}
