"""The figure of a leaderboard: a point and an interval for each arm."""

from typing import TYPE_CHECKING

import numpy as np

from duelist.ratings import Ratings
from duelist.simulation.figures import new_figure
from duelist.simulation.lines import PALETTE
from duelist.web.figures import short_label

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_ARMS = 60  # beyond which a figure is longer than anyone scrolls


def draw_ratings(ratings: Ratings) -> "Figure":
    """Draw each arm's rating with its interval, the best at the top; of very many arms only the best."""
    rows = ratings.rows()[:MOST_ARMS]
    figure = new_figure(7.0, 1.1 + 0.3 * len(rows))
    axes = figure.subplots()
    rating, low, high = np.array([line[1:4] for line in rows]).T
    places = np.arange(len(rows))
    axes.axvline(0.0, color="black", linestyle=":", linewidth=1.0)
    axes.errorbar(rating, places, xerr=(rating - low, high - rating), fmt="o", color=PALETTE[0], capsize=3.0)
    # A label is a name, even where it has a dollar sign.
    axes.set_yticks(places, [short_label(line.arm) for line in rows], parse_math=False)
    axes.set(ylim=(len(rows) - 0.5, -0.5), xlabel="rating: log-odds, relative to the mean of all arms")
    axes.grid(alpha=0.3)
    return figure
