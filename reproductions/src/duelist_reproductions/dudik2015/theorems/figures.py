"""How regret and error fall with duels, and error with calls of an oracle."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from duelist.duel import FloatArray
from duelist.laboratory.items import Drawing, Expected, Table
from duelist.laboratory.work import ItemResults
from duelist.simulation.figures import PALETTE, new_figure
from duelist_reproductions.dudik2015.theorems.readings import (
    EXPLORERS,
    LEARNERS,
    Rate,
    error_rate,
    levels,
    prices,
    promises,
    regret_rate,
    telling,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = dict(zip(LEARNERS, PALETTE, strict=False))
MARKERS = dict(zip(LEARNERS, "osD", strict=True))


def show(results: ItemResults, expected: Expected) -> list[Drawing | Table]:
    """Return three figures, and tables of exponents, calls and promises."""
    return [
        Drawing(
            "regret",
            draw_regret(results),
            "A round's mean regret, mean and range over runs. EXP4.P spars to the end of every horizon it is "
            "set for; FPL and PGD explore uniformly first, then follow what they learned. Where the "
            "proven bound exceeds what playing at random costs, it says nothing.",
        ),
        Drawing(
            "error",
            draw_error(results),
            "By how much the best policy beats what was learned, mean and range over runs. FPL is given as "
            "many calls of the oracle as there are duels, PGD 200.",
        ),
        Drawing(
            "calls",
            draw_calls(results),
            "What a best response gains on the log (full lines, mean and range over logs) and by how much "
            "the best policy truly beats what was learned (broken lines), against calls of the oracle; "
            "dotted, the gaps of the table.",
        ),
        Table(
            "How fast it falls",
            ("what", "learner", "against", "theorem", "ours"),
            list_rates(results, expected),
        ),
        Table(
            "Calls of the oracle after which the gap is no larger, on all logs, with the library's steps",
            ("gap", *EXPLORERS),
            list_calls(results),
        ),
        Table(
            "Gaps on logs, with theory's own steps and calls",
            ("learner", "duels", "logs", "calls", "gap promised", "ours"),
            list_promises(results),
        ),
    ]


def draw_regret(results: ItemResults) -> "Figure":
    """Draw regret against the horizon, the bound, and lines of the promised slopes."""
    figure = new_figure(7.5, 5.0)
    axes = figure.subplots()
    for name in LEARNERS:
        found = levels(results, name)
        draw_range(axes, name, [one.horizon for one in found], [one.regret for one in found])
    sparring = levels(results, "SparringEXP4P")
    horizons = np.array([one.horizon for one in sparring], np.float64)
    bounds = [one.promised for one in sparring]
    axes.plot(horizons, bounds, "--", color="black", label="SparringEXP4P's proven bound")
    draw_slope(axes, horizons, 0.7 * sparring[-1].regret.mean(), -1 / 2, ":")
    followed = levels(results, "SparringPGD")
    horizons = np.array([one.horizon for one in followed], np.float64)
    draw_slope(axes, horizons, 0.7 * followed[-1].regret.mean(), -1 / 3, "-.")
    uniform = float(results["problem"]["uniform"])
    axes.axhline(uniform, color=PALETTE[6], linewidth=1.0, label="playing at random")
    axes.set(xlabel="horizon T (rounds)", ylabel="mean regret of a round (margin, 0 to 1)")
    finish(axes)
    return figure


def draw_error(results: ItemResults) -> "Figure":
    """Draw the error of what was learned against the duels it was learned from."""
    figure = new_figure(7.5, 5.0)
    axes = figure.subplots()
    for name in LEARNERS:
        found = levels(results, name)
        sizes = [one.duels for one in found]
        draw_range(axes, name, sizes, [one.error for one in found])
        if name != "SparringFPL":
            draw_slope(axes, np.array(sizes, np.float64), 0.5 * found[-1].error.mean(), -1 / 2, ":")
    world = results["problem"]
    axes.axhline(float(world["alone"]), color="black", linewidth=1.0, label="best policy alone")
    axes.axhline(float(world["uniform"]), color=PALETTE[6], linewidth=1.0, label="playing at random")
    axes.set(
        xlabel="duels learned from (T, or m explored)", ylabel="the best policy's margin over what is learned"
    )
    finish(axes)
    return figure


def draw_calls(results: ItemResults) -> "Figure":
    """Draw the gap on the log and the true error against calls of the oracle."""
    figure = new_figure(7.5, 5.0)
    axes = figure.subplots()
    for name in EXPLORERS:
        found = prices(results, name)
        draw_range(axes, name, found.calls, list(found.gap.T))
        mean = found.error.mean(axis=0)
        axes.plot(found.calls, mean, "--", color=COLOURS[name], label=f"{name}, true error")
    for accuracy in found.accuracies:
        axes.axhline(accuracy, color=PALETTE[6], linewidth=0.8, linestyle=":")
    axes.set(xlabel="calls of the oracle", ylabel="margin, 0 to 1")
    finish(axes)
    axes.set_ylim(1e-3, 1.0)
    return figure


def draw_range(axes: "Axes", name: str, sizes: Sequence[int], samples: Sequence[FloatArray]) -> None:
    """Draw the means of samples as a line, and their range as a shade."""
    means = [sample.mean() for sample in samples]
    axes.plot(sizes, means, marker=MARKERS[name], markersize=4, color=COLOURS[name], label=name)
    low, high = [sample.min() for sample in samples], [sample.max() for sample in samples]
    axes.fill_between(sizes, low, high, color=COLOURS[name], alpha=0.15, linewidth=0)


def draw_slope(axes: "Axes", sizes: FloatArray, last: float, slope: float, style: str) -> None:
    """Draw a power law that ends at a value, and name it once."""
    line = last * (sizes / sizes[-1]) ** slope
    name = f"slope -1/{-1.0 / slope:.0f}"
    known = name in axes.get_legend_handles_labels()[1]
    axes.plot(sizes, line, style, color="black", linewidth=1.0, label=None if known else name)


def finish(axes: "Axes") -> None:
    """Set what all figures have in common."""
    axes.set(xscale="log", yscale="log")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")


def list_rates(results: ItemResults, expected: Expected) -> list[list[str]]:
    """Return a row for every exponent."""
    claims, sparring = expected["claims"], telling(results, "SparringEXP4P")
    rates: list[tuple[str, str, str, str, Rate]] = [
        ("regret", "SparringEXP4P", "T", "exp4p_regret_rate", regret_rate(sparring)),
        ("error", "SparringEXP4P", "T", "exp4p_error_rate", error_rate(sparring)),
    ]
    for learner, name in zip(EXPLORERS, ("fpl", "pgd"), strict=True):
        found = levels(results, learner)
        rates.append(("error", learner, "m", f"{name}_error_rate", error_rate(found)))
        rates.append(("regret", learner, "T", f"{name}_regret_rate", regret_rate(found)))
    return [
        [what, who, size, f"{claims[claim]['paper']:.3f}", f"{one.slope:.3f} ± {one.deviation:.3f}"]
        for what, who, size, claim, one in rates
    ]


def list_calls(results: ItemResults) -> list[list[str]]:
    """Return a row for every accuracy, and one for the exponent."""
    found = [prices(results, name) for name in EXPLORERS]
    rows = [
        [f"{accuracy:g}", *("not reached" if calls is None else f"{calls:,}" for calls in needed)]
        for accuracy, *needed in zip(found[0].accuracies, *(one.needed for one in found), strict=True)
    ]
    return [*rows, ["exponent of 1 / gap", *(f"{one.exponent:.2f}" for one in found)]]


def list_promises(results: ItemResults) -> list[list[str]]:
    """Return a row for every learner."""
    rows = []
    for name in EXPLORERS:
        found = promises(results, name)
        gaps = [f"{gaps.min():.3f} to {gaps.max():.3f}" for gaps in (found.promised, found.gap)]
        calls = f"{found.calls.min():,.0f} to {found.calls.max():,.0f}"
        rows.append([name, f"{found.duels:,}", str(len(found.gap)), calls, *gaps])
    return rows
