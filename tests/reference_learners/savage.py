"""Condorcet SAVAGE: Urvoy, Clerot, Feraud, Naamane (2013)."""

import math
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from duelist import CondorcetSavage


class ReferenceSavage:
    def __init__(self, k: int, rng: np.random.Generator, horizon: int, delta: float) -> None:
        pairs = k * (k - 1) // 2  # N
        self.log_term = math.log(2 * pairs * horizon / delta)
        self.active = [int(arm) for arm in rng.permutation(k)]
        self.wins = np.zeros((k, k))

    def upper_bounds(self) -> NDArray[np.float64]:
        duels = self.wins + self.wins.T
        some = np.where(duels > 0, duels, 1.0)
        upper: NDArray[np.float64] = np.where(
            duels > 0, self.wins / some + np.sqrt(self.log_term / (2 * some)), np.inf
        )
        return upper

    def ask(self, rng: np.random.Generator) -> tuple[int, int]:
        if len(self.active) == 1:
            return self.active[0], self.active[0]
        duels = (self.wins + self.wins.T).tolist()
        return min(combinations(self.active, 2), key=lambda pair: duels[pair[0]][pair[1]])

    def tell(self, left: int, right: int, outcome: float) -> None:
        if len(self.active) == 1:
            return
        self.wins[left, right] += outcome
        self.wins[right, left] += 1 - outcome
        upper = self.upper_bounds()
        losers = [i for i in self.active if any(upper[i, j] < 0.5 for j in self.active if j != i)]
        self.active = [i for i in self.active if i not in losers]

    def best(self) -> int:
        counts = [sum(1 for j in self.active if self.wins[i, j] > self.wins[j, i]) for i in self.active]
        return self.active[counts.index(max(counts))]


def twin_of(learner: CondorcetSavage, k: int, rng: np.random.Generator) -> ReferenceSavage:
    delta = 1 / learner.horizon if learner.delta is None else learner.delta
    return ReferenceSavage(k, rng, learner.horizon, delta)
