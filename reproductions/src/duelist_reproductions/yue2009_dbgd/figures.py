"""Table 1 and Figure 2, ours beside the paper's."""

from duelist.bounds import gradient_descent_upper_bound
from duelist.duel import FloatArray
from duelist.laboratory.items import Drawing, Expected, Table
from duelist.laboratory.work import ItemResults
from duelist.simulation.figures import PALETTE, new_figure
from duelist_reproductions.yue2009_dbgd.figure2_sweep import FIGURE2, curves_of
from duelist_reproductions.yue2009_dbgd.sweep import LEARNERS, PROBLEMS
from duelist_reproductions.yue2009_dbgd.table1_sweep import (
    TABLE1,
    Reading,
    ends_of,
    name_of,
    paper_table,
    table_of,
)

STYLES = {"DBGD": "-", "BGD1": "--", "BGD2": ":"}
REGRET = "average regret, sum of both gaps"
FACTOR_TICKS = (0.5, 1.0, 2.0, 4.0)


def show_table1(results: ItemResults, expected: Expected) -> list[Drawing | Table]:
    """Show every cell beside the paper's, under every reading of it."""
    readings = TABLE1[results.scale].readings
    return [draw_table(results, expected), *(grid_of(results, expected, reading) for reading in readings)]


def grid_of(results: ItemResults, expected: Expected, reading: Reading) -> Table:
    """Return the table of one reading."""
    settings = TABLE1[results.scale]
    cells = zip(table_of(results, reading), paper_table(results, expected), strict=True)
    rows = [
        [f"{value:.3f} / {paper:.3f} ({value / paper - 1.0:+.1%})" for value, paper in zip(*row, strict=True)]
        for row in cells
    ]
    return Table(
        title=f"Average regret {name_of(reading)}, runs a cell: {reading.runs}; ours / paper",
        headings=["", *(f"factor {factor:g}" for factor in settings.factors)],
        rows=[[problem, *row] for problem, row in zip(settings.problems, rows, strict=True)],
    )


def draw_table(results: ItemResults, expected: Expected) -> Drawing:
    """Draw regret against the exploration factor, a panel a problem."""
    settings = TABLE1[results.scale]
    figure = new_figure(2.2 * len(settings.problems) + 0.6, 3.8)
    panels = figure.subplots(1, len(settings.problems), sharey=True, squeeze=False)[0]
    for axes, problem, paper in zip(panels, settings.problems, paper_table(results, expected), strict=True):
        for colour, reading in zip(PALETTE, (settings.judged, *settings.others), strict=False):
            factors = [*settings.factors]
            if reading == settings.judged:
                factors = sorted([*factors, *settings.outer_factors])
            ends = [ends_of(results, problem, factor, reading) for factor in factors]
            label = f"ours, {name_of(reading)}"
            axes.plot(factors, [runs.mean() for runs in ends], color=colour, label=label)
            low, high = [runs.min() for runs in ends], [runs.max() for runs in ends]
            axes.fill_between(factors, low, high, color=colour, alpha=0.2, linewidth=0)
        axes.plot(settings.factors, paper, "x", color="black", label="paper")
        axes.set(title=problem, xlabel="exploration factor", xscale="log", ylim=(0.0, 1.02))
        axes.set_xticks(FACTOR_TICKS, [f"{tick:g}" for tick in FACTOR_TICKS])
        axes.minorticks_off()
        axes.grid(alpha=0.3)
    panels[0].set(ylabel=REGRET)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, fontsize="small")
    judged = settings.judged
    caption = f"{runs_of(judged.runs)} of {judged.horizon:,} rounds; the paper's Table 1 as crosses."
    if settings.others:
        caption += (
            f" {settings.others[0].runs} runs under the other readings, {settings.outer_runs} with factors "
            "beyond the paper's."
        )
    return Drawing("table1", figure, caption)


def show_figure2(results: ItemResults, expected: Expected) -> list[Drawing | Table]:
    """Show the curves of the paper's figure, and where all end."""
    settings = FIGURE2[results.scale]
    figure = new_figure(1.0 + 4.6 * len(settings.horizons), 4.6)
    panels = figure.subplots(1, len(settings.horizons), sharey=True, squeeze=False)[0]
    for axes, horizon in zip(panels, settings.horizons, strict=True):
        for colour, problem in zip(PALETTE, expected["drawn"], strict=False):
            for learner, style in STYLES.items():
                rounds, regret = curves_of(results, problem, learner, horizon)
                label = f"{problem} ({learner})"
                axes.plot(rounds, regret.mean(axis=0), style, color=colour, label=label)
                low, high = regret.min(axis=0), regret.max(axis=0)
                axes.fill_between(rounds, low, high, color=colour, alpha=0.2, linewidth=0)
        axes.set(title=f"steps for {horizon:,} rounds", xlabel="round", xlim=(0, horizon), ylim=(0.0, 1.02))
        axes.ticklabel_format(axis="x", style="sci", scilimits=(0, 0), useMathText=True)
        axes.grid(alpha=0.3)
    panels[0].set(ylabel=REGRET)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(expected["drawn"]), fontsize="small")
    caption = (
        f"{runs_of(settings.runs)} a curve, factor 1. The paper's axis ends at 100,000 rounds; its "
        "Table 1 agrees with 1,000,000. The proven bound exceeds 1, the most there can be, and is not drawn."
    )
    return [Drawing("figure2", figure, caption), ends_grid(results)]


def ends_grid(results: ItemResults) -> Table:
    """Return where the curves end, and what is proven that regret does not exceed."""
    settings = FIGURE2[results.scale]
    rows = []
    for horizon, factor in settings.kinds:
        for problem in settings.problems:
            ends = [spread(curves_of(results, problem, name, horizon, factor)[1][:, -1]) for name in LEARNERS]
            bound = average_bound(problem, horizon)
            # the bound falls with the fourth root of the horizon
            proven = [f"{bound:.3g}", f"{horizon * bound**4:.1e}"]
            rows.append([f"{horizon:,}", f"{factor:g}", problem, *ends, *proven])
    return Table(
        title="Average regret at the end, mean (lowest-highest run), and Corollary 2's bound",
        headings=["rounds", "factor", "", *LEARNERS, "bound", "rounds for a bound below 1"],
        rows=rows,
    )


def average_bound(problem: str, horizon: int) -> float:
    """Return what average regret does not exceed by Corollary 2, in the paper's convention."""
    world = PROBLEMS[problem]()
    if world.lipschitz is None:
        raise ValueError(f"the slope of {problem} is not known")
    space = world.menu()
    bound = gradient_descent_upper_bound(horizon, space.d, space.radius, world.lipschitz, convex=True)
    return 2.0 * bound / horizon


def runs_of(number: int) -> str:
    """Return what lines and shades stand for."""
    return "One run" if number == 1 else f"Mean and range of {number} runs"


def spread(values: FloatArray) -> str:
    """Return the mean and the range of some runs."""
    return f"{values.mean():.3f} ({values.min():.3f}-{values.max():.3f})"
