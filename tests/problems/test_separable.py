"""Compiled utilities and links against formulas in plain NumPy from section 5.1 of the paper."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from duelist import UtilityProblem
from duelist.duel import FloatArray
from duelist.problems import p1, p2, p3, p4, p5
from duelist.problems.separable import LINKS, chance, value


def v1(w: FloatArray) -> float:
    return float(-(w @ w))


def v2(w: FloatArray) -> float:
    return float(-sum(abs(x) for x in w))


def v3(w: FloatArray) -> float:
    squares = sum(x**2 for i, x in enumerate(w, 1) if i % 2 == 1)
    return float(-squares - sum(abs(x) for i, x in enumerate(w, 1) if i % 2 == 0))


def v4(w: FloatArray) -> float:
    return float(-sum(np.exp(x) + np.exp(-x) for x in w))


def v5(w: FloatArray) -> float:
    return float(
        v3(w)
        - sum(np.exp(max(x, 0.0)) for i, x in enumerate(w, 1) if i % 3 == 1)
        - sum(np.exp(max(-x, 0.0)) for i, x in enumerate(w, 1) if i % 3 == 2)
    )


def slope3(w: FloatArray) -> list[float]:
    return [-2.0 * x if i % 2 == 1 else -float(np.sign(x)) for i, x in enumerate(w, 1)]


def slope5(w: FloatArray) -> list[float]:
    slopes = slope3(w)
    for i, x in enumerate(w, 1):
        if i % 3 == 1 and x > 0.0:
            slopes[i - 1] -= np.exp(x)
        if i % 3 == 2 and x < 0.0:
            slopes[i - 1] += np.exp(-x)
    return slopes


Formula = Callable[[FloatArray], float]
UTILITIES: dict[str, tuple[Callable[..., UtilityProblem], Formula]] = {
    "P1": (p1, v1),
    "P2": (p2, v2),
    "P3": (p3, v3),
    "P4": (p4, v4),
    "P5": (p5, v5),
}
SLOPES: dict[str, Callable[[FloatArray], object]] = {
    "P1": lambda w: -2.0 * w,
    "P2": lambda w: -np.sign(w),
    "P3": slope3,
    "P4": lambda w: np.exp(-w) - np.exp(w),
    "P5": slope5,
}
every_utility = pytest.mark.parametrize("name", UTILITIES)


def compiled_utility(problem: UtilityProblem) -> Formula:
    world = problem.world
    assert world is not None
    return lambda w: float(value(world, w))


@given(st.lists(st.floats(-10.0, 10.0), min_size=1, max_size=13))
def test_utilities_are_the_papers(coordinates: list[float]) -> None:
    w = np.array(coordinates)
    for name, (make, formula) in UTILITIES.items():
        problem = make(d=len(w))
        assert compiled_utility(problem)(w) == pytest.approx(formula(w), rel=1e-12, abs=1e-12), name
        assert problem.utility(w) == compiled_utility(problem)(w), name


@every_utility
def test_gradients_by_differences_equal_those_by_hand(name: str) -> None:
    utility = compiled_utility(UTILITIES[name][0](d=11))
    rng = np.random.default_rng(0)
    for _ in range(20):
        # away from the kinks at 0
        w = rng.uniform(0.05, 2.0, 11) * rng.choice([-1.0, 1.0], 11)
        steps = 1e-5 * np.eye(11)
        differences = [(utility(w + step) - utility(w - step)) / 2e-5 for step in steps]
        np.testing.assert_allclose(differences, np.asarray(SLOPES[name](w)), rtol=1e-6, atol=1e-6)


@every_utility
def test_the_origin_is_best(name: str) -> None:
    problem = UTILITIES[name][0]()
    utility = compiled_utility(problem)
    rng = np.random.default_rng(1)
    world = problem.world
    assert world is not None
    assert np.array_equal(np.asarray(problem.optimum), np.zeros(50))
    assert world.highest == utility(np.zeros(50))
    for reach in (1e-6, 1e-3, 0.1, 1.0):
        for point in reach * problem.space.sample(rng, 100):
            assert utility(point) < world.highest


@given(st.integers(0, 2**32 - 1), st.floats(0.0, 1.0))
def test_utilities_are_concave(seed: int, share: float) -> None:
    one, other = np.random.default_rng(seed).uniform(-3.0, 3.0, (2, 6))
    for name, (make, _) in UTILITIES.items():
        utility = compiled_utility(make(d=6))
        between = utility(share * one + (1 - share) * other)
        assert between >= share * utility(one) + (1 - share) * utility(other) - 1e-9, name


@every_utility
def test_the_papers_setting(name: str) -> None:
    problem = UTILITIES[name][0]()
    assert (problem.space.d, problem.space.radius, problem.link) == (50, 10.0, "logistic")
    assert np.asarray(problem.start).tolist() == [(5 / 50) ** 0.5] * 50


FORMULAS: dict[str, Callable[[float], float]] = {
    "logistic": lambda x: float(1.0 / (1.0 + np.exp(-x))),
    "gaussian": lambda x: float(norm.cdf(x / np.sqrt(2.0))),
    "linear": lambda x: min(1.0, max(0.0, (1.0 + x) / 2.0)),
}
every_link = pytest.mark.parametrize("link", LINKS)


def test_every_link_is_checked_here() -> None:
    assert tuple(FORMULAS) == LINKS


@every_link
@given(st.floats(-30.0, 30.0))
def test_links_are_what_their_names_say(link: str, difference: float) -> None:
    expected = FORMULAS[link](difference)
    assert chance(LINKS.index(link), difference) == pytest.approx(expected, abs=1e-14)


@every_link
@given(st.floats(-1e6, 1e6))
def test_two_chances_sum_to_one(link: str, difference: float) -> None:
    there, back = (chance(LINKS.index(link), x) for x in (difference, -difference))
    assert 0.0 <= there <= 1.0
    assert there + back == pytest.approx(1.0, abs=1e-15)
    assert (there - 0.5) * difference >= 0.0


@every_link
def test_links_grow_from_0_through_one_half_to_1(link: str) -> None:
    number = LINKS.index(link)
    chances = [chance(number, x) for x in np.linspace(-0.9, 0.9, 101)]
    assert chances == sorted(set(chances))
    assert [chance(number, x) for x in (-1e4, 0.0, 1e4)] == [0.0, 0.5, 1.0]
    # endless differences are certain, not undefined
    assert [chance(number, x) for x in (-np.inf, np.inf)] == [0.0, 1.0]
