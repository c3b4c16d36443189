"""A small world of contextual duels whose truth is known, and logs of it."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from duelist.duel import FloatArray
from duelist.logs import DuelLog
from duelist.policies import FinitePolicies, PolicyMixture


@dataclass(frozen=True)
class World:
    """Equally likely contexts: preferences[context, a, b], and the chances[context, a, b] to be shown."""

    preferences: FloatArray
    chances: FloatArray

    @property
    def k(self) -> int:
        return int(self.preferences.shape[1])

    def mixture(self, policies: FinitePolicies, weights: FloatArray) -> PolicyMixture:
        followed = [policies[number] for number in range(len(policies))]
        return PolicyMixture(followed, weights, [str(action) for action in range(self.k)], ["x0"])

    def truth(self, policies: FinitePolicies, weights: FloatArray, opponents: FinitePolicies) -> FloatArray:
        contexts = np.arange(len(self.preferences))
        won = self.preferences[contexts, policies.actions[:, None], opponents.actions[None]]
        return np.asarray(0.5 + 0.5 * np.tensordot(weights, won.mean(axis=2), axes=1))

    def draw(self, duels: int, rng: Generator) -> DuelLog:
        contexts = rng.integers(len(self.preferences), size=duels)
        edges = np.cumsum(self.chances.reshape(len(self.preferences), -1), axis=1)[contexts]
        pairs = np.minimum((edges < rng.random(duels)[:, None]).sum(axis=1), self.k**2 - 1)
        left, right = pairs // self.k, pairs % self.k
        outcomes = rng.random(duels) < 0.5 + 0.5 * self.preferences[contexts, left, right]
        propensities = self.chances[contexts, left, right]
        return DuelLog(contexts[:, None], left, right, outcomes, propensities, actions=self.k)


def random_world(contexts: int, k: int, seed: int, skewed: bool) -> World:
    rng = np.random.default_rng(seed)
    above = np.triu(rng.uniform(-0.9, 0.9, (contexts, k, k)), 1)
    chances = np.full((contexts, k * k), 1.0 / k**2)
    if skewed:
        chances = 0.8 * rng.dirichlet(np.full(k * k, 0.5), size=contexts) + 0.2 * chances
    return World(above - above.transpose(0, 2, 1), chances.reshape(contexts, k, k))
