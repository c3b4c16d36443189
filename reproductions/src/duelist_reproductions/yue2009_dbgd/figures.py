"""Table 1 and Figure 2, ours and the paper's."""

from typing import TYPE_CHECKING, Any

import numpy as np

from duelist.bounds import gradient_descent_upper_bound
from duelist.duel import FloatArray
from duelist.figures import PALETTE
from duelist.laboratory import Drawing, Expected, ItemResults, ResultTable, panels
from duelist.simulation.figures import look
from duelist_reproductions.yue2009_dbgd.sweep import (
    FIGURE2,
    HORIZON,
    LEARNERS,
    PROBLEMS,
    SHORTER,
    TABLE1,
    ends_of,
    table_of,
)
from duelist_reproductions.yue2009_dbgd.verdicts import paper_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

REGRET = "average regret, sum of both gaps"
FACTOR_TICKS = (0.5, 1.0, 2.0, 4.0)
STYLES = {"DBGD": "-", "BGD1": "--", "BGD2": ":"}
ENDS = {
    "rounds": "{horizon:,}",
    "": "{problem}",
    **{name: f"{{{name}}}" for name in LEARNERS},
    "bound": "{bound:.3g}",
    "rounds for a bound below 1": "{needed:.1e}",
}


def draw_runs(axes: "Axes", x: Any, runs: FloatArray, **line: Any) -> None:
    """Draw the mean and range of runs, one per row."""
    axes.plot(x, runs.mean(axis=0), **line)
    axes.fill_between(x, runs.min(axis=0), runs.max(axis=0), color=line["color"], alpha=0.2, linewidth=0)


def spread(values: FloatArray) -> str:
    return f"{values.mean():.3f} ({values.min():.3f}-{values.max():.3f})"


def runs_of(number: int) -> str:
    """Describe lines and shaded areas."""
    return "One run" if number == 1 else f"Mean and range of {number} runs"


def show_table1(results: ItemResults, expected: Expected) -> list[Drawing | ResultTable]:
    """Show every cell with the paper's, for both horizons."""
    setting, paper = TABLE1[results.scale], paper_table(results, expected)
    figure, (axes,) = panels(
        2.2 * len(setting.problems) + 0.6, 3.8, 1, len(setting.problems), ("none", "all"), ylim=(0.0, 1.02)
    )
    for panel, problem, theirs in zip(axes, setting.problems, paper, strict=True):
        ends = [ends_of(results, problem=problem, factor=one, horizon=HORIZON) for one in setting.factors]
        draw_runs(panel, setting.factors, np.column_stack(ends), color=PALETTE[0], label="ours")
        beyond = [ends_of(results, problem=problem, factor=one).mean() for one in setting.outer_factors]
        panel.plot(setting.outer_factors, beyond, "o", color=PALETTE[0])
        panel.plot(setting.factors, theirs, "x", color="black", label="paper")
        panel.set(title=problem, xlabel="exploration factor", xscale="log")
        panel.set_xticks(FACTOR_TICKS, [f"{tick:g}" for tick in FACTOR_TICKS])
        panel.minorticks_off()
    axes[0].set(ylabel=REGRET)
    axes[0].legend(loc="lower left", fontsize="small")
    caption = f"{runs_of(setting.runs)} of {HORIZON:,} rounds; the paper's Table 1 as crosses."
    if setting.outer_factors:
        caption += " Dots are one run each with factors beyond the paper's."
    tables = []
    for horizon in (HORIZON, SHORTER):
        rows = []
        ours = table_of(results, setting.factors, horizon)
        for name, *pair in zip(setting.problems, ours, paper, strict=True):
            cells = [f"{one:.3f} / {its:.3f} ({one / its - 1:+.1%})" for one, its in zip(*pair, strict=True)]
            rows.append([name, *cells])
        title = f"Average regret with {horizon:,} rounds, runs per cell: {setting.runs}; ours / paper"
        tables.append(ResultTable(title, ["", *(f"factor {factor:g}" for factor in setting.factors)], rows))
    return [Drawing("table1", figure, caption), *tables]


def show_figure2(results: ItemResults, expected: Expected) -> list[Drawing | ResultTable]:
    """Show the curves of the paper's figure, and final values with the proven bound."""
    setting, drawn = FIGURE2[results.scale], expected["drawn"]
    figure, (axes,) = panels(
        1.0 + 4.6 * len(setting.horizons), 4.6, 1, len(setting.horizons), ("none", "all"), xlabel="round"
    )
    rows = []
    for panel, horizon in zip(axes, setting.horizons, strict=True):
        for problem in setting.problems:
            found = {
                name: results.where(problem=problem, learner=name, horizon=horizon)[0] for name in LEARNERS
            }
            ends = {name: spread(one["regret"][:, -1]) for name, one in found.items()}
            bound = average_bound(problem, horizon)
            # the bound falls with the fourth root of the horizon
            needed = {"bound": bound, "needed": horizon * bound**4}
            rows.append({"horizon": horizon, "problem": problem, **ends, **needed})
            for name, one in found.items() if problem in drawn else ():
                line = look(drawn.index(problem)) | {"linestyle": STYLES[name], "markevery": 0.15}
                draw_runs(panel, one["rounds"], one["regret"], **line, label=f"{problem} ({name})")
        panel.set(title=f"steps for {horizon:,} rounds", xlim=(0, horizon), ylim=(0.0, 1.02))
        panel.ticklabel_format(axis="x", style="sci", scilimits=(0, 0), useMathText=True)
    axes[0].set(ylabel=REGRET)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(drawn), fontsize="small")
    caption = (
        f"{runs_of(setting.runs)} a curve, factor 1. The paper's axis ends at 100,000 rounds; its "
        "Table 1 agrees with 1,000,000. The proven bound exceeds 1, the most there can be, and is not drawn."
    )
    title = "Average regret at the end, mean (lowest-highest run), and Corollary 2's bound"
    return [Drawing("figure2", figure, caption), ResultTable.of(title, ENDS, rows)]


def average_bound(problem: str, horizon: int) -> float:
    """Return Corollary 2's bound on average regret, in the paper's convention."""
    world = PROBLEMS[problem]()
    if world.lipschitz is None:
        raise ValueError(f"the slope of {problem} is not known")
    space = world.menu()
    bound = gradient_descent_upper_bound(horizon, space.d, space.radius, world.lipschitz, convex=True)
    return 2.0 * bound / horizon
