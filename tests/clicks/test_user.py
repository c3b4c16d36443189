"""Kernels of click models against an enumeration of all hidden variables."""

from itertools import product
from math import exp, inf, sqrt

import numpy as np
import pytest
from clicks.hidden import CASES, enumerate_clicks
from hypothesis import given
from hypothesis import strategies as st

from duelist.clicks.user import User, click_by_tables, click_chances, entry, log_chance
from duelist.duel import FloatArray

every_model = pytest.mark.parametrize("name", CASES)
PAGES = [[0, 1, 2, 1], [2, 2, 0, 2], [1, 0, 1], [2]]


def chances_of(user: User, grades: list[int]) -> FloatArray:
    found = np.empty(len(grades))
    click_chances(user, np.array(grades), len(grades), found)
    return found


def chance_of(user: User, grades: list[int], clicked: tuple[int, ...]) -> float:
    return exp(log_chance(user, np.array(grades), len(grades), np.array(clicked, np.bool_)))


@every_model
@pytest.mark.parametrize("grades", PAGES)
def test_the_chance_of_clicks_is_summed_over_what_is_hidden(name: str, grades: list[int]) -> None:
    model, attraction, look = CASES[name]
    for clicked, chance in enumerate_clicks(look, attraction, grades).items():
        assert chance_of(model.user(), grades, tuple(clicked)) == pytest.approx(chance, rel=1e-12)


@every_model
@pytest.mark.parametrize("grades", PAGES)
def test_the_chance_of_a_click_is_summed_over_the_clicks_above(name: str, grades: list[int]) -> None:
    model, attraction, look = CASES[name]
    patterns = enumerate_clicks(look, attraction, grades)
    for place, found in enumerate(chances_of(model.user(), grades)):
        expected = sum(chance for clicked, chance in patterns.items() if clicked[place])
        assert found == pytest.approx(expected, rel=1e-12)


@every_model
def test_people_click_as_often_as_they_should(name: str) -> None:
    model, attraction, look = CASES[name]
    grades, rng, pages = [1, 2, 0, 2], np.random.default_rng(7), 20_000
    user, shown, clicked = model.user(), np.array(grades), np.empty(4, np.bool_)
    seen: dict[tuple[int, ...], int] = dict.fromkeys(product((0, 1), repeat=4), 0)
    for _ in range(pages):
        click_by_tables(user, shown, 4, clicked, rng)
        seen[tuple(clicked.astype(int).tolist())] += 1
    for pattern, chance in enumerate_clicks(look, attraction, grades).items():
        error = sqrt(chance * (1.0 - chance) / pages)
        assert abs(seen[tuple(pattern)] / pages - chance) <= 4.0 * error


def test_tables_go_on_with_their_last_row_and_column() -> None:
    table = np.array([[0.9, 0.8], [0.7, 0.6]])
    places = ((0, 0), (1, 1), (5, 0), (5, 3), (0, 2))
    assert [entry(table, row, column) for row, column in places] == [0.9, 0.6, 0.7, 0.6, 0.8]


def test_a_long_page_is_read_by_the_last_habit() -> None:
    # after the second place everything is looked at with one half, wherever the last click was
    user = User(np.array([1.0]), np.array([[1.0], [0.5]]), np.array([[0.0]]))
    assert chances_of(user, [0] * 5).tolist() == [1.0, 0.5, 0.5, 0.5, 0.5]


def test_only_what_is_shown_is_written() -> None:
    user = User(np.array([0.0, 1.0]), np.ones((1, 1)), np.zeros((1, 1)))
    clicked = np.ones(4, np.bool_)
    click_by_tables(user, np.array([0, 1, 0, 0]), 2, clicked, np.random.default_rng(0))
    assert clicked.tolist() == [False, True, True, True]
    click_by_tables(user, np.array([0]), 0, clicked, np.random.default_rng(0))
    assert clicked.tolist() == [False, True, True, True]
    assert log_chance(user, np.array([0]), 0, clicked) == 0.0


def test_what_cannot_happen_has_no_chance() -> None:
    user = User(np.array([0.0, 1.0]), np.ones((1, 1)), np.ones((1, 1)))
    for clicked, expected in (((1, 0), 1.0), ((0, 0), 0.0), ((1, 1), 0.0), ((0, 1), 0.0)):
        assert chance_of(user, [1, 1], clicked) == expected
    assert log_chance(user, np.array([0]), 1, np.array([True])) == -inf


def test_an_endless_page_without_a_click_does_not_underflow() -> None:
    user = User(np.array([0.9]), np.ones((1, 1)), np.full((1, 1), 0.3))
    length = 1000
    found = log_chance(user, np.zeros(length, np.int64), length, np.zeros(length, np.bool_))
    assert found == pytest.approx(length * np.log(0.1))


@given(
    st.lists(st.floats(0.0, 1.0), min_size=3, max_size=3),
    st.lists(st.floats(0.0, 1.0), min_size=25, max_size=25),
    st.lists(st.floats(0.0, 1.0), min_size=15, max_size=15),
    st.lists(st.integers(0, 2), min_size=1, max_size=5),
)
def test_chances_of_all_clicks_sum_to_one(
    attraction: list[float], examination: list[float], stop: list[float], grades: list[int]
) -> None:
    user = User(np.array(attraction), np.reshape(examination, (5, 5)), np.reshape(stop, (5, 3)))
    patterns = list(product((0, 1), repeat=len(grades)))
    chances = np.array([chance_of(user, grades, pattern) for pattern in patterns])
    assert chances.sum() == pytest.approx(1.0, abs=1e-12)
    found = chances_of(user, grades)
    np.testing.assert_allclose(found, chances @ np.array(patterns), atol=1e-12)
    assert ((found >= 0.0) & (found <= 1.0)).all()
