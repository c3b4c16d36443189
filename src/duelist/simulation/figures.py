"""Pictures of a simulation."""

import io
import os
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from duelist.duel import IntArray
from duelist.errors import FileError, MissingExtraError
from duelist.files import write_whole
from duelist.metrics import CONCEPT_NAMES
from duelist.simulation.arms import SimulationResult
from duelist.simulation.contexts import ContextualSimulationResult
from duelist.simulation.lists import RankingSimulationResult
from duelist.simulation.points import PointSimulationResult
from duelist.simulation.result import Results
from duelist.text import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#666666", "#000000")
"""Okabe and Ito's colours, told apart by colour-blind readers too."""


def new_figure(width: float, height: float) -> "Figure":
    """Return an empty figure, or say how to install what draws it."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("plotting", "plot") from error
    return Figure(figsize=(width, height), layout="constrained")


def write_figure(figure: "Figure", path: str | os.PathLike[str]) -> Path:
    """Write a figure in the format of the path's ending; the file is whole or not there."""
    import matplotlib

    ending = Path(path).suffix.lstrip(".").lower()
    known = figure.canvas.get_supported_filetypes()
    if ending not in known:
        raise FileError(f"{path} must end in one of {', '.join(sorted(known))}, the formats of figures.")
    content = io.BytesIO()
    # equal figures make equal files
    with matplotlib.rc_context({"svg.hashsalt": "duelist"}):
        figure.savefig(content, format=ending, dpi=150, metadata={"Date": None} if ending == "svg" else None)
    return write_whole(path, content.getvalue())


def draw_results(results: "Results[Any]") -> "Figure":
    """Draw what was lost, mean and range over runs, and beside it how good the best is, against the round."""
    figure = new_figure(11.0, 4.4)
    left, right = figure.subplots(1, 2, sharey=isinstance(results, RankingSimulationResult))
    DRAWERS[type(results)](left, right, results)
    left.legend(fontsize="small")
    return figure


def label(axes: "Axes", title: str, **properties: Any) -> None:
    """Set the title and properties of axes whose rounds are on a logarithmic scale."""
    axes.set(xscale="log", **{"xlabel": "round", **properties})
    axes.set_title(title, fontsize="medium")
    axes.grid(alpha=0.3)


def draw_lines(axes: "Axes", results: "Results[Any]", measure: str, shade: bool = False) -> None:
    """Draw each learner's mean of a measure as a line, and perhaps its range over runs as a shade."""
    for colour, (name, one) in zip(cycle(PALETTE), results.items(), strict=False):
        seen = np.atleast_2d(getattr(one, measure))
        axes.plot(one.checkpoints, seen.mean(axis=0), color=colour, label=name)
        if shade:
            low, high = seen.min(axis=0), seen.max(axis=0)
            axes.fill_between(one.checkpoints, low, high, color=colour, alpha=0.15, linewidth=0)


def spread(results: "Results[Any]") -> str:
    """Return what lines and shades stand for."""
    return f"mean and range of {counted(len(next(iter(results.values()))), 'run')}"


def draw_regret(axes: "Axes", results: "Results[Any]", against: str = "") -> IntArray:
    """Draw cumulative regret on double logarithmic axes, and return the rounds."""
    draw_lines(axes, results, "regret", shade=True)
    # a logarithm has no place for a regret of nothing but zeros
    scale = "log" if any(one.regret.any() for one in results.values()) else "linear"
    label(axes, f"Regret{against}: {spread(results)}", yscale=scale, ylabel="cumulative strong regret")
    rounds: IntArray = next(iter(results.values())).checkpoints
    return rounds


def draw_arms(regret: "Axes", found: "Axes", result: SimulationResult) -> None:
    """Draw regret above what no learner can beat, and the share of runs that are right."""
    rounds = draw_regret(regret, result, f" against the {CONCEPT_NAMES[result.concept]} winner")
    if result.lower_bound is not None:
        rounds = rounds[rounds > 1]
        bound = result.lower_bound * np.log(rounds)
        regret.plot(rounds, bound, color="black", linestyle=":", label="asymptotic lower bound")
    draw_lines(found, result, "accuracy_at")
    label(found, "Runs whose best arm is a winner", ylim=(-0.02, 1.02), ylabel="share of runs")


def draw_points(regret: "Axes", found: "Axes", result: PointSimulationResult) -> None:
    """Draw regret below what is proven, and how far the best point is from the optimum."""
    rounds = draw_regret(regret, result)
    bounds = {"Theorem 2": (result.theorem_bound, ":"), "Corollary 2": (result.bound, "--")}
    for source, (bound, style) in bounds.items():
        if bound is not None and np.isfinite(bound).any():
            known = np.isfinite(bound)
            proven = f"gradient descent's proven bound, {source}"
            regret.plot(rounds[known], bound[known], style, color="black", label=proven)
    draw_lines(found, result, "gap_at")
    title = "How surely the optimum beats the best point found"
    label(found, title, ylim=(-0.01, 0.51), ylabel="chance beyond 1/2")


def draw_qualities(learned: "Axes", shown: "Axes", result: RankingSimulationResult) -> None:
    """Draw how good the learned ranker is, and how good the lists were that it was learned from."""
    draw_lines(learned, result, "quality", shade=True)
    draw_lines(shown, result, "shown_quality", shade=True)
    where = "queries held out" if result.held_out else "the queries learned from"
    title, quality = f"Learned ranker, on {where}: {spread(result)}", f"NDCG@{result.depth}"
    label(learned, title, xlabel="impression", ylabel=quality)
    label(shown, "Lists shown while learning, on average so far", xlabel="impression")
    # the first few lists say little, and their range would dwarf the rest
    late = [(one, one.checkpoints >= 100) for one in result.values()]
    settled = np.concatenate([[one.quality[:, seen], one.shown_quality[:, seen]] for one, seen in late])
    if settled.size:
        learned.set(ylim=(max(settled.min() - 0.05, 0.0), min(settled.max() + 0.05, 1.0)))


def draw_contexts(regret: "Axes", error: "Axes", result: ContextualSimulationResult) -> None:
    """Draw how regret and the error of what is learned fall, on double logarithmic axes."""
    title = f"Regret against {result.policies} policies: {spread(result)}"
    label(regret, title, ylabel="mean regret of a round")
    label(error, "By how much a policy beats what is learned", ylabel="the best policy's margin")
    for axes, measure in ((regret, "regret"), (error, "error")):
        draw_lines(axes, result, measure, shade=True)
        lowest = min(float(getattr(one, measure).min()) for one in result.values())
        # a logarithm has no place for regret that is nothing, or less
        axes.set(yscale="log" if lowest > 0.0 else "linear")
    proven = f"proven bound of sparring, {1.0 - result.delta:.0%} sure"
    rounds = next(iter(result.values())).checkpoints
    regret.plot(rounds, result.bound, "--", color="black", label=proven)


DRAWERS: dict[type["Results[Any]"], Callable[["Axes", "Axes", Any], None]] = {
    SimulationResult: draw_arms,
    PointSimulationResult: draw_points,
    RankingSimulationResult: draw_qualities,
    ContextualSimulationResult: draw_contexts,
}
"""What draws a result into two panels."""
