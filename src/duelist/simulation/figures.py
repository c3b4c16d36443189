"""Pictures of a simulation."""

import io
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from duelist.errors import FileError, MissingExtraError
from duelist.files import write_whole
from duelist.metrics import CONCEPT_NAMES
from duelist.simulation.contexts import ContextualSimulationResult
from duelist.simulation.lists import RankingSimulationResult
from duelist.simulation.result import PointSimulationResult, Results, SimulationResult

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
    if isinstance(results, RankingSimulationResult):
        learned, shown = figure.subplots(1, 2, sharey=True)
        draw_qualities(learned, shown, results)
        return figure
    regret, found = figure.subplots(1, 2)
    if isinstance(results, ContextualSimulationResult):
        draw_contexts(regret, found, results)
        return figure
    if isinstance(results, SimulationResult):
        draw_regret(regret, results, f" against the {CONCEPT_NAMES[results.concept]} winner")
        draw_lower_bound(regret, results)
        draw_accuracy(found, results)
    if isinstance(results, PointSimulationResult):
        draw_regret(regret, results)
        draw_bound(regret, results)
        draw_gap(found, results)
    regret.legend(fontsize="small")
    return figure


def colour(place: int) -> str:
    """Return a line's colour."""
    return PALETTE[place % len(PALETTE)]


def label(axes: "Axes", title: str, **properties: Any) -> None:
    """Set the title and properties of axes whose rounds are on a logarithmic scale."""
    axes.set(xscale="log", **{"xlabel": "round", **properties})
    axes.set_title(title, fontsize="medium")
    axes.grid(alpha=0.3)


def draw_regret(axes: "Axes", results: "Results[Any]", against: str = "") -> None:
    """Draw cumulative regret on double logarithmic axes."""
    draw_range(axes, results, "regret")
    # a logarithm has no place for a regret of nothing but zeros
    scale = "log" if any(one.regret.any() for one in results.values()) else "linear"
    label(axes, f"Regret{against}: {spread(results)}", yscale=scale, ylabel="cumulative strong regret")


def draw_range(axes: "Axes", results: "Results[Any]", measure: str) -> None:
    """Draw each learner's mean of a measure as a line, and its range over runs as a shade."""
    for place, (name, one) in enumerate(results.items()):
        seen = getattr(one, measure)
        axes.plot(one.checkpoints, seen.mean(axis=0), color=colour(place), label=name)
        low, high = seen.min(axis=0), seen.max(axis=0)
        axes.fill_between(one.checkpoints, low, high, color=colour(place), alpha=0.15, linewidth=0)


def spread(results: "Results[Any]") -> str:
    """Return what lines and shades stand for."""
    return f"mean and range of {len(next(iter(results.values())))} runs"


def draw_lower_bound(axes: "Axes", result: "SimulationResult") -> None:
    """Draw what no learner can beat."""
    if result.lower_bound is not None:
        rounds = next(iter(result.values())).checkpoints
        rounds = rounds[rounds > 1]
        bound = result.lower_bound * np.log(rounds)
        axes.plot(rounds, bound, color="black", linestyle=":", label="asymptotic lower bound")


def draw_bound(axes: "Axes", result: "PointSimulationResult") -> None:
    """Draw what is proven that expected regret does not exceed."""
    rounds = next(iter(result.values())).checkpoints
    bounds = {"Theorem 2": (result.theorem_bound, ":"), "Corollary 2": (result.bound, "--")}
    for source, (bound, style) in bounds.items():
        if bound is not None and np.isfinite(bound).any():
            known = np.isfinite(bound)
            proven = f"gradient descent's proven bound, {source}"
            axes.plot(rounds[known], bound[known], style, color="black", label=proven)


def draw_gap(axes: "Axes", result: "PointSimulationResult") -> None:
    """Draw how far the best point is from the optimum."""
    for place, (name, one) in enumerate(result.items()):
        axes.plot(one.checkpoints, one.gap_at.mean(axis=0), color=colour(place), label=name)
    title = "How surely the optimum beats the best point found"
    label(axes, title, ylim=(-0.01, 0.51), ylabel="chance beyond 1/2")


def draw_accuracy(axes: "Axes", result: "SimulationResult") -> None:
    """Draw the share of runs that are right."""
    for place, (name, one) in enumerate(result.items()):
        axes.plot(one.checkpoints, one.accuracy_at, color=colour(place), label=name)
    label(axes, "Runs whose best arm is a winner", ylim=(-0.02, 1.02), ylabel="share of runs")


def draw_qualities(learned: "Axes", shown: "Axes", result: "RankingSimulationResult") -> None:
    """Draw how good the learned ranker is, and how good the lists were that it was learned from."""
    draw_range(learned, result, "quality")
    draw_range(shown, result, "shown_quality")
    where = "queries held out" if result.held_out else "the queries learned from"
    title, quality = f"Learned ranker, on {where}: {spread(result)}", f"NDCG@{result.depth}"
    label(learned, title, xlabel="impression", ylabel=quality)
    label(shown, "Lists shown while learning, on average so far", xlabel="impression")
    # the first few lists say little, and their range would dwarf the rest
    settled = np.concatenate(
        [
            measure[:, one.checkpoints >= 100].ravel()
            for one in result.values()
            for measure in (one.quality, one.shown_quality)
        ]
    )
    if len(settled):
        learned.set(ylim=(max(settled.min() - 0.05, 0.0), min(settled.max() + 0.05, 1.0)))
    learned.legend(fontsize="small")


def draw_contexts(regret: "Axes", error: "Axes", result: "ContextualSimulationResult") -> None:
    """Draw how regret and the error of what is learned fall, on double logarithmic axes."""
    draw_range(regret, result, "regret")
    rounds = next(iter(result.values())).checkpoints
    proven = f"proven bound of sparring, {1.0 - result.delta:.0%} sure"
    regret.plot(rounds, result.bound, "--", color="black", label=proven)
    draw_range(error, result, "error")
    title = f"Regret against {result.policies} policies: {spread(result)}"
    label(regret, title, ylabel="mean regret of a round")
    label(error, "By how much a policy beats what is learned", ylabel="the best policy's margin")
    for axes, measure in ((regret, "regret"), (error, "error")):
        lowest = min(float(getattr(one, measure).min()) for one in result.values())
        # a logarithm has no place for regret that is nothing, or less
        axes.set(yscale="log" if lowest > 0.0 else "linear")
    regret.legend(fontsize="small")
