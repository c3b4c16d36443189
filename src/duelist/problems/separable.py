"""A utility that is a sum over coordinates, in the kernels' form.

The utility is minus the sum, over coordinates x, of

    square x^2 + absolute |x| + hyperbolic (e^x + e^-x) + above e^max(x, 0) + below e^max(-x, 0)

with separate coefficients for each coordinate. The five utilities of Yue and Joachims (2009, section 5.1)
have this form.
"""

from math import erf, exp, isfinite, nan
from typing import NamedTuple

from numpy.random import Generator

from duelist.duel import FloatArray
from duelist.kernels.compile import compiled, overload_for
from duelist.kernels.points import compare, gap

LINKS = ("logistic", "gaussian", "linear")


class SeparableUtility(NamedTuple):
    """The coefficients of a utility, its link, and the utility of the best point."""

    square: FloatArray
    absolute: FloatArray
    hyperbolic: FloatArray
    above: FloatArray
    below: FloatArray
    link: int  # index in LINKS
    highest: float  # the best point's utility
    exact: bool  # whether the outcome of a duel is its probability instead of a random draw


@compiled
def value(utility: SeparableUtility, point: FloatArray) -> float:
    total = 0.0
    for i in range(len(point)):
        x = point[i]
        total += utility.square[i] * x * x + utility.absolute[i] * abs(x)
    for i in range(len(point)):
        x = point[i]
        # exponentials dominate the cost: skip those with a coefficient of 0
        if utility.hyperbolic[i] != 0.0:
            total += utility.hyperbolic[i] * (exp(x) + exp(-x))
        if utility.above[i] != 0.0:
            total += utility.above[i] * exp(max(x, 0.0))
        if utility.below[i] != 0.0:
            total += utility.below[i] * exp(max(-x, 0.0))
    return -total


@compiled
def chance(link: int, difference: float) -> float:
    """Return the win probability for a difference in utility."""
    if link == 0:
        return 1.0 / (1.0 + exp(-difference))
    if link == 1:
        return 0.5 + 0.5 * erf(difference / 2.0)
    return min(max(0.5 + difference / 2.0, 0.0), 1.0)


@overload_for(compare, SeparableUtility)
def compare_utilities(
    utility: SeparableUtility, left: FloatArray, right: FloatArray, world_rng: Generator
) -> tuple[float, float, float]:
    """Draw the winner: the larger the lead in utility, the likelier it is."""
    better, worse = value(utility, left), value(utility, right)
    if not isfinite(better) or not isfinite(worse):
        return nan, nan, nan
    outcome = chance(utility.link, better - worse)
    if not utility.exact:
        outcome = 1.0 if world_rng.random() < outcome else 0.0
    left_cost = chance(utility.link, utility.highest - better) - 0.5
    right_cost = chance(utility.link, utility.highest - worse) - 0.5
    return outcome, left_cost, right_cost


@overload_for(gap, SeparableUtility)
def gap_in_utility(utility: SeparableUtility, point: FloatArray) -> float:
    """Return the probability beyond 1/2 that the best point beats this one."""
    return chance(utility.link, utility.highest - value(utility, point)) - 0.5
