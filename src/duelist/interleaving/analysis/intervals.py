"""Intervals of means: Student's t, Welch's for a difference, and the bootstrap."""

from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.duel import TIE, FloatArray
from duelist.kernels.compile import compiled

EVEN = 1e-12  # smaller differences of outcomes or means are rounding errors
MOST_COUNTS = 4_000_000  # the bootstrap's maximum number of counts in memory
COSTLY = 25  # drawing one distinct value's count takes as long as drawing about this many units


class Estimate(NamedTuple):
    """A mean or a difference of means, with its interval and p-value."""

    value: float
    lower: float
    upper: float
    p_value: float


def estimate_mean(values: FloatArray, confidence: float, expected: float) -> Estimate:
    mean = float(values.mean())
    error = float(values.std(ddof=1)) / sqrt(len(values))
    return student(mean, error, len(values) - 1, confidence, expected)


def estimate_outcomes(outcomes: FloatArray, confidence: float) -> Estimate:
    """Return the mean of independent outcomes from 0 to 1, with its interval and a test against a tie."""
    if float(outcomes.std(ddof=1)) > EVEN:
        return estimate_mean(outcomes, confidence, TIE)
    # If all outcomes are equal, Student's interval has no width. By Markov's inequality, all n outcomes reach
    # x with probability at most (mean / x)^n; this and its mirror image give an exact interval and test. If
    # all outcomes are 1, or all are 0, they are those of Clopper and Pearson (1934) and the sign test.
    mean, number = float(outcomes.mean()), len(outcomes)
    least = ((1.0 - confidence) / 2.0) ** (1.0 / number)
    p_value = min(1.0, 2.0 * (TIE / max(mean, 1.0 - mean)) ** number)
    return Estimate(mean, mean * least, 1.0 - (1.0 - mean) * least, p_value)


def estimate_difference(a: FloatArray, b: FloatArray, confidence: float) -> Estimate:
    difference = float(a.mean() - b.mean())
    parts = np.array([a.var(ddof=1) / len(a), b.var(ddof=1) / len(b)])
    whole = float(parts.sum())
    spread = float((parts**2 / np.array([len(a) - 1, len(b) - 1])).sum())
    freedom = whole**2 / spread if spread > 0.0 else float(len(a) + len(b) - 2)
    return student(difference, sqrt(whole), freedom, confidence, 0.0)


def student(value: float, error: float, freedom: float, confidence: float, expected: float) -> Estimate:
    from scipy.special import stdtr, stdtrit

    if error == 0.0:
        return Estimate(value, value, value, float(value == expected))
    reach = float(stdtrit(freedom, (1.0 + confidence) / 2.0)) * error
    p_value = 2.0 * float(stdtr(freedom, -abs(value - expected) / error))
    return Estimate(value, value - reach, value + reach, p_value)


def bootstrap_mean(
    values: FloatArray, confidence: float, resamples: int, rng: Generator
) -> tuple[float, float]:
    """Return the bootstrap percentile interval of the mean."""
    # the counts of distinct values are multinomial: fast if values repeat, as outcomes do
    distinct, counts = np.unique(values, return_counts=True)
    totals = np.empty(resamples)
    if len(distinct) * COSTLY > len(values):
        resample(values, totals, rng)
    else:
        at_once = max(1, MOST_COUNTS // len(distinct))
        for start in range(0, resamples, at_once):
            part = totals[start : start + at_once]
            part[:] = rng.multinomial(len(values), counts / len(values), size=len(part)) @ distinct
    tail = (1.0 - confidence) / 2.0
    lower, upper = np.quantile(totals / len(values), [tail, 1.0 - tail])
    return float(lower), float(upper)


@compiled
def resample(values: FloatArray, totals: FloatArray, rng: Generator) -> None:
    for sample in range(len(totals)):
        total = 0.0
        for _ in range(len(values)):
            total += values[int(rng.random() * len(values))]
        totals[sample] = total


def sign_test(wins: int, losses: int) -> float:
    """Return the exact two-sided p-value of wins against losses, without ties."""
    from scipy.special import bdtr

    return min(1.0, 2.0 * float(bdtr(min(wins, losses), wins + losses, 0.5)))
