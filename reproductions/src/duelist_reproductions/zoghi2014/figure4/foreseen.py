"""Predictions for Beat the Mean: its removals and regret if every record equalled its expectation.

Its radius is wide, so that whatever an arm's record says when it is removed is nearly its expectation: both
removals and regret are known beforehand, from both sides, which a bound does not tell.
"""

from math import log, sqrt
from typing import NamedTuple

import numpy as np

from duelist.duel import FloatArray
from duelist.metrics import target


class Foreseen(NamedTuple):
    """Expectations of Beat the Mean up to its horizon."""

    regret: float
    removed: int
    """How many arms."""
    scatter: float
    """Upper bound on the relative standard deviation of an arm's duels at a removal."""


def foresee(preferences: FloatArray, horizon: int, gamma: float) -> Foreseen:
    """Compute the expectations of Beat the Mean.

    All remaining arms have n duels. The worst is removed when the best leads it by twice the radius,
    c / sqrt(n) with c = 3 gamma^2 sqrt(log(2 T K)) (Yue and Joachims, 2011), and all duels with it are
    forgotten, one in as many as arms remained. A lead of expectation d scatters by sqrt(1 / 2n) at most, so
    n = (2c / d)^2 by 1 / (sqrt(2) c) of itself.
    """
    gaps = target(preferences, "condorcet").gaps
    radius = 3.0 * gamma**2 * sqrt(log(2.0 * horizon * len(preferences)))
    remaining = np.arange(len(preferences))
    duels = rounds = regret = 0.0
    removals = []
    while len(remaining) > 1:
        record = preferences[np.ix_(remaining, remaining)].mean(axis=1)
        needed = max(duels, (2.0 * radius / (record.max() - record.min())) ** 2)
        until = rounds + (needed - duels) * len(remaining)
        regret += max(min(until, horizon) - rounds, 0.0) * gaps[remaining].mean()
        removals.append(until)
        duels, rounds = needed * (1.0 - 1.0 / len(remaining)), until
        remaining = np.delete(remaining, record.argmin())
    removed = int((np.array(removals) <= horizon).sum())
    return Foreseen(float(regret), removed, 1.0 / (sqrt(2.0) * radius))
