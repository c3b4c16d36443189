"""Landscapes of points as kernels see them: what answers a duel of two points, and what each costs.

Any landscape is a NamedTuple with ways to `compare` points and to tell the `gap` of one. The one defined here
is a utility behind a link function: minus the sum, over coordinates x, of

    square x^2 + absolute |x| + hyperbolic (e^x + e^-x) + above e^max(x, 0) + below e^max(-x, 0)

with coefficients of each coordinate's own. The five utilities of Yue and Joachims (2009, section 5.1) are of
this form.
"""

from math import erf, exp, isfinite, nan
from typing import Any, NamedTuple

from numpy.random import Generator

from duelist.compiled import OPEN, compiled, inlined_open_kernel, way
from duelist.types import FloatArray

LINKS = ("logistic", "gaussian", "linear")


@inlined_open_kernel
def compare(
    landscape: Any, left: FloatArray, right: FloatArray, nature: Generator
) -> tuple[float, float, float]:
    """Return an outcome, 1 left wins, 0 right wins, and what showing the left and the right point cost.

    Where a point has no finite utility there is no outcome, which is written as nan.
    """
    raise TypeError(OPEN)


@inlined_open_kernel
def gap(landscape: Any, point: FloatArray) -> float:
    """Return what showing a point costs on average, nothing for the best."""
    raise TypeError(OPEN)


class Landscape(NamedTuple):
    """A utility and a link, and what the best point is worth."""

    square: FloatArray
    absolute: FloatArray
    hyperbolic: FloatArray
    above: FloatArray
    below: FloatArray
    link: int  # its place in LINKS
    highest: float  # the best point's utility
    exact: bool  # whether a duel is answered with its probability instead of a toss


@compiled
def value(landscape: Landscape, point: FloatArray) -> float:
    """Return the utility of a point."""
    total = 0.0
    for i in range(len(point)):
        x = point[i]
        total += landscape.square[i] * x * x + landscape.absolute[i] * abs(x)
    for i in range(len(point)):
        x = point[i]
        # an exponential costs more than all the rest, so it is computed only where it counts
        if landscape.hyperbolic[i] != 0.0:
            total += landscape.hyperbolic[i] * (exp(x) + exp(-x))
        if landscape.above[i] != 0.0:
            total += landscape.above[i] * exp(max(x, 0.0))
        if landscape.below[i] != 0.0:
            total += landscape.below[i] * exp(max(-x, 0.0))
    return -total


@compiled
def chance(link: int, difference: float) -> float:
    """Return the probability of winning with so much more utility."""
    if link == 0:
        return 1.0 / (1.0 + exp(-difference))
    if link == 1:
        return 0.5 + 0.5 * erf(difference / 2.0)
    return min(max(0.5 + difference / 2.0, 0.0), 1.0)


@way(compare, Landscape)
def compare_utilities(
    landscape: Landscape, left: FloatArray, right: FloatArray, nature: Generator
) -> tuple[float, float, float]:
    """Toss for the winner, the more surely the more utility it has."""
    better, worse = value(landscape, left), value(landscape, right)
    if not isfinite(better) or not isfinite(worse):
        return nan, nan, nan
    outcome = chance(landscape.link, better - worse)
    if not landscape.exact:
        outcome = 1.0 if nature.random() < outcome else 0.0
    left_cost = chance(landscape.link, landscape.highest - better) - 0.5
    right_cost = chance(landscape.link, landscape.highest - worse) - 0.5
    return outcome, left_cost, right_cost


@way(gap, Landscape)
def gap_in_utility(landscape: Landscape, point: FloatArray) -> float:
    """Return the chance beyond 1/2 that the best point beats this one."""
    return chance(landscape.link, landscape.highest - value(landscape, point)) - 0.5
