"""Online logistic regression against references that store every duel or every matrix."""

import numpy as np
import pytest
from numpy.random import default_rng
from numpy.testing import assert_allclose
from scipy.optimize import brentq, minimize
from scipy.special import expit

from duelist.duel import FloatArray
from duelist.learners.contextual.logistic import Belief, draw_weights, find_pull, learn


def fresh(f: int, prior: float = 1.0) -> Belief:
    return Belief(np.zeros(f), np.eye(f) * prior)


def covariance(belief: Belief) -> FloatArray:
    return np.asarray(belief.root @ belief.root.T)


def duels(f: int, many: int, seed: int, scale: float = 1.0) -> tuple[FloatArray, FloatArray]:
    rng = default_rng(seed)
    truth = rng.standard_normal(f)
    differences = scale * rng.standard_normal((many, f))
    outcomes = np.where(rng.random(many) < expit(differences @ truth), 1.0, 0.0)
    outcomes[::7] = 0.5
    return differences, outcomes


def cost(
    weights: FloatArray, mean: FloatArray, precision: FloatArray, z: FloatArray, y: FloatArray
) -> tuple[float, FloatArray]:
    """The negative logarithm of the posterior after duels, and its gradient."""
    off, leads = weights - mean, z @ weights
    value = 0.5 * off @ precision @ off + np.logaddexp(0.0, leads).sum() - y @ leads
    return float(value), precision @ off + z.T @ (expit(leads) - y)


def mode(
    mean: FloatArray, precision: FloatArray, z: FloatArray, y: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The exact mode, by SciPy, and the precision there."""
    found = minimize(cost, mean, (mean, precision, z, y), jac=True, method="BFGS", options={"gtol": 1e-10})
    chances = expit(z @ found.x)
    return found.x, precision + (z.T * (chances * (1.0 - chances))) @ z


@pytest.mark.parametrize(("f", "prior", "scale"), [(1, 1.0, 1.0), (4, 0.3, 3.0), (7, 2.0, 0.5)])
def test_each_answer_moves_to_the_exact_mode_and_its_curvature(f: int, prior: float, scale: float) -> None:
    belief = fresh(f, prior)
    mean, precision = np.zeros(f), np.eye(f) / prior**2
    for z, y in zip(*duels(f, 40, seed=f, scale=scale), strict=True):
        learn(belief, z, y)
        mean, precision = mode(mean, precision, z[np.newaxis], np.array([y]))
        assert_allclose(belief.mean, mean, atol=1e-6)
        assert_allclose(covariance(belief), np.linalg.inv(precision), atol=1e-6)


def test_many_answers_agree_with_the_posterior_of_all_of_them() -> None:
    f = 6
    differences, outcomes = duels(f, 2000, seed=3)
    belief = fresh(f)
    for z, y in zip(differences, outcomes, strict=True):
        learn(belief, z, y)
    mean, precision = mode(np.zeros(f), np.eye(f), differences, outcomes)
    deviations = np.sqrt(np.diag(np.linalg.inv(precision)))
    # early answers keep the curvature of their time, so some deviation remains
    assert (np.abs(belief.mean - mean) / deviations).max() < 0.6
    assert_allclose(np.sqrt(np.diag(covariance(belief))) / deviations, 1.0, atol=0.1)


def test_rounding_does_not_grow() -> None:
    f = 5
    belief = fresh(f)
    precision = np.eye(f)
    for z, y in zip(*duels(f, 20_000, seed=4), strict=True):
        learn(belief, z, y)
        chance = expit(z @ belief.mean)
        precision += chance * (1.0 - chance) * np.outer(z, z)
    assert_allclose(covariance(belief) @ precision, np.eye(f), atol=1e-10)


@pytest.mark.parametrize("variance", [1e-12, 0.1, 1.0, 50.0, 860.0, 1e8])
@pytest.mark.parametrize("lead", [0.0, -3.0, 40.0, -390.0, -1e4])
@pytest.mark.parametrize("outcome", [0.0, 0.5, 0.8, 1.0])
def test_the_pull_is_the_root_of_its_equation(lead: float, variance: float, outcome: float) -> None:
    def excess(pull: float) -> float:
        return pull + 0.5 * float(np.tanh(0.5 * (lead + variance * pull))) - (outcome - 0.5)

    expected = brentq(excess, outcome - 1.0, outcome, xtol=1e-15)
    assert find_pull(lead, variance, outcome - 0.5) == pytest.approx(expected, abs=1e-13)


def test_what_cannot_be_told_apart_teaches_nothing() -> None:
    belief = fresh(3)
    learn(belief, np.zeros(3), 0.5)
    assert not belief.mean.any()
    assert belief.root.tolist() == np.eye(3).tolist()


def test_swapped_sides_teach_the_same_to_the_last_bit() -> None:
    one, other = fresh(4), fresh(4)
    for z, y in zip(*duels(4, 200, seed=5), strict=True):
        learn(one, z, y)
        learn(other, -z, 1.0 - y)
    assert one.mean.tobytes() == other.mean.tobytes()
    assert one.root.tobytes() == other.root.tobytes()


def test_huge_features_stay_finite() -> None:
    belief = fresh(3)
    for z, y in zip(*duels(3, 200, seed=6, scale=1e6), strict=True):
        learn(belief, z, y)
    assert np.isfinite(belief.mean).all()
    assert np.isfinite(belief.root).all()


def test_draws_have_the_mean_and_covariance_that_are_believed() -> None:
    belief = fresh(3)
    for z, y in zip(*duels(3, 30, seed=7), strict=True):
        learn(belief, z, y)
    rng, noise = default_rng(0), np.empty(3)
    draws = np.empty((20_000, 3))
    for weights in draws:
        draw_weights(belief, 2.0, noise, weights, rng)
    spread = np.sqrt(np.diag(covariance(belief)))
    assert_allclose(draws.mean(axis=0), belief.mean, atol=4.0 * 2.0 * spread.max() / 20_000**0.5)
    assert_allclose(np.cov(draws.T), 4.0 * covariance(belief), atol=0.1 * 4.0 * spread.max() ** 2)
