"""Six rankers of known order, and the months in which they are interleaved."""

from itertools import pairwise
from typing import Any

import numpy as np
from slides.slides_results import few_queries

from duelist import clicks
from duelist.clicks.user import click_by_tables
from duelist.interleaving import Balanced
from duelist.laboratory.sources import Sources
from duelist.problems import RankerDuel
from duelist.ranking import RankingData, ndcg
from duelist.ranking.corpus import corpus_of
from duelist_reproductions.slides.degraded import TOP, Listed, degraded_rankers
from duelist_reproductions.slides.months import is_even, new_month, watch
from duelist_reproductions.slides.sweep import interleave


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
        shown = Balanced().interleave([left.tolist(), right.tolist()], rng, 10)
        documents = np.array(shown.documents, np.int64)
        clicked = np.empty(len(documents), np.bool_)
        click_by_tables(problem.user, labels[documents], len(documents), clicked, rng)
        assert month.outcomes[impression] == Balanced().outcome(shown, documents[clicked].tolist())
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
    assert month.uneven[0] == 0


def test_lists_that_do_not_take_both_tops_by_turns_are_uneven() -> None:
    one, other = np.array([0, 1, 2, 3, 4, 5]), np.array([3, 0, 4, 5, 1, 2])
    for even in ([0, 3, 1, 4, 2], [3, 0, 1, 4, 2], [0, 3], [3], [0]):
        assert is_even(np.array(even), one, other)
    # a document of neither top, too many of one ranking, and one left out
    for uneven in ([1, 0, 3, 4, 2], [0, 1, 2, 3, 4], [0, 1, 3, 4, 2], [0, 3, 4, 5, 1], [3, 0, 4, 5, 1]):
        assert not is_even(np.array(uneven), one, other)


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
    assert month.uneven[0] == 0


def test_months_have_separate_random_streams_and_are_counted() -> None:
    setting: dict[str, Any] = {"files": 1, "impressions": 300, "sighted": True}
    both = interleave(Sources(None), **setting, first=0, months=2)
    second = interleave(Sources(None), **setting, first=1, months=1)
    np.testing.assert_array_equal(both["wins"][1], second["wins"][0])
    assert (both["wins"][0] != both["wins"][1]).any()
    assert both["impressions"][-1] == 300
    assert (np.diff(both["wins"], axis=2) >= 0).all()
    assert (both["wins"] + both["losses"] <= both["impressions"]).all()
    assert (both["truth"][:-1] > both["truth"][1:]).all()
