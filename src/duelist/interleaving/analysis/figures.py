"""A figure of an anytime test."""

from typing import TYPE_CHECKING

import numpy as np

from duelist.duel import TIE
from duelist.errors import MissingExtraError
from duelist.interleaving.analysis.anytime import AnytimePath

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POINTS = 2000
"""More than a line of a picture can show."""


def draw_anytime(path: AnytimePath) -> "Figure":
    """Draw the preference and its anytime interval against the number of impressions.

    Examples
    --------
    >>> from duelist.interleaving.analysis import AnytimeTest
    >>> figure = draw_anytime(AnytimeTest().path([1, 0.5, 1, 1] * 10))
    >>> figure.axes[0].get_title()
    'Decided after 24 impressions'
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("plotting", "plot") from error
    impressions = len(path.preference)
    seen = np.unique(np.geomspace(1, impressions, min(POINTS, impressions)).round().astype(np.int64))
    rows = seen - 1
    figure = Figure(figsize=(7.0, 4.4), layout="constrained")
    axes = figure.subplots()
    axes.plot(seen, path.preference[rows], color="#0072b2", label="mean outcome")
    label = f"{path.confidence:.0%} interval at any time"
    axes.fill_between(
        seen, path.lower[rows], path.upper[rows], color="#0072b2", alpha=0.2, linewidth=0, label=label
    )
    axes.axhline(TIE, color="black", linestyle=":", label="no preference")
    decided = path.decided_at
    title = "Not decided" if decided is None else f"Decided after {decided:,} impressions"
    if decided is not None:
        axes.axvline(decided, color="#d55e00", linestyle="--", label="decided")
    axes.set(xscale="log", ylim=(-0.02, 1.02), xlabel="impressions", ylabel="preference for left")
    axes.set_title(title, fontsize="medium")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
    return figure
