from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused

from duelist.duel import FloatArray, IntArray
from duelist.errors import ParameterError
from duelist.estimators.exploration import estimation_error, explore_rounds
from duelist.estimators.game import CompactGame
from duelist.estimators.sparring_pgd import PolicyHull
from duelist.logs import DuelLog
from duelist.policies.finite import FinitePolicies, TablePolicy
from duelist.policies.mixture import PolicyMixture


def random_log(duels: int, k: int, contexts: int, seed: int) -> DuelLog:
    rng = np.random.default_rng(seed)
    left, right = rng.integers(k, size=(2, duels))
    outcomes = rng.choice([0.0, 0.3, 0.5, 1.0], size=duels)
    propensities = rng.uniform(0.05, 1.0, duels)
    return DuelLog(rng.integers(contexts, size=(duels, 1)), left, right, outcomes, propensities, k)


def blocks(log: DuelLog) -> FloatArray:
    """The block-diagonal matrix of the paper, in full."""
    m, k = len(log), log.k
    matrix = np.zeros((m * k, m * k))
    for i in range(m):
        if log.left[i] != log.right[i]:
            estimate = log.signs[i] / (2.0 * log.propensities[i])
            matrix[i * k + log.left[i], i * k + log.right[i]] = estimate
            matrix[i * k + log.right[i], i * k + log.left[i]] = -estimate
    return matrix


def vector(chances: FloatArray) -> FloatArray:
    return np.asarray((chances / np.sqrt(len(chances))).ravel())


def one_hot(actions: IntArray, k: int) -> FloatArray:
    return np.eye(k)[actions]


@settings(deadline=None, max_examples=30)
@given(st.integers(1, 12), st.integers(2, 4), st.integers(0, 10_000))
def test_values_are_those_of_the_full_matrix(duels: int, k: int, seed: int) -> None:
    log = random_log(duels, k, 3, seed)
    game, matrix = CompactGame(log), blocks(log)
    rng = np.random.default_rng(seed)
    actions, rivals = rng.integers(k, size=(2, duels))
    mixed = rng.dirichlet(np.ones(k), size=duels)
    ours, theirs = vector(one_hot(actions, k)), vector(one_hot(rivals, k))
    assert game.value(actions, rivals) == pytest.approx(ours @ matrix @ theirs)
    assert game.value(rivals, actions) == pytest.approx(-(ours @ matrix @ theirs))
    charged = game.blank()
    game.charge(rivals, charged)
    np.testing.assert_allclose(charged, game.costs(one_hot(rivals, k)), atol=1e-12)
    # what the oracle minimises over m: -(M y), and for the column player x M, which are the same function
    costs = vector(game.costs(mixed))
    np.testing.assert_allclose(costs, -matrix @ vector(mixed), atol=1e-12)
    np.testing.assert_allclose(costs, vector(mixed) @ matrix, atol=1e-12)


@settings(deadline=None, max_examples=20)
@given(st.integers(1, 30), st.integers(0, 10_000))
def test_gap_and_reach_are_the_best_over_all_policies(duels: int, seed: int) -> None:
    log = random_log(duels, 3, 2, seed)
    game, matrix = CompactGame(log), blocks(log)
    policies = FinitePolicies(list(product(range(3), repeat=2)))
    acts = [policies[i].act(log.contexts) for i in range(len(policies))]
    mixed = np.random.default_rng(seed).dirichlet(np.ones(3), size=duels)
    gains = [vector(one_hot(act, 3)) @ matrix @ vector(mixed) for act in acts]
    assert game.gap(policies.oracle(), mixed) == pytest.approx(max(0.0, *gains))
    losses = [np.abs(matrix @ vector(one_hot(act, 3))) for act in acts]
    assert game.reach(policies.oracle(), 1) * np.sqrt(duels) == pytest.approx(max(map(np.sum, losses)))
    assert game.reach(policies.oracle(), 2) == pytest.approx(max((loss**2).sum() for loss in losses))


def test_gap_looks_at_known_policies_too() -> None:
    log = DuelLog([[0.0]], [0], [1], [1.0], [0.5], 2)
    game, blind = CompactGame(log), FinitePolicies([[1]]).oracle()
    second = np.array([[0.0, 1.0]])
    assert game.gap(blind, second) == 0.0
    assert game.gap(blind, second, [TablePolicy(np.array([0]))]) == pytest.approx(1.0)


def test_estimates_are_unbiased() -> None:
    rng = np.random.default_rng(0)
    duels, chances = 400_000, np.array([[0.1, 0.3], [0.5, 0.1]])
    shown = rng.choice(4, size=duels, p=chances.ravel())
    left, right = np.divmod(shown, 2)
    won = rng.random(duels) < np.array([[0.5, 0.8], [0.2, 0.5]])[left, right]
    log = DuelLog(np.zeros((duels, 1)), left, right, won, chances.ravel()[shown], 2)
    zeros, ones = np.zeros(duels, np.int64), np.ones(duels, np.int64)
    assert CompactGame(log).value(zeros, ones) == pytest.approx(0.6, abs=0.01)


def test_hull_is_made_of_policy_vectors() -> None:
    log = random_log(40, 4, 5, seed=1)
    game, matrix, rng = CompactGame(log), blocks(log), np.random.default_rng(2)
    hull = PolicyHull(game)
    oracle = FinitePolicies(list(product(range(4), repeat=5))).oracle()
    places = [hull.ask(oracle, rng.normal(size=(40, 4))) for _ in range(12)]
    assert len(hull) == len(set(places)) > 8
    assert hull.ask(oracle, np.zeros((40, 4))) == len(set(places))  # the first policy of all is new
    acts = [hull.actions(place) for place in range(len(hull))]
    vectors = np.array([vector(one_hot(act, 4)) for act in acts])
    np.testing.assert_allclose(hull.alike, vectors @ vectors.T, atol=1e-12)
    np.testing.assert_allclose(hull.gains, vectors @ matrix @ vectors.T, atol=1e-12)
    weights = rng.dirichlet(np.ones(len(hull)))
    chances = game.blank()
    hull.mix(weights, chances)
    mixture = PolicyMixture(hull.seen.policies, weights, log.actions, log.columns)
    np.testing.assert_allclose(chances, mixture.chances(log.contexts), atol=1e-12)
    np.testing.assert_allclose(vector(chances), weights @ vectors, atol=1e-12)
    # the gradient's length along differences of policies, by least squares
    gradient = matrix @ vectors[3]
    span = np.linalg.svd((vectors[1:] - vectors[0]).T, full_matrices=False)
    basis = span[0][:, span[1] > 1e-9]
    assert hull.steepness(3) == pytest.approx(float(((gradient @ basis) ** 2).sum()), rel=1e-5)
    # no point of the hull is closer to the target than the projection
    target = vectors[0] + 0.3 * gradient
    nearest = hull.project(weights, vectors @ target, 1e-12)
    assert nearest.min() >= 0.0
    assert nearest.sum() == pytest.approx(1.0)
    point = nearest @ vectors
    assert ((vectors - point) @ (target - point)).max() < 1e-9


class Careless:
    def __init__(self, answer: object) -> None:
        self.answer = answer

    def act(self, contexts: FloatArray) -> IntArray:
        return np.asarray(self.answer)


@pytest.mark.parametrize("answer", [[0], [0, 3], [0, -1], [[0, 1]]])
def test_a_policy_that_is_none_is_refused(answer: object) -> None:
    game = CompactGame(DuelLog([[0.0], [0.0]], [0, 1], [1, 2], [1, 0], [0.1, 0.1], 3))
    with refused(ParameterError, "act", 0, 2, "2 contexts", "Careless"):
        game.actions(Careless(answer))


def test_an_empty_log_is_refused() -> None:
    with refused(ParameterError, "log", 0):
        CompactGame(DuelLog(np.zeros((0, 1)), [], [], [], [], 3))


def test_exploration_is_as_long_as_pays() -> None:
    horizon, k, policies, delta = 10**7, 5, 2**40, 0.1
    union = np.log(float(policies) ** 2 / delta)
    lengths = np.arange(1, horizon, 997)
    regrets = lengths / horizon + np.sqrt(k**2 * union / lengths)
    rounds = explore_rounds(horizon, k, policies, delta)
    assert rounds == pytest.approx(lengths[regrets.argmin()], abs=997)
    assert explore_rounds(8 * horizon, k, policies, delta) == pytest.approx(4 * rounds, rel=1e-4)
    assert explore_rounds(100, k, policies) == 100
    assert explore_rounds(10**9, k, 2**5000) > explore_rounds(10**9, k, 2**50)
    first_order = np.sqrt(k**2 * union / 10**9)
    assert estimation_error(10**9, k, policies, delta) == pytest.approx(first_order, rel=0.01)
    with refused(ParameterError, "policies", 0):
        explore_rounds(100, 3, 0)
