"""Where the marks of charts lie: across in percent, so that charts fit every screen, and down in pixels."""

from collections.abc import Sequence
from math import ceil, floor, log10
from typing import NamedTuple

from duelist.analysis.leaderboard import LeaderboardRow
from duelist.arena.standing.shares import Shares
from duelist.arena.standing.standing import PairStanding

MOST_DRAWN = 30
"""How many arms a chart of ratings shows: the best."""
ROW = 44
"""Pixels down for each arm of a chart of ratings."""


class Tick(NamedTuple):
    """A value along an axis, and where it is."""

    value: float
    place: float


class RatingBar(NamedTuple):
    """An arm's rating and its interval."""

    name: str
    low: float
    rating: float
    high: float
    top: int


class RatingChart(NamedTuple):
    """Ratings with their intervals, the best at the top."""

    bars: tuple[RatingBar, ...]
    ticks: tuple[Tick, ...]
    height: int


class ShareLayer(NamedTuple):
    """An arm's part of a chart of shares, as points of a polygon; 100 across and 100 down are all."""

    name: str
    points: str


def rating_chart(arms: Sequence[LeaderboardRow]) -> RatingChart:
    """Return where ratings and intervals lie, of the best arms that have one."""
    rated = [(arm.arm, arm.low, arm.rating, arm.high) for arm in arms if arm.rating is not None][:MOST_DRAWN]
    ends = [end for _, *values in rated for end in values if end is not None]
    ticks = round_values(min(ends, default=0.0), max(ends, default=0.0))
    first, span = ticks[0], ticks[-1] - ticks[0]

    def place(value: float | None) -> float:
        # a little room on both sides, for points and for the texts of the outer ticks
        return 7.0 + 86.0 * ((value or 0.0) - first) / span

    bars = tuple(
        RatingBar(name, place(low), place(rating), place(high), ROW * row)
        for row, (name, low, rating, high) in enumerate(rated)
    )
    return RatingChart(bars, tuple(Tick(value, place(value)) for value in ticks), ROW * len(bars))


def round_values(low: float, high: float) -> list[float]:
    """Return round values at equal distances, about four of them, from one below `low` to one above `high`.

    Examples
    --------
    >>> round_values(941.0, 1087.0)
    [900.0, 950.0, 1000.0, 1050.0, 1100.0]
    """
    raw = max((high - low) / 3.0, 1.0)
    size = 10.0 ** floor(log10(raw))
    step = next(size * factor for factor in (1.0, 2.0, 5.0, 10.0) if size * factor >= raw)
    first, last = floor(low / step), ceil(high / step)
    return [step * number for number in range(first, max(last, first + 1) + 1)]


def share_layers(shares: Shares) -> tuple[ShareLayer, ...]:
    """Return the layers of a chart of shares, from the bottom up; a stage lies where its last vote does."""
    if not shares.rows:
        return ()
    names = [*shares.arms, *([f"{shares.others} others"] if shares.others else [])]
    across = [0.0, *(100.0 * end / shares.ends[-1] for end in shares.ends)]
    floors = [[100.0] * len(across)]
    layers = []
    for place, name in enumerate(names):
        column = [row[place] for row in shares.rows]
        below = floors[-1]
        # a stage's share holds from its beginning
        above = [down - 100.0 * share for down, share in zip(below, [*column[:1], *column], strict=True)]
        outline = [*zip(across, above, strict=True), *reversed([*zip(across, below, strict=True)])]
        layers.append(ShareLayer(name, " ".join(f"{x:.4g},{y:.4g}" for x, y in outline)))
        floors.append(above)
    return tuple(layers)


def heat(pair: PairStanding) -> int:
    """Return how warm a pair is, from 0, lost, to 10, won; few votes leave it near the middle.

    Examples
    --------
    >>> heat(PairStanding(wins=1, ties=0, votes=1)), heat(PairStanding(wins=60, ties=0, votes=60))
    (7, 10)
    """
    return round(10.0 * (pair.wins + 0.5 * pair.ties + 1.0) / (pair.votes + 2.0))
