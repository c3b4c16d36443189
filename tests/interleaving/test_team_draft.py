from collections import defaultdict
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from interleaving import obvious
from interleaving.drafts import assert_drawn_as_often, draw_lists, kernel_page, settle_two
from interleaving.obvious import HALF, PAIRS
from interleaving.pages import as_rows
from refusals import refused

from duelist.errors import UnknownNameError
from duelist.interleaving import Shown, TeamDraft
from duelist.interleaving.page import draft_page, page_buffer
from duelist.interleaving.team_draft import sure_places

FALLING = [Fraction(9, 10), Fraction(3, 5), HALF, Fraction(1, 4), Fraction(1, 5), Fraction(1, 10)]

rankings = st.lists(st.integers(0, 7), max_size=6, unique=True)


def outcome(
    counting: str, left: list[int], right: list[int], shown: obvious.List, clicked: set[int]
) -> float:
    documents, teams = shown
    places = obvious.counted_clicks(counting, left, right, documents, clicked)
    won = [teams[place] for place in places]
    return obvious.verdict(won.count(0) - won.count(1))


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("cut", [0, 1, 2, 3])
def test_lists_come_as_often_as_the_coins_say_also_in_two_steps(name: str, cut: int) -> None:
    left, right = PAIRS[name]
    length = len({*left, *right})
    drawn = draw_lists(TeamDraft().rules(), left, right, length, min(cut, length), times=20_000)
    assert_drawn_as_often(drawn, obvious.team_draft(left, right, length))


def test_a_length_that_cuts_a_round() -> None:
    left, right = PAIRS["partly shared"]
    assert_drawn_as_often(
        draw_lists(TeamDraft().rules(), left, right, 3, 0), obvious.team_draft(left, right, 3)
    )


@given(rankings, rankings)
@settings(max_examples=300)
def test_credited_places_are_those_that_no_coins_can_take_away(left: list[int], right: list[int]) -> None:
    capacity = len({*left, *right})
    sure = sure_places(as_rows([left, right]), 8, capacity)
    assert min(sure, capacity) == min(2 * obvious.sure_rounds(left, right), capacity)


@given(rankings, rankings, st.integers(0, 99), st.data())
def test_propensities_multiply_to_the_chance_of_the_list(
    left: list[int], right: list[int], seed: int, data: st.DataObject
) -> None:
    length = data.draw(st.integers(0, len({*left, *right})))
    cut = data.draw(st.integers(0, length))
    rng = np.random.default_rng(seed)
    begun = TeamDraft().interleave([left, right], rng, cut)
    shown = TeamDraft().interleave([left, right], rng, length, after=begun)
    chances = obvious.of_documents(obvious.team_draft(left, right, length))
    above: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    for documents, chance in chances.items():
        for place in range(length + 1):
            above[documents[:place]] += chance
    numbers: Any = shown.documents
    for place in range(length):
        assert shown.propensities[place] == above[numbers[: place + 1]] / above[numbers[:place]]


def test_a_round_that_is_finished_later_is_as_likely_as_one_at_once() -> None:
    # both would pick 0 first, so that it does not tell who picks next
    for cut in range(4):
        rng = np.random.default_rng(0)
        begun = TeamDraft().interleave([[0, 1, 2], [0, 3, 4]], rng, cut)
        shown = TeamDraft().interleave([[0, 1, 2], [0, 3, 4]], rng, 3, after=begun)
        assert shown.propensities == (1.0, 0.5, 0.5)


@given(rankings, rankings, st.integers(0, 99))
def test_compiled_and_interpreted_draft_alike(left: list[int], right: list[int], seed: int) -> None:
    length = len({*left, *right})
    shown = TeamDraft().interleave([left, right], np.random.default_rng(seed))
    page = page_buffer(length, 8)
    draft_page(
        TeamDraft().rules(),
        as_rows([left, right]),
        page,
        np.random.default_rng(seed),
    )
    assert tuple(page.documents) == shown.documents
    assert tuple(page.teams) == shown.teams
    assert tuple(page.propensities) == shown.propensities


@given(rankings, rankings, st.integers(0, 99), st.sets(st.integers(0, 7)))
def test_credit_is_by_teams(left: list[int], right: list[int], seed: int, clicked: set[int]) -> None:
    shown = TeamDraft().interleave([left, right], np.random.default_rng(seed))
    clicked &= {*left, *right}
    numbers: Any = shown.documents
    flags = np.array([document in clicked for document in shown.documents], np.bool_)
    for counting in ("all", "first", "unshared"):
        method = TeamDraft(counting)
        expected = outcome(counting, left, right, (numbers, shown.teams), clicked)
        assert method.outcome(shown, clicked) == expected
        assert settle_two(method.rules(), *kernel_page(shown), flags) == expected


@pytest.mark.parametrize("counting", TeamDraft.fair)
@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("length", [3, 6])
def test_clicks_on_places_favour_nobody_exactly(counting: str, name: str, length: int) -> None:
    left, right = PAIRS[name]
    lists = obvious.team_draft(left, right, min(length, len({*left, *right})))
    mean = obvious.mean_outcome(
        lists,
        FALLING,
        lambda shown, clicked: TeamDraft(counting).outcome(
            Shown(shown[0], shown[1], (1.0,) * len(shown[0]), (tuple(left), tuple(right))), clicked
        ),
    )
    assert mean == pytest.approx(0.5, abs=1e-12)


def test_to_credit_every_round_that_happens_to_be_full_would_not_be_fair() -> None:
    left, right = [0, 1, 2], [0, 3]
    # right picks first: the second round is full as well
    lists: obvious.Lists = {
        ((0, 3, 1, 2), (0, 1, -1, -1)): HALF,
        ((0, 1, 2, 3), (1, 0, 0, 1)): HALF / 2,
        ((0, 1, 3, 2), (1, 0, 1, 0)): HALF / 2,
    }
    mean = obvious.mean_outcome(
        lists, FALLING, lambda shown, clicked: outcome("all", left, right, shown, clicked)
    )
    assert mean > 0.51
    assert obvious.sure_rounds(left, right) == 1


def test_of_equal_rankings_only_unshared_sees_a_tie() -> None:
    shown = TeamDraft().interleave(["abcd", "abcd"], np.random.default_rng(0))
    assert TeamDraft().outcome(shown, ["a"]) in (0.0, 1.0)
    assert TeamDraft("unshared").outcome(shown, ["a", "b", "c"]) == 0.5


def test_unknown_counting_is_refused() -> None:
    with refused(UnknownNameError, "counting", "'last'", "all", "first", "unshared"):
        TeamDraft("last")
