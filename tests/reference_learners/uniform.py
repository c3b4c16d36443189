"""Random pairs: all ordered pairs of different arms are equally likely."""

import numpy as np

from duelist import Uniform
from reference_learners.chance import pick


class ReferenceUniform:
    def __init__(self, k: int, rng: np.random.Generator) -> None:
        self.order = [int(arm) for arm in rng.permutation(k)]
        self.k = k
        self.wins = np.zeros((k, k))

    def ask(self, rng: np.random.Generator) -> tuple[int, int]:
        left = pick(self.k, rng)
        others = [arm for arm in range(self.k) if arm != left]
        return left, others[pick(len(others), rng)]

    def tell(self, left: int, right: int, outcome: float) -> None:
        self.wins[left, right] += outcome
        self.wins[right, left] += 1 - outcome

    def best(self) -> int:
        beaten = (self.wins > self.wins.T).sum(axis=1)
        return max(self.order, key=lambda arm: int(beaten[arm]))


def twin_of(learner: Uniform, k: int, rng: np.random.Generator) -> ReferenceUniform:
    return ReferenceUniform(k, rng)
