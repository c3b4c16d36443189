"""The chart of a leaderboard on pages: across in percent, to fit every screen."""

from collections.abc import Sequence
from math import ceil, floor, log10
from typing import NamedTuple

from duelist.text import short_labels

ROW = 44
"""Pixels down for each arm of a chart."""
LONGEST_LABEL = 36
"""Letters of a name in a chart on a phone."""


class Rated(NamedTuple):
    """What is drawn of an arm."""

    name: str
    low: float
    rating: float
    high: float


class Tick(NamedTuple):
    """A value along the axis, as it is written, and where it is, in percent."""

    text: str
    place: float


class RatingBar(NamedTuple):
    """An arm's label, and where its rating and interval are: across in percent, down in pixels."""

    label: str
    low: float
    rating: float
    high: float
    top: int


class RatingChart(NamedTuple):
    """Ratings with their intervals, the best at the top."""

    bars: tuple[RatingBar, ...]
    ticks: tuple[Tick, ...]
    height: int


def rating_chart(arms: Sequence[Rated], finest: float) -> RatingChart:
    """Return where ratings and intervals lie; ticks are at least `finest` apart."""
    ends = [end for arm in arms for end in (arm.low, arm.high)]
    values = round_values(min(ends, default=0.0), max(ends, default=0.0), finest)
    first, step = values[0], values[1] - values[0]
    digits = max(-floor(log10(step) + 1e-9), 0)

    def place(value: float) -> float:
        # a little room on both sides, for points and for the texts of the outer ticks
        return 7.0 + 86.0 * (value - first) / (values[-1] - first)

    labels = short_labels([arm.name for arm in arms], LONGEST_LABEL)
    bars = tuple(
        RatingBar(label, place(arm.low), place(arm.rating), place(arm.high), ROW * row)
        for row, (label, arm) in enumerate(zip(labels, arms, strict=True))
    )
    ticks = tuple(Tick(f"{value:,.{digits}f}", place(value)) for value in values)
    return RatingChart(bars, ticks, ROW * len(bars))


def round_values(low: float, high: float, finest: float) -> list[float]:
    """Return round values at equal distances, about four of them, from one below `low` to one above `high`.

    Examples
    --------
    >>> round_values(941.0, 1087.0, finest=1.0)
    [900.0, 950.0, 1000.0, 1050.0, 1100.0]
    """
    raw = max((high - low) / 3.0, finest)
    size = 10.0 ** floor(log10(raw))
    step = next(size * factor for factor in (1.0, 2.0, 5.0, 10.0) if size * factor >= raw)
    first, last = floor(low / step), ceil(high / step)
    return [step * number for number in range(first, max(last, first + 1) + 1)]
