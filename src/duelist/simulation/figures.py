"""Pictures of a simulation."""

import io
import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from duelist.errors import FileError, MissingExtraError
from duelist.files import write_whole
from duelist.metrics import CONCEPT_NAMES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from duelist.simulation.result import SimulationResult

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


def draw_result(result: "SimulationResult") -> "Figure":
    """Draw mean regret with its range over runs, and accuracy, against the round."""
    figure = new_figure(11.0, 4.4)
    regret, accuracy = figure.subplots(1, 2)
    draw_regret(regret, result)
    draw_accuracy(accuracy, result)
    return figure


def colour(place: int) -> str:
    """Return a line's colour."""
    return PALETTE[place % len(PALETTE)]


def draw_regret(axes: "Axes", result: "SimulationResult") -> None:
    """Draw cumulative regret on double logarithmic axes, above what no learner can beat."""
    for place, (name, one) in enumerate(result.items()):
        axes.plot(one.checkpoints, one.regret.mean(axis=0), color=colour(place), label=name)
        low, high = one.regret.min(axis=0), one.regret.max(axis=0)
        axes.fill_between(one.checkpoints, low, high, color=colour(place), alpha=0.15, linewidth=0)
    if result.lower_bound is not None:
        rounds = next(iter(result.values())).checkpoints
        rounds = rounds[rounds > 1]
        bound = result.lower_bound * np.log(rounds)
        axes.plot(rounds, bound, color="black", linestyle=":", label="asymptotic lower bound")
    # a logarithm has no place for a regret of nothing but zeros
    scale = "log" if any(one.regret.any() for one in result.values()) else "linear"
    axes.set(xscale="log", yscale=scale, xlabel="round", ylabel="cumulative strong regret")
    runs, winner = len(next(iter(result.values())).regret), CONCEPT_NAMES[result.concept]
    axes.set_title(f"Regret against the {winner} winner: mean and range of {runs} runs", fontsize="medium")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")


def draw_accuracy(axes: "Axes", result: "SimulationResult") -> None:
    """Draw the share of runs that are right."""
    for place, (name, one) in enumerate(result.items()):
        axes.plot(one.checkpoints, one.accuracy_at, color=colour(place), label=name)
    axes.set(xscale="log", ylim=(-0.02, 1.02), xlabel="round", ylabel="share of runs")
    axes.set_title("Runs whose best arm is a winner", fontsize="medium")
    axes.grid(alpha=0.3)
