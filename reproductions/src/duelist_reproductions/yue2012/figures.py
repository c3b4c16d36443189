"""Figures 1 to 4 in the paper's own form, and tables of what they show."""

from typing import TYPE_CHECKING

import numpy as np

from duelist.duel import FloatArray
from duelist.laboratory.items import Drawing, Expected, Table
from duelist.laboratory.work import ItemResults
from duelist.simulation.figures import PALETTE, new_figure
from duelist_reproductions.yue2012.expectations import harmonic
from duelist_reproductions.yue2012.readings import (
    AT_END,
    AT_HORIZON,
    gather,
    match_ratio,
    regret_ratio,
    sizes_of,
    trend,
)
from duelist_reproductions.yue2012.sweep import FILTERS
from duelist_reproductions.yue2012.web_search import MAIN, VARIATIONS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EXTREME = 0.005
"""The share of runs on either side that may lie outside a frame."""
MOST_ROUNDS = 6
"""Drawn singly; more are drawn together."""


def show_worst_case(results: ItemResults, expected: Expected) -> list[Drawing | Table]:
    """Figure 1."""
    return show_synthetic(results, "figure1", "Worst case")


def show_random_case(results: ItemResults, expected: Expected) -> list[Drawing | Table]:
    """Figure 2."""
    return show_synthetic(results, "figure2", "Random Bradley-Terry case")


def show_synthetic(results: ItemResults, name: str, title: str) -> list[Drawing | Table]:
    """Draw the ratio of regrets as boxes, with the line through their medians, and the regrets themselves."""
    sizes = sizes_of(results)
    figure = new_figure(11.0, 4.4)
    boxes, regrets = figure.subplots(1, 2)
    draw_boxes(boxes, sizes, [regret_ratio(results, k=k) for k in sizes], "regret of IF1 / regret of IF2")
    cut = [np.median(regret_ratio(results, AT_HORIZON, k=k)) for k in sizes]
    boxes.plot(range(len(sizes)), cut, "v", color=PALETTE[2], label="median if cut off at T")
    boxes.set_title(title, fontsize="medium")
    boxes.legend(fontsize="small", loc="upper left")
    draw_regrets(regrets, results, sizes)
    caption = (
        f"{title}: ratio of regrets from equal starts, {len(regret_ratio(results, k=sizes[0]))} runs a box; "
        "the line is fitted to the medians. Beside it the mean regret of both, exploration to its end, and "
        "the asymptotic lower bound at T."
    )
    return [Drawing(name, figure, caption), tell_regrets(results, sizes)]


def show_web_search(results: ItemResults, expected: Expected) -> list[Drawing | Table]:
    """Figures 3 and 4, and the number of rounds."""
    sizes = sizes_of(results)
    data = "MQ2008" if results.real else "made-up documents"
    ratios = {
        "regret": [regret_ratio(results, k=k, **MAIN).ravel() for k in sizes],
        "matches": [match_ratio(results, k=k, **MAIN).ravel() for k in sizes],
    }
    drawings = []
    for name, (what, columns) in zip(("figure3", "figure4"), ratios.items(), strict=True):
        figure = new_figure(6.4, 4.4)
        axes = figure.subplots()
        draw_boxes(axes, sizes, columns, f"{what} of IF1 / {what} of IF2")
        outside = frame(axes, columns)
        caption = (
            f"Web search on {data}: ratio of {what} from equal starts, {columns[0].size} runs a box; the "
            f"line is fitted to the medians. Of all runs {outside:.1%} lie outside the frame, the highest at "
            f"{max(column.max() for column in columns):.2f}."
        )
        drawings.append(Drawing(name, figure, caption))
    rounds = new_figure(6.4, 4.4)
    draw_rounds(rounds.subplots(), results, sizes)
    return [
        *drawings,
        Drawing("rounds", rounds, f"Web search: how many rounds IF2 plays, on {data}."),
        tell_web_search(results, sizes),
    ]


def draw_boxes(axes: "Axes", sizes: list[int], columns: list[FloatArray], label: str) -> None:
    """Draw a box for every number of arms, and the line a + b log K through the medians."""
    places = np.arange(len(sizes))
    axes.boxplot(
        columns,
        positions=places,
        widths=0.6,
        medianprops={"color": PALETTE[1], "linewidth": 1.6},
        flierprops={"marker": ".", "markersize": 3, "markeredgecolor": PALETTE[6]},
    )
    line = trend(sizes, np.array([np.median(column) for column in columns]))
    fitted = f"{line.intercept:.2f} {line.slope:+.3f} log K"
    axes.plot(places, line.at(np.array(sizes, np.float64)), color=PALETTE[0], label=fitted)
    axes.axhline(1.0, color="black", linestyle=":", linewidth=1.0, label="equal")
    axes.set_xticks(places, [str(k) for k in sizes])
    axes.set(xlabel="number of arms K", ylabel=label)
    axes.grid(axis="y", alpha=0.3)
    axes.legend(fontsize="small", loc="upper left")


def frame(axes: "Axes", columns: list[FloatArray]) -> float:
    """Show boxes with their whiskers, but not the most extreme runs; return the share that is not shown."""
    values = np.concatenate(columns)
    low, high = np.quantile(values, (EXTREME, 1.0 - EXTREME))
    quarters = np.array([np.quantile(column, (0.25, 0.75)) for column in columns])
    reach = 1.5 * np.diff(quarters, axis=1)[:, 0]
    low = min(low, float(np.maximum(quarters[:, 0] - reach, values.min()).min()), 1.0)
    high = max(high, float(np.minimum(quarters[:, 1] + reach, values.max()).max()))
    # above, there is room for the legend
    low, high = low - 0.05 * (high - low), high + 0.2 * (high - low)
    axes.set_ylim(low, high)
    return float(np.mean((values < low) | (values > high)))


def draw_regrets(axes: "Axes", results: ItemResults, sizes: list[int]) -> None:
    """Draw mean regret, its middle half, and the lower bound, against the number of arms."""
    for name, colour in zip(FILTERS, PALETTE, strict=False):
        columns = [gather(results, f"{name}_regret", k=k)[:, AT_END] for k in sizes]
        axes.plot(sizes, [column.mean() for column in columns], "o-", color=colour, label=name.upper())
        low, high = np.quantile(columns, (0.25, 0.75), axis=1)
        axes.fill_between(sizes, low, high, color=colour, alpha=0.15, linewidth=0)
    bound = [gather(results, "lower_bound", k=k)[0] for k in sizes]
    axes.plot(sizes, bound, color="black", linestyle=":", label="asymptotic lower bound")
    axes.set(yscale="log", xlabel="number of arms K", ylabel="strong regret")
    axes.set_title("Mean and middle half of runs", fontsize="medium")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")


def draw_rounds(axes: "Axes", results: ItemResults, sizes: list[int]) -> None:
    """Draw which share of IF2's runs has how many rounds, for every number of arms."""
    places = np.arange(len(sizes))
    rounds = [gather(results, "if2_rounds", k=k, **MAIN).ravel() for k in sizes]
    below = np.zeros(len(sizes))
    for number in range(1, MOST_ROUNDS + 1):
        last = number == MOST_ROUNDS
        share = np.array([np.mean(one >= number if last else one == number) for one in rounds])
        label = f"{number} or more" if last else str(number)
        axes.bar(places, share, bottom=below, color=PALETTE[number - 1], width=0.7, label=label)
        below += share
    axes.set_xticks(places, [str(k) for k in sizes])
    axes.set(xlabel="number of arms K", ylabel="share of runs", ylim=(0.0, 1.0))
    axes.legend(title="rounds", fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5))


def tell_regrets(results: ItemResults, sizes: list[int]) -> Table:
    """Return mean regrets and median ratios, exploration to its end and cut off at T."""
    rows = []
    for k in sizes:
        first, second = (gather(results, f"{name}_regret", k=k)[:, AT_END] for name in FILTERS)
        overrun = np.mean(gather(results, "if1_duels", k=k) > results.where(k=k)[0].setting["horizon"])
        rows.append(
            (
                str(k),
                f"{first.mean():,.0f}",
                f"{second.mean():,.0f}",
                f"{gather(results, 'lower_bound', k=k)[0]:,.0f}",
                quartiles(regret_ratio(results, k=k)),
                f"{np.median(regret_ratio(results, AT_HORIZON, k=k)):.2f}",
                f"{overrun:.0%}",
            )
        )
    headings = (
        "K",
        "regret IF1",
        "regret IF2",
        "lower bound at T",
        "ratio: median (quartiles)",
        "median ratio cut off at T",
        "IF1 explores beyond T",
    )
    return Table("Mean regret and the ratio; the paper prints no numbers", headings, rows)


def tell_web_search(results: ItemResults, sizes: list[int]) -> Table:
    """Return ratios and rounds, of the figures and of what was done otherwise."""
    rows = []
    for played in (MAIN, *VARIATIONS.values()):
        for k in sizes:
            if not results.where(k=k, **played):
                continue
            rounds = gather(results, "if2_rounds", k=k, **played)
            unfinished = gather(results, "if1_remaining", k=k, **played) > 0
            rows.append(
                (
                    f"{played['scale']:g} x NDCG",
                    f"{played['spacing']}",
                    str(k),
                    quartiles(regret_ratio(results, k=k, **played)),
                    f"{np.median(regret_ratio(results, AT_HORIZON, k=k, **played)):.3f}",
                    quartiles(match_ratio(results, k=k, **played)),
                    f"{rounds.mean():.1f}",
                    f"{1.0 + harmonic(k - 1):.1f}",
                    f"{np.median(gather(results, 'if1_duels', k=k, **played)):.1e}",
                    f"{unfinished.mean():.0%}",
                )
            )
    headings = (
        "preference",
        "descent looked at",
        "K",
        "regret ratio: median (quartiles)",
        "median cut off at T",
        "match ratio: median (quartiles)",
        "mean rounds (paper: 2 to 4)",
        "walk's 1 + H",
        "median duels of IF1",
        "never decided",
    )
    return Table("Web search; of its figures the paper prints the rounds alone", headings, rows)


def quartiles(values: FloatArray) -> str:
    """Return the median and the quartiles."""
    low, middle, high = np.quantile(values, (0.25, 0.5, 0.75))
    return f"{middle:.3f} ({low:.3f}, {high:.3f})"
