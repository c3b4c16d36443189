"""The Bradley-Terry model: its mode, its curvature, posterior draws, and votes that contradict it."""

import numpy as np
import pytest
from scipy.optimize import minimize

from duelist.duel import FloatArray
from duelist.kernels.arms import arm_menu
from duelist.kernels.bradley_terry import draw_best, fit, misfit
from duelist.menus import Arms


def votes_on(utilities: FloatArray, each: int, rng: np.random.Generator) -> FloatArray:
    """Return the wins of each pair of arms in this many votes drawn from the model."""
    k = len(utilities)
    wins = np.zeros((k, k))
    for i in range(k):
        for j in range(i + 1, k):
            wins[i, j] = rng.binomial(each, 1.0 / (1.0 + np.exp(utilities[j] - utilities[i])))
            wins[j, i] = each - wins[i, j]
    return wins


def fitted(wins: FloatArray, precision: float) -> tuple[FloatArray, FloatArray]:
    k = len(wins)
    mode, root = np.zeros(k), np.zeros((k, k))
    for _ in range(3):  # convergence up to rounding
        fit(precision, wins, mode, root)
    return mode, root


@pytest.mark.parametrize("precision", [0.1, 0.5, 4.0])
@pytest.mark.parametrize("k", [2, 5, 12])
def test_the_mode_is_where_the_posterior_is_highest(k: int, precision: float) -> None:
    rng = np.random.default_rng(k)
    wins = votes_on(rng.normal(size=k), 20, rng)
    wins[0, 1] += 0.5
    wins[1, 0] += 0.5

    def loss(utilities: FloatArray) -> float:
        leads = utilities[:, None] - utilities
        return float((wins * np.logaddexp(0.0, -leads)).sum() + 0.5 * precision * (utilities**2).sum())

    mode, root = fitted(wins, precision)
    found = minimize(loss, np.zeros(k), tol=1e-12)
    np.testing.assert_allclose(mode, found.x, atol=1e-4)
    chance = 1.0 / (1.0 + np.exp(mode - mode[:, None]))
    weights = (wins + wins.T) * chance * (1.0 - chance)
    curvature = np.diag(weights.sum(axis=1) + precision) - weights
    np.testing.assert_allclose(root.T @ root, np.linalg.inv(curvature), atol=1e-6)
    assert np.array_equal(root, np.tril(root))


def test_without_votes_it_is_the_prior() -> None:
    mode, root = fitted(np.zeros((3, 3)), 4.0)
    assert not mode.any()
    np.testing.assert_allclose(root, np.eye(3) / 2.0)


def test_draws_have_the_posteriors_chances() -> None:
    mode, root = (
        np.array([0.3, 0.0, 0.1]),
        np.linalg.inv(np.array([[2.0, 0, 0], [-1, 1.5, 0], [0.5, 0.2, 1]])),
    )
    rng, drawn, menu = np.random.default_rng(1), np.empty(3), arm_menu(Arms(3))
    n = 20_000
    ours = np.bincount([draw_best(mode, root, 0.8, menu, drawn, rng) for _ in range(n)], minlength=3) / n
    theirs = mode + 0.8 * rng.multivariate_normal(np.zeros(3), root.T @ root, 200_000)
    expected = np.bincount(theirs.argmax(axis=1), minlength=3) / 200_000
    np.testing.assert_allclose(ours, expected, atol=0.015)


def test_only_arms_on_the_menu_are_drawn() -> None:
    rng, drawn = np.random.default_rng(0), np.empty(4)
    menu = arm_menu(Arms(4, active=(1, 3)))
    mode = np.array([9.0, 0.0, 9.0, 0.1])
    assert {draw_best(mode, np.eye(4), 1.0, menu, drawn, rng) for _ in range(200)} == {1, 3}


def test_votes_by_the_model_fit_it() -> None:
    rng = np.random.default_rng(0)
    distances = [misfit(0.5, votes_on(rng.normal(size=8), 15, rng), 1.0) for _ in range(200)]
    assert max(distances) < 3.0
    assert abs(np.mean(distances)) < 0.4


@pytest.mark.parametrize("each", [8, 30])
def test_a_circle_does_not_fit(each: int) -> None:
    circle = np.array([[0, 0.9, 0.1, 0.9], [0.1, 0, 0.9, 0.9], [0.9, 0.1, 0, 0.9], [0.1, 0.1, 0.1, 0]])
    assert misfit(0.5, each * circle, 1.0) > 3.0


def test_an_arm_that_loses_to_one_that_it_should_beat_does_not_fit() -> None:
    rng = np.random.default_rng(3)
    wins = votes_on(np.linspace(2.0, -2.0, 6), 20, rng)
    assert misfit(0.5, wins, 1.0) < 2.0
    wins[0, 5], wins[5, 0] = 2.0, 18.0
    assert misfit(0.5, wins, 1.0) > 5.0


def test_without_a_circle_of_pairs_votes_fit_any_order() -> None:
    wins = np.zeros((4, 4))
    wins[0, 1] = wins[1, 2] = wins[2, 3] = 50.0
    assert misfit(0.5, wins, 1.0) == 0.0
