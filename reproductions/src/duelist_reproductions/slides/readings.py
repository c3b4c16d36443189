"""Statistics of the months for every pair, and their expectations under chance."""

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
    """All months of one kind of user: arrays with one row per month and one column per pair."""

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
        """Share of wins of the left ranker at each checkpoint, with ties as half wins."""
        return np.asarray(TIE + TIE * (self.wins - self.losses) / self.impressions)

    @property
    def exact(self) -> FloatArray:
        """The exact preference."""
        return np.asarray(TIE + TIE * (self.win - self.loss))

    @property
    def deviation(self) -> FloatArray:
        """The standard deviation of an impression's outcome, at each checkpoint."""
        square = TIE**2 * (self.wins + self.losses) / self.impressions
        return np.asarray(np.sqrt(square - (self.preference - TIE) ** 2))

    def margin(self, level: float) -> FloatArray:
        """Return the half-width of the preference's normal interval at each checkpoint."""
        z = NormalDist().inv_cdf(1.0 - level / 2.0)
        return np.asarray(z * self.deviation / np.sqrt(self.impressions))

    @property
    def p_values(self) -> FloatArray:
        """P-values of the exact sign test at each checkpoint, without ties."""
        wins, losses = self.wins.ravel().tolist(), self.losses.ravel().tolist()
        tested = [sign_test(won, lost) for won, lost in zip(wins, losses, strict=True)]
        return np.reshape(tested, self.wins.shape)

    @property
    def order(self) -> FloatArray:
        """1 for pairs whose left ranker has the higher NDCG, else -1."""
        left, right = np.array(PAIRS).T
        return np.asarray(np.sign(self.truth[left] - self.truth[right]))

    @property
    def ordered(self) -> BoolArray:
        """Whether each month has each pair in the expected order, at each checkpoint."""
        return np.asarray(np.sign(self.wins - self.losses) == self.order[:, np.newaxis])

    def significant(self, level: float) -> BoolArray:
        """Return whether each month has each pair significantly in the expected order, at each checkpoint."""
        return np.asarray((self.p_values < level) & self.ordered)

    def chance_significant(self, level: float) -> FloatArray:
        """Return the chance of it, given how many impressions were no ties."""
        wrong = np.where(self.order > 0.0, self.loss, self.win) / (self.win + self.loss)
        return sign_test_power(self.wins + self.losses, wrong[:, np.newaxis], level)


def read(results: ItemResults, sighted: bool) -> Reading:
    """Return the months of sighted users, who look at documents, or of blind ones."""
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
    """Return a pair's preference minus 1/2 over all months, and the standard deviation of an impression."""
    effect = float(reading.preference[:, pair, -1].mean()) - TIE
    return effect, sqrt(float((reading.deviation[:, pair, -1] ** 2).mean()))


def enough_from(right: BoolArray, impressions: IntArray) -> int | None:
    """Return the first checkpoint from which a condition always holds, or None."""
    steadily = np.logical_and.accumulate(right[::-1])[::-1]
    return int(impressions[steadily.argmax()]) if steadily.any() else None


def surprise(counted: IntArray, tries: int, chance: FloatArray) -> FloatArray:
    """Return the two-sided binomial p-value of each count."""
    tails = np.minimum(binom.cdf(counted, tries, chance), binom.sf(counted - 1, tries, chance))
    return np.asarray(np.minimum(1.0, 2.0 * tails))


def surprise_of_sum(counted: int, chances: FloatArray) -> float:
    """Return the two-sided p-value of the number of independent events, each with its own chance."""
    counts = np.ones(1)
    for chance in chances.ravel():
        counts = np.convolve(counts, [1.0 - chance, chance])
    tail = min(counts[: counted + 1].sum(), counts[counted:].sum())
    return min(1.0, 2.0 * float(tail))


def range_by_chance(tests: int, level: float, sure: float) -> tuple[int, int]:
    """Return the range of significant results among tests of true null hypotheses, with a confidence."""
    return int(binom.ppf(1.0 - sure, tests, level)), int(binom.ppf(sure, tests, level))


def sign_test_power(duels: IntArray, wrong: FloatArray, level: float) -> FloatArray:
    """Return the chance that the two-sided sign test finds the expected winner in n duels without a tie.

    `wrong` is the chance that the other one wins a duel.
    """
    most = binom.ppf(level / 2.0, duels, 0.5) - 1.0
    return np.asarray(binom.cdf(most, duels, wrong))
