"""What was saved, put together by the number of arms, and the statistics that figures and verdicts share."""

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from duelist.duel import FloatArray
from duelist.laboratory.items import Expected
from duelist.laboratory.work import ItemResults

CONFIDENCE = 0.95
AT_HORIZON, AT_END = 0, 1
"""The columns of regret: cut off at T, and when exploration is over."""


def tolerances_of(expected: Expected) -> dict[str, float]:
    """Return the tolerance of every claim that has one."""
    tolerances = {name: claim["tolerance"] for name, claim in expected["claims"].items()}
    return {name: tolerance for name, tolerance in tolerances.items() if tolerance is not None}


def sizes_of(results: ItemResults) -> list[int]:
    """Return the numbers of arms that were played, in order."""
    return sorted({one.setting["k"] for one in results.values() if "k" in one.setting})


def gather(results: ItemResults, name: str, **setting: Any) -> NDArray[Any]:
    """Return an array of all pieces with these values in their settings, put together."""
    return np.concatenate([one[name] for one in results.where(**setting)])


def regret_ratio(results: ItemResults, column: int = AT_END, **setting: Any) -> FloatArray:
    """Return how many times the regret of IF2 IF1 had, run by run."""
    first, second = (gather(results, f"{name}_regret", **setting)[..., column] for name in ("if1", "if2"))
    return np.asarray(first / second)


def match_ratio(results: ItemResults, **setting: Any) -> FloatArray:
    """Return how many times the matches of IF2 IF1 played, run by run."""
    return np.asarray(
        gather(results, "if1_matches", **setting) / gather(results, "if2_matches", **setting),
    )


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
    medians = np.array([np.median(column) for column in columns])
    # where all runs agree, as they would without pruning, there is no error, and any distance is far
    errors = np.array([max(median_error(column), 1e-12) for column in columns])
    distance = float((((medians - fitted) / errors) ** 2).sum())
    return distance, float(stats.chi2.sf(distance, len(columns) - parameters))


def standard_errors(values: FloatArray, expectation: float) -> float:
    """Return how many of its standard errors the mean of independent values is above their expectation."""
    # values that do not vary have no error, and any distance is far
    error = max(float(values.std(ddof=1)) / sqrt(len(values)), 1e-12)
    return (float(values.mean()) - expectation) / error


@dataclass(frozen=True)
class Trend:
    """The line a + b log K through one number per K, by least squares, and how sure its slope is."""

    intercept: float
    slope: float
    error: float  # the slope's standard error
    freedom: int
    explained: float  # the share of variance

    @property
    def low(self) -> float:
        """What the slope exceeds, with confidence."""
        return self.slope - self._margin

    @property
    def high(self) -> float:
        """What the slope stays below, with confidence."""
        return self.slope + self._margin

    @property
    def _margin(self) -> float:
        return float(stats.t.ppf(CONFIDENCE, self.freedom)) * self.error

    def at(self, sizes: FloatArray) -> FloatArray:
        """Return the line's values."""
        return np.asarray(self.intercept + self.slope * np.log(sizes))


def trend(sizes: list[int], values: FloatArray) -> Trend:
    """Return the line through one value per number of arms."""
    line = stats.linregress(np.log(sizes), values)
    return Trend(
        float(line.intercept),
        float(line.slope),
        float(line.stderr),
        len(sizes) - 2,
        float(line.rvalue) ** 2,
    )


def proportional_slope(sizes: list[int], values: FloatArray) -> float:
    """Return the slope of values that grow in proportion to log K, with the mean that these have."""
    return float(np.mean(values) / np.mean(np.log(sizes)))
