"""Figure 2: average regret of DBGD, BGD1 and BGD2 on P1 and P5."""

from pathlib import Path

import numpy as np

from duelist import BGD1, BGD2, DuelingBanditGradientDescent, simulate
from duelist.simulation.figures import new_figure, write_figure
from reproductions.yue2009_gradient_descent.sweep import HORIZON, STARTS, problem_from

STYLES = {DuelingBanditGradientDescent: "-", BGD1: "--", BGD2: ":"}


def draw(path: Path) -> Path:
    """Draw the figure and return where it is."""
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
