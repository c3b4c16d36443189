"""What the charts of a standing show: ratings, shares, and how the votes of a pair went."""

from collections.abc import Sequence
from typing import NamedTuple

from duelist.analysis.leaderboard import LeaderboardRow
from duelist.arena.standing.shares import Shares
from duelist.arena.standing.standing import PairStanding
from duelist.web.leaderboard import Rated, RatingChart, rating_chart

MOST_DRAWN = 30
"""How many arms a chart of ratings shows: the best."""


class ShareLayer(NamedTuple):
    """An arm's part of a chart of shares, as points of a polygon; 100 across and 100 down are all."""

    name: str
    points: str


def arms_chart(arms: Sequence[LeaderboardRow]) -> RatingChart:
    """Return where ratings and intervals lie, of the best arms that have one."""
    rated = [
        Rated(arm.arm, arm.low, arm.rating, arm.high)
        for arm in arms
        if arm.low is not None and arm.rating is not None and arm.high is not None
    ]
    return rating_chart(rated[:MOST_DRAWN], finest=1.0)


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
