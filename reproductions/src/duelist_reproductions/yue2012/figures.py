"""Figures 1 to 4 in the paper's form, and tables of their numbers."""

from typing import TYPE_CHECKING, Any

import numpy as np

from duelist.duel import FloatArray
from duelist.figures import PALETTE
from duelist.laboratory import Drawing, Expected, ItemResults, ResultTable, panels
from duelist.simulation.figures import look
from duelist_reproductions.yue2012.expectations import harmonic
from duelist_reproductions.yue2012.readings import (
    AT_HORIZON,
    medians_of,
    ratio_of,
    regret_of,
    sizes_of,
    trend,
)
from duelist_reproductions.yue2012.sweep import FILTERS
from duelist_reproductions.yue2012.web_search import MAIN, VARIATIONS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ARMS = "number of arms K"
REGRETS = {
    "K": "{k}",
    "regret IF1": "{if1:,.0f}",
    "regret IF2": "{if2:,.0f}",
    "lower bound at T": "{bound:,.0f}",
    "ratio: median (quartiles)": "{ratio}",
    "median ratio cut off at T": "{cut:.2f}",
    "IF1 explores beyond T": "{overrun:.0%}",
}
WEB_SEARCH = {
    "preference": "{scale:g} x NDCG",
    "descent sampled": "{spacing}",
    "K": "{k}",
    "regret ratio: median (quartiles)": "{ratio}",
    "median cut off at T": "{cut:.3f}",
    "match ratio: median (quartiles)": "{matches}",
    "mean rounds (paper: 2 to 4)": "{rounds:.1f}",
    "walk's 1 + H": "{walk:.1f}",
    "median duels of IF1": "{duels:.1e}",
    "never decided": "{undecided:.0%}",
}


def show_synthetic(
    results: ItemResults, expected: Expected, name: str, title: str
) -> list[Drawing | ResultTable]:
    """Draw the ratio of regrets as boxes, a line through their medians, and the regrets themselves."""
    sizes = sizes_of(results)
    columns = [ratio_of(results, "regret", k=k) for k in sizes]
    cut = medians_of([ratio_of(results, "regret", AT_HORIZON, k=k) for k in sizes])
    figure, ((boxes, regrets),) = panels(11.0, 4.4, columns=2, xlabel=ARMS)
    draw_boxes(boxes, sizes, columns, "regret of IF1 / regret of IF2")
    boxes.plot(range(len(sizes)), cut, "v", color=PALETTE[2], label="median if cut off at T")
    boxes.set_title(title, fontsize="medium")
    boxes.legend(fontsize="small", loc="upper left")
    both = {name: [regret_of(results, name, k=k) for k in sizes] for name in FILTERS}
    bound = [results.stacked("lower_bound", k=k)[0] for k in sizes]
    for place, (one, runs) in enumerate(both.items()):
        low, high = np.quantile(runs, (0.25, 0.75), axis=1)
        regrets.plot(sizes, np.mean(runs, axis=1), **look(place), label=one.upper())
        regrets.fill_between(sizes, low, high, color=PALETTE[place], alpha=0.15, linewidth=0)
    regrets.plot(sizes, bound, color="black", linestyle=":", label="asymptotic lower bound")
    regrets.set(yscale="log", ylabel="strong regret")
    regrets.set_title("Mean and middle half of runs", fontsize="medium")
    regrets.legend(fontsize="small")
    caption = (
        f"{title}: ratio of regrets from equal starts, {len(columns[0])} runs per box, outliers not drawn; "
        "the line is fitted to the medians. Next to it, the mean regret of both, exploration to its end, and "
        "the asymptotic lower bound at T."
    )
    rows = [
        {
            "k": k,
            **{name: runs[place].mean() for name, runs in both.items()},
            "bound": bound[place],
            "ratio": quartiles(columns[place]),
            "cut": cut[place],
            "overrun": np.mean(results.stacked("if1_duels", k=k) > results.where(k=k)[0].setting["horizon"]),
        }
        for place, k in enumerate(sizes)
    ]
    table = ResultTable.of("Mean regret and the ratio; the paper prints no numbers", REGRETS, rows)
    return [Drawing(name, figure, caption), table]


def show_web_search(results: ItemResults, expected: Expected) -> list[Drawing | ResultTable]:
    """Figures 3 and 4, and a table with the number of rounds."""
    sizes = sizes_of(results)
    data = "MQ2008" if results.real else "made-up documents"
    shown: list[Drawing | ResultTable] = []
    for name, what in (("figure3", "regret"), ("figure4", "matches")):
        columns = [ratio_of(results, what, k=k, **MAIN).ravel() for k in sizes]
        figure, ((axes,),) = panels(6.4, 4.4, xlabel=ARMS)
        draw_boxes(axes, sizes, columns, f"{what} of IF1 / {what} of IF2")
        caption = (
            f"Web search on {data}: ratio of {what} from equal starts, {columns[0].size} runs per box; the "
            f"line is fitted to the medians. Runs beyond the whiskers are not drawn; the highest has "
            f"{np.max(columns):.2f}."
        )
        shown.append(Drawing(name, figure, caption))
    played = [{"k": k, **one} for one in (MAIN, *VARIATIONS.values()) for k in sizes]
    rows = [describe(results, one) for one in played if results.where(**one)]
    table = ResultTable.of("Web search; the paper prints only the numbers of rounds", WEB_SEARCH, rows)
    return [*shown, table]


def describe(results: ItemResults, played: dict[str, Any]) -> dict[str, Any]:
    return {
        **played,
        "ratio": quartiles(ratio_of(results, "regret", **played)),
        "cut": np.median(ratio_of(results, "regret", AT_HORIZON, **played)),
        "matches": quartiles(ratio_of(results, "matches", **played)),
        "rounds": results.stacked("if2_rounds", **played).mean(),
        "walk": 1.0 + harmonic(played["k"] - 1),
        "duels": np.median(results.stacked("if1_duels", **played)),
        "undecided": (results.stacked("if1_remaining", **played) > 0).mean(),
    }


def quartiles(values: FloatArray) -> str:
    low, middle, high = np.quantile(values, (0.25, 0.5, 0.75))
    return f"{middle:.3f} ({low:.3f}, {high:.3f})"


def draw_boxes(axes: "Axes", sizes: list[int], columns: list[FloatArray], label: str) -> None:
    """Draw one box per number of arms, and the line a + b log K through the medians."""
    places = np.arange(len(sizes))
    axes.boxplot(
        columns,
        positions=places,
        widths=0.6,
        medianprops={"color": PALETTE[1], "linewidth": 1.6},
        showfliers=False,
    )
    line = trend(sizes, medians_of(columns))
    fitted = f"{line.intercept:.2f} {line.slope:+.3f} log K"
    axes.plot(places, line.at(sizes), color=PALETTE[0], label=fitted)
    axes.axhline(1.0, color="black", linestyle=":", linewidth=1.0, label="equal")
    axes.set_xticks(places, [str(k) for k in sizes])
    axes.set(ylabel=label)
    axes.grid(visible=False, axis="x")
    axes.legend(fontsize="small", loc="upper left")
