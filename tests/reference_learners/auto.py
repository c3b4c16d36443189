"""The default learner: top-two sampling until votes contradict its model, then RMED with the same counts."""

from math import ceil, log, sqrt

import numpy as np

from duelist import Auto
from reference_learners.rmed import ReferenceRMED, ReferenceRMED2, ReferenceRMED2FH
from reference_learners.top_two import ReferenceTopTwo, fitted


class ReferenceAuto(ReferenceTopTwo):
    def __init__(self, k: int, rng: np.random.Generator, horizon: int | None) -> None:
        super().__init__(k, rng, 0.5)
        rng.permutation(k)  # drawn for the second learner, which then uses the order of the first
        self.horizon, self.look = horizon, 0.0
        self.successor: ReferenceRMED | None = None

    def misfit(self) -> float:
        """Return the excess of squared residuals over their expectation, in standard deviations."""
        k = len(self.wins)
        mode, _ = fitted(self.wins, np.zeros(k), self.precision)
        variance = self.variance()
        surprises, expected, spread = [], [], []
        for i in range(k):
            for j in range(i + 1, k):
                if votes := self.wins[i, j] + self.wins[j, i]:
                    chance = 1 / (1 + np.exp(mode[j] - mode[i]))
                    usual = votes * chance * (1 - chance) * variance
                    surprises.append((self.wins[i, j] - votes * chance) ** 2 / (usual + 1))
                    expected.append(usual / (usual + 1))
                    spread.append((2 * usual**2 + usual) / (usual + 1) ** 2)
        if len(expected) < k:
            return 0.0
        free = 1 - (k - 1) / len(expected)
        return float((sum(surprises) - free * sum(expected)) / sqrt(sum(spread)))

    def named(self) -> ReferenceRMED:
        """Return the learner that takes over."""
        k, rng = len(self.wins), np.random.default_rng(0)
        f = 0.3 * k**1.01
        if k > 30:
            return ReferenceRMED(k, rng, f)
        if self.horizon is None:
            return ReferenceRMED2(k, rng, f, 3.0)
        draws = max(1, ceil(3.0 * log(max(log(max(self.horizon, 2)), 1.0))))
        return ReferenceRMED2FH(k, rng, f, 3.0, draws)

    def hand_over(self) -> None:
        self.successor = self.named()
        self.successor.order = list(self.order)
        self.successor.loop = list(self.order)
        self.successor.wins = self.wins.tolist()
        self.successor.divergences = [self.successor.divergence(i) for i in range(len(self.wins))]
        self.successor.t = self.rounds + 1

    def ask(self, rng: np.random.Generator) -> tuple[int, int]:
        return super().ask(rng) if self.successor is None else self.successor.ask(rng)

    def tell(self, left: int, right: int, outcome: float) -> None:
        if self.successor is not None:
            self.successor.tell(left, right, outcome)
            return
        super().tell(left, right, outcome)
        if self.answers >= max(self.look, 2 * len(self.wins)):
            self.look = 1.05 * self.answers
            if self.misfit() > 3.0:
                self.hand_over()

    def best(self) -> int:
        return super().best() if self.successor is None else self.successor.best()


def twin_of(learner: Auto, k: int, rng: np.random.Generator) -> ReferenceAuto:
    return ReferenceAuto(k, rng, learner.horizon)
