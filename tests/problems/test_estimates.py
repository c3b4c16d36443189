from math import inf, nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from refusals import refused
from scipy.stats import binomtest

from duelist import Votes
from duelist.errors import ParameterError, PreferenceError
from duelist.problems import MatrixProblem, estimate, wilson_interval, worst_case

WINS = st.integers(2, 5).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 1000), min_size=k, max_size=k), min_size=k, max_size=k)
)


def test_estimate_is_the_share_of_wins() -> None:
    assert_allclose(
        estimate([[7, 3, 0], [1, 0, 0], [0, 0, 0]]), [[0.5, 0.75, 0.5], [0.25, 0.5, 0.5], [0.5, 0.5, 0.5]]
    )


@given(WINS, st.floats(0.0, 100.0))
def test_estimate_follows_its_formula(wins: list[list[int]], prior: float) -> None:
    won = np.array(wins, dtype=float)
    matrix = estimate(won, prior)
    assert_allclose(matrix + matrix.T, 1.0)
    for i, j in np.argwhere((won + won.T > 0) & ~np.eye(len(won), dtype=bool)):
        assert_allclose(matrix[i, j], (won[i, j] + prior) / (won[i, j] + won[j, i] + 2 * prior))


def test_estimate_recovers_the_matrix_behind_many_votes() -> None:
    truth = worst_case(4, epsilon=0.2)
    rng = np.random.default_rng(3)
    left, step = rng.integers(0, 4, 100_000), rng.integers(1, 4, 100_000)
    right = (left + step) % 4
    outcomes = 1.0 * (rng.random(100_000) < truth.matrix[left, right])
    problem = MatrixProblem.from_votes(Votes(truth.labels, left, right, outcomes))
    assert problem.counts is not None
    assert problem.counts.sum() == 200_000
    # Five standard deviations of a share of at least 16,000 votes.
    assert problem.counts[~np.eye(4, dtype=bool)].min() > 16_000
    assert_allclose(problem.matrix, truth.matrix, atol=5 * 0.5 / np.sqrt(16_000))


@pytest.mark.parametrize("prior", [-1.0, nan, inf])
def test_a_wrong_prior_is_refused(prior: float) -> None:
    with refused(ParameterError, "prior", prior):
        estimate([[0, 1], [1, 0]], prior)


@pytest.mark.parametrize(
    ("wins", "facts"),
    [
        ([[0, -1], [0, 0]], ("wins[0, 1]", -1.0)),
        ([[0, 0], [nan, 0]], ("wins[1, 0]", nan)),
        ([[0, 1e308], [1, 0]], ("wins[0, 1]", 1e308)),
        ([[0, 1]], ("wins", (1, 2))),
        ([0, 1], ("wins", (2,))),
        ([["x", 1], [1, 0]], ("wins", "numbers")),
    ],
)
def test_wrong_wins_are_refused(wins: Any, facts: tuple[object, ...]) -> None:
    for function in (estimate, wilson_interval):
        with refused(PreferenceError, *facts):
            function(wins)


@pytest.mark.parametrize(("won", "lost"), [(0, 5), (5, 0), (1, 1), (30, 10), (999, 1)])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_wilson_interval_agrees_with_scipy(won: int, lost: int, confidence: float) -> None:
    lower, upper = wilson_interval([[0, won], [lost, 0]], confidence)
    expected = binomtest(won, won + lost).proportion_ci(confidence, method="wilson")
    assert_allclose([lower[0, 1], upper[0, 1]], [expected.low, expected.high], atol=1e-12)


@given(WINS, st.floats(0.01, 0.999))
def test_wilson_interval_holds_the_estimate(wins: list[list[int]], confidence: float) -> None:
    lower, upper = wilson_interval(wins, confidence)
    matrix = estimate(wins)
    assert (lower >= 0.0).all()
    assert (upper <= 1.0).all()
    assert (lower <= matrix + 1e-12).all()
    assert (matrix <= upper + 1e-12).all()
    assert_allclose(upper, 1.0 - lower.T)
    assert_array_equal([np.diag(lower), np.diag(upper)], 0.5)


def test_wilson_interval_of_a_pair_never_compared_says_nothing() -> None:
    lower, upper = wilson_interval([[0, 0, 1], [0, 0, 1], [0, 0, 0]])
    assert (lower[0, 1], upper[0, 1]) == (0.0, 1.0)


@pytest.mark.parametrize("confidence", [0.0, 1.0, nan, 95])
def test_a_wrong_confidence_is_refused(confidence: float) -> None:
    with refused(ParameterError, "confidence", confidence):
        wilson_interval([[0, 1], [1, 0]], confidence)
