"""Greedy D-optimal design on a Bradley-Terry posterior: every determinant is computed for itself."""

from itertools import combinations

import numpy as np

from duelist import WidestInterval
from reference_learners.chance import pick
from reference_learners.top_two import ReferenceTopTwo, fitted


class ReferenceWidestInterval(ReferenceTopTwo):
    def with_a_vote(self, i: int, j: int) -> np.ndarray:
        """Return the curvature after one more vote on a pair."""
        step = np.zeros(len(self.mode))
        step[[i, j]] = 1.0, -1.0
        chance = 1.0 / (1.0 + np.exp(-step @ self.mode))
        return self.curvature + chance * (1.0 - chance) * np.outer(step, step)

    def ask(self, rng: np.random.Generator) -> tuple[int, int]:
        known = np.linalg.det(self.curvature)
        gains = {
            (i, j): np.linalg.det(self.with_a_vote(i, j)) / known - 1.0
            for i, j in combinations(range(len(self.mode)), 2)
        }
        most = max(gains.values())
        equals = [pair for pair, gain in gains.items() if gain >= most * (1.0 - 1e-9)]
        chosen = equals[0]
        for place, pair in enumerate(equals, start=1):
            if pick(place, rng) == 0:
                chosen = pair
        return chosen

    def tell(self, left: int, right: int, outcome: float) -> None:
        self.wins[left, right] += outcome
        self.wins[right, left] += 1 - outcome
        self.answers += 1
        if self.answers < self.due:
            self.curvature = self.with_a_vote(left, right)
        else:
            self.mode, self.curvature = fitted(self.wins, self.mode, self.precision)
            self.due = self.answers + max(1, int(0.005 * self.answers))


def twin_of(learner: WidestInterval, k: int, rng: np.random.Generator) -> ReferenceWidestInterval:
    return ReferenceWidestInterval(k, rng, precision=0.5)
