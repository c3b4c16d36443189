"""Figure 4: one learner's runs, how soon learners are right, level by level, and how sure that is.

Both of a pair are looked at in the same rounds, as in the paper, because a level is kept the more easily the
fewer looks there are.
"""

from typing import NamedTuple

import numpy as np
from numpy.random import Generator, default_rng

from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.laboratory import Interval, ItemResults

LEVELS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
"""Shares of right runs whose times are compared: below, luck plays a part; above, single runs do."""
RESAMPLES = 2_000


class Played(NamedTuple):
    """One learner's runs on one problem: a row a run, a column a round."""

    rounds: IntArray
    regret: FloatArray
    right: BoolArray
    informative: IntArray
    """Duels of different arms; of RUCB at the end alone."""

    @classmethod
    def of(cls, results: ItemResults, k: int, learner: str) -> "Played":
        """Return all runs of a learner on the figure's problem of a size."""
        rounds = results.where(k=k, learner=learner)[0]["rounds"]
        return cls(rounds, *(results.stacked(name, k=k, learner=learner) for name in cls._fields[1:]))

    @property
    def accuracy(self) -> FloatArray:
        """The share of runs that are right."""
        return np.asarray(self.right.mean(axis=0))

    def at(self, round_number: int) -> FloatArray:
        """Return the regret of every run up to a round that was looked at."""
        return self.regret[:, np.searchsorted(self.rounds, round_number)]

    def right_at(self, rounds: IntArray) -> BoolArray:
        """Return which runs are right after rounds that were looked at."""
        return self.right[:, np.searchsorted(self.rounds, rounds)]


class Comparison(NamedTuple):
    """Two learners' times compared: at every level, and the median of the levels that count."""

    levels: FloatArray
    """Not a number where a level does not count."""
    median: Interval

    @property
    def counted(self) -> int:
        """How many levels count."""
        return int(np.isfinite(self.levels).sum())


def reached(rounds: IntArray, accuracy: FloatArray, level: float) -> FloatArray:
    """Return the round from which accuracy stays at a level or above, between looks by interpolation.

    Zero where that was before the first look, infinity where it is not seen. Accuracy has a look a column.
    """
    under = accuracy < level
    last = len(rounds) - 1
    before = np.minimum(last - under[..., ::-1].argmax(axis=-1), last - 1)
    low, high = (
        np.take_along_axis(accuracy, place[..., np.newaxis], axis=-1)[..., 0]
        for place in (before, before + 1)
    )
    rise = np.where(high > low, high - low, 1.0)
    start, end = np.log(rounds[before]), np.log(rounds[before + 1])
    between = np.exp(start + (level - low) / rise * (end - start))
    return np.where(under[..., -1], np.inf, np.where(under.any(axis=-1), between, 0.0))


def times(rounds: IntArray, accuracy: FloatArray) -> FloatArray:
    """Return when every level was reached, a level a column."""
    return np.stack([reached(rounds, accuracy, level) for level in LEVELS], axis=-1)


def time_shares(rounds: IntArray, ours: FloatArray, theirs: FloatArray) -> FloatArray:
    """Return for every level our time as a share of theirs, where both times are seen."""
    mine, other = times(rounds, ours), times(rounds, theirs)
    seen = (mine > 0.0) & (other > 0.0) & np.isfinite(mine) & np.isfinite(other)
    return np.where(seen, mine / np.where(seen, other, 1.0), np.nan)


def time_ratios(rounds: IntArray, ours: FloatArray, theirs: FloatArray) -> FloatArray:
    """Return for every level our time over theirs; times before or after all looks are those of a look.

    So a ratio is nearer to 1 than it may be, never further.
    """
    mine, other = (np.clip(times(rounds, one), rounds[0], rounds[-1]) for one in (ours, theirs))
    return np.asarray(mine / other)


def median_known(values: FloatArray) -> FloatArray:
    """Return medians of rows over the numbers that are known; not a number where there is none."""
    ordered = np.sort(values, axis=-1)  # unknown ones come last
    known = np.isfinite(values).sum(axis=-1)
    middle = np.stack([np.maximum(known - 1, 0) // 2, known // 2], axis=-1)
    return np.asarray(np.take_along_axis(ordered, middle, axis=-1).mean(axis=-1))


def resample_runs(right: BoolArray, rng: Generator) -> FloatArray:
    """Return accuracies of runs drawn again, each with all its looks: a row a draw."""
    runs = len(right)
    drawn = rng.multinomial(runs, np.full(runs, 1.0 / runs), size=RESAMPLES)
    return np.asarray(drawn @ right / runs)


def resample_looks(right: BoolArray, rng: Generator) -> FloatArray:
    """Return accuracies of runs drawn again for every look by itself, which was one at new runs."""
    runs, looks = right.shape
    return np.asarray(rng.binomial(runs, right.mean(axis=0), size=(RESAMPLES, looks)) / runs)


def interval_of(levels: FloatArray, drawn: FloatArray) -> Comparison:
    """Return what was compared, with the middle 95% of the medians that runs drawn again have."""
    medians = median_known(drawn)
    medians = medians[np.isfinite(medians)]
    low, high = np.quantile(medians, (0.025, 0.975)) if len(medians) else (np.nan, np.nan)
    return Comparison(levels, Interval(float(median_known(levels)), float(low), float(high)))


def shares_of_time(optimist: Played, rival: Played) -> FloatArray:
    """Return for every level RUCB's time as a share of that of a rival."""
    ours = optimist.right_at(rival.rounds)
    return time_shares(rival.rounds, ours.mean(axis=0), rival.accuracy)


def share_of_time(optimist: Played, rival: Played) -> Comparison:
    """Return RUCB's time as a share of that of a rival, each of whose horizons is new runs."""
    rng, rounds = default_rng(0), rival.rounds
    ours = optimist.right_at(rounds)
    drawn = time_shares(rounds, resample_runs(ours, rng), resample_looks(rival.right, rng))
    return interval_of(shares_of_time(optimist, rival), drawn)


def ratio_of_times(one: Played, other: Played) -> Comparison:
    """Return one's time over that of another, where each horizon of both is new runs."""
    rng, rounds = default_rng(0), other.rounds
    drawn = time_ratios(rounds, resample_looks(one.right, rng), resample_looks(other.right, rng))
    return interval_of(time_ratios(rounds, one.accuracy, other.accuracy), drawn)
