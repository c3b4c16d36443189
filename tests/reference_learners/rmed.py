"""RMED: Komiyama, Honda, Kashima, Nakagawa (2015), Algorithms 1 to 3, recomputed after every answer."""

from functools import cache
from itertools import combinations
from math import ceil, e, inf, log

import numpy as np

from duelist import RMED1, RMED2, RMED2FH
from duelist.duel import FloatArray


@cache
def d_plus(p: float) -> float:
    """Return d+(p, 1/2), at least Pinsker's bound, below which only rounding could lead."""
    if p >= 0.5:
        return 0.0
    wins = p * log(2.0 * p) if p > 0.0 else 0.0
    losses = (1.0 - p) * log(2.0 * (1.0 - p))
    return max(wins + losses, 2.0 * (p - 0.5) * (p - 0.5))


class ReferenceRMED:
    draws = 1
    """Return L, the number of initial draws of every pair."""

    def __init__(self, k: int, rng: np.random.Generator, f: float) -> None:
        self.order = [int(arm) for arm in rng.permutation(k)]
        self.wins = [[0.0] * k for _ in range(k)]
        self.f = f
        self.t = 1
        self.loop = list(self.order)  # L_R, in order
        self.next = set[int]()  # L_N
        self.divergences = [0.0] * k  # every I_i

    def add_arm(self, ranks: FloatArray, f: float) -> None:
        """Add an arm, in the order of ranks: its pairs are due, and it is on the list of this loop."""
        k = len(ranks)
        for row in self.wins:
            row.append(0.0)
        self.wins.append([0.0] * k)
        self.divergences.append(0.0)
        self.f = f
        self.order = np.argsort(ranks).tolist()
        waiting = {*self.loop, k - 1}
        self.loop = [arm for arm in self.order if arm in waiting]

    def n(self, i: int, j: int) -> float:
        return self.wins[i][j] + self.wins[j][i]

    def mu(self, i: int, j: int) -> float:
        return self.wins[i][j] / self.n(i, j)

    def divergence(self, i: int) -> float:
        """I_i, summed over the arms that i loses to."""
        mine, theirs = self.wins[i], [row[i] for row in self.wins]
        return sum(
            (won + lost) * d_plus(won / (won + lost))
            for won, lost in zip(mine, theirs, strict=True)
            if won < lost
        )

    def i_star(self) -> int:
        return min(self.order, key=lambda i: self.divergences[i])

    def due(self) -> list[tuple[int, int]]:
        """Return the pairs that were drawn too rarely."""
        least = self.least_draws()
        return [(i, j) for i, j in combinations(self.order, 2) if self.wins[i][j] + self.wins[j][i] < least]

    def least_draws(self) -> float:
        return self.draws

    def log_log(self) -> float:
        return log(max(log(self.t), 1.0))

    def opponents(self, i: int) -> list[int]:
        """O_i."""
        return [j for j in self.order if j != i and self.mu(i, j) <= 0.5]

    def opponent(self, i: int) -> int:
        """Algorithm 2."""
        star, opponents = self.i_star(), self.opponents(i)
        if star in opponents or not opponents:
            return star
        return min((j for j in self.order if j != i), key=lambda j: self.mu(i, j))

    def ask(self, rng: np.random.Generator) -> tuple[int, int]:
        if due := self.due():
            return min(due, key=lambda pair: self.n(*pair))  # lines 3 and 10
        return self.loop[0], self.opponent(self.loop[0])  # lines 12 and 13

    def tell(self, left: int, right: int, outcome: float) -> None:
        due = self.due()
        if left != right:
            self.wins[left][right] += outcome
            self.wins[right][left] += 1 - outcome
            self.divergences = [self.divergence(i) for i in range(len(self.wins))]
        if not due:
            del self.loop[0]  # line 15
            limit, least = log(self.t) + self.f, min(self.divergences)
            for j in self.order:
                if j not in self.loop and self.divergences[j] - least <= limit:
                    self.next.add(j)  # line 16
            if not self.loop:
                self.loop = [j for j in self.order if j in self.next]  # line 19
                self.next = set()
        self.t += 1  # line 17

    def best(self) -> int:
        return self.i_star()


class ReferenceRMED2(ReferenceRMED):
    def __init__(self, k: int, rng: np.random.Generator, f: float, alpha: float) -> None:
        super().__init__(k, rng, f)
        self.alpha = alpha

    def least_draws(self) -> float:
        return max(1, self.alpha * self.log_log())

    def gap(self, i: int, j: int) -> float:
        return 0.0 if i == j else self.mu(i, j) - 0.5

    def b_star(self, i: int) -> int | None:
        """Equation (6); None if i has not lost to any arm."""
        star, costs = self.i_star(), dict[int, float]()
        for j in self.opponents(i):
            if d_plus(self.mu(i, j)) > 0.0:
                costs[j] = (self.gap(star, i) + self.gap(star, j)) / d_plus(self.mu(i, j))
        return min(costs, key=lambda j: costs[j], default=None)

    def rival(self, i: int) -> int | None:
        return self.b_star(i)

    def opponent(self, i: int) -> int:
        """Algorithm 3."""
        rival = self.rival(i)
        if rival in self.opponents(i):
            needed = self.n(i, rival) / self.log_log() if self.log_log() else inf
            if (0 if i == self.i_star() else self.n(i, self.i_star())) >= needed:
                return rival
        return super().opponent(i)


class ReferenceRMED2FH(ReferenceRMED2):
    def __init__(self, k: int, rng: np.random.Generator, f: float, alpha: float, draws: int) -> None:
        super().__init__(k, rng, f, alpha)
        self.draws = draws
        self.fixed: list[int | None] | None = None

    def least_draws(self) -> float:
        return self.draws

    def rival(self, i: int) -> int | None:
        assert self.fixed is not None
        return self.b_star(i) if self.fixed[i] is None else self.fixed[i]

    def tell(self, left: int, right: int, outcome: float) -> None:
        super().tell(left, right, outcome)
        if self.fixed is None and not self.due():
            self.fixed = [self.b_star(i) for i in range(len(self.order))]  # line 5


def twin_of(learner: RMED1 | RMED2 | RMED2FH, k: int, rng: np.random.Generator) -> ReferenceRMED:
    f = learner.scale * k**learner.exponent
    if isinstance(learner, RMED1):
        return ReferenceRMED(k, rng, f)
    if isinstance(learner, RMED2):
        return ReferenceRMED2(k, rng, f, learner.alpha)
    draws = max(1, ceil(learner.alpha * log(log(max(learner.horizon, e)))))
    return ReferenceRMED2FH(k, rng, f, learner.alpha, draws)
