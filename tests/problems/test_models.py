import subprocess
import sys
from collections.abc import Callable
from math import erf, exp, inf, nan, tanh
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from real_data import PREFERENCES, needs_data
from refusals import refused

import duelist.problems
from duelist.duel import FloatArray
from duelist.errors import ParameterError, PreferenceError, UnknownNameError
from duelist.problems import (
    MatrixProblem,
    bradley_terry,
    condorcet_cycle,
    cycle,
    from_utilities,
    random_bradley_terry,
    thurstone,
    with_clones,
    worst_case,
)

EPSILON = st.floats(1e-6, 0.499)
FINITE = st.floats(allow_nan=False, allow_infinity=False)
UTILITIES = st.lists(FINITE, min_size=2, max_size=6)
WEIGHTS = st.lists(st.floats(0.0, exclude_min=True, allow_infinity=False), min_size=2, max_size=6)


def assert_complementary(problem: MatrixProblem) -> None:
    assert_allclose(problem.matrix + problem.matrix.T, 1.0, rtol=0, atol=1e-12)
    assert_array_equal(np.diag(problem.matrix), 0.5)


def test_all_is_sorted_and_there() -> None:
    assert duelist.problems.__all__ == sorted(duelist.problems.__all__)
    assert all(hasattr(duelist.problems, name) for name in duelist.problems.__all__)


def test_the_import_is_light() -> None:
    heavy = "{'scipy.optimize', 'scipy.stats', 'pandas'}"
    code = f"import sys, duelist.problems; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@given(WEIGHTS)
def test_bradley_terry_is_complementary_for_any_weights(weights: list[float]) -> None:
    assert_complementary(bradley_terry(weights))


@given(st.lists(st.floats(1e-3, 1e3), min_size=2, max_size=6))
def test_bradley_terry_follows_its_formula(weights: list[float]) -> None:
    w = np.array(weights)
    assert_allclose(bradley_terry(w).matrix, w[:, None] / (w[:, None] + w), rtol=1e-12)


def test_bradley_terry_is_logistic_in_the_logarithm_of_weights() -> None:
    weights = [0.2, 1.0, 7.0]
    assert_allclose(bradley_terry(weights).matrix, from_utilities(np.log(weights), "logistic").matrix)


@given(UTILITIES, st.sampled_from(["logistic", "gaussian", "linear"]))
def test_links_are_complementary_for_any_utilities(utilities: list[float], link: str) -> None:
    assert_complementary(from_utilities(utilities, link))


@pytest.mark.parametrize("difference", [-3.0, -0.4, 0.0, 0.1, 2.5])
@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("logistic", lambda x: 1 / (1 + exp(-x))),
        # X_i - X_j has variance 2, so Phi(x / sqrt 2), which is (1 + erf(x / 2)) / 2.
        ("gaussian", lambda x: (1 + erf(x / 2)) / 2),
        ("linear", lambda x: min(max(0.5 + x / 2, 0.0), 1.0)),
    ],
)
def test_links_follow_their_formulas(
    link: str, expected: Callable[[float], float], difference: float
) -> None:
    problem = from_utilities([difference, 0.0], link)
    assert_allclose(problem.matrix[0, 1], expected(difference), rtol=1e-12)


def test_thurstone_is_what_gaussian_draws_do() -> None:
    rng, means = np.random.default_rng(2), np.array([0.7, 0.0, -0.4])
    draws = means + rng.standard_normal((100_000, 3))
    observed = (draws[:, :, np.newaxis] > draws[:, np.newaxis, :]).mean(axis=0) + np.eye(3) / 2
    assert_allclose(thurstone(means).matrix, observed, atol=5 * 0.5 / np.sqrt(100_000))
    assert_array_equal(thurstone(means).matrix, from_utilities(means, "gaussian").matrix)


def test_a_link_may_be_any_symmetric_function() -> None:
    problem = from_utilities([1.0, 0.0], lambda x: (1 + np.tanh(x)) / 2, labels=["good", "bad"])
    assert problem.labels == ("good", "bad")
    assert_allclose(problem.matrix[0, 1], (1 + tanh(1.0)) / 2)


def test_a_link_that_is_not_symmetric_is_refused() -> None:
    def skewed(x: FloatArray) -> FloatArray:
        return np.where(x > 0, 0.9, 0.5)

    with refused(PreferenceError, "matrix[0, 1]", 0.9, "matrix[1, 0]", 0.5, 1.4):
        from_utilities([1.0, 0.0], skewed)


def test_an_unknown_link_is_refused() -> None:
    with refused(UnknownNameError, "link", "logit", "gaussian", "linear", "logistic"):
        from_utilities([1.0, 0.0], "logit")


def test_labels_are_kept() -> None:
    for build in (bradley_terry, thurstone):
        assert build([2.0, 1.0], labels=["dense", "bm25"]).labels == ("dense", "bm25")


@pytest.mark.parametrize(
    ("build", "values", "facts"),
    [
        (bradley_terry, [1.0, 0.0], ("weights[1]", 0.0, 0)),
        (bradley_terry, [-2.0, 1.0], ("weights[0]", -2.0, 0)),
        (bradley_terry, [1.0, inf], ("weights[1]", inf)),
        (bradley_terry, [1.0], ("weights", (1,), 2)),
        (thurstone, [[1.0, 2.0]], ("means", (1, 2), 2)),
        (thurstone, [1.0, 2.0, nan], ("means[2]", nan)),
        (lambda values: from_utilities(values, "linear"), [nan, 1.0], ("utilities[0]", nan)),
    ],
)
def test_wrong_vectors_are_refused_by_their_entry(
    build: Callable[[Any], Any], values: Any, facts: tuple[object, ...]
) -> None:
    with refused(ParameterError, *facts):
        build(values)


@given(st.integers(2, 20), EPSILON)
def test_worst_case_has_one_margin(k: int, epsilon: float) -> None:
    problem = worst_case(k, epsilon)
    assert_complementary(problem)
    assert_array_equal(problem.matrix[np.triu_indices(k, 1)], 0.5 + epsilon)


@given(st.integers(2, 20), EPSILON, st.integers(0, 2**32))
def test_random_bradley_terry_is_the_papers_construction(k: int, epsilon: float, seed: int) -> None:
    rivals = np.random.default_rng(seed).random(k - 1)
    best = rivals.max() * (1 + 2 * epsilon) / (1 - 2 * epsilon)
    problem = random_bradley_terry(k, epsilon, seed)
    assert_complementary(problem)
    assert_allclose(problem.matrix, bradley_terry([best, *rivals]).matrix, rtol=1e-12)
    assert_allclose(problem.matrix[0, 1 + rivals.argmax()], 0.5 + epsilon, rtol=0, atol=1e-15)
    assert problem.matrix[0, 1:].min() == problem.matrix[0, 1 + rivals.argmax()]


def test_random_bradley_terry_draws_rivals_uniformly_on_the_unit_interval() -> None:
    problem = random_bradley_terry(1001, epsilon=0.1, rng=4)
    odds = problem.matrix[:, 0] / problem.matrix[0, :]
    weights = odds[1:] / odds[1:].max()
    # The largest of 1000 uniform weights is 1 up to 1 in 1000, so the scale is known well enough.
    assert (weights > 0.0).all()
    deciles = np.histogram(weights, bins=10, range=(0.0, 1.0))[0]
    assert_allclose(deciles, 100, atol=5 * np.sqrt(1000 * 0.1 * 0.9))


def test_random_bradley_terry_takes_a_seed_or_a_generator() -> None:
    generator = np.random.default_rng(9)
    first, second = random_bradley_terry(6, rng=generator), random_bradley_terry(6, rng=generator)
    assert_array_equal(first.matrix, random_bradley_terry(6, rng=9).matrix)
    assert (first.matrix != second.matrix).any()
    assert_array_equal(random_bradley_terry(6).matrix, random_bradley_terry(6, 0.1, 0).matrix)


@given(st.integers(3, 15), EPSILON)
def test_a_cycle_looks_the_same_from_every_arm(k: int, epsilon: float) -> None:
    problem = cycle(k, epsilon)
    assert_complementary(problem)
    wins = (problem.matrix > 0.5).sum(axis=1)
    assert_array_equal(wins, (k - 1) // 2)
    assert_array_equal((problem.matrix == 0.5).sum(axis=1), 1 if k % 2 else 2)
    for arm in range(k):
        assert_array_equal(np.roll(problem.matrix[arm], -arm), problem.matrix[0])


def test_a_cycle_of_four_ties_the_opposite() -> None:
    assert_allclose(cycle(4, 0.2).matrix[0], [0.5, 0.7, 0.5, 0.3])


@given(st.integers(4, 15), EPSILON, st.floats(1e-6, 0.5))
def test_a_condorcet_cycle_has_a_winner_above_a_cycle(k: int, epsilon: float, strength: float) -> None:
    problem = condorcet_cycle(k, epsilon, strength)
    assert_complementary(problem)
    assert_array_equal(problem.matrix[0, 1:], 0.5 + epsilon)
    below = problem.subset(range(1, k)).matrix
    assert_array_equal((below > 0.5).sum(axis=1), (k - 2) // 2)
    assert_allclose(below.max(), 0.5 + strength)


@needs_data
@pytest.mark.parametrize(
    ("file", "problem"),
    [
        ("cyclic4.csv", condorcet_cycle(4, 0.1, 0.4)),
        ("swirl20_0.2.csv", condorcet_cycle(20, 0.02, 0.5)),
        ("swirl20_0.4.csv", condorcet_cycle(20, 0.04, 0.5)),
        ("swirl20_0.6.csv", condorcet_cycle(20, 0.06, 0.5)),
        ("swirl20_1.csv", condorcet_cycle(20, 0.1, 0.5)),
    ],
)
def test_published_cycles_are_condorcet_cycles(file: str, problem: MatrixProblem) -> None:
    assert_allclose(problem.matrix, MatrixProblem.from_csv(PREFERENCES / file).matrix, atol=1e-12)


@needs_data
def test_the_arithmetic_matrix_is_linear() -> None:
    problem = from_utilities(-0.1 * np.arange(8), "linear")
    assert_allclose(problem.matrix, MatrixProblem.from_csv(PREFERENCES / "arithmetic8.csv").matrix)


@pytest.mark.parametrize("epsilon", [0.0, 0.5, -0.1, nan])
@pytest.mark.parametrize("build", [worst_case, random_bradley_terry, cycle, condorcet_cycle])
def test_a_wrong_epsilon_is_refused(build: Callable[[int, float], MatrixProblem], epsilon: float) -> None:
    with refused(ParameterError, "epsilon", 0, "1/2", epsilon, 0.1):
        build(5, epsilon)


@pytest.mark.parametrize("strength", [0.0, 0.6, nan])
def test_a_wrong_strength_is_refused(strength: float) -> None:
    with refused(ParameterError, "strength", 0, "1/2", strength, 0.4):
        condorcet_cycle(4, 0.1, strength)


@pytest.mark.parametrize(
    ("build", "least"), [(worst_case, 2), (random_bradley_terry, 2), (cycle, 3), (condorcet_cycle, 4)]
)
def test_too_few_arms_are_refused(build: Callable[[Any], MatrixProblem], least: int) -> None:
    assert build(least).k == least
    for k in (least - 1, -3, 5.0, "5"):
        with refused(ParameterError, "k", least, k if isinstance(k, str) else repr(k)):
            build(k)


@given(st.integers(2, 6), st.integers(1, 4), st.data())
def test_clones_tie_with_their_original_and_meet_others_alike(
    k: int, copies: int, data: st.DataObject
) -> None:
    problem = random_bradley_terry(k, rng=k)
    arm = data.draw(st.integers(0, k - 1))
    cloned = with_clones(problem, arm, copies)
    family = [arm, *range(k, k + copies)]
    assert_complementary(cloned)
    assert cloned.k == k + copies
    assert cloned.labels[:k] == problem.labels
    assert_array_equal(cloned.matrix[:k, :k], problem.matrix)
    assert_array_equal(cloned.matrix[np.ix_(family, family)], 0.5)
    for clone in family:
        assert_array_equal(cloned.matrix[clone, :k], problem.matrix[arm])


def test_clones_have_names_of_their_own() -> None:
    problem = bradley_terry([2.0, 1.0], labels=["a", "a'"])
    assert with_clones(problem, "a", copies=2).labels == ("a", "a'", "a''", "a'''")
    assert with_clones(problem, 1).labels == ("a", "a'", "a''")


@pytest.mark.parametrize("copies", [0, -1, 1.5])
def test_a_wrong_number_of_copies_is_refused(copies: Any) -> None:
    with refused(ParameterError, "copies", 1, copies):
        with_clones(worst_case(2), 0, copies)


def test_an_unknown_arm_cannot_be_cloned() -> None:
    with refused(UnknownNameError, "arm", "x", 0, 1):
        with_clones(worst_case(2), "x")
    with refused(ParameterError, "arm", 0, 1, 2):
        with_clones(worst_case(2), 2)
