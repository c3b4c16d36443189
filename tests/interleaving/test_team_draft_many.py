from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from interleaving import slow
from interleaving.pages import (
    CARELESS,
    as_rows,
    assert_drawn_as_often,
    credits_of,
    draw_lists,
    mean_advantages,
    propensities_of,
)

from duelist.interleaving import TeamDraft
from duelist.interleaving.team_draft import sure_places

RULES = TeamDraft().rules()

CASES = [
    ([[0, 1, 2, 3], [3, 2, 1, 0], [1, 0, 3, 2]], 4),
    ([[0, 1, 2, 3], [0, 2, 1, 3], [0, 1, 3, 2]], 3),
    ([[0, 1, 2], [3, 4, 5]], 6),
    ([[0, 1, 2], [0], [3, 0]], 4),
    ([[0], [1, 2, 3], [2, 1]], 4),
    ([[0, 1, 2], [], [1]], 3),
    ([[2, 0, 1]], 3),
    ([[0, 1], [1, 0], [2, 0], [2, 3]], 4),
]

small_rankings = st.integers(3, 4).flatmap(
    lambda many: st.lists(
        st.lists(st.integers(0, 4), max_size=4, unique=True), min_size=many, max_size=many
    ).filter(any)
)


@pytest.mark.parametrize(("rankings", "length"), CASES)
def test_lists_are_drawn_as_often_as_by_trying_every_order(rankings: list[list[int]], length: int) -> None:
    lists = slow.team_draft_lists(rankings, length)
    assert_drawn_as_often(draw_lists(RULES, rankings, length, 6_000, seed=1), lists)


@pytest.mark.parametrize(("rankings", "length"), CASES)
def test_propensities_are_chances_given_the_teams_above(rankings: list[list[int]], length: int) -> None:
    lists = slow.team_draft_lists(rankings, length)
    for (documents, teams), propensities in propensities_of(RULES, rankings, length, 40, seed=2).items():
        for place, propensity in enumerate(propensities):
            exact = slow.next_document_chance(lists, documents[: place + 1], teams[:place])
            assert propensity == pytest.approx(float(exact))


@pytest.mark.parametrize(("rankings", "length"), CASES)
def test_any_clicks_that_ignore_documents_credit_all_alike(rankings: list[list[int]], length: int) -> None:
    lists = slow.team_draft_lists(rankings, length)
    for places in product([False, True], repeat=length):
        clicked = np.flatnonzero(places).tolist()
        expected = sum(
            float(chance) * credits_of(RULES, rankings, shown, clicked) for shown, chance in lists.items()
        )
        assert np.ptp(expected) < 1e-12


@pytest.mark.parametrize(("rankings", "length"), CASES)
def test_nobody_wins_more_often_by_clicks_that_ignore_documents(
    rankings: list[list[int]], length: int
) -> None:
    lists = slow.team_draft_lists(rankings, length)
    for places in product([False, True], repeat=length):
        wins = np.zeros(len(rankings))
        for shown, chance in lists.items():
            credits = credits_of(RULES, rankings, shown, np.flatnonzero(places).tolist())
            winners = credits == credits.max()
            wins += float(chance) * winners / winners.sum()
        assert np.ptp(wins) < 1e-12


@given(small_rankings)
def test_sure_places_are_sure(rankings: list[list[int]]) -> None:
    sure = sure_places(as_rows(rankings), 8, 99)
    assert sure == slow.sure_places(rankings)
    assert min(map(len, rankings)) <= sure <= slow.places_anyone_can_fill(rankings)


def test_rankings_without_common_documents_are_credited_to_the_end_of_the_shortest() -> None:
    assert sure_places(as_rows([[0, 1, 2], [3, 4], [5, 6, 7]]), 8, 99) == 6
    assert sure_places(as_rows([[0, 1, 2], [2, 3], [5, 6, 7]]), 8, 99) == 3
    assert sure_places(as_rows([[0, 1, 2], [3], []]), 8, 99) == 0


def test_more_rankings_than_places_are_credited_all_the_same() -> None:
    rankings = [np.roll(np.arange(10), shift).tolist() for shift in range(10)] * 2
    for _, teams in draw_lists(RULES, rankings, 10, 50, seed=3):
        assert len(set(teams)) == 10
        assert min(teams) >= 0


def test_a_click_is_a_point_for_its_team() -> None:
    shown = ((4, 2, 0, 3), (2, 0, 1, -1))
    rankings = [[2, 0, 3], [0, 4, 3], [4, 0, 3]]
    assert credits_of(RULES, rankings, shown, [0, 2]).tolist() == [0.0, 1.0, 1.0]
    assert credits_of(RULES, rankings, shown, [1]).tolist() == [1.0, 0.0, 0.0]
    assert credits_of(RULES, rankings, shown, [3]).tolist() == [0.0, 0.0, 0.0]
    assert credits_of(RULES, rankings, shown, []).tolist() == [0.0, 0.0, 0.0]


def test_careless_people_favour_nobody() -> None:
    rng = np.random.default_rng(4)
    rankings = [rng.permutation(20)[:8].tolist() for _ in range(3)] + [list(range(5)), list(range(4, -1, -1))]
    means, errors = mean_advantages(RULES, rankings, 12, np.zeros(20), CARELESS, 400_000, seed=5)
    assert (np.abs(means) < 4 * errors).all()
