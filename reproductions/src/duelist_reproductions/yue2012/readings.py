"""What was saved, by the number of arms, and the statistics that figures and verdicts share."""

from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from duelist.duel import FloatArray
from duelist.laboratory import ItemResults

CONFIDENCE = 0.95
AT_HORIZON, AT_END = 0, 1
"""The columns of regret: cut off at T, and when exploration is over."""


def sizes_of(results: ItemResults) -> list[int]:
    """Return the numbers of arms that were played, in order."""
    return sorted({one.setting["k"] for one in results.values() if "k" in one.setting})


def regret_of(results: ItemResults, name: str, column: int = AT_END, **setting: Any) -> FloatArray:
    """Return a filter's regret, run by run."""
    regret: FloatArray = results.stacked(f"{name}_regret", **setting)[..., column]
    return regret


def ratio_of(results: ItemResults, what: str, column: int = AT_END, **setting: Any) -> FloatArray:
    """Return how many times the regret or the matches of IF2 IF1 had, run by run."""
    if what == "regret":
        return regret_of(results, "if1", column, **setting) / regret_of(results, "if2", column, **setting)
    return np.asarray(results.stacked("if1_matches", **setting) / results.stacked("if2_matches", **setting))


def medians_of(columns: list[FloatArray]) -> FloatArray:
    """Return the median of each."""
    return np.array([np.median(column) for column in columns])


def median_floor(values: FloatArray) -> float:
    """Return what the median of the distribution behind independent values exceeds, with confidence.

    With n values, as many lie below the true median as heads fall in n tosses of a fair coin, whatever the
    distribution; so this is the value of a rank.
    """
    place = int(stats.binom.ppf(1.0 - CONFIDENCE, len(values), 0.5)) - 1
    return float(np.sort(values)[max(place, 0)])


def median_error(values: FloatArray) -> float:
    """Return the standard error of a sample's median: half the distance of the ranks sqrt(n)/2 around it."""
    half = 0.5 / np.sqrt(len(values))
    low, high = np.quantile(values, (max(0.5 - half, 0.0), min(0.5 + half, 1.0)))
    return float(high - low) / 2.0


def misfit(columns: list[FloatArray], fitted: FloatArray, parameters: int) -> tuple[float, float]:
    """Return how far medians lie from fitted values in units of chance, as chi-square, and its p-value."""
    # where all runs agree, as they would without pruning, there is no error, and any distance is far
    errors = np.array([max(median_error(column), 1e-12) for column in columns])
    distance = float((((medians_of(columns) - fitted) / errors) ** 2).sum())
    return distance, float(stats.chi2.sf(distance, len(columns) - parameters))


def standard_errors(values: FloatArray, expectation: float) -> float:
    """Return how many of its standard errors the mean of independent values is above their expectation."""
    # values that do not vary have no error, and any distance is far
    error = max(float(values.std(ddof=1)) / sqrt(len(values)), 1e-12)
    return (float(values.mean()) - expectation) / error


class Trend(NamedTuple):
    """The line a + b log K through one number per K, by least squares; with confidence, b is between both."""

    intercept: float
    slope: float
    low: float
    high: float
    explained: float  # the share of variance

    def at(self, sizes: list[int]) -> FloatArray:
        """Return the line's values."""
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
