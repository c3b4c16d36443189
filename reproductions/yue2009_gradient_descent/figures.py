"""Figure 2: average regret of DBGD, BGD1 and BGD2 on P1 and P5; Figure 3: how DBGD learns to rank."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from duelist import BGD1, BGD2, DuelingBanditGradientDescent, simulate
from duelist.simulation.figures import PALETTE, new_figure, write_figure
from reproductions.yue2009_gradient_descent.sweep import HORIZON, STARTS, problem_from
from reproductions.yue2009_gradient_descent.web_search import DRAWN, MARKS, Cell, Documents

STYLES = {DuelingBanditGradientDescent: "-", BGD1: "--", BGD2: ":"}


def draw_regrets(path: Path) -> Path:
    """Draw Figure 2 and return where it is."""
    figure = new_figure(7.0, 4.4)
    axes = figure.subplots()
    for name, colour in (("P1", "#0072b2"), ("P5", "#d55e00")):
        for kind, style in STYLES.items():
            problem = problem_from(name, STARTS["sqrt(5/d)"], exact=kind is not DuelingBanditGradientDescent)
            learner = kind.for_horizon(HORIZON, problem.menu(), factor=1.0, start=problem.start)
            marks = np.linspace(HORIZON // 100, HORIZON, 100, dtype=int)
            runs = simulate({"it": learner}, problem, HORIZON, 2, checkpoints=marks.tolist(), progress=False)[
                "it"
            ]
            average = 2.0 * runs.regret.mean(axis=0) / runs.checkpoints
            short = kind.__name__.replace("DuelingBanditGradientDescent", "DBGD")
            axes.plot(runs.checkpoints, average, style, color=colour, label=f"{name} ({short})")
    axes.set(xlabel="round", ylabel="average regret, sum of both gaps", ylim=(0.0, 1.0))
    axes.legend(fontsize="small")
    axes.grid(alpha=0.3)
    return write_figure(figure, path)


def draw_learning(
    path: Path, runs: Mapping[int, Sequence[Cell]], documents: Documents, goal: float, horizon: int
) -> Path:
    """Draw Figure 3, mean and range of runs, beside what the ranking SVM reaches; return where it is."""
    figure = new_figure(7.0, 4.4)
    axes = figure.subplots()
    rounds = np.linspace(horizon // MARKS, horizon, MARKS)
    for colour, queries in zip(PALETTE, DRAWN, strict=False):
        curves = np.stack([cell.curve for cell in runs[queries]])
        axes.plot(rounds, curves.mean(axis=0), color=colour, label=f"{queries} queries an update")
        axes.fill_between(
            rounds, curves.min(axis=0), curves.max(axis=0), color=colour, alpha=0.15, linewidth=0
        )
    axes.axhline(goal, color="black", linestyle=":", label="ranking SVM")
    axes.set(xlabel="comparisons", ylabel="training NDCG@10", title=documents.name)
    axes.legend(fontsize="small")
    axes.grid(alpha=0.3)
    return write_figure(figure, path)
