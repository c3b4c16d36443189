"""What the months say of every pair, and how far that may be from what is expected by luck alone."""

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

import numpy as np
from scipy.stats import binom

from duelist.duel import TIE, BoolArray, FloatArray, IntArray
from duelist.interleaving.analysis.intervals import sign_test
from duelist.laboratory.work import ItemResults
from duelist_reproductions.slides.sweep import PAIRS

NAMES = ("ORIG", "SWAP1", "SWAP2", "SWAP3", "SWAP4", "SWAP5")
LABELS = tuple(f"{NAMES[left]} against {NAMES[right]}" for left, right in PAIRS)


@dataclass(frozen=True, eq=False)
class Reading:
    """All months of one kind of people: arrays with a row a month and a column a pair."""

    impressions: IntArray  # the checkpoints
    wins: IntArray  # at each checkpoint, a third axis: impressions won by the ranker on the left so far
    losses: IntArray
    quality: FloatArray  # mean NDCG@10, a third axis: of the lists shown, the left ranker's, the right one's
    without: IntArray  # lists without a relevant document, where a ranker had one in its top five
    uneven: IntArray  # lists that break the slide's invariant
    decided: FloatArray  # impressions after which an anytime test has decided; nan where it has not
    truth: FloatArray  # each ranker's NDCG@10
    win: FloatArray  # of each pair: the exact chance that the ranker on the left wins an impression
    loss: FloatArray

    @property
    def preference(self) -> FloatArray:
        """How often the ranker on the left wins, a tie being half a win, at each checkpoint."""
        return np.asarray(TIE + TIE * (self.wins - self.losses) / self.impressions)

    @property
    def exact(self) -> FloatArray:
        """What the preference is exactly."""
        return np.asarray(TIE + TIE * (self.win - self.loss))

    @property
    def deviation(self) -> FloatArray:
        """The standard deviation of an impression's outcome, at each checkpoint."""
        square = TIE**2 * (self.wins + self.losses) / self.impressions
        return np.asarray(np.sqrt(square - (self.preference - TIE) ** 2))

    def margin(self, level: float) -> FloatArray:
        """Return half the width of the preference's interval, at each checkpoint, by the normal law."""
        z = NormalDist().inv_cdf(1.0 - level / 2.0)
        return np.asarray(z * self.deviation / np.sqrt(self.impressions))

    @property
    def p_values(self) -> FloatArray:
        """The exact sign test of wins against losses at each checkpoint, ties left out."""
        wins, losses = self.wins.ravel().tolist(), self.losses.ravel().tolist()
        tested = [sign_test(won, lost) for won, lost in zip(wins, losses, strict=True)]
        return np.reshape(tested, self.wins.shape)

    @property
    def order(self) -> FloatArray:
        """For each pair 1 if the left ranker has the higher NDCG, else -1."""
        left, right = np.array(PAIRS).T
        return np.asarray(np.sign(self.truth[left] - self.truth[right]))

    @property
    def ordered(self) -> BoolArray:
        """Whether each month shows each pair in the expected order, at each checkpoint."""
        return np.asarray(np.sign(self.wins - self.losses) == self.order[:, np.newaxis])

    def told(self, level: float) -> BoolArray:
        """Return whether each month tells each pair apart as expected, at each checkpoint."""
        return np.asarray((self.p_values < level) & self.ordered)

    def chance_to_be_told(self, level: float) -> FloatArray:
        """Return the chance of it, given how many impressions were no ties."""
        wrong = np.where(self.order > 0.0, self.loss, self.win) / (self.win + self.loss)
        return chance_to_tell(self.wins + self.losses, wrong[:, np.newaxis], level)


def read(results: ItemResults, sighted: bool) -> Reading:
    """Return the months of people who look at what they click, or of those who do not."""
    first, exact, row = results.where(sighted=sighted)[0], results["exact"], 0 if sighted else 1
    counted = ("wins", "losses", "quality", "without", "uneven", "decided")
    return Reading(
        impressions=first["impressions"],
        truth=first["truth"],
        win=exact["win"][row],
        loss=exact["loss"][row],
        **{name: results.stacked(name, sighted=sighted) for name in counted},
    )


def effect_of(reading: Reading, pair: int) -> tuple[float, float]:
    """Return a pair's preference beyond one half over all months, and the deviation of an impression."""
    effect = float(reading.preference[:, pair, -1].mean()) - TIE
    return effect, sqrt(float((reading.deviation[:, pair, -1] ** 2).mean()))


def enough_from(right: BoolArray, impressions: IntArray) -> int | None:
    """Return from how many impressions on something is so at every checkpoint, or None."""
    steadily = np.logical_and.accumulate(right[::-1])[::-1]
    return int(impressions[steadily.argmax()]) if steadily.any() else None


def surprise(counted: IntArray, tries: int, chance: FloatArray) -> FloatArray:
    """Return the two-sided p-value of each count, of n tries of a known chance."""
    tails = np.minimum(binom.cdf(counted, tries, chance), binom.sf(counted - 1, tries, chance))
    return np.asarray(np.minimum(1.0, 2.0 * tails))


def surprise_of_sum(counted: int, chances: FloatArray) -> float:
    """Return the two-sided p-value of how many of independent events happened, each of its own chance."""
    counts = np.ones(1)
    for chance in chances.ravel():
        counts = np.convolve(counts, [1.0 - chance, chance])
    tail = min(counts[: counted + 1].sum(), counts[counted:].sum())
    return min(1.0, 2.0 * float(tail))


def range_by_luck(tests: int, level: float, sure: float) -> tuple[int, int]:
    """Return how few and how many of n tests of nothing come out significant, either with a confidence."""
    return int(binom.ppf(1.0 - sure, tests, level)), int(binom.ppf(sure, tests, level))


def chance_to_tell(duels: IntArray, wrong: FloatArray, level: float) -> FloatArray:
    """Return the chance that the two-sided sign test finds the expected winner in n duels without a tie.

    `wrong` is the chance that the other one wins a duel.
    """
    most = binom.ppf(level / 2.0, duels, 0.5) - 1.0
    return np.asarray(binom.cdf(most, duels, wrong))
