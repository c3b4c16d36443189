"""Pictures of a simulation: lines told apart without colour too, and the spread of runs around them."""

from collections.abc import Callable
from textwrap import fill
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from duelist.duel import FloatArray, IntArray
from duelist.errors import ParameterError
from duelist.figures import PALETTE, new_figure
from duelist.text import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from duelist.simulation.result import Result, Results

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

LONGEST_NAME = 24  # letters of which a legend has room for two in a row
LONGEST_LINE = 40  # letters of which it has room for one
LEGIBLE = 9.0  # points of letters that can be read where a panel is as narrow as a telephone


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


def draw_results(results: "Result", band: Band = "interval") -> "Figure":
    """Draw what was lost against the round, and beside it how good the best is.

    Lines are means over runs. Shades are the mean's 95% confidence interval, or, with the band "range",
    from the lowest run to the highest; titles say which.
    """
    figure = new_figure(11.0, 5.0)
    left, right = figure.subplots(1, 2, sharey=results.kind == "lists")
    draw_into(left, right, results, band)
    add_legend(left)
    return figure


def draw_panels(results: "Result", band: Band = "interval") -> tuple["Figure", "Figure"]:
    """Draw the same as two figures, for pages on which the second goes below the first where it is narrow."""
    first, second = (new_figure(4.0, 4.4) for _ in range(2))
    left, right = first.subplots(), second.subplots()
    draw_into(left, right, results, band)
    add_legend(left)
    add_legend(right)
    return first, second


def draw_into(left: "Axes", right: "Axes", results: "Result", band: Band) -> None:
    """Draw results into two panels."""
    require_band(band)
    DRAWERS[results.kind](left, right, results, band)


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
        seen, rounds, style = one.measure(measure), one.checkpoints, look(place)
        marked = staggered(place, len(results), len(rounds))
        axes.plot(rounds, seen.mean(axis=0), **style, markevery=marked, label=name)
        if band is not None:
            axes.fill_between(rounds, *edges(seen, band), color=style["color"], alpha=0.15, linewidth=0)


def spread(results: "Result", band: Band) -> str:
    """Return what lines and shades stand for."""
    runs = len(next(iter(results.values())))
    return "one run" if runs == 1 else f"{SPREADS[band]}, {counted(runs, 'run')}"


def draw_regret(axes: "Axes", results: "Result", band: Band) -> IntArray:
    """Draw cumulative regret on double logarithmic axes, and return the rounds."""
    draw_lines(axes, results, "regret", band)
    # a logarithm has no place for a regret of nothing but zeros
    scale = "log" if any(one.regret.any() for one in results.values()) else "linear"
    title = f"Regret against {results.against}\n{spread(results, band)}"
    label(axes, title, yscale=scale, ylabel="cumulative strong regret")
    return np.asarray(next(iter(results.values())).checkpoints)


def draw_arms(regret: "Axes", found: "Axes", result: "Result", band: Band) -> None:
    """Draw regret above what no learner can beat, and the share of runs that are right."""
    rounds = draw_regret(regret, result, band)
    if result.lower_bound is not None:
        rounds = rounds[rounds > 1]
        bound = result.lower_bound * np.log(rounds)
        regret.plot(rounds, bound, color="black", linestyle=":", label="asymptotic lower bound")
    draw_lines(found, result, "accuracy")
    runs = counted(len(next(iter(result.values()))), "run")
    title = "Runs whose best arm is right" if result.winners else "No arm is right: each loses to another"
    label(found, f"{title}\nshare of {runs}", ylim=(-0.02, 1.02), ylabel="share of runs")


def draw_points(regret: "Axes", found: "Axes", result: "Result", band: Band) -> None:
    """Draw regret below what is proven, and how far the best point is from the optimum."""
    rounds = draw_regret(regret, result, band)
    for style, (source, bound) in zip((":", "--"), result.bounds.items(), strict=False):
        if np.isfinite(bound).any():
            known = np.isfinite(bound)
            proven = f"gradient descent's proven bound, {source}"
            regret.plot(rounds[known], bound[known], style, color="black", label=proven)
    draw_lines(found, result, "gap")
    title = "How surely the optimum beats the best point found"
    label(found, title, ylim=(-0.01, 0.51), ylabel="chance beyond 1/2")


def draw_qualities(learned: "Axes", shown: "Axes", result: "Result", band: Band) -> None:
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


def draw_contexts(regret: "Axes", error: "Axes", result: "Result", band: Band) -> None:
    """Draw how regret and the error of what is learned fall, on double logarithmic axes."""
    title = f"Regret against {result.against}\n{spread(result, band)}"
    label(regret, title, ylabel="mean regret of a round")
    label(error, "By how much a policy beats what is learned", ylabel="the best policy's margin")
    for axes, measure in ((regret, "regret"), (error, "error")):
        draw_lines(axes, result, measure, band)
        lowest = min(float(one.measure(measure).min()) for one in result.values())
        # a logarithm has no place for regret that is nothing, or less
        axes.set(yscale="log" if lowest > 0.0 else "linear")
    rounds = next(iter(result.values())).checkpoints
    for source, bound in result.bounds.items():
        regret.plot(rounds, bound, "--", color="black", label=f"proven bound of {source}, 95% sure")


DRAWERS: dict[str, Callable[["Axes", "Axes", "Result", Band], None]] = {
    "arms": draw_arms,
    "points": draw_points,
    "lists": draw_qualities,
    "contexts": draw_contexts,
}
"""By the kind of a result, what draws it into two panels."""
