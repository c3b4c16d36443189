from math import inf, sqrt
from typing import Any

import numpy as np
import pytest
from refusals import refused

from duelist import DuelingBanditGradientDescent, simulate
from duelist.bounds import gradient_descent_upper_bound
from duelist.errors import ParameterError
from duelist.problems import p1


def test_the_corollary_in_half_the_papers_units() -> None:
    bound = gradient_descent_upper_bound(10_000, d=3, radius=2.0, utility_lipschitz=4.0, convex=True)
    assert 2.0 * bound == pytest.approx(2.0 * 10_000**0.75 * sqrt(10.0 * 2.0 * 3 * 1.0))


def test_the_theorem_tends_to_its_leading_term() -> None:
    horizon = 10**15
    bound = gradient_descent_upper_bound(horizon, d=3, radius=2.0, utility_lipschitz=4.0)
    leading = horizon**0.75 * sqrt(26.0 * 2.0 * 3 * 1.0)
    assert leading < bound < 1.001 * leading


def test_the_theorem_says_nothing_of_a_short_horizon() -> None:
    assert gradient_descent_upper_bound(1, d=50, radius=10.0, utility_lipschitz=20.0) == inf


@pytest.mark.parametrize("field", ["horizon", "d", "radius", "utility_lipschitz"])
def test_what_is_not_positive_is_refused(field: str) -> None:
    settings: dict[str, Any] = {"horizon": 10, "d": 2, "radius": 1.0, "utility_lipschitz": 1.0}
    with refused(ParameterError, field, 0):
        gradient_descent_upper_bound(**(settings | {field: 0}))


def test_no_run_of_eight_violates_the_theorem() -> None:
    horizon, problem = 400_000, p1(d=1, radius=3.0, start=[2.5])
    slope = problem.lipschitz
    assert slope == 6.0
    learner = DuelingBanditGradientDescent.for_horizon(
        horizon, problem.menu(), lipschitz=slope / 4.0, convex=False, start=problem.start
    )
    regret = simulate({"it": learner}, problem, horizon, runs=8, progress=False)["it"].regret[:, -1]
    bound = gradient_descent_upper_bound(horizon, d=1, radius=3.0, utility_lipschitz=slope)
    # the bound must be able to fail: a point that never moves would lose more
    assert bound < horizon * problem.gap([2.5])
    assert (np.asarray(regret) <= bound).all()
