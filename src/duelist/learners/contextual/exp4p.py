"""EXP4.P, the bandit algorithm with expert advice that sparring plays against itself.

Beygelzimer, Langford, Li, Reyzin, Schapire (2011). Contextual bandit algorithms with supervised learning
guarantees. AISTATS. Algorithm 1. The experts are policies, each certain of one action, so that in a round
those of the same action are treated alike: one exponential for each action, one product for each policy.
"""

from math import exp, log, sqrt
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.duel import FloatArray, IntArray
from duelist.kernels.compile import compiled

FAINTEST = 1e-300
"""No policy's weight falls below this, so that none is lost to rounding and each can come back."""


class Rules(NamedTuple):
    """Hyperparameters, as the kernels read them."""

    advice: IntArray  # a row for each context: every policy's action
    k: int
    least: float  # p_min: no action is less likely
    bonus: float  # what a policy gains in every round for being uncertain, times 1 / p


def rules_for(advice: IntArray, k: int, horizon: int, delta: float) -> Rules:
    """Return the rules with the numbers that the paper proves for a horizon.

    Its p_min exceeds 1 / K for horizons shorter than K ln N; it is cut to 1 / K, and every action is then as
    likely as every other.
    """
    policies = advice.shape[1]
    least = min(sqrt(log(policies) / (k * horizon)), 1.0 / k)
    return Rules(np.ascontiguousarray(advice), int(k), least, sqrt(log(policies / delta) / (k * horizon)))


@compiled
def shares_of(weights: FloatArray, advice: IntArray, shares: FloatArray) -> None:
    """Write each action's share of the policies' weights."""
    shares[:] = 0.0
    for policy in range(len(weights)):
        shares[advice[policy]] += weights[policy]
    shares /= shares.sum()


@compiled
def chances_of(rules: Rules, weights: FloatArray, context: int, chances: FloatArray) -> None:
    """Write how likely each action is: its share, but no less than p_min."""
    shares_of(weights, rules.advice[context], chances)
    for action in range(rules.k):
        chances[action] = (1.0 - rules.k * rules.least) * chances[action] + rules.least


@compiled
def choose(rules: Rules, weights: FloatArray, context: int, chances: FloatArray, rng: Generator) -> int:
    """Write how likely each action is, and return one drawn so."""
    chances_of(rules, weights, context, chances)
    left = rng.random() * chances.sum()
    action = 0
    while action < rules.k - 1 and left >= chances[action]:
        left -= chances[action]
        action += 1
    return action


@compiled
def reward(
    rules: Rules, weights: FloatArray, context: int, chances: FloatArray, shown: int, gained: float
) -> None:
    """Change the weights after an action, drawn with these chances, gained from 0 to 1."""
    advice = rules.advice[context]
    factors, shares = np.empty(rules.k), np.empty(rules.k)
    for action in range(rules.k):
        estimate = gained / chances[action] if action == shown else 0.0
        factors[action] = exp(0.5 * rules.least * (estimate + rules.bonus / chances[action]))
    shares_of(weights, advice, shares)
    factors /= (shares * factors).sum()
    for policy in range(len(weights)):
        weights[policy] = max(weights[policy] * factors[advice[policy]], FAINTEST)
