"""Figure 4 in the paper's own form, and how long a match lasts."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from duelist.laboratory import Drawing, Expected, ItemResults, Table
from duelist.simulation.figures import PALETTE, new_figure
from duelist_reproductions.zoghi2014.figure4.measures import Played, gather
from duelist_reproductions.zoghi2014.figure4.sweep import SETTINGS
from duelist_reproductions.zoghi2014.figure4.tables import NAMES, tell

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STYLES = {
    "BeatTheMean": (PALETTE[2], "s"),
    "CondorcetSavage": (PALETTE[0], "o"),
    "RUCB": (PALETTE[1], ""),
}
"""The paper's colours, with markers where every one stands for new runs."""


def show(results: ItemResults, expected: Expected) -> list[Drawing | Table]:
    """Return the figures and the tables."""
    return [
        draw_curves(results, SETTINGS[results.scale].sizes),
        *tell(results),
        draw_match_lengths(results),
    ]


def draw_curves(results: ItemResults, sizes: Sequence[int]) -> Drawing:
    """Draw regret above accuracy, a column a size."""
    figure = new_figure(max(4.2 * len(sizes), 5.5), 7.6)
    panels = figure.subplots(2, len(sizes), squeeze=False, sharex=True, sharey="row")
    rounds = np.array(SETTINGS[results.scale].horizons)
    for (above, below), k in zip(panels.T, sizes, strict=True):
        for learner, (colour, marker) in STYLES.items():
            played = gather(results, k, learner)
            draw_regret(above, played, NAMES[learner], colour, marker)
            accuracy = played.right_at(rounds).mean(axis=0)
            below.plot(rounds, accuracy, color=colour, marker=marker or "^", markersize=4)
        bound = float(results[f"problem-k={k}"]["lower_bound"]) * np.log(rounds)
        above.plot(rounds, bound, "--", color="black", linewidth=1.2, label="asymptotic lower bound")
        above.set_title(f"K = {k} rankers", fontsize="medium")
        above.set(xscale="log", yscale="log")
        below.set(ylim=(-0.03, 1.03), xlabel="round or horizon T")
        for axes in (above, below):
            axes.grid(alpha=0.3)
    panels[0, 0].set_ylabel("cumulative regret, mean of both arms' gaps")
    panels[1, 0].set_ylabel("accuracy: share of runs that are right")
    panels[0, 0].legend(fontsize="small")
    runs = SETTINGS[results.scale].runs
    caption = (
        f"Regret and accuracy of {runs} runs. Lines are means, dotted lines the best and the worst run. "
        f"Every marker of Beat the Mean and SAVAGE stands for new runs with that horizon; RUCB's line is "
        f"of one set of runs. The dashed line is the asymptotic lower bound on regret (Komiyama et al. 2015) "
        f"times log T: it holds in the limit, and early on a learner may well lie below it."
    )
    return Drawing("figure4", figure, caption)


def draw_regret(axes: "Axes", played: Played, label: str, colour: str, marker: str) -> None:
    """Draw one learner's regret with its range, from 1,000 rounds on."""
    seen = played.rounds >= 1_000
    rounds, regret = played.rounds[seen], played.regret[:, seen]
    axes.plot(rounds, regret.mean(axis=0), color=colour, marker=marker, markersize=4, label=label)
    for extreme in (regret.min(axis=0), regret.max(axis=0)):
        axes.plot(rounds, extreme, ":", color=colour, linewidth=1.0)


def draw_match_lengths(results: ItemResults) -> Drawing:
    """Draw how many single matches were decided within so many duels, on the exact chances."""
    savage, mean = results["savage-matches"], results["mean-matches"]
    figure = new_figure(9.5, 3.8)
    left, right = figure.subplots(1, 2, sharey=True)
    left.ecdf(savage["duels"], color=STYLES["CondorcetSavage"][0], linewidth=3.0, label="Condorcet SAVAGE")
    exact = np.cumsum(savage["decided"])
    left.plot(exact, "--", color="black", drawstyle="steps-post", label="exact")
    left.set(xlabel="duels", ylabel="share of matches decided", xlim=(0, len(exact)))
    right.ecdf(mean["sweeps"], color=STYLES["BeatTheMean"][0], linewidth=3.0, label="Beat the Mean")
    for name, style, label in (("decided", "--", "at the latest"), ("soonest", ":", "at the soonest")):
        shown = np.cumsum(mean[name])
        begun = int(np.searchsorted(shown, 1e-4))
        places = np.arange(begun, len(shown), 5)
        right.plot(places, shown[places], style, color="black", label=label)
    right.set(xlabel="duels of each arm")
    for axes in (left, right):
        axes.grid(alpha=0.3)
        axes.legend(loc="lower right")
    caption = (
        f"How long a match lasts: {len(savage['duels']):,} explorations of two arms by Condorcet SAVAGE and "
        f"{len(mean['sweeps']):,} by Beat the Mean, of which one arm wins "
        f"{0.5 + savage.setting['epsilon']:.0%} of the duels."
    )
    return Drawing("match-lengths", figure, caption)
