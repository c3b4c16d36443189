"""Beat the Mean: Yue, Joachims (2011), Algorithm 1. Stores all comparisons, to delete some."""

import math

import numpy as np

from duelist import BeatTheMean
from reference_learners.chance import pick


class ReferenceBeatTheMean:
    def __init__(self, k: int, rng: np.random.Generator, horizon: int, gamma: float) -> None:
        self.gamma = gamma
        self.delta = 1 / (2 * horizon * k)
        self.active = [int(arm) for arm in rng.permutation(k)]  # W
        self.comparisons: list[tuple[int, int, float]] = []
        self.recount()

    def recount(self) -> None:
        self.n = dict.fromkeys(self.active, 0)
        self.w = dict.fromkeys(self.active, 0.0)
        for b, _, score in self.comparisons:
            self.n[b] += 1
            self.w[b] += score

    def mean(self, b: int) -> float:
        return self.w[b] / self.n[b] if self.n[b] else 0.5  # P_b

    def ask(self, rng: np.random.Generator) -> tuple[int, int]:
        if len(self.active) == 1:
            return self.active[0], self.active[0]
        fewest = min(self.n.values())
        tied = [b for b in self.active if self.n[b] == fewest]
        b = tied[pick(len(tied), rng)]
        return b, self.active[pick(len(self.active), rng)]

    def tell(self, left: int, right: int, outcome: float) -> None:
        if len(self.active) == 1:
            return
        self.comparisons.append((left, right, outcome))
        self.n[left] += 1  # of the first arm only
        self.w[left] += outcome
        fewest = min(self.n.values())  # n*
        c = 3 * self.gamma**2 * math.sqrt(math.log(1 / self.delta) / fewest) if fewest else 1.0  # c*
        if min(map(self.mean, self.active)) + c <= max(map(self.mean, self.active)) - c:
            worst = min(self.active, key=self.mean)
            self.active.remove(worst)
            self.comparisons = [duel for duel in self.comparisons if worst not in duel[:2]]
            self.recount()

    def best(self) -> int:
        return max(self.active, key=self.mean)


def twin_of(learner: BeatTheMean, k: int, rng: np.random.Generator) -> ReferenceBeatTheMean:
    return ReferenceBeatTheMean(k, rng, learner.horizon, learner.gamma)
