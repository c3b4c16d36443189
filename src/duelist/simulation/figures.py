"""Figures of simulations: lines that are distinguishable without colour, and the spread of runs."""

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
"""Lengths of dashes and gaps, in line widths. Only the first line is solid: where lines coincide, earlier
lines are visible through the gaps of later ones."""
MARKERS = "osD^vPX"
MARKS = 5  # markers per line: few enough for all lines to have their own

Band: TypeAlias = Literal["interval", "range"]
"""The meaning of shaded bands: the mean's confidence interval, or the range of all runs."""
CONFIDENCE = 0.95
SPREADS: dict[Band, str] = {
    "interval": f"mean and its {CONFIDENCE:.0%} confidence interval",
    "range": "mean, and range from the lowest to the highest run",
}

LONGEST_NAME = 24  # characters per entry of a legend with two columns
LONGEST_LINE = 40  # characters per entry of a legend with one column
LEGIBLE = 9.0  # a font size, in points, that is legible on a phone


def look(index: int) -> dict[str, Any]:
    """Return the style of a line by its index, as keyword arguments of `Axes.plot`.

    The numbers of colours, dashes and markers have no common divisor, so lines with equal colours differ
    otherwise.

    Examples
    --------
    >>> look(0)
    {'color': '#0072b2', 'linestyle': '-', 'marker': 'o', 'linewidth': 2.4, 'markersize': 5.0}
    """
    return {
        "color": PALETTE[index % len(PALETTE)],
        "linestyle": (0, DASHES[(index - 1) % len(DASHES)]) if index else "-",
        "marker": MARKERS[index % len(MARKERS)],
        # later lines are thinner and leave the edges of earlier ones visible
        "linewidth": max(2.4 - 0.2 * index, 1.2),
        "markersize": 5.0,
    }


def staggered(index: int, lines: int, points: int) -> tuple[int, int]:
    """Return which points of a line get a marker, offset from those of the other lines."""
    step = max(points // MARKS, lines, 1)
    return index * step // lines, step


def require_band(band: str) -> None:
    if band not in get_args(Band):
        raise ParameterError(f"band must be one of {', '.join(get_args(Band))}; got {band!r}.")


def edges(runs: FloatArray, band: Band) -> tuple[FloatArray, FloatArray]:
    """Return the lower and the upper edge of the band around the mean of runs.

    Parameters
    ----------
    runs : array
        One row per run.
    band : {"interval", "range"}
        "interval" is Student's 95% confidence interval of the mean, for each column separately; it narrows
        with more runs. "range" is from the lowest to the highest run; it widens. A single run has neither.

    Returns
    -------
    tuple of array
        The lower and the upper edge.

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
    """Draw regret against the round, and next to it the quality of the answer.

    Lines are means over runs. Bands are the mean's 95% confidence interval or, if `band` is "range", the
    range from the lowest to the highest run; the titles tell which.
    """
    figure = new_figure(11.0, 5.0)
    left, right = figure.subplots(1, 2, sharey=results.kind == "lists")
    draw_into(left, right, results, band)
    add_legend(left)
    return figure


def draw_panels(results: "Result", band: Band = "interval") -> tuple["Figure", "Figure"]:
    """Draw the two panels as separate figures, for pages that stack them on narrow screens."""
    first, second = (new_figure(4.0, 4.4) for _ in range(2))
    left, right = first.subplots(), second.subplots()
    draw_into(left, right, results, band)
    add_legend(left)
    add_legend(right)
    return first, second


def draw_into(left: "Axes", right: "Axes", results: "Result", band: Band) -> None:
    require_band(band)
    DRAWERS[results.kind](left, right, results, band)


def add_legend(axes: "Axes") -> None:
    """Draw the legend below the axes, where it hides no line."""
    lines, names = axes.get_legend_handles_labels()
    columns = 2 if max(map(len, names)) <= LONGEST_NAME else 1
    form = {"fontsize": LEGIBLE, "frameon": False, "handlelength": 2.6, "columnspacing": 0.8}
    width, words = (LONGEST_NAME - 4, False) if columns == 2 else (LONGEST_LINE, True)
    texts = [fill(name, width, break_long_words=words) for name in names]
    axes.legend(lines, texts, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=columns, **form)


def label(axes: "Axes", title: str, **properties: Any) -> None:
    """Set the title and the properties of axes with a logarithmic round axis."""
    axes.set(xscale="log", **{"xlabel": "round", **properties})
    axes.set_title(title, fontsize="medium", wrap=True)
    axes.grid(alpha=0.3)


def draw_lines(axes: "Axes", results: "Results[Any]", measure: str, band: Band | None = None) -> None:
    """Draw each learner's mean of a measure as a line, with an optional band for the spread over runs."""
    for index, (name, one) in enumerate(results.items()):
        values, rounds, style = one.measure(measure), one.checkpoints, look(index)
        marked = staggered(index, len(results), len(rounds))
        axes.plot(rounds, values.mean(axis=0), **style, markevery=marked, label=name)
        if band is not None:
            axes.fill_between(rounds, *edges(values, band), color=style["color"], alpha=0.15, linewidth=0)


def spread(results: "Result", band: Band) -> str:
    runs = len(next(iter(results.values())))
    return "one run" if runs == 1 else f"{SPREADS[band]}, {counted(runs, 'run')}"


def draw_regret(axes: "Axes", results: "Result", band: Band) -> IntArray:
    """Draw cumulative regret on log-log axes and return the rounds."""
    draw_lines(axes, results, "regret", band)
    # a logarithmic axis cannot show a regret of only zeros
    scale = "log" if any(one.regret.any() for one in results.values()) else "linear"
    title = f"Regret against {results.against}\n{spread(results, band)}"
    label(axes, title, yscale=scale, ylabel="cumulative strong regret")
    return np.asarray(next(iter(results.values())).checkpoints)


def draw_arms(regret: "Axes", found: "Axes", result: "Result", band: Band) -> None:
    """Draw regret with the asymptotic lower bound, and the share of correct runs."""
    rounds = draw_regret(regret, result, band)
    if result.lower_bound is not None:
        rounds = rounds[rounds > 1]
        bound = result.lower_bound * np.log(rounds)
        regret.plot(rounds, bound, color="black", linestyle=":", label="asymptotic lower bound")
    draw_lines(found, result, "accuracy")
    runs = counted(len(next(iter(result.values()))), "run")
    title = "Runs with the correct best arm" if result.winners else "No correct arm: each loses to another"
    label(found, f"{title}\nshare of {runs}", ylim=(-0.02, 1.02), ylabel="share of runs")


def draw_points(regret: "Axes", found: "Axes", result: "Result", band: Band) -> None:
    """Draw regret with its proven upper bounds, and the gap of the best point found."""
    rounds = draw_regret(regret, result, band)
    for style, (source, bound) in zip((":", "--"), result.bounds.items(), strict=False):
        if np.isfinite(bound).any():
            known = np.isfinite(bound)
            proven = f"gradient descent's proven bound, {source}"
            regret.plot(rounds[known], bound[known], style, color="black", label=proven)
    draw_lines(found, result, "gap")
    title = "Probability that the optimum beats the best point found"
    label(found, title, ylim=(-0.01, 0.51), ylabel="probability beyond 1/2")


def draw_qualities(learned: "Axes", shown: "Axes", result: "Result", band: Band) -> None:
    """Draw the quality of the learned ranker, and of the lists shown while learning."""
    draw_lines(learned, result, "quality", band)
    draw_lines(shown, result, "shown_quality", band)
    where = "held-out queries" if result.held_out else "the training queries"
    title, quality = f"Learned ranker, on {where}\n{spread(result, band)}", f"NDCG@{result.depth}"
    label(learned, title, xlabel="impression", ylabel=quality)
    label(shown, "Lists shown while learning, mean so far", xlabel="impression")
    # the first lists are noisy, and their range would dwarf the rest
    late = [(one, one.checkpoints >= 100) for one in result.values()]
    values = np.concatenate([[one.quality[:, kept], one.shown_quality[:, kept]] for one, kept in late])
    if values.size:
        learned.set(ylim=(max(values.min() - 0.05, 0.0), min(values.max() + 0.05, 1.0)))


def draw_contexts(regret: "Axes", error: "Axes", result: "Result", band: Band) -> None:
    """Draw mean regret and the error of the learned policy, on log-log axes."""
    title = f"Regret against {result.against}\n{spread(result, band)}"
    label(regret, title, ylabel="mean regret per round")
    label(error, "Margin of the best policy over the learned one", ylabel="margin")
    for axes, measure in ((regret, "regret"), (error, "error")):
        draw_lines(axes, result, measure, band)
        lowest = min(float(one.measure(measure).min()) for one in result.values())
        # a logarithmic axis cannot show regret of zero or below
        axes.set(yscale="log" if lowest > 0.0 else "linear")
    rounds = next(iter(result.values())).checkpoints
    for source, bound in result.bounds.items():
        regret.plot(rounds, bound, "--", color="black", label=f"proven bound of {source}, probability 95%")


DRAWERS: dict[str, Callable[["Axes", "Axes", "Result", Band], None]] = {
    "arms": draw_arms,
    "points": draw_points,
    "lists": draw_qualities,
    "contexts": draw_contexts,
}
"""The functions that draw a result into two panels, by its kind."""
