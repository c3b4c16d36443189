from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from interleaving import obvious
from interleaving.drafts import assert_drawn_as_often, draw_lists, kernel_page, settle_two
from interleaving.obvious import HALF, PAIRS
from interleaving.pages import as_rows
from refusals import refused

from duelist.errors import ParameterError, UnknownNameError
from duelist.interleaving import Balanced, Shown
from duelist.interleaving.page import draft_page, page_buffer

rankings = st.lists(st.integers(0, 7), max_size=6, unique=True)


def outcome(counting: str, left: list[int], right: list[int], documents: Any, clicked: set[int]) -> float:
    places = obvious.counted_clicks(counting, left, right, documents, clicked)
    if not places:
        return 0.5
    counted = {documents[place] for place in places}
    lowest = documents[places[-1]]
    depth = next(k for k in range(1, 9) if lowest in left[:k] or lowest in right[:k])
    return obvious.verdict(len(counted.intersection(left[:depth])) - len(counted.intersection(right[:depth])))


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("cut", [0, 1, 3])
def test_the_two_lists_come_as_often_also_in_two_steps(name: str, cut: int) -> None:
    left, right = PAIRS[name]
    length = len({*left, *right})
    drawn = draw_lists(Balanced().rules(), left, right, length, min(cut, length), times=10_000)
    assert_drawn_as_often(drawn, obvious.balanced(left, right, length))


@given(rankings, rankings, st.integers(0, 99))
def test_the_top_is_made_of_equally_deep_tops(left: list[int], right: list[int], seed: int) -> None:
    shown = Balanced().interleave([left, right], np.random.default_rng(seed))
    assert set(shown.documents) == {*left, *right}
    assert len(shown.documents) == len({*left, *right})
    shorter = min(len(left), len(right))
    for k in range(len(shown.documents) + 1):
        tops = [
            (i, j)
            for i in range(len(left) + 1)
            for j in range(len(right) + 1)
            if {*left[:i], *right[:j]} == set(shown.documents[:k])
        ]
        assert any(abs(i - j) <= 1 or min(i, j) == shorter for i, j in tops)


@given(rankings, rankings, st.integers(0, 99), st.data())
def test_propensities_multiply_to_the_chance_of_the_list(
    left: list[int], right: list[int], seed: int, data: st.DataObject
) -> None:
    length = data.draw(st.integers(0, len({*left, *right})))
    cut = data.draw(st.integers(0, length))
    rng = np.random.default_rng(seed)
    shown = Balanced().interleave([left, right], rng, length, Balanced().interleave([left, right], rng, cut))
    chances = obvious.of_documents(obvious.balanced(left, right, length))
    numbers: Any = shown.documents
    assert np.prod(shown.propensities) == chances[numbers]


@given(rankings, rankings, st.integers(0, 99))
def test_compiled_and_interpreted_draft_alike(left: list[int], right: list[int], seed: int) -> None:
    shown = Balanced().interleave([left, right], np.random.default_rng(seed))
    page = page_buffer(len(shown.documents), 8)
    page.propensities[:] = 9.0
    draft_page(
        Balanced().rules(),
        as_rows([left, right]),
        page,
        np.random.default_rng(seed),
    )
    assert tuple(page.documents) == shown.documents
    assert tuple(page.teams) == shown.teams
    assert tuple(page.propensities) == shown.propensities


@given(rankings, rankings, st.integers(0, 99), st.sets(st.integers(0, 7)))
def test_credit_is_by_clicks_above_equal_depths(
    left: list[int], right: list[int], seed: int, clicked: set[int]
) -> None:
    shown = Balanced().interleave([left, right], np.random.default_rng(seed))
    clicked &= {*left, *right}
    flags = np.array([document in clicked for document in shown.documents], np.bool_)
    for counting in ("all", "first"):
        method = Balanced(counting)
        expected = outcome(counting, left, right, shown.documents, clicked)
        assert method.outcome(shown, clicked) == expected
        assert settle_two(method.rules(), *kernel_page(shown), flags) == expected


def test_whoever_began_is_told_by_the_first_team_also_where_both_agree() -> None:
    teams = {Balanced().interleave(["xa", "xb"], np.random.default_rng(seed)).teams for seed in range(20)}
    assert teams == {(0, 1, 0), (1, 0, 1)} or teams == {(0, 0, 1), (1, 1, 0)}


def test_a_shifted_ranking_wins_under_random_clicks() -> None:
    left, right = PAIRS["shifted"]
    lists = obvious.balanced(left, right, 4)
    assert [documents for documents, _ in lists] == [(0, 1, 2, 3), (1, 0, 2, 3)]
    results = {1.0: Fraction(0), 0.5: Fraction(0), 0.0: Fraction(0)}
    for (documents, teams), chance in lists.items():
        shown = Shown(documents, teams, (0.5, 1.0, 1.0, 1.0), (tuple(left), tuple(right)))
        for pattern, likely in obvious.click_patterns([HALF] * 4):
            clicked = [document for document, click in zip(documents, pattern, strict=True) if click]
            results[Balanced().outcome(shown, clicked)] += chance * likely
    assert results == {1.0: Fraction(1, 16), 0.5: HALF, 0.0: Fraction(7, 16)}
    single = [
        Balanced().outcome(
            Shown(documents, teams, (0.5, 1.0, 1.0, 1.0), (tuple(left), tuple(right))), [document]
        )
        for documents, teams in lists
        for document in documents
    ]
    assert np.mean(single) == 0.25


def test_countings_that_make_no_difference_are_refused() -> None:
    with refused(ParameterError, "counting", "'unshared'", "Balanced", "'all'", "'first'"):
        Balanced("unshared")
    with pytest.raises(UnknownNameError):
        Balanced("none")


def test_a_document_that_does_not_equal_itself_ends_no_credit_in_a_loop() -> None:
    nothing = float("nan")
    shown = Balanced().interleave([[nothing, 1], [nothing, 2]], np.random.default_rng(1))
    assert Balanced().outcome(shown, [nothing]) == 0.5
