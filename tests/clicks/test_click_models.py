from collections.abc import Callable
from math import exp, nan
from typing import Any

import numpy as np
import pytest
from clicks.hidden import CASES, enumerate_clicks
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

from duelist import clicks
from duelist.clicks import CLICK_MODELS, TableClickModel
from duelist.errors import ParameterError

PUBLISHED = {
    ("perfect", 2): ("0 1", "0 0"),
    ("navigational", 2): ("0.05 0.95", "0.2 0.9"),
    ("informational", 2): ("0.4 0.9", "0.1 0.5"),
    ("perfect", 3): ("0 0.5 1", "0 0 0"),
    ("navigational", 3): ("0.05 0.5 0.95", "0.2 0.5 0.9"),
    ("informational", 3): ("0.4 0.7 0.9", "0.1 0.3 0.5"),
    ("perfect", 5): ("0 0.2 0.4 0.8 1", "0 0 0 0 0"),
    ("navigational", 5): ("0.05 0.3 0.5 0.7 0.95", "0.2 0.3 0.5 0.7 0.9"),
    ("informational", 5): ("0.4 0.6 0.7 0.8 0.9", "0.1 0.2 0.3 0.4 0.5"),
}


@pytest.mark.parametrize(("name", "grades"), PUBLISHED)
def test_the_usual_people_have_the_published_chances(name: str, grades: int) -> None:
    attraction, stop = (tuple(map(float, row.split())) for row in PUBLISHED[name, grades])
    model = CLICK_MODELS[name](grades)
    assert model == TableClickModel(name, attraction, ((1.0,),), (stop,))
    assert model.grades == grades


@pytest.mark.parametrize("name", CLICK_MODELS)
def test_other_numbers_of_grades_are_refused(name: str) -> None:
    with refused(ParameterError, "grades", 2, 3, 5, 4, "cascade()"):
        CLICK_MODELS[name](4)


@given(st.lists(st.integers(0, 1), max_size=12), st.integers(0, 2**32 - 1))
def test_the_perfect_person_clicks_just_what_is_relevant(grades: list[int], seed: int) -> None:
    clicked = clicks.perfect().click(grades, np.random.default_rng(seed))
    assert clicked.tolist() == [grade == 1 for grade in grades]


def test_the_perfect_person_clicks_some_grades_sometimes() -> None:
    rng = np.random.default_rng(3)
    clicked = np.array([clicks.perfect(3).click([0, 1, 2], rng) for _ in range(2000)])
    assert clicked[:, 0].sum() == 0
    assert abs(clicked[:, 1].mean() - 0.5) < 4.0 * 0.5 / np.sqrt(2000)
    assert clicked[:, 2].all()


def test_the_navigational_person_leaves_and_the_informational_reads_on() -> None:
    # by hand: a click, then going on, then a click; the first document is not relevant
    expected = [0.05, 0.95 * (0.95 + 0.05 * 0.8), 0.95 * (0.95 + 0.05 * 0.8) * (1 - 0.95 * 0.9)]
    assert clicks.navigational().chances([0, 1, 1]) == pytest.approx(expected)
    expected = [0.4, 0.9 * (0.6 + 0.4 * 0.9), 0.9 * (0.6 + 0.4 * 0.9) * (1 - 0.9 * 0.5)]
    assert clicks.informational().chances([0, 1, 1]) == pytest.approx(expected)


def test_random_clicks_do_not_look_at_grades() -> None:
    model = clicks.random_clicks(0.3, grades=5)
    for clicked in ([True, False, False], [False, False, True]):
        assert exp(model.log_chance([0, 4, 2], clicked)) == pytest.approx(0.3 * 0.7**2)


@pytest.mark.parametrize("name", CASES)
def test_the_public_face_gives_the_kernels_chances(name: str) -> None:
    model, attraction, look = CASES[name]
    patterns = enumerate_clicks(look, attraction, [2, 0, 1])
    assert exp(model.log_chance([2, 0, 1], [True, False, True])) == pytest.approx(patterns[1, 0, 1])
    top = sum(chance for pattern, chance in patterns.items() if pattern[0])
    assert model.chances([2, 0, 1])[0] == pytest.approx(top)


def test_equal_seeds_give_equal_clicks() -> None:
    model = clicks.informational(5)
    one, other = ([model.click([0, 1, 2, 3, 4], rng).tolist() for _ in range(50)] for rng in _twins())
    assert one == other


def _twins() -> list[np.random.Generator]:
    return [np.random.default_rng(5), np.random.default_rng(5)]


def test_a_model_keeps_its_own_numbers() -> None:
    attraction = np.array([0.1, 0.9])
    model = clicks.position_based(attraction, [1.0, 0.5])
    attraction[:] = 0.0
    assert model.user().attraction.tolist() == [0.1, 0.9]
    assert model == clicks.position_based([0.1, 0.9], [1.0, 0.5])
    assert hash(model) == hash(clicks.position_based([0.1, 0.9], [1.0, 0.5]))


@pytest.mark.parametrize(
    ("grades", "facts"),
    [
        ([0, 1, 3], ("grades[2]", 3, "'perfect'", 0, 2)),
        ([0, -1], ("grades[1]", -1, "'perfect'", 0, 2)),
        ([0.5], ("grades", [0.5])),
        ([[0, 1]], ("grades", [[0, 1]])),
    ],
)
def test_grades_a_model_does_not_know_are_refused(grades: Any, facts: tuple[object, ...]) -> None:
    model = clicks.perfect(3)
    with refused(ParameterError, *facts):
        model.click(grades, np.random.default_rng(0))
    with refused(ParameterError, *facts):
        model.chances(grades)


def test_flags_must_fit_the_page() -> None:
    with refused(ParameterError, "clicked", (1,), "2 grades"):
        clicks.perfect().log_chance([0, 1], [True])


@pytest.mark.parametrize(
    ("make", "facts"),
    [
        (lambda: clicks.cascade([0.1, 1.2], [0.0, 0.0]), ("attraction[1]", 1.2, 0, 1)),
        (lambda: clicks.cascade([0.1, 0.2], [0.0, -0.1]), ("stop[0, 1]", -0.1)),
        (lambda: clicks.cascade([0.1, 0.2], [0.0]), ("stop", 1, "2 grades")),
        (lambda: clicks.cascade([], []), ("attraction", ())),
        (lambda: clicks.position_based([0.5], [nan]), ("examination[0]", nan)),
        (lambda: clicks.position_based([0.5], []), ("examination", [])),
        (lambda: clicks.dependent_click([0.5], [1.0, 7.0]), ("continuation[1]", 7.0)),
        (lambda: clicks.user_browsing([0.5], [[1.0], [0.5]]), ("examination[1]", 1, 2)),
        (lambda: clicks.user_browsing([0.5], [[1.0], [0.5, 2.0]]), ("examination[1, 1]", 2.0)),
        (lambda: clicks.random_clicks(1.5, 2), ("attraction[0]", 1.5)),
        (lambda: clicks.random_clicks(0.5, 0), ("grades", 1, 0)),
        (
            lambda: TableClickModel("x", (0.1, 0.2), ((1.0,),), ((0.0, 0.0, 0.0),)),
            ("stop", "3 columns", "2 grades"),
        ),
        (
            lambda: TableClickModel("x", (0.1,), ((1.0,), (1.0, 0.5)), ((0.0,),)),
            ("examination", "rows", ((1.0,), (1.0, 0.5))),
        ),
    ],
)
def test_what_are_no_chances_is_refused(
    make: Callable[[], TableClickModel], facts: tuple[object, ...]
) -> None:
    with refused(ParameterError, *facts):
        make()
