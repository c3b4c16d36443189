"""Compiled projections against those of the menus."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duelist import Ball, Box, Sphere
from duelist.duel import FloatArray
from duelist.kernels.points import project_into, region_of
from duelist.menus import Space

SPACES: list[Space] = [
    Ball(1, radius=2.0),
    Ball(3),
    Ball(20, radius=10.0),
    Sphere(2),
    Sphere(9),
    Box((-1.0,), (3.0,)),
    Box((0.0, -1.0, 5.0), (10.0, 1.0, 5.5)),
]


def compiled_projection(space: Space, point: FloatArray) -> FloatArray:
    region = region_of(space)
    moved = point.copy()
    project_into(int(region.shape[0]), float(region.radius[0]), region.low, region.high, moved)
    return moved


@given(st.sampled_from(SPACES), st.data())
def test_it_equals_the_menus_projection(space: Space, data: st.DataObject) -> None:
    numbers = st.floats(-40.0, 40.0, allow_subnormal=False).map(lambda x: 0.0 if abs(x) < 1e-100 else x)
    point = np.array(data.draw(st.lists(numbers, min_size=space.d, max_size=space.d)))
    np.testing.assert_allclose(
        compiled_projection(space, point), space.project(point), rtol=1e-14, atol=1e-300
    )


@pytest.mark.parametrize("space", SPACES, ids=repr)
def test_many_points_near_and_far(space: Space) -> None:
    rng = np.random.default_rng(5)
    moved = 0
    for _ in range(300):
        point = space.center + rng.normal(size=space.d) * space.radius * rng.choice([0.01, 0.3, 1.0, 20.0])
        projected = compiled_projection(space, point)
        np.testing.assert_allclose(projected, space.project(point), rtol=1e-14, atol=1e-14)
        np.testing.assert_allclose(compiled_projection(space, projected), projected, rtol=1e-14)
        moved += not np.array_equal(projected, point)
    assert moved >= 50


@pytest.mark.parametrize("space", SPACES, ids=repr)
def test_a_point_inside_keeps_every_bit(space: Space) -> None:
    if isinstance(space, Sphere):
        pole = np.eye(space.d)[0]
        assert np.array_equal(compiled_projection(space, pole), pole)
    else:
        for point in space.sample(np.random.default_rng(0), 50) * 0.5 + space.center * 0.5:
            assert np.array_equal(compiled_projection(space, point), point)


def test_the_origin_goes_to_the_center_of_the_sphere() -> None:
    assert compiled_projection(Sphere(4), np.zeros(4)).tolist() == [0.5, 0.5, 0.5, 0.5]
    assert compiled_projection(Ball(4), np.zeros(4)).tolist() == [0.0, 0.0, 0.0, 0.0]


def test_a_region_holds_what_the_space_is() -> None:
    ball, sphere, box = (region_of(space) for space in (Ball(2, 3.0), Sphere(2), Box((0.0,), (4.0,))))
    assert len({int(region.shape[0]) for region in (ball, sphere, box)}) == 3
    assert ball.radius.tolist() == [3.0]
    assert sphere.radius.tolist() == [1.0]
    assert (box.low.tolist(), box.high.tolist()) == ([0.0], [4.0])
