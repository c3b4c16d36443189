"""Menus: the points of a space, the nearest of them to any other, and samples."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from refusals import refused
from scipy.optimize import NonlinearConstraint, minimize
from scipy.stats import kstest

from duelist import Arms, Ball, Box, Sphere
from duelist.duel import FloatArray
from duelist.errors import ParameterError
from duelist.menus import Documents, Space, as_point, polar, require_inside
from duelist.text import counted

SPACES: list[Space] = [
    Ball(1),
    Ball(2, radius=5.0),
    Ball(7, radius=0.3),
    Sphere(2),
    Sphere(5),
    Box((-1.0,), (3.0,)),
    Box((0.0, -1.0, 5.0), (10.0, 1.0, 5.5)),
]
every_space = pytest.mark.parametrize("space", SPACES, ids=repr)
CONVEX: list[Space] = [space for space in SPACES if not isinstance(space, Sphere)]
finite = st.floats(-50.0, 50.0, allow_nan=False)


@st.composite
def spaces_and_points(draw: st.DrawFn, among: list[Space] = SPACES) -> tuple[Space, FloatArray]:
    space = draw(st.sampled_from(among))
    point = np.array(draw(st.lists(finite, min_size=space.d, max_size=space.d)))
    # the sphere has no point that is nearest to the origin
    assume(not isinstance(space, Sphere) or np.linalg.norm(point) > 1e-3)
    return space, point


def is_inside(space: Space, points: FloatArray) -> bool:
    """Return whether all points are inside, straight from the spaces' definitions."""
    if isinstance(space, Box):
        return bool((points >= space.lows).all() and (points <= space.highs).all())
    lengths = np.sqrt(np.sum(points**2, axis=-1))
    if isinstance(space, Sphere):
        return bool(np.allclose(lengths, 1.0, rtol=0.0, atol=1e-12))
    return bool((lengths <= space.radius * (1.0 + 1e-12)).all())


@given(spaces_and_points())
def test_a_projection_lies_inside_and_stays_where_it_is(case: tuple[Space, FloatArray]) -> None:
    space, point = case
    near = space.project(point)
    assert is_inside(space, near)
    np.testing.assert_allclose(space.project(near), near, rtol=1e-15, atol=1e-15)


@given(spaces_and_points(), st.integers(0, 2**32 - 1))
def test_no_other_point_is_nearer_than_the_projection(case: tuple[Space, FloatArray], seed: int) -> None:
    space, point = case
    others = space.sample(np.random.default_rng(seed), 500)
    nearest = np.linalg.norm(point - space.project(point))
    assert nearest <= np.linalg.norm(point - others, axis=1).min() + 1e-9


@given(spaces_and_points(CONVEX), st.integers(0, 2**32 - 1))
def test_seen_from_the_projection_all_of_a_convex_space_lies_behind(
    case: tuple[Space, FloatArray], seed: int
) -> None:
    space, point = case
    near = space.project(point)
    others = space.sample(np.random.default_rng(seed), 500)
    assert ((others - near) @ (point - near) <= 1e-9).all()


@given(spaces_and_points([Sphere(2), Sphere(5)]), st.integers(0, 2**32 - 1))
def test_on_the_sphere_the_projection_has_the_smallest_angle(
    case: tuple[Space, FloatArray], seed: int
) -> None:
    space, point = case
    others = space.sample(np.random.default_rng(seed), 500)
    cosine = space.project(point) @ point / np.linalg.norm(point)
    assert cosine == pytest.approx(1.0, abs=1e-12)
    assert (others @ point / np.linalg.norm(point) <= cosine + 1e-12).all()


@given(spaces_and_points())
def test_a_point_inside_is_its_own_projection(case: tuple[Space, FloatArray]) -> None:
    space, point = case
    inside = space.project(point)
    if not isinstance(space, Sphere):
        inside = space.center + 0.5 * (inside - space.center)
    np.testing.assert_allclose(space.project(inside), inside, rtol=1e-15, atol=1e-15)


@pytest.mark.parametrize("space", [Ball(2, radius=5.0), Ball(3, radius=0.4), Sphere(3)], ids=repr)
@pytest.mark.parametrize("seed", range(3))
def test_an_optimiser_finds_the_same_nearest_point_of_round_spaces(space: Space, seed: int) -> None:
    point = np.random.default_rng(seed).normal(scale=4.0 * space.radius, size=space.d)

    def squared_distance(candidate: FloatArray) -> float:
        return float(np.sum((candidate - point) ** 2))

    def squared_length(candidate: FloatArray) -> list[float]:
        return [float(np.sum(candidate**2))]

    least = space.radius**2 if isinstance(space, Sphere) else 0.0
    inside = NonlinearConstraint(squared_length, least, space.radius**2)
    start = [space.radius / 2.0] * space.d
    found = minimize(squared_distance, start, method="SLSQP", constraints=inside, tol=1e-14)
    np.testing.assert_allclose(space.project(point), found.x, atol=1e-5)


@pytest.mark.parametrize("seed", range(3))
def test_an_optimiser_finds_the_same_nearest_point_of_a_box(seed: int) -> None:
    box = Box((0.0, -1.0, 5.0), (10.0, 1.0, 5.5))
    point = np.random.default_rng(seed).normal(scale=8.0, size=3)
    bounds = list(zip(box.lows, box.highs, strict=True))

    def squared_distance(candidate: FloatArray) -> float:
        return float(np.sum((candidate - point) ** 2))

    found = minimize(squared_distance, box.center.tolist(), method="L-BFGS-B", bounds=bounds)
    np.testing.assert_allclose(box.project(point), found.x, atol=1e-5)


def test_the_origin_goes_to_the_center_of_the_sphere() -> None:
    assert Sphere(4).project(np.zeros(4)).tolist() == [0.5, 0.5, 0.5, 0.5]


@every_space
def test_projecting_leaves_the_argument_alone_and_returns_a_new_point(space: Space) -> None:
    outside = space.center + 3.0 * space.radius
    for point in (outside, space.center):
        before = point.copy()
        near = space.project(point)
        near[:] = 77.0
        assert np.array_equal(point, before)


@every_space
def test_the_center_is_inside_and_the_bounds_hold_everything(space: Space) -> None:
    points = space.sample(np.random.default_rng(1), 2000)
    assert is_inside(space, space.center)
    assert space.low.shape == space.high.shape == space.center.shape == (space.d,)
    assert (points >= space.low).all()
    assert (points <= space.high).all()
    # the bounds are not wider than they need be: samples come near them
    if space.d <= 3:
        assert (points.max(axis=0) > space.low + 0.8 * (space.high - space.low)).all()
        assert (points.min(axis=0) < space.low + 0.2 * (space.high - space.low)).all()


def test_the_radius_of_a_box_is_half_its_diagonal() -> None:
    box = Box((0.0, -1.0), (6.0, 7.0))
    assert box.radius == 5.0
    assert box.center.tolist() == [3.0, 3.0]
    assert np.linalg.norm(box.high - box.center) == box.radius


@every_space
def test_samples_are_inside_and_repeatable(space: Space) -> None:
    points, again, other = (space.sample(np.random.default_rng(seed), 1000) for seed in (3, 3, 4))
    assert points.shape == (1000, space.d)
    assert is_inside(space, points)
    assert np.array_equal(points, again)
    assert not np.array_equal(points, other)


@pytest.mark.parametrize("ball", [Ball(1), Ball(2, radius=5.0), Ball(6, radius=0.3)], ids=repr)
def test_samples_of_a_ball_are_uniform(ball: Ball) -> None:
    points = ball.sample(np.random.default_rng(0), 20_000)
    lengths = np.linalg.norm(points, axis=1)
    # a ball of half the radius has 2^-d of the volume
    assert kstest((lengths / ball.radius) ** ball.d, "uniform").pvalue > 0.01
    assert (np.abs(points.mean(axis=0)) < 0.03 * ball.radius).all()
    if ball.d == 2:
        assert kstest(np.arctan2(points[:, 1], points[:, 0]), "uniform", (-np.pi, 2 * np.pi)).pvalue > 0.01


def test_samples_of_the_circle_and_of_the_sphere_are_uniform() -> None:
    circle = Sphere(2).sample(np.random.default_rng(0), 20_000)
    assert kstest(np.arctan2(circle[:, 1], circle[:, 0]), "uniform", (-np.pi, 2 * np.pi)).pvalue > 0.01
    # Archimedes: a slice of a sphere in three dimensions has a surface in proportion to its height
    sphere = Sphere(3).sample(np.random.default_rng(1), 20_000)
    for axis in range(3):
        assert kstest(sphere[:, axis], "uniform", (-1.0, 2.0)).pvalue > 0.01


def test_samples_of_a_box_are_uniform_and_independent() -> None:
    box = Box((0.0, -1.0), (10.0, 1.0))
    points = box.sample(np.random.default_rng(0), 20_000)
    for axis in range(2):
        width = box.highs[axis] - box.lows[axis]
        assert kstest(points[:, axis], "uniform", (box.lows[axis], width)).pvalue > 0.01
    correlations = np.asarray(np.corrcoef(points.T))
    assert abs(correlations[0, 1]) < 0.02


BAD: dict[str, tuple[Callable[[], object], tuple[object, ...]]] = {
    "one arm": (lambda: Arms(1), ("k", "2 arms", 1)),
    "a ball without dimensions": (lambda: Ball(0), ("d", 1, 0)),
    "a ball of radius 0": (lambda: Ball(2, 0.0), ("radius", 0.0)),
    "a negative radius": (lambda: Ball(2, -1.0), ("radius", -1.0)),
    "an infinite radius": (lambda: Ball(2, float("inf")), ("radius", float("inf"))),
    "an unknown radius": (lambda: Ball(2, float("nan")), ("radius", float("nan"))),
    "a sphere of two points": (lambda: Sphere(1), ("d", 2, 1)),
    "a box without bounds": (lambda: Box((), ()), ("lows", "highs", ())),
    "a box with a bound missing": (
        lambda: Box((0.0,), (1.0, 2.0)),
        ("lows", "highs", (0.0,), (1.0, 2.0)),
    ),
    "an empty side": (lambda: Box((0.0, 1.0), (1.0, 1.0)), ("coordinate 1", "low < high", "1.0, 1.0")),
    "an infinite side": (lambda: Box((0.0,), (float("inf"),)), ("coordinate 0", "0.0, inf")),
    "an unknown side": (lambda: Box((float("nan"),), (1.0,)), ("coordinate 0", "nan, 1.0")),
}


@pytest.mark.parametrize("name", BAD)
def test_a_menu_without_choices_is_refused_by_name(name: str) -> None:
    build, facts = BAD[name]
    with refused(ParameterError, *facts):
        build()


@every_space
@pytest.mark.parametrize("flaw", [np.nan, np.inf, -np.inf])
def test_no_projection_of_what_is_no_point(space: Space, flaw: float) -> None:
    finite = counted(space.d, "finite number")
    with refused(ParameterError, "point", finite, np.full(space.d, flaw)):
        space.project(np.full(space.d, flaw))
    with refused(ParameterError, "point", finite, np.zeros(space.d + 1)):
        space.project(np.zeros(space.d + 1))
    with refused(ParameterError, "point", counted(space.d, "number"), ["x"] * space.d):
        space.project(["x"] * space.d)


def test_flags_are_no_arms() -> None:
    with refused(ParameterError, "arms", 0, 3, True):
        Arms(4, active=(True, False, True, False))
    answer: Any = "no"
    with refused(ParameterError, "self_duels", True, False, "'no'"):
        Arms(4, self_duels=answer)


@pytest.mark.parametrize(
    "waiting", [3, [(0, 1)], {0: 1}, {(0, 1, 2): 1}, {("a", 1): 1}, {(0, -1): 1}, {(0, 1): "x"}, {(0, 1): -3}]
)
def test_open_duels_are_counts_by_pairs(waiting: Any) -> None:
    with refused(ParameterError, "open", {(0, 1): 1}, waiting):
        Arms(4, open=waiting)
    assert Arms(4, open={(1, 0): 2}).open == {(0, 1): 2}


def test_active_arms_are_several_and_wins_are_numbers() -> None:
    given: Any = 3
    with refused(ParameterError, "active", (0, 2), 3):
        Arms(4, active=given)
    given = ([0], [1])
    with refused(ParameterError, "arms", 0, 3, [0]):
        Arms(4, active=given)
    given = [[1, 2], [3]]
    with refused(ParameterError, "wins", given):
        Arms(4, wins=given)


def test_a_point_is_a_copy() -> None:
    given_point = np.array([1.0, 2.0])
    point = as_point(given_point, 2)
    point[0] = 5.0
    assert given_point.tolist() == [1.0, 2.0]
    assert as_point((1, 2), 2).dtype == np.float64


@every_space
def test_what_is_inside_passes_unchanged(space: Space) -> None:
    for point in space.sample(np.random.default_rng(2), 50):
        assert np.array_equal(require_inside(space, point), point)


@pytest.mark.parametrize(
    ("space", "point", "facts"),
    [
        (Ball(2), [3.0, 4.0], ("[3. 4.]", 4, Ball(2))),
        (Sphere(2), [0.3, 0.4], ("[0.3 0.4]", 0.5, Sphere(2))),
        (Box((0.0,), (1.0,)), [1.25], ("[1.25]", 0.25, Box((0.0,), (1.0,)))),
        (Ball(2), [3.0], ("2 finite numbers", [3.0])),
    ],
)
def test_what_is_outside_is_refused_with_its_distance(
    space: Space, point: list[float], facts: tuple[object, ...]
) -> None:
    with refused(ParameterError, "point", *facts):
        require_inside(space, point)


def test_rounding_errors_do_not_put_a_point_outside() -> None:
    assert require_inside(Ball(2, radius=100.0), [100.0 + 5e-8, 0.0])[0] > 100.0
    with refused(ParameterError, Ball(2, radius=100.0)):
        require_inside(Ball(2, radius=100.0), [100.0 + 5e-7, 0.0])


def test_the_direction_of_a_huge_vector_does_not_overflow() -> None:
    direction, length = polar(np.array([0.0, 2e200]))
    assert (direction.tolist(), length) == ([0.0, 1.0], 2e200)


def test_pairs_outside_the_menu_are_not_allowed() -> None:
    assert Arms(3, active=(0, 2)).allows(0, 2)
    assert not Arms(3, active=(0, 2)).allows(0, 1)
    assert not Arms(3, self_duels=False).allows(1, 1)


@pytest.mark.parametrize(
    "features",
    [
        np.zeros(5),
        np.zeros((0, 5)),
        np.zeros((2, 0)),
        np.full((2, 5), np.nan),
        [[np.inf] * 5],
        ["a"],
        [[1], [1, 2]],
    ],
)
def test_documents_without_finite_features_are_refused(features: Any) -> None:
    with refused(ParameterError, "features"):
        Documents(features)


def test_documents_have_a_row_of_features_each_and_the_number_of_their_query() -> None:
    menu = Documents(np.arange(6.0).reshape(3, 2), query=4)
    assert (len(menu), menu.d, menu.query) == (3, 2, 4)
    assert menu.features.dtype == np.float32
    with refused(ParameterError, "query", -1):
        Documents([[1.0]], query=-1)
