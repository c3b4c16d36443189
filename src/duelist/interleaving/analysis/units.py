"""The preference of an experiment, where every impression, session, user or list counts once."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from duelist.duel import TIE, FloatArray, IntArray
from duelist.errors import ParameterError
from duelist.interleaving.analysis.intervals import EVEN, bootstrap_mean, estimate_outcomes, sign_test
from duelist.text import Report


@dataclass(frozen=True)
class UnitPreference(Report):
    """The preference, where every unit of one kind counts once."""

    unit: str
    """impression, session, user or list"""
    count: int
    wins: int
    """Units whose mean outcome is above one half."""
    ties: int
    losses: int
    preference: float
    """The mean over units of their mean outcome: above one half, left is preferred."""
    delta: float
    """(wins + ties / 2) / count - 1/2, of Chapelle et al. (2012)."""
    deviation: float
    """The standard deviation of the units' mean outcomes."""
    lower: float
    """Student's interval of the preference; of unanimous units an exact one."""
    upper: float
    bootstrap_lower: float
    """The bootstrap's interval, whole units drawn with replacement; of unanimous units the exact one."""
    bootstrap_upper: float
    p_value: float
    """Student's test of a preference of one half; of unanimous units an exact one."""
    sign_p_value: float
    """The exact sign test of wins against losses."""
    heaviest: float
    """The largest share of the impressions that come from one unit."""

    @property
    def interval(self) -> tuple[float, float]:
        """Student's interval, cut to [0, 1]."""
        return max(0.0, self.lower), min(1.0, self.upper)

    @property
    def unanimous(self) -> bool:
        """Whether all units have the same value, so that their deviation is 0."""
        return self.deviation <= EVEN


def prefer(
    unit: str, outcomes: FloatArray, groups: IntArray, confidence: float, resamples: int, rng: Generator
) -> UnitPreference:
    """Return the preference by units of one kind."""
    sizes = np.bincount(groups)
    if len(sizes) < 2:
        raise ParameterError(f"an interval needs at least two {unit}s; got {len(sizes)}.")
    values = np.bincount(groups, weights=outcomes) / sizes
    wins, losses = int((values > TIE + EVEN).sum()), int((values < TIE - EVEN).sum())
    ties = len(values) - wins - losses
    found = estimate_outcomes(values, confidence)
    deviation = float(values.std(ddof=1))
    bootstrap = (found.lower, found.upper)
    if deviation > EVEN:
        bootstrap = bootstrap_mean(values, confidence, resamples, rng)
    return UnitPreference(
        unit=unit,
        count=len(values),
        wins=wins,
        ties=ties,
        losses=losses,
        preference=found.value,
        delta=(wins + ties / 2.0) / len(values) - 0.5,
        deviation=deviation,
        lower=found.lower,
        upper=found.upper,
        bootstrap_lower=bootstrap[0],
        bootstrap_upper=bootstrap[1],
        p_value=found.p_value,
        sign_p_value=sign_test(wins, losses),
        heaviest=float(sizes.max() / len(outcomes)),
    )
