"""Figure 4 in the paper's own form, and tables of what is behind it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from duelist.laboratory import Drawing, Expected, Grid, Results
from duelist.reproductions.zoghi2014.figure4.measures import (
    LEVELS,
    Played,
    gather,
    growth_ratio,
    last_horizon,
    ratio_of_means,
    subset_ratios,
    time_shares,
)
from duelist.reproductions.zoghi2014.figure4.sweep import GAMMAS, SETTINGS
from duelist.simulation.figures import PALETTE, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STYLES = {
    "BeatTheMean": ("Beat the Mean", PALETTE[2], "s"),
    "CondorcetSavage": ("Condorcet SAVAGE", PALETTE[0], "o"),
    "RUCB": ("RUCB", PALETTE[1], ""),
}
"""Names, and the paper's colours with markers where every one stands for new runs."""


def show(results: Results, expected: Expected) -> list[Drawing | Grid]:
    """Return the figure and its tables."""
    sizes = SETTINGS[results.scale].sizes
    return [
        draw_curves(results, sizes),
        end_table(results, sizes),
        time_table(results, sizes),
        far_table(results, sizes),
        subset_table(results, sizes),
        gamma_table(results),
    ]


def draw_curves(results: Results, sizes: Sequence[int]) -> Drawing:
    """Draw regret above accuracy, a column a size."""
    figure = new_figure(max(4.2 * len(sizes), 5.5), 7.6)
    panels = figure.subplots(2, len(sizes), squeeze=False, sharex=True, sharey="row")
    rounds = np.array(SETTINGS[results.scale].horizons)
    for (above, below), k in zip(panels.T, sizes, strict=True):
        for learner, (label, colour, marker) in STYLES.items():
            played = gather(results, k, learner)
            draw_regret(above, played, label, colour, marker)
            below.plot(rounds, played.accuracy_at(rounds), color=colour, marker=marker or "^", markersize=4)
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
        f"times log T."
    )
    return Drawing("figure4", figure, caption)


def draw_regret(axes: "Axes", played: Played, label: str, colour: str, marker: str) -> None:
    """Draw one learner's regret with its range, from 1,000 rounds on."""
    seen = played.rounds >= 1_000
    rounds, regret = played.rounds[seen], played.regret[:, seen]
    axes.plot(rounds, regret.mean(axis=0), color=colour, marker=marker, markersize=4, label=label)
    for extreme in (regret.min(axis=0), regret.max(axis=0)):
        axes.plot(rounds, extreme, ":", color=colour, linewidth=1.0)


def end_table(results: Results, sizes: Sequence[int]) -> Grid:
    """Return what every learner ends with."""
    end, rows = last_horizon(results), []
    for k in sizes:
        played = {learner: gather(results, k, learner) for learner in STYLES}
        optimist = played["RUCB"].at(end)
        for learner, one in reversed(played.items()):
            regret = one.at(end)
            ratio = "1" if learner == "RUCB" else str(ratio_of_means(regret, optimist))
            paper = {"CondorcetSavage": "5 to 10", "BeatTheMean": "more than SAVAGE's"}.get(learner, "1")
            right = f"{one.right[:, -1].sum()} of {len(regret)}"
            extremes = f"{regret.min():,.0f} to {regret.max():,.0f}"
            rows.append((str(k), STYLES[learner][0], f"{regret.mean():,.0f}", extremes, ratio, paper, right))
    headings = ("K", "learner", "mean regret", "range", "over RUCB's, ours", "over RUCB's, paper", "right")
    return Grid(f"After {end:,} rounds", headings, rows)


def time_table(results: Results, sizes: Sequence[int]) -> Grid:
    """Return how soon RUCB is as accurate, level by level."""
    rows = []
    for k in sizes:
        optimist = gather(results, k, "RUCB")
        for learner in ("CondorcetSavage", "BeatTheMean"):
            rival = gather(results, k, learner)
            shares = time_shares(optimist, rival.rounds, rival.accuracy)
            cells = [f"{share:.0%}" if np.isfinite(share) else "-" for share in shares]
            rows.append((str(k), STYLES[learner][0], *cells, "20%" if learner == "CondorcetSavage" else ""))
    headings = ("K", "rival", *(f"{level:.0%} right" for level in LEVELS), "paper")
    return Grid("Time that RUCB needs to be as accurate, as a share of the rival's", headings, rows)


def far_table(results: Results, sizes: Sequence[int]) -> Grid:
    """Return how the ratio goes on beyond the last horizon."""
    rows = []
    for k in sizes:
        (far,) = results.where(k=k, subset=0)
        savage, optimist = far["CondorcetSavage"], far["RUCB"]
        for place, rounds in enumerate(far.setting["horizons"]):
            growth = growth_ratio(savage[:, : place + 1], optimist[:, : place + 1]) if place else None
            rows.append(
                (
                    str(k),
                    f"{rounds:,}",
                    f"{optimist[:, place].mean():,.0f}",
                    f"{savage[:, place].mean():,.0f}",
                    str(ratio_of_means(savage[:, place], optimist[:, place])),
                    "" if growth is None else f"{growth:.1f}",
                )
            )
    headings = (
        "K",
        "rounds",
        "RUCB",
        "Condorcet SAVAGE",
        "ratio",
        "ratio of what was gained since the first",
    )
    runs = SETTINGS[results.scale].far_runs
    return Grid(f"Far beyond the paper's horizon, {runs} runs: mean regret", headings, rows)


def subset_table(results: Results, sizes: Sequence[int]) -> Grid:
    """Return how much the ratio depends on which rankers are drawn."""
    radii = {"CondorcetSavage": "log(2NT/delta) / 2n", "wide": "log(2NT/delta) / n"}
    rows = []
    for k in sizes:
        for savage, radius in radii.items():
            ratios = subset_ratios(results, k, savage)
            quartiles = [f"{value:.2f}" for value in np.quantile(ratios, (0.0, 0.25, 0.5, 0.75, 1.0))]
            rows.append((str(k), radius, str(len(ratios)), *quartiles, "5 to 10"))
    headings = (
        "K",
        "square of SAVAGE's radius",
        "subsets",
        "least",
        "lower quartile",
        "median",
        "upper quartile",
        "most",
        "paper",
    )
    return Grid("SAVAGE's regret over RUCB's on random subsets of the rankers", headings, rows)


def gamma_table(results: Results) -> Grid:
    """Return the gammas that relaxed transitivity needs, read in two ways."""
    problems = {k: results[f"problem-k={k}"] for k in GAMMAS}
    rows = [
        (str(k), f"{GAMMAS[k]:g}", f"{float(one['gamma_of_table']):.2f}", f"{float(one['gamma']):.2f}")
        for k, one in problems.items()
    ]
    headings = (
        "K",
        "paper, and passed to Beat the Mean",
        "all pairs in the table's order",
        "pairs j beating k",
    )
    return Grid("gamma of relaxed stochastic transitivity", headings, rows)
