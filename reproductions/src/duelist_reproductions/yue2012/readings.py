"""Saved results by number of arms, and the statistics shared by figures and verdicts."""

from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from duelist.duel import FloatArray
from duelist.laboratory import ItemResults

CONFIDENCE = 0.95
AT_HORIZON, AT_END = 0, 1
"""Columns of regret: cut off at T, and at the end of exploration."""


def sizes_of(results: ItemResults) -> list[int]:
    """Return the numbers of arms of the runs, in order."""
    return sorted({one.setting["k"] for one in results.values() if "k" in one.setting})


def regret_of(results: ItemResults, name: str, column: int = AT_END, **setting: Any) -> FloatArray:
    regret: FloatArray = results.stacked(f"{name}_regret", **setting)[..., column]
    return regret


def ratio_of(results: ItemResults, what: str, column: int = AT_END, **setting: Any) -> FloatArray:
    """Return the ratio of regrets or matches of IF1 to IF2 for each run."""
    if what == "regret":
        return regret_of(results, "if1", column, **setting) / regret_of(results, "if2", column, **setting)
    return np.asarray(results.stacked("if1_matches", **setting) / results.stacked("if2_matches", **setting))


def medians_of(columns: list[FloatArray]) -> FloatArray:
    return np.array([np.median(column) for column in columns])


def median_floor(values: FloatArray) -> float:
    """Return a lower confidence bound on the median of the distribution of independent values.

    Of n values, as many lie below the true median as there are heads in n tosses of a fair coin, whatever the
    distribution; so the bound is the value of a certain rank.
    """
    place = int(stats.binom.ppf(1.0 - CONFIDENCE, len(values), 0.5)) - 1
    return float(np.sort(values)[max(place, 0)])


def median_error(values: FloatArray) -> float:
    """Return the standard error of a sample median: half the distance of the ranks sqrt(n)/2 around it."""
    half = 0.5 / np.sqrt(len(values))
    low, high = np.quantile(values, (max(0.5 - half, 0.0), min(0.5 + half, 1.0)))
    return float(high - low) / 2.0


def misfit(columns: list[FloatArray], fitted: FloatArray, parameters: int) -> tuple[float, float]:
    """Return the chi-square of medians against fitted values, and its p-value."""
    # if all runs agree, as they would without pruning, the error is 0, and any distance is infinite
    errors = np.array([max(median_error(column), 1e-12) for column in columns])
    distance = float((((medians_of(columns) - fitted) / errors) ** 2).sum())
    return distance, float(stats.chi2.sf(distance, len(columns) - parameters))


def standard_errors(values: FloatArray, expectation: float) -> float:
    """Return the excess of the mean of independent values over their expectation, in standard errors."""
    # constant values have no error, and any distance is infinite
    error = max(float(values.std(ddof=1)) / sqrt(len(values)), 1e-12)
    return (float(values.mean()) - expectation) / error


class Trend(NamedTuple):
    """The least-squares line a + b log K through one number per K, with a confidence interval for b."""

    intercept: float
    slope: float
    low: float
    high: float
    explained: float  # the share of variance

    def at(self, sizes: list[int]) -> FloatArray:
        return np.asarray(self.intercept + self.slope * np.log(sizes))

    def __str__(self) -> str:
        """Return the line through medians in words."""
        return (
            f"median ratio = {self.intercept:.2f} {self.slope:+.3f} log K, the slope between {self.low:.3f} "
            f"and {self.high:.3f} (95% one-sided each), R^2 = {self.explained:.2f}"
        )


def trend(sizes: list[int], values: FloatArray) -> Trend:
    """Return the line through one value per number of arms."""
    line = stats.linregress(np.log(sizes), values)
    margin = float(stats.t.ppf(CONFIDENCE, len(sizes) - 2)) * float(line.stderr)
    slope = float(line.slope)
    return Trend(float(line.intercept), slope, slope - margin, slope + margin, float(line.rvalue) ** 2)
