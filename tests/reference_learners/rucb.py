"""Relative Upper Confidence Bound: Zoghi, Whiteson, Munos, de Rijke (2014), Algorithm 1."""

import numpy as np
from numpy.typing import NDArray

from duelist import RUCB
from reference_learners.chance import pick


class ReferenceRUCB:
    """Without `remembers` the version of arXiv:1312.3393; line numbers are its own.

    With it, the set B of the proceedings.
    """

    def __init__(self, k: int, rng: np.random.Generator, alpha: float, remembers: bool) -> None:
        self.order = [int(arm) for arm in rng.permutation(k)]
        self.alpha = alpha
        self.remembers = remembers
        self.last_alone = set[int]()  # B
        self.wins = np.zeros((k, k))  # line 1
        self.t = 1  # line 2

    def upper_bounds(self) -> NDArray[np.float64]:
        duels = self.wins + self.wins.T
        some = np.where(duels > 0, duels, 1.0)
        share = np.where(duels > 0, self.wins / some, 1.0)  # line 3, x/0 := 1
        under_root = np.where(duels > 0, self.alpha * np.log(self.t) / some, 1.0)
        upper: NDArray[np.float64] = share + np.sqrt(under_root)
        np.fill_diagonal(upper, 0.5)  # line 4
        return upper

    def ask(self, rng: np.random.Generator) -> tuple[int, int]:
        upper = self.upper_bounds()
        c = self.pick_champion([c for c, row in enumerate(upper) if all(row >= 0.5)], rng)
        highest = max(upper[:, c])
        if highest == 0.5:
            return c, c  # another arm only if its bound is strictly larger
        tied = [j for j, bound in enumerate(upper[:, c]) if bound == highest]
        return c, tied[pick(len(tied), rng)]  # line 6

    def pick_champion(self, pool: list[int], rng: np.random.Generator) -> int:
        if self.remembers:
            self.last_alone &= set(pool)
            if len(pool) == 1:
                self.last_alone = set(pool)
        if not pool:
            pool = list(range(len(self.wins)))
        if len(pool) == 1 or not self.last_alone:
            return pool[pick(len(pool), rng)]  # line 5
        others = [c for c in pool if c not in self.last_alone]
        if pick(2, rng) == 0:
            return min(self.last_alone)  # with chance 1/2
        return others[pick(len(others), rng)]  # each with chance 1 / (2 |C without B|)

    def tell(self, left: int, right: int, outcome: float) -> None:
        self.wins[left, right] += outcome  # line 7
        self.wins[right, left] += 1 - outcome
        self.t += 1

    def best(self) -> int:
        duels = self.wins + self.wins.T
        beaten = {
            c: sum(1 for j in self.order if j != c and duels[c, j] and self.wins[c, j] / duels[c, j] > 0.5)
            for c in self.order
        }
        return max(self.order, key=lambda c: beaten[c])  # "Return", the first in order where several tie


def twin_of(learner: RUCB, k: int, rng: np.random.Generator) -> ReferenceRUCB:
    return ReferenceRUCB(k, rng, learner.alpha, learner.remembers_champion)
