"""The figure of a leaderboard: a point and an interval for each arm."""

from typing import TYPE_CHECKING

import numpy as np

from duelist.errors import MissingExtraError
from duelist.figures import PALETTE, choose_fonts
from duelist.ratings.result import Ratings
from duelist.text import short_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_ARMS = 60  # maximum number of arms in a figure
LONGEST_LABEL = 24


def figure_size(ratings: Ratings) -> tuple[float, float]:
    """Return width and height of the figure, in inches."""
    return 7.0, 1.1 + 0.3 * min(len(ratings.arms), MOST_ARMS)


def new_axes(ratings: Ratings) -> "Axes":
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise MissingExtraError("plotting", "plot") from error
    return pyplot.figure(figsize=figure_size(ratings), layout="constrained").subplots()


def draw_leaderboard(ratings: Ratings, axes: "Axes") -> None:
    """Draw each arm's rating with its interval, the best arm at the top; only the best 60 are drawn."""
    rows = ratings.rows()[:MOST_ARMS]
    rating, low, high = np.array([line[1:4] for line in rows]).T
    heights = np.arange(len(rows))
    axes.axvline(float(ratings.rating.mean()), color="black", linestyle=":", linewidth=1.0)
    axes.errorbar(rating, heights, xerr=(rating - low, high - rating), fmt="o", color=PALETTE[0], capsize=3.0)
    # names of arms may contain dollar signs
    axes.set_yticks(heights, short_labels([line.arm for line in rows], LONGEST_LABEL), parse_math=False)
    axes.set(ylim=(len(rows) - 0.5, -0.5), xlabel="rating")
    axes.grid(alpha=0.3)
    choose_fonts(axes)
