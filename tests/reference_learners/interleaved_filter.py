"""Interleaved Filter 1 and 2: Yue, Broder, Kleinberg, Joachims (2012), Algorithms 1, 2 and 3."""

import math

import numpy as np

from duelist import InterleavedFilter1, InterleavedFilter2


class ReferenceInterleavedFilter:
    """Line numbers are Algorithm 3's; Algorithm 2 is the same without lines 16 to 18."""

    def __init__(
        self, k: int, rng: np.random.Generator, horizon: int, factor: float, *, prunes: bool
    ) -> None:
        self.prunes = prunes
        self.factor = factor
        self.delta = 1 / (horizon * k**2)  # line 2
        order = [int(arm) for arm in rng.permutation(k)]  # footnote 5
        self.incumbents = [order[0]]  # line 3, the latest last
        self.rivals = order[1:]  # line 4, W
        self.pruned: list[int] = []
        self.start_matches()

    def start_matches(self) -> None:
        self.wins = dict.fromkeys(self.rivals, 0.0)  # lines 5 and 20, of the incumbent over each rival
        self.duels = dict.fromkeys(self.rivals, 0)
        self.to_meet = list(self.rivals)

    def estimate(self, b: int) -> float:
        return self.wins[b] / self.duels[b]  # equation 7

    def half_is_outside(self, b: int) -> bool:
        c = math.sqrt(self.factor * math.log(1 / self.delta) / self.duels[b])  # equation 9
        return not self.estimate(b) - c < 0.5 < self.estimate(b) + c  # equation 8, an open interval

    def ask(self, rng: np.random.Generator) -> tuple[int, int]:
        incumbent = self.incumbents[-1]
        if not self.rivals:
            return incumbent, incumbent  # Algorithm 1, line 4
        return incumbent, self.to_meet[0]  # lines 8 and 9

    def tell(self, left: int, right: int, outcome: float) -> None:
        if not self.rivals:
            return
        self.to_meet.remove(right)
        self.wins[right] += outcome  # line 10
        self.duels[right] += 1
        if not self.to_meet:  # line 11
            self.end_sweep()

    def end_sweep(self) -> None:
        for b in list(self.rivals):
            if self.estimate(b) > 0.5 and self.half_is_outside(b):  # line 12
                self.rivals.remove(b)  # line 13
        stronger = [b for b in self.rivals if self.estimate(b) < 0.5 and self.half_is_outside(b)]
        if stronger:  # line 15, the first where there are several
            if self.prunes:
                for b in list(self.rivals):
                    if self.estimate(b) > 0.5:  # line 16
                        self.rivals.remove(b)  # line 17
                        self.pruned.append(b)
            self.incumbents.append(stronger[0])  # line 19
            self.rivals.remove(stronger[0])
            self.start_matches()  # line 20
        self.to_meet = list(self.rivals)

    def best(self) -> int:
        return self.incumbents[-1]  # line 24


def twin_of(
    learner: InterleavedFilter1 | InterleavedFilter2, k: int, rng: np.random.Generator
) -> ReferenceInterleavedFilter:
    return ReferenceInterleavedFilter(k, rng, learner.horizon, learner.factor, prunes=learner.prunes)
