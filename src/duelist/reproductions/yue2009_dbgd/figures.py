"""Table 1 and Figure 2, ours beside the paper's."""

from duelist.bounds import gradient_descent_upper_bound
from duelist.laboratory.items import Drawing, Expected, Grid
from duelist.laboratory.work import Results
from duelist.reproductions.yue2009_dbgd.sweep import (
    FIGURE2,
    LEARNERS,
    PROBLEMS,
    STARTS,
    TABLE1,
    curves_of,
    ends_of,
    paper_table,
    table_of,
)
from duelist.simulation.figures import PALETTE, new_figure
from duelist.types import FloatArray

STYLES = {"DBGD": "-", "BGD1": "--", "BGD2": ":"}
REGRET = "average regret, sum of both gaps"


def show_table1(results: Results, expected: Expected) -> list[Drawing | Grid]:
    """Show every cell beside the paper's, from every start, and with fewer rounds."""
    settings = TABLE1[results.scale]
    kinds = [(start, settings.horizon) for start in settings.starts]
    return [
        draw_table(results, expected),
        *(grid_of(results, expected, *kind) for kind in [*kinds, ("printed", settings.shorter_horizon)]),
    ]


def grid_of(results: Results, expected: Expected, start: str, horizon: int) -> Grid:
    """Return the table of one start and horizon."""
    settings = TABLE1[results.scale]
    cells = zip(table_of(results, start, horizon), paper_table(results, expected), strict=True)
    rows = [
        [f"{value:.3f} / {paper:.3f} ({value / paper - 1.0:+.1%})" for value, paper in zip(*row, strict=True)]
        for row in cells
    ]
    return Grid(
        title=f"Average regret after {horizon:,} rounds from a start of norm {STARTS[start]:.3g} "
        f"({start}): ours / paper",
        headings=["", *(f"factor {factor:g}" for factor in settings.factors)],
        rows=[[problem, *row] for problem, row in zip(settings.problems, rows, strict=True)],
    )


def draw_table(results: Results, expected: Expected) -> Drawing:
    """Draw regret against the exploration factor, a panel a problem."""
    settings = TABLE1[results.scale]
    figure = new_figure(2.2 * len(settings.problems) + 0.6, 3.2)
    panels = figure.subplots(1, len(settings.problems), sharey=True, squeeze=False)[0]
    for axes, problem, paper in zip(panels, settings.problems, paper_table(results, expected), strict=True):
        for colour, start in zip(PALETTE, settings.starts, strict=False):
            ends = [ends_of(results, problem, factor, start, settings.horizon) for factor in settings.factors]
            label = f"ours, start of norm {STARTS[start]:.3g} ({start})"
            axes.plot(settings.factors, [runs.mean() for runs in ends], color=colour, label=label)
            low, high = [runs.min() for runs in ends], [runs.max() for runs in ends]
            axes.fill_between(settings.factors, low, high, color=colour, alpha=0.2, linewidth=0)
        axes.plot(settings.factors, paper, "x", color="black", label="paper")
        axes.set(title=problem, xlabel="exploration factor", ylim=(0.0, 1.0))
        axes.grid(alpha=0.3)
    panels[0].set(ylabel=REGRET)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), fontsize="small")
    caption = f"{runs_of(settings.runs)} of {settings.horizon:,} rounds; the paper's Table 1 as crosses."
    if "farther" in settings.starts:
        caption += f" From the farther start, {settings.farther_runs} runs."
    return Drawing("table1", figure, caption)


def show_figure2(results: Results, expected: Expected) -> list[Drawing | Grid]:
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


def ends_grid(results: Results) -> Grid:
    """Return where the curves end, and what is proven that regret does not exceed."""
    settings = FIGURE2[results.scale]
    rows = []
    for horizon in settings.horizons:
        for problem in settings.problems:
            ends = [spread(curves_of(results, problem, name, horizon)[1][:, -1]) for name in LEARNERS]
            bound = average_bound(problem, horizon)
            # the bound falls with the fourth root of the horizon
            rows.append([f"{horizon:,}", problem, *ends, f"{bound:.3g}", f"{horizon * bound**4:.1e}"])
    return Grid(
        title="Average regret at the end, mean (lowest-highest run), and Corollary 2's bound",
        headings=["rounds", "", *LEARNERS, "bound", "rounds for a bound below 1"],
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
