"""Figure 4: what verdicts and figures read off the results."""

from typing import NamedTuple

import numpy as np

from duelist.laboratory import Results
from duelist.reproductions.zoghi2014.figure4.sweep import SETTINGS
from duelist.types import BoolArray, FloatArray, IntArray

LEVELS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
"""Shares of right runs whose times are compared: below, luck plays a part; above, single runs do."""


class Played(NamedTuple):
    """One learner's runs on one problem: a row a run, a column a round."""

    rounds: IntArray
    regret: FloatArray
    right: BoolArray
    informative: IntArray
    """Duels of different arms; of RUCB at the end alone."""

    @property
    def accuracy(self) -> FloatArray:
        """The share of runs that are right."""
        return np.asarray(self.right.mean(axis=0))

    @property
    def decided(self) -> FloatArray:
        """The share of runs that are right and ended exploration before the horizon, with one arm left."""
        return np.asarray((self.right & (self.informative < self.rounds)).mean(axis=0))

    def at(self, round_number: int) -> FloatArray:
        """Return the regret of every run up to a round that was looked at."""
        return self.regret[:, np.searchsorted(self.rounds, round_number)]

    def accuracy_at(self, rounds: IntArray) -> FloatArray:
        """Return the share of runs that are right after rounds that were looked at."""
        return self.accuracy[np.searchsorted(self.rounds, rounds)]


class Ratio(NamedTuple):
    """A ratio of means with its 95% interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        """Return it in words."""
        return f"{self.value:.2f} (95%: {self.low:.2f} to {self.high:.2f})"


def gather(results: Results, k: int, learner: str) -> Played:
    """Return all runs of a learner on the figure's problem of a size."""
    parts = results.where(k=k, learner=learner)
    stacked = {name: np.concatenate([part[name] for part in parts]) for name in Played._fields[1:]}
    return Played(parts[0]["rounds"], **stacked)


def last_horizon(results: Results) -> int:
    """Return the longest horizon that is played."""
    return SETTINGS[results.scale].horizons[-1]


def ratio_of_means(above: FloatArray, below: FloatArray) -> Ratio:
    """Return the ratio of two independent samples' means; its interval is that of the logarithm.

    Examples
    --------
    >>> print(ratio_of_means(np.array([9.0, 10.0, 11.0]), np.array([2.0, 2.0, 2.0])))
    5.00 (95%: 4.47 to 5.60)
    """
    value = above.mean() / below.mean()
    variance = sum(one.var(ddof=1) / len(one) / one.mean() ** 2 for one in (above, below))
    width = 1.96 * np.sqrt(variance)
    return Ratio(float(value), float(value * np.exp(-width)), float(value * np.exp(width)))


def reached(rounds: IntArray, accuracy: FloatArray, level: float) -> float:
    """Return the round from which accuracy stays at a level or above, between checkpoints by interpolation.

    Not a number where that is not seen: before the first checkpoint, or never.

    Examples
    --------
    >>> reached(np.array([1, 100, 10_000]), np.array([0.0, 1.0, 1.0]), 0.5)
    10.0
    """
    under = np.flatnonzero(accuracy < level)
    if len(under) == 0 or under[-1] == len(rounds) - 1:
        return float("nan")
    before = under[-1]
    share = (level - accuracy[before]) / (accuracy[before + 1] - accuracy[before])
    ends = np.log(rounds[before : before + 2])
    return float(np.exp(ends[0] + share * (ends[1] - ends[0])).round(6))


def time_shares(optimist: Played, rounds: IntArray, accuracy: FloatArray) -> FloatArray:
    """Return for every level the time RUCB needs to reach it, as a share of another's time.

    Both are looked at in the same rounds, as in the paper, because a level is kept the more easily the
    fewer looks there are.
    """
    ours = optimist.accuracy_at(rounds)
    return np.array([reached(rounds, ours, level) / reached(rounds, accuracy, level) for level in LEVELS])


def median_share(shares: FloatArray) -> float:
    """Return the median over levels that both reached; not a number where there is none.

    Examples
    --------
    >>> median_share(np.array([np.nan, 0.2, 0.4]))
    0.3
    """
    known = shares[np.isfinite(shares)]
    return float(np.median(known).round(9)) if len(known) else float("nan")


def subset_ratios(results: Results, k: int, savage: str = "CondorcetSavage") -> FloatArray:
    """Return SAVAGE's regret over RUCB's at the last horizon, for every random subset of a size."""
    contrasts = [one for one in results.where(k=k) if "subset" in one.setting]
    return np.array([one[savage][:, 0].mean() / one["RUCB"][:, 0].mean() for one in contrasts])


def growth_ratio(savage: FloatArray, optimist: FloatArray) -> float:
    """Return how much more regret SAVAGE gains than RUCB from the first column to the last, on average."""
    return float((savage[:, -1] - savage[:, 0]).mean() / (optimist[:, -1] - optimist[:, 0]).mean())
