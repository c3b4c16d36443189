"""Problems whose policies beat each other in a cycle, and exact values of policies on a log."""

from itertools import product

import numpy as np
from scipy.optimize import linprog

from duelist.duel import FloatArray
from duelist.estimators.sparring_fpl import SparringFPL
from duelist.estimators.sparring_pgd import SparringPGD
from duelist.logs import DuelLog
from duelist.policies import FinitePolicies, PolicyMixture
from duelist.policies.finite import TablePolicy
from duelist.problems.contextual import FiniteContexts

CYCLE = np.array([[0.0, 1.0, -1.0], [-1.0, 0.0, 1.0], [1.0, -1.0, 0.0]])


def cyclic_problem(*strengths: float) -> FiniteContexts:
    """Rock, paper, scissors in every context."""
    return FiniteContexts([(1.0 + strength * CYCLE) / 2.0 for strength in strengths])


def uneven_problem(contexts: int, k: int, seed: int) -> FiniteContexts:
    """Random preferences in every context."""
    margins = np.triu(np.random.default_rng(seed).uniform(-0.9, 0.9, (contexts, k, k)), 1)
    return FiniteContexts((1.0 + margins - margins.transpose(0, 2, 1)) / 2.0)


def all_policies(contexts: int, k: int) -> FinitePolicies:
    return FinitePolicies(list(product(range(k), repeat=contexts)))


def meta_game(log: DuelLog, policies: FinitePolicies) -> FloatArray:
    """Return the gain of every policy against every other on a log, by the definition of the estimates."""
    sums = np.zeros((policies.contexts, log.k, log.k))
    for i in range(len(log)):
        if log.left[i] != log.right[i]:
            estimate = log.signs[i] / (2.0 * log.propensities[i])
            context = int(log.contexts[i, 0])
            sums[context, log.left[i], log.right[i]] += estimate
            sums[context, log.right[i], log.left[i]] -= estimate
    acts = policies.actions
    pairs = [sums[c][np.ix_(acts[:, c], acts[:, c])] for c in range(policies.contexts)]
    return np.asarray(np.sum(pairs, axis=0) / len(log))


def true_game(problem: FiniteContexts, policies: FinitePolicies) -> FloatArray:
    return np.asarray(2.0 * problem.policy_preferences(policies.actions) - 1.0)


def weights_of(mixture: PolicyMixture, policies: FinitePolicies) -> FloatArray:
    """Return the weight of every policy of a class in a mixture."""
    places = {tuple(acts): place for place, acts in enumerate(policies.actions.tolist())}
    weights = np.zeros(len(policies))
    for policy, weight in zip(mixture.policies, mixture.weights, strict=True):
        assert isinstance(policy, TablePolicy)
        weights[places[tuple(policy.actions.tolist())]] += weight
    return weights


def exact_value(game: FloatArray) -> float:
    """Return the largest worst-case gain of any mixture, by linear programming."""
    many = len(game)
    found = linprog(
        np.append(np.zeros(many), -1.0),
        A_ub=np.column_stack([-game.T, np.ones(many)]),
        b_ub=np.zeros(many),
        A_eq=[[1.0] * many + [0.0]],
        b_eq=[1.0],
        bounds=[(0, None)] * many + [(None, None)],
    )
    assert found.x is not None
    return float(found.x[-1])


def error(mixture: PolicyMixture, game: FloatArray, policies: FinitePolicies) -> float:
    """Return the gain of the best response."""
    return float(-(weights_of(mixture, policies) @ game).min())


def error_slope(learner: SparringFPL | SparringPGD, sizes: list[int], seeds: int) -> float:
    """Return the slope of the logarithm of the true error against that of the log's length."""
    problem, policies = cyclic_problem(0.8, 0.4), all_policies(2, 3)
    truth = true_game(problem, policies)
    errors = []
    for size in sizes:
        logs = (problem.log(size, np.random.default_rng((size, seed))) for seed in range(seeds))
        errors.append(np.mean([error(learner.fit(log), truth, policies) for log in logs]))
    return float(np.polyfit(np.log(sizes), np.log(errors), 1)[0])
