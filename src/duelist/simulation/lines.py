"""How lines are told apart, without colour too, and how the spread of runs is drawn around them."""

from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from duelist.duel import FloatArray
from duelist.errors import ParameterError
from duelist.figures import PALETTE

DASHES = ((6, 2), (3, 1.5), (7, 1.5, 1.5, 1.5), (1.5, 1.5), (6, 1.5, 1.5, 1.5, 1.5, 1.5))
"""Lengths of dashes and gaps, in line widths. Only the first line has no gaps, so that through the gaps of a
later line an earlier one can be seen where they coincide."""
MARKERS = "osD^vPX"
MARKS = 5  # markers along a line: few, so that each line has room for its own

Band: TypeAlias = Literal["interval", "range"]
"""What shades stand for: the mean's confidence interval, or from the lowest run to the highest."""
CONFIDENCE = 0.95
SPREADS: dict[Band, str] = {
    "interval": f"mean and its {CONFIDENCE:.0%} confidence interval",
    "range": "mean, and range from the lowest run to the highest",
}


def look(place: int) -> dict[str, Any]:
    """Return colour, dashes, marker and width of the line at a place among others, as `Axes.plot` takes them.

    Their numbers have no common divisor, so that two lines with the same colour differ in dashes or marker.

    Examples
    --------
    >>> look(0)
    {'color': '#0072b2', 'linestyle': '-', 'marker': 'o', 'linewidth': 2.4, 'markersize': 5.0}
    """
    return {
        "color": PALETTE[place % len(PALETTE)],
        "linestyle": (0, DASHES[(place - 1) % len(DASHES)]) if place else "-",
        "marker": MARKERS[place % len(MARKERS)],
        # lines drawn later are thinner, and leave the edges of earlier ones to be seen
        "linewidth": max(2.4 - 0.2 * place, 1.2),
        "markersize": 5.0,
    }


def staggered(place: int, lines: int, points: int) -> tuple[int, int]:
    """Return which points of a line get a marker: others than those of the lines that it may run along."""
    step = max(points // MARKS, lines, 1)
    return place * step // lines, step


def require_band(band: str) -> None:
    """Refuse a band that is not known."""
    if band not in get_args(Band):
        raise ParameterError(f"band must be one of {', '.join(get_args(Band))}; got {band!r}.")


def edges(runs: FloatArray, band: Band) -> tuple[FloatArray, FloatArray]:
    """Return the lower and the upper edge of a band around the mean of runs, a row each.

    Parameters
    ----------
    runs : array
        One row per run.
    band : {"interval", "range"}
        "interval" is Student's 95% confidence interval of the mean, each column by itself; it narrows with
        more runs. "range" is from the lowest run to the highest; it widens. One run has neither.

    Examples
    --------
    >>> runs = np.array([[1.0], [2.0], [3.0]])
    >>> low, high = edges(runs, "interval")
    >>> low.round(2), high.round(2)
    (array([-0.48]), array([4.48]))
    >>> edges(runs, "range")
    (array([1.]), array([3.]))
    """
    if band == "range" or len(runs) == 1:
        return runs.min(axis=0), runs.max(axis=0)
    from scipy.special import stdtrit

    mean = runs.mean(axis=0)
    quantile = stdtrit(len(runs) - 1, 0.5 + CONFIDENCE / 2.0)
    reach = quantile * runs.std(axis=0, ddof=1) / np.sqrt(len(runs))
    return mean - reach, mean + reach
