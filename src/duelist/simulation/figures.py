"""Pictures of a simulation."""

from collections.abc import Callable
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from duelist.duel import IntArray
from duelist.figures import new_figure
from duelist.simulation.arms import SimulationResult
from duelist.simulation.contexts import ContextualSimulationResult
from duelist.simulation.lines import SPREADS, Band, edges, look, require_band, staggered
from duelist.simulation.lists import RankingSimulationResult
from duelist.simulation.points import PointSimulationResult
from duelist.simulation.result import Results
from duelist.text import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LONGEST_NAME = 24  # letters of which a legend has room for two in a row
LONGEST_LINE = 40  # letters of which it has room for one
LEGIBLE = 9.0  # points of letters that can be read where a panel is as narrow as a telephone


def draw_results(results: "Results[Any]", band: Band = "interval") -> "Figure":
    """Draw what was lost against the round, and beside it how good the best is.

    Lines are means over runs. Shades are the mean's 95% confidence interval, or, with the band "range",
    from the lowest run to the highest; titles say which.
    """
    figure = new_figure(11.0, 5.0)
    left, right = figure.subplots(1, 2, sharey=isinstance(results, RankingSimulationResult))
    draw_into(left, right, results, band)
    add_legend(left)
    return figure


def draw_panels(results: "Results[Any]", band: Band = "interval") -> tuple["Figure", "Figure"]:
    """Draw the same as two figures, for pages on which the second goes below the first where it is narrow."""
    first, second = (new_figure(4.0, 4.4) for _ in range(2))
    left, right = first.subplots(), second.subplots()
    draw_into(left, right, results, band)
    add_legend(left)
    add_legend(right)
    return first, second


def draw_into(left: "Axes", right: "Axes", results: "Results[Any]", band: Band) -> None:
    """Draw results into two panels."""
    require_band(band)
    DRAWERS[type(results)](left, right, results, band)


def add_legend(axes: "Axes") -> None:
    """Write below the axes, where it hides no line, what the lines are."""
    lines, names = axes.get_legend_handles_labels()
    columns = 2 if max(map(len, names)) <= LONGEST_NAME else 1
    form = {"fontsize": LEGIBLE, "frameon": False, "handlelength": 2.6, "columnspacing": 0.8}
    room, words = (LONGEST_NAME - 4, False) if columns == 2 else (LONGEST_LINE, True)
    texts = [fill(name, room, break_long_words=words) for name in names]
    axes.legend(lines, texts, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=columns, **form)


def label(axes: "Axes", title: str, **properties: Any) -> None:
    """Set the title and properties of axes whose rounds are on a logarithmic scale."""
    axes.set(xscale="log", **{"xlabel": "round", **properties})
    axes.set_title(title, fontsize="medium", wrap=True)
    axes.grid(alpha=0.3)


def draw_lines(axes: "Axes", results: "Results[Any]", measure: str, band: Band | None = None) -> None:
    """Draw each learner's mean of a measure as a line, and perhaps its spread over runs as a shade."""
    for place, (name, one) in enumerate(results.items()):
        seen, rounds, style = np.atleast_2d(getattr(one, measure)), one.checkpoints, look(place)
        marked = staggered(place, len(results), len(rounds))
        axes.plot(rounds, seen.mean(axis=0), **style, markevery=marked, label=name)
        if band is not None:
            axes.fill_between(rounds, *edges(seen, band), color=style["color"], alpha=0.15, linewidth=0)


def spread(results: "Results[Any]", band: Band) -> str:
    """Return what lines and shades stand for."""
    runs = len(next(iter(results.values())))
    return "one run" if runs == 1 else f"{SPREADS[band]}, {counted(runs, 'run')}"


def draw_regret(axes: "Axes", results: "Results[Any]", band: Band) -> IntArray:
    """Draw cumulative regret on double logarithmic axes, and return the rounds."""
    draw_lines(axes, results, "regret", band)
    # a logarithm has no place for a regret of nothing but zeros
    scale = "log" if any(one.regret.any() for one in results.values()) else "linear"
    title = f"Regret against {results.against}\n{spread(results, band)}"
    label(axes, title, yscale=scale, ylabel="cumulative strong regret")
    return np.asarray(next(iter(results.values())).checkpoints)


def draw_arms(regret: "Axes", found: "Axes", result: SimulationResult, band: Band) -> None:
    """Draw regret above what no learner can beat, and the share of runs that are right."""
    rounds = draw_regret(regret, result, band)
    if result.lower_bound is not None:
        rounds = rounds[rounds > 1]
        bound = result.lower_bound * np.log(rounds)
        regret.plot(rounds, bound, color="black", linestyle=":", label="asymptotic lower bound")
    draw_lines(found, result, "accuracy_at")
    runs = counted(len(next(iter(result.values()))), "run")
    title = "Runs whose best arm is right" if result.winners else "No arm is right: each loses to another"
    label(found, f"{title}\nshare of {runs}", ylim=(-0.02, 1.02), ylabel="share of runs")


def draw_points(regret: "Axes", found: "Axes", result: PointSimulationResult, band: Band) -> None:
    """Draw regret below what is proven, and how far the best point is from the optimum."""
    rounds = draw_regret(regret, result, band)
    bounds = {"Theorem 2": (result.theorem_bound, ":"), "Corollary 2": (result.bound, "--")}
    for source, (bound, style) in bounds.items():
        if bound is not None and np.isfinite(bound).any():
            known = np.isfinite(bound)
            proven = f"gradient descent's proven bound, {source}"
            regret.plot(rounds[known], bound[known], style, color="black", label=proven)
    draw_lines(found, result, "gap_at")
    title = "How surely the optimum beats the best point found"
    label(found, title, ylim=(-0.01, 0.51), ylabel="chance beyond 1/2")


def draw_qualities(learned: "Axes", shown: "Axes", result: RankingSimulationResult, band: Band) -> None:
    """Draw how good the learned ranker is, and how good the lists were that it was learned from."""
    draw_lines(learned, result, "quality", band)
    draw_lines(shown, result, "shown_quality", band)
    where = "queries held out" if result.held_out else "the queries learned from"
    title, quality = f"Learned ranker, on {where}\n{spread(result, band)}", f"NDCG@{result.depth}"
    label(learned, title, xlabel="impression", ylabel=quality)
    label(shown, "Lists shown while learning, on average so far", xlabel="impression")
    # the first few lists say little, and their range would dwarf the rest
    late = [(one, one.checkpoints >= 100) for one in result.values()]
    settled = np.concatenate([[one.quality[:, seen], one.shown_quality[:, seen]] for one, seen in late])
    if settled.size:
        learned.set(ylim=(max(settled.min() - 0.05, 0.0), min(settled.max() + 0.05, 1.0)))


def draw_contexts(regret: "Axes", error: "Axes", result: ContextualSimulationResult, band: Band) -> None:
    """Draw how regret and the error of what is learned fall, on double logarithmic axes."""
    title = f"Regret against {result.against}\n{spread(result, band)}"
    label(regret, title, ylabel="mean regret of a round")
    label(error, "By how much a policy beats what is learned", ylabel="the best policy's margin")
    for axes, measure in ((regret, "regret"), (error, "error")):
        draw_lines(axes, result, measure, band)
        lowest = min(float(getattr(one, measure).min()) for one in result.values())
        # a logarithm has no place for regret that is nothing, or less
        axes.set(yscale="log" if lowest > 0.0 else "linear")
    proven = f"proven bound of sparring, {1.0 - result.delta:.0%} sure"
    rounds = next(iter(result.values())).checkpoints
    regret.plot(rounds, result.bound, "--", color="black", label=proven)


# what draws a result into two panels
DRAWERS: dict[type["Results[Any]"], Callable[["Axes", "Axes", Any, Band], None]] = {
    SimulationResult: draw_arms,
    PointSimulationResult: draw_points,
    RankingSimulationResult: draw_qualities,
    ContextualSimulationResult: draw_contexts,
}
