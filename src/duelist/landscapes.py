"""Utilities of points as kernels see them: sums over coordinates, behind a link function.

A landscape's utility is minus the sum, over coordinates x, of

    square x^2 + absolute |x| + hyperbolic (e^x + e^-x) + above e^max(x, 0) + below e^max(-x, 0)

with coefficients of each coordinate's own. The five utilities of Yue and Joachims (2009, section 5.1) are of
this form.
"""

from math import erf, exp
from typing import NamedTuple

from duelist.compiled import compiled
from duelist.types import FloatArray

LINKS = ("logistic", "gaussian", "linear")


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
