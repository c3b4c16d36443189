from itertools import product

import numpy as np
import pytest
from interleaving import slow
from interleaving.pages import (
    CARELESS,
    assert_drawn_as_often,
    credits_of,
    draw_lists,
    mean_advantages,
    propensities_of,
)

from duelist.interleaving import PairwisePreference

RULES = PairwisePreference().rules()

CASES = [
    ([[0, 1, 2, 3], [3, 2, 1, 0], [1, 0, 3, 2]], 4),
    ([[0, 1, 2, 3, 4], [0, 2, 1, 4, 3]], 5),
    ([[0, 1, 2], [3, 4, 5]], 4),
    ([[0, 1, 2], [3], [3, 0]], 4),
    ([[0, 1], [2, 3], []], 4),
    ([[1, 0, 2]], 3),
]


def candidates(rankings: list[list[int]], length: int) -> list[float]:
    """The chance of each candidate at each place: so many are in the tops, less those shown."""
    tops = [len({d for ranking in rankings for d in ranking[: place + 1]}) for place in range(length)]
    return [1.0 / (top - place) for place, top in enumerate(tops)]


def slow_credits(
    rankings: list[list[int]], length: int, documents: tuple[int, ...], clicked: list[int]
) -> list[float]:
    """Weighted by the share of all lists in which the pair would count, found by going through them."""
    lists = slow.pairwise_preference_lists(rankings, length)
    credits = [0.0] * len(rankings)
    for winner, loser in product(range(len(documents)), repeat=2):
        if winner in clicked and loser not in clicked and loser <= max(clicked) + 1:
            pair = documents[winner], documents[loser]
            entry = max(min(r.index(d) for r in rankings if d in r) for d in pair)
            if min(winner, loser) >= entry:
                chance = sum(
                    float(chance)
                    for (shown, _), chance in lists.items()
                    if not set(pair) & set(shown[:entry])
                )
                for j, ranking in enumerate(rankings):
                    ranks = [ranking.index(d) if d in ranking else 99 for d in pair]
                    credits[j] += np.sign(ranks[1] - ranks[0]) / chance
    return credits


@pytest.mark.parametrize(("rankings", "length"), CASES)
def test_lists_are_drawn_as_often_as_by_trying_everything(rankings: list[list[int]], length: int) -> None:
    lists = slow.pairwise_preference_lists(rankings, length)
    assert_drawn_as_often(draw_lists(RULES, rankings, length, 6_000, seed=1), lists)


@pytest.mark.parametrize(("rankings", "length"), CASES)
def test_propensities_are_known_beforehand(rankings: list[list[int]], length: int) -> None:
    for propensities in propensities_of(RULES, rankings, length, 20, seed=2).values():
        assert propensities == pytest.approx(candidates(rankings, length))


@pytest.mark.parametrize(("rankings", "length"), CASES)
def test_credit_is_weighted_by_how_seldom_a_pair_counts(rankings: list[list[int]], length: int) -> None:
    lists = slow.pairwise_preference_lists(rankings, length)
    for shown in list(lists)[::5]:
        for places in product([False, True], repeat=length):
            clicked = np.flatnonzero(places).tolist()
            credits = credits_of(RULES, rankings, shown, clicked, candidates(rankings, length))
            assert credits == pytest.approx(slow_credits(rankings, length, shown[0], clicked))


@pytest.mark.parametrize(("rankings", "length"), CASES)
def test_any_clicks_that_ignore_documents_credit_nobody(rankings: list[list[int]], length: int) -> None:
    lists = slow.pairwise_preference_lists(rankings, length)
    for places in product([False, True], repeat=length):
        clicked = np.flatnonzero(places).tolist()
        expected = sum(
            float(chance) * credits_of(RULES, rankings, shown, clicked, candidates(rankings, length))
            for shown, chance in lists.items()
        )
        assert expected == pytest.approx(np.zeros(len(rankings)), abs=1e-12)


def test_credits_by_hand() -> None:
    rankings = [[0, 1, 2], [1, 2, 0], [0, 2, 1]]
    halves = [0.5, 0.5, 1.0]
    shown = ((0, 1, 2), (-1, -1, -1))
    # 1 before 0 counts for sure, 1 before 2 when 1 was not shown at the top: half the time
    assert credits_of(RULES, rankings, shown, [1], halves).tolist() == [-1.0 + 2.0, 1.0 + 2.0, -1.0 - 2.0]
    # 2 cannot stand at the top, where 0 does
    assert credits_of(RULES, rankings, shown, [2], halves).tolist() == [-2.0, -2.0, 2.0]
    # all that were seen are clicked
    assert credits_of(RULES, rankings, shown, [0, 1, 2], halves).tolist() == [0.0, 0.0, 0.0]


def test_only_what_was_seen_loses() -> None:
    rankings = [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1], [1, 3, 0, 2]]
    evens = [1 / 4, 1 / 3, 1 / 2, 1.0]
    shown = ((0, 1, 2, 3), (-1,) * 4)
    wider = PairwisePreference(beyond=2).rules()
    narrower = PairwisePreference(beyond=0).rules()
    assert credits_of(RULES, rankings, shown, [0], evens).tolist() == [1.0, -1.0, 1.0, -1.0]
    assert credits_of(wider, rankings, shown, [0], evens).tolist() == [2.0, -2.0, 0.0, 0.0]
    assert credits_of(narrower, rankings, shown, [0], evens).tolist() == [0.0] * 4
    assert credits_of(RULES, rankings, shown, [], evens).tolist() == [0.0] * 4


def test_no_place_shows_what_all_have_further_down() -> None:
    rng = np.random.default_rng(3)
    for seed in range(20):
        rankings = [rng.permutation(12).tolist() for _ in range(3)]
        for documents, _ in draw_lists(RULES, rankings, 12, 20, seed):
            for place, document in enumerate(documents):
                assert min(ranking.index(document) for ranking in rankings) <= place


def test_what_all_agree_on_is_shown_so() -> None:
    rankings = [[4, 2, 0, 1, 3], [4, 2, 0, 3, 1], [4, 2, 1, 0, 3]]
    assert {documents[:2] for documents, _ in draw_lists(RULES, rankings, 5, 50, seed=4)} == {(4, 2)}


def test_careless_people_favour_nobody() -> None:
    rng = np.random.default_rng(4)
    rankings = [rng.permutation(20)[:8].tolist() for _ in range(3)] + [list(range(5)), list(range(4, -1, -1))]
    means, errors = mean_advantages(RULES, rankings, 12, np.zeros(20), CARELESS, 200_000, seed=5)
    assert (np.abs(means) < 4 * errors).all()
