"""Shares of runs that are right, and that are sure, over votes."""

from typing import TYPE_CHECKING

from duelist.figures import new_figure
from duelist.replaying.result import ReplayResult
from duelist.simulation.figures import add_legend, draw_lines, label
from duelist.text import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_replay(result: ReplayResult) -> "Figure":
    """Draw who is right after how many votes, and beside it who is sure."""
    figure = new_figure(11.0, 5.0)
    left, right = figure.subplots(1, 2, sharey=True)
    draw_into(left, right, result)
    add_legend(left)
    return figure


def draw_replay_panels(result: ReplayResult) -> tuple["Figure", "Figure"]:
    """Draw the same as two figures, for pages on which the second goes below the first where it is narrow."""
    first, second = (new_figure(4.0, 4.4) for _ in range(2))
    draw_into(first.subplots(), second.subplots(), result)
    for figure in (first, second):
        add_legend(figure.axes[0])
    return first, second


def draw_into(left: "Axes", right: "Axes", result: ReplayResult) -> None:
    """Draw a line for each learner into both panels."""
    runs = counted(len(next(iter(result.values()))), "run")
    named = "that name the winner and stay right" if result.winner else "that found that there is no winner"
    sure = f"that are sure: wrong in at most {100.0 * result.delta:.3g}%"
    titles = {"right_at": f"Runs {named}", "sure_at": f"Runs {sure}"}
    for axes, (measure, title) in zip((left, right), titles.items(), strict=True):
        draw_lines(axes, result, measure)
        label(axes, f"{title}\nshare of {runs}", xlabel="votes", ylabel="share of runs", ylim=(-0.02, 1.02))
