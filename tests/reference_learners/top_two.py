"""Top-two sampling from a Bradley-Terry posterior, with linear algebra and lists of votes."""

from math import inf, log, sqrt

import numpy as np

from duelist import TopTwoBradleyTerry
from duelist.stopping.evidence import SHARES, STAKES


def fitted(
    wins: np.ndarray, mode: np.ndarray, precision: float, shortest: float = 1e-3
) -> tuple[np.ndarray, np.ndarray]:
    """Return the mode and the curvature one step before it, by Newton's method."""
    while True:
        chance = 1.0 / (1.0 + np.exp(mode - mode[:, None]))
        votes = wins + wins.T
        gradient = (wins - votes * chance).sum(axis=1) - precision * mode
        weights = votes * chance * (1.0 - chance)
        curvature = np.diag(weights.sum(axis=1) + precision) - weights
        step = np.linalg.solve(curvature, gradient)
        mode = mode + step
        if np.abs(step).max() < shortest:
            return mode, curvature


class ReferenceTopTwo:
    def __init__(self, k: int, rng: np.random.Generator, precision: float) -> None:
        self.order = [int(arm) for arm in rng.permutation(k)]
        self.wins = np.zeros((k, k))
        self.precision = precision
        self.mode, self.curvature = np.zeros(k), precision * np.eye(k)
        self.decisive = np.zeros((k, k))
        self.answers, self.due, self.rounds = 0, 1, 0

    def variance(self) -> float:
        """Return the variance of an outcome relative to outcomes without ties."""
        return float((self.decisive.sum() + 1) / (self.answers + 1))

    def draw(self, rng: np.random.Generator) -> int:
        """Return the best arm of one draw."""
        luck = rng.standard_normal(len(self.mode)) * sqrt(self.variance())
        return int(np.argmax(self.mode + np.linalg.solve(np.linalg.cholesky(self.curvature).T, luck)))

    def proof(self, i: int, j: int) -> float:
        """Return the logarithm of the wealth from betting on i against j."""
        won, lost = self.decisive[i, j], self.decisive[j, i]
        if won + lost == 0.0:
            return 0.0
        most = SHARES * (1 + STAKES) ** (won - min(won, lost)) * (1 - STAKES) ** (lost - min(won, lost))
        return float(np.log((most * (1 - STAKES**2) ** min(won, lost)).sum()))

    def ask(self, rng: np.random.Generator) -> tuple[int, int]:
        first, second = self.draw(rng), self.draw(rng)
        if first == second:
            rivals = [j for j in range(len(self.mode)) if j != first]
            rival = min(rivals, key=lambda j: self.proof(first, j))
            if self.proof(first, rival) < 0.5 * log(self.rounds + 1):
                return first, rival
        return first, second

    def tell(self, left: int, right: int, outcome: float) -> None:
        self.rounds += 1
        if left == right:
            return
        self.wins[left, right] += outcome
        self.wins[right, left] += 1 - outcome
        self.answers += 1
        self.decisive[left, right] += max(2 * outcome - 1, 0)
        self.decisive[right, left] += max(1 - 2 * outcome, 0)
        if self.answers >= self.due:
            self.mode, self.curvature = fitted(self.wins, self.mode, self.precision)
            self.due = self.answers + max(1, int(0.005 * self.answers))

    def best(self) -> int:
        found, highest = -1, -inf
        for arm in self.order:
            if self.mode[arm] > highest + 1e-9:
                found, highest = arm, self.mode[arm]
        return found


def twin_of(learner: TopTwoBradleyTerry, k: int, rng: np.random.Generator) -> ReferenceTopTwo:
    return ReferenceTopTwo(k, rng, learner.precision)
