"""Figure 4: the runs of a learner, its time to each level of accuracy, and bootstrap intervals.

Both of a pair are looked at in the same rounds, as in the paper, because a level is kept the more easily the
fewer looks there are.
"""

from typing import NamedTuple

import numpy as np
from numpy.random import Generator, default_rng

from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.laboratory import Interval, ItemResults

LEVELS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
"""Levels of accuracy to compare: lower ones depend on chance, higher ones on single runs."""
RESAMPLES = 2_000


class Played(NamedTuple):
    """One learner's runs on one problem: one row per run, one column per checkpoint."""

    rounds: IntArray
    regret: FloatArray
    right: BoolArray
    informative: IntArray
    """Duels of different arms; for RUCB, only at the end."""

    @classmethod
    def of(cls, results: ItemResults, k: int, learner: str) -> "Played":
        """Return all runs of a learner with k rankers."""
        rounds = results.where(k=k, learner=learner)[0]["rounds"]
        return cls(rounds, *(results.stacked(name, k=k, learner=learner) for name in cls._fields[1:]))

    @property
    def accuracy(self) -> FloatArray:
        """Share of right runs at each checkpoint."""
        return np.asarray(self.right.mean(axis=0))

    def at(self, round_number: int) -> FloatArray:
        """Return the regret of every run up to a checkpoint."""
        return self.regret[:, np.searchsorted(self.rounds, round_number)]

    def right_at(self, rounds: IntArray) -> BoolArray:
        """Return which runs are right at checkpoints."""
        return self.right[:, np.searchsorted(self.rounds, rounds)]


class Comparison(NamedTuple):
    """Comparison of two learners' times: at every level, and the median of the levels that count."""

    levels: FloatArray
    """NaN for levels that do not count."""
    median: Interval

    @property
    def counted(self) -> int:
        return int(np.isfinite(self.levels).sum())


def reached(rounds: IntArray, accuracy: FloatArray, level: float) -> FloatArray:
    """Return the round from which accuracy stays at or above a level, interpolated between checkpoints.

    Zero if that was before the first checkpoint, infinity if it is not observed. Accuracy has one column per
    checkpoint.
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
    """Return the time of each level, one column per level."""
    return np.stack([reached(rounds, accuracy, level) for level in LEVELS], axis=-1)


def time_shares(rounds: IntArray, ours: FloatArray, theirs: FloatArray) -> FloatArray:
    """Return, per level, our time as a share of theirs, where both times are observed."""
    mine, other = times(rounds, ours), times(rounds, theirs)
    seen = (mine > 0.0) & (other > 0.0) & np.isfinite(mine) & np.isfinite(other)
    return np.where(seen, mine / np.where(seen, other, 1.0), np.nan)


def time_ratios(rounds: IntArray, ours: FloatArray, theirs: FloatArray) -> FloatArray:
    """Return, per level, our time over theirs; unobserved times are clipped to the first or last checkpoint.

    So a ratio is nearer to 1 than it may be, never further.
    """
    mine, other = (np.clip(times(rounds, one), rounds[0], rounds[-1]) for one in (ours, theirs))
    return np.asarray(mine / other)


def median_known(values: FloatArray) -> FloatArray:
    """Return the medians of rows without NaN; NaN for rows without numbers."""
    ordered = np.sort(values, axis=-1)  # NaN sorts last
    known = np.isfinite(values).sum(axis=-1)
    middle = np.stack([np.maximum(known - 1, 0) // 2, known // 2], axis=-1)
    return np.asarray(np.take_along_axis(ordered, middle, axis=-1).mean(axis=-1))


def resample_runs(right: BoolArray, rng: Generator) -> FloatArray:
    """Return bootstrapped accuracies, resampling whole runs: one row per resample."""
    runs = len(right)
    drawn = rng.multinomial(runs, np.full(runs, 1.0 / runs), size=RESAMPLES)
    return np.asarray(drawn @ right / runs)


def resample_looks(right: BoolArray, rng: Generator) -> FloatArray:
    """Return bootstrapped accuracies, resampling separately at each checkpoint, which has separate runs."""
    runs, looks = right.shape
    return np.asarray(rng.binomial(runs, right.mean(axis=0), size=(RESAMPLES, looks)) / runs)


def interval_of(levels: FloatArray, drawn: FloatArray) -> Comparison:
    """Return the comparison, with the middle 95% of bootstrapped medians."""
    medians = median_known(drawn)
    medians = medians[np.isfinite(medians)]
    low, high = np.quantile(medians, (0.025, 0.975)) if len(medians) else (np.nan, np.nan)
    return Comparison(levels, Interval(float(median_known(levels)), float(low), float(high)))


def shares_of_time(optimist: Played, rival: Played) -> FloatArray:
    """Return, per level, RUCB's time as a share of a rival's."""
    ours = optimist.right_at(rival.rounds)
    return time_shares(rival.rounds, ours.mean(axis=0), rival.accuracy)


def share_of_time(optimist: Played, rival: Played) -> Comparison:
    """Return RUCB's time as a share of a rival's that has separate runs for each horizon."""
    rng, rounds = default_rng(0), rival.rounds
    ours = optimist.right_at(rounds)
    drawn = time_shares(rounds, resample_runs(ours, rng), resample_looks(rival.right, rng))
    return interval_of(shares_of_time(optimist, rival), drawn)


def ratio_of_times(one: Played, other: Played) -> Comparison:
    """Return one learner's time over another's, where both have separate runs for each horizon."""
    rng, rounds = default_rng(0), other.rounds
    drawn = time_ratios(rounds, resample_looks(one.right, rng), resample_looks(other.right, rng))
    return interval_of(time_ratios(rounds, one.accuracy, other.accuracy), drawn)
