"""Figure 4: what verdicts and figures read off the results."""

from typing import NamedTuple

import numpy as np

from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.laboratory import ItemResults
from duelist_reproductions.zoghi2014.figure4.sweep import SETTINGS


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

    def once_decided(self) -> "Played":
        """Return these runs, right only where exploration ended before the horizon, with one arm left."""
        return self._replace(right=self.right & (self.informative < self.rounds))

    def at(self, round_number: int) -> FloatArray:
        """Return the regret of every run up to a round that was looked at."""
        return self.regret[:, np.searchsorted(self.rounds, round_number)]

    def right_at(self, rounds: IntArray) -> BoolArray:
        """Return which runs are right after rounds that were looked at."""
        return self.right[:, np.searchsorted(self.rounds, rounds)]


class Ratio(NamedTuple):
    """A ratio with its 95% interval."""

    value: float
    low: float
    high: float

    def __format__(self, style: str) -> str:
        """Return it in words, each number in this style."""
        style = style or ".2f"
        return f"{self.value:{style}} (95%: {self.low:{style}} to {self.high:{style}})"

    def meets(self, low: float, high: float) -> bool:
        """Tell whether the interval reaches into a range."""
        return self.high >= low and self.low <= high


def gather(results: ItemResults, k: int, learner: str) -> Played:
    """Return all runs of a learner on the figure's problem of a size."""
    parts = results.where(k=k, learner=learner)
    stacked = {name: np.concatenate([part[name] for part in parts]) for name in Played._fields[1:]}
    return Played(parts[0]["rounds"], **stacked)


def last_horizon(results: ItemResults) -> int:
    """Return the longest horizon that is played."""
    return SETTINGS[results.scale].horizons[-1]


def ratio_of_means(above: FloatArray, below: FloatArray) -> Ratio:
    """Return the ratio of two independent samples' means; its interval is that of the logarithm.

    Examples
    --------
    >>> format(ratio_of_means(np.array([9.0, 10.0, 11.0]), np.array([2.0, 2.0, 2.0])))
    '5.00 (95%: 4.47 to 5.60)'
    """
    value = above.mean() / below.mean()
    variance = sum(one.var(ddof=1) / len(one) / one.mean() ** 2 for one in (above, below))
    width = 1.96 * np.sqrt(variance)
    return Ratio(float(value), float(value * np.exp(-width)), float(value * np.exp(width)))


def subset_ratios(results: ItemResults, k: int, savage: str = "CondorcetSavage") -> FloatArray:
    """Return SAVAGE's regret over RUCB's at the last horizon, for every random subset of a size."""
    contrasts = [one for one in results.where(k=k) if "subset" in one.setting]
    return np.array([one[savage][:, 0].mean() / one["RUCB"][:, 0].mean() for one in contrasts])


def growth_ratio(savage: FloatArray, optimist: FloatArray) -> float:
    """Return how much more regret SAVAGE gains than RUCB from the first column to the last, on average."""
    return float((savage[:, -1] - savage[:, 0]).mean() / (optimist[:, -1] - optimist[:, 0]).mean())
