"""Double Thompson Sampling: Wu, Liu (2016), Algorithm 1, and D-TS+.

What is drawn is what the package draws: of the first sample, on which side of 1/2 every pair is; of the
second, who is above 1/2, and how far where several are.
"""

from math import exp, log, log1p

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, rel_entr

from duelist import DoubleThompsonSampling
from duelist.duel import BoolArray, FloatArray

MASK = np.int64(2**62 - 1)


def table(key: int, k: int) -> FloatArray:
    """Return the numbers of a key: one for each pair i < j at i * k + j, one for each arm at i * k + i."""
    mixed = (key + np.arange(1, k * k + 1) * np.int64(0x1E3779B97F4A7C15)) & MASK
    mixed = ((mixed ^ (mixed >> 30)) * np.int64(0x3F58476D1CE4E5B9)) & MASK
    mixed = ((mixed ^ (mixed >> 27)) * np.int64(0x14D049BB133111EB)) & MASK
    numbers: FloatArray = ((mixed ^ (mixed >> 31)) >> 9) / 2.0**53
    return numbers.reshape(k, k)


def sample_above_half(wins: float, losses: float, rng: np.random.Generator) -> float:
    """Return a sample of Beta(wins + 1, losses + 1), given that it exceeds 1/2."""
    if betainc(losses + 1, wins + 1, 0.5) >= 0.1:
        while (sample := rng.beta(wins + 1, losses + 1)) <= 0.5:
            pass
        return float(sample)
    while True:  # x = 1/2 + y/2 with an exponential y, accepted by the ratio of densities
        y = -log(1 - rng.random()) / (losses - wins)
        if y < 1 and rng.random() < exp(wins * log1p(y) + losses * log1p(-y) + (losses - wins) * y):
            return 0.5 + y / 2


class ReferenceDoubleThompson:
    def __init__(self, k: int, rng: np.random.Generator, alpha: float, plus: bool) -> None:
        self.order = [int(arm) for arm in rng.permutation(k)]
        self.k, self.alpha, self.plus = k, alpha, plus
        self.wins = np.zeros((k, k))  # line 1
        self.chances = np.full((k, k), 0.5)  # how likely a sample of theta_ij is to exceed 1/2
        self.t = 1
        self.candidates = list[int]()
        self.excluded = 0

    def bounds(self) -> tuple[FloatArray, FloatArray]:
        duels = self.wins + self.wins.T
        some = np.where(duels > 0, duels, 1.0)
        share = np.where(duels > 0, self.wins / some, 1.0)  # line 4, x/0 := 1
        radius = np.sqrt(np.where(duels > 0, self.alpha * np.log(self.t) / some, 1.0))
        upper, lower = share + radius, share - radius
        np.fill_diagonal(upper, 0.5)
        np.fill_diagonal(lower, 0.5)
        return upper, lower

    def ask(self, rng: np.random.Generator) -> tuple[int, int]:
        upper, lower = self.bounds()
        scores = (upper > 0.5).sum(axis=1)  # line 5
        self.candidates = [i for i in range(self.k) if scores[i] == scores.max()]  # line 6
        first = self.candidates[0]
        if len(self.candidates) > 1:
            numbers = table(int(rng.random() * 2**53), self.k)
            beats = np.tril(self.chances > numbers.T, -1)  # line 8
            beats |= np.triu(~beats.T, 1)  # line 9
            first = self.best_candidate(beats, numbers.diagonal(), rng)
        return first, self.second(first, lower[:, first], rng)

    def best_candidate(self, beats: BoolArray, lots: FloatArray, rng: np.random.Generator) -> int:
        scores = beats.sum(axis=1)
        most = max(scores[i] for i in self.candidates)
        tied = [i for i in self.candidates if scores[i] == most]  # line 11
        if self.plus and len(tied) > 1:
            regret = self.regrets(beats, tied, rng)
            tied = [i for i in tied if regret[i] == min(regret[arm] for arm in tied)]
        return max(tied, key=lambda i: float(lots[i]))

    def regrets(self, beats: BoolArray, tied: list[int], rng: np.random.Generator) -> FloatArray:
        """Return what D-TS+ estimates for the arms that tie."""
        scores, regrets = beats.sum(axis=1), np.zeros(self.k)
        for i in range(self.k):
            for j in range(i):
                cost = 2 * scores.max() - scores[i] - scores[j]
                if cost > 0 and (i in tied or j in tied):
                    above = (i, j) if beats[i, j] else (j, i)
                    theta = sample_above_half(self.wins[above], self.wins[above[::-1]], rng)
                    divergence = rel_entr(theta, 0.5) + rel_entr(1 - theta, 0.5)
                    regrets[[i, j]] += cost / divergence
        return regrets

    def second(self, first: int, lower: NDArray[np.float64], rng: np.random.Generator) -> int:
        chances = self.chances[:, first]
        uncertain = [i for i in range(self.k) if i != first and lower[i] <= 0.5]  # line 14
        self.excluded += self.k - 1 - len(uncertain)
        some = 1 - np.cumprod([1 - chances[i] for i in uncertain])
        luck = rng.random()
        later = [place for place, chance in enumerate(some) if luck < chance]
        if not later:
            return first  # which has theta = 1/2
        second, highest = uncertain[later[0]], 0.0
        for i in uncertain[later[0] + 1 :]:
            if rng.random() < chances[i]:
                if highest == 0.0:
                    highest = sample_above_half(self.wins[second, first], self.wins[first, second], rng)
                theta = sample_above_half(self.wins[i, first], self.wins[first, i], rng)
                if theta > highest:
                    second, highest = i, theta
        return second

    def tell(self, left: int, right: int, outcome: float) -> None:
        if left != right:
            self.wins[left, right] += outcome  # line 17
            self.wins[right, left] += 1 - outcome
            won, lost = self.wins[left, right], self.wins[right, left]
            self.chances[left, right] = betainc(lost + 1, won + 1, 0.5)
            self.chances[right, left] = betainc(won + 1, lost + 1, 0.5)
        self.t += 1

    def best(self) -> int:
        beaten = (self.wins > self.wins.T).sum(axis=1)
        return max(self.order, key=lambda arm: int(beaten[arm]))


def twin_of(learner: DoubleThompsonSampling, k: int, rng: np.random.Generator) -> ReferenceDoubleThompson:
    return ReferenceDoubleThompson(k, rng, learner.alpha, learner.plus)
