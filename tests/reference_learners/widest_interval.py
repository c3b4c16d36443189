"""The pair whose interval a vote shortens most, by inverting the curvature in every round."""

import numpy as np

from duelist import WidestInterval
from reference_learners.chance import pick
from reference_learners.top_two import ReferenceTopTwo, fitted


class ReferenceWidestInterval(ReferenceTopTwo):
    def information(self) -> np.ndarray:
        """Return the information of a vote on each pair."""
        chance = 1.0 / (1.0 + np.exp(self.mode - self.mode[:, None]))
        return chance * (1.0 - chance)

    def ask(self, rng: np.random.Generator) -> tuple[int, int]:
        covariance = np.linalg.inv(self.curvature)
        own = covariance.diagonal()
        variance = own[:, None] + own - 2.0 * covariance
        gains = np.triu(self.information() * variance**2 / (1.0 + self.information() * variance), 1)
        equals = np.argwhere(gains >= gains.max() * (1.0 - 1e-9)).tolist()
        left, right = equals[0]
        for place, pair in enumerate(equals, start=1):
            if pick(place, rng) == 0:
                left, right = pair
        return left, right

    def tell(self, left: int, right: int, outcome: float) -> None:
        self.wins[left, right] += outcome
        self.wins[right, left] += 1 - outcome
        self.answers += 1
        if self.answers < self.due:
            step = np.zeros(len(self.mode))
            step[[left, right]] = 1.0, -1.0
            self.curvature = self.curvature + self.information()[left, right] * np.outer(step, step)
        else:
            self.mode, self.curvature = fitted(self.wins, self.mode, self.precision)
            self.due = self.answers + max(1, int(0.005 * self.answers))


def twin_of(learner: WidestInterval, k: int, rng: np.random.Generator) -> ReferenceWidestInterval:
    return ReferenceWidestInterval(k, rng, precision=0.5)
