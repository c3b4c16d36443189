"""Figure 4 in the paper's form, the lengths of matches, and the numbers behind both."""

from typing import TYPE_CHECKING, Any

import numpy as np

from duelist.figures import PALETTE
from duelist.laboratory import Drawing, Expected, ItemResults, ResultTable, panels, ratio_of_means
from duelist.simulation.figures import look
from duelist_reproductions.zoghi2014.figure4.readings import LEVELS, Played, share_of_time
from duelist_reproductions.zoghi2014.figure4.sweep import SETTINGS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAMES = {"RUCB": "RUCB", "CondorcetSavage": "Condorcet SAVAGE", "BeatTheMean": "Beat the Mean"}
PUBLISHED = {"RUCB": "1", "CondorcetSavage": "5 to 10", "BeatTheMean": "more than SAVAGE's"}
"""The paper's regret, as a multiple of RUCB's."""
STYLES = {
    "BeatTheMean": look(0) | {"color": PALETTE[2], "marker": "s"},
    "CondorcetSavage": look(1) | {"color": PALETTE[0], "marker": "o"},
    "RUCB": look(2) | {"color": PALETTE[1], "marker": ""},
}
"""The paper's colours; markers where every point has separate runs."""
END = {
    "K": "{k}",
    "learner": "{learner}",
    "mean regret": "{mean:,.0f}",
    "range": "{least:,.0f} to {most:,.0f}",
    "over RUCB's, ours": "{ratio}",
    "over RUCB's, paper": "{paper}",
    "right": "{right} of {runs}",
}
TIME = {
    "K": "{k}",
    "rival": "{rival}",
    **{f"{level:.0%} right": f"{{levels[{place}]:.0%}}" for place, level in enumerate(LEVELS)},
    "median": "{median:.0%}",
    "paper": "{paper}",
}


def show(results: ItemResults, expected: Expected) -> list[Drawing | ResultTable]:
    setting = SETTINGS[results.scale]
    played = {(k, learner): Played.of(results, k, learner) for k in setting.sizes for learner in NAMES}
    return [
        draw_curves(results, played),
        end_table(played, setting.horizons[-1]),
        time_table(played),
        draw_match_lengths(results),
    ]


def end_table(played: dict[tuple[int, str], Played], end: int) -> ResultTable:
    """Return the final regret and accuracy of every learner."""
    rows = []
    for (k, learner), one in played.items():
        regret, optimist, right = one.at(end), played[k, "RUCB"].at(end), one.right[:, -1].sum()
        row = {"mean": regret.mean(), "least": regret.min(), "most": regret.max(), "runs": len(regret)}
        row |= {"k": k, "learner": NAMES[learner], "paper": PUBLISHED[learner], "right": right}
        rows.append({**row, "ratio": "1" if learner == "RUCB" else ratio_of_means(regret, optimist)})
    return ResultTable.of(f"After {end:,} rounds", END, rows)


def time_table(played: dict[tuple[int, str], Played]) -> ResultTable:
    """Return the time RUCB needs to reach each level of accuracy, as a share of the rival's."""
    rows = []
    for (k, learner), rival in played.items():
        if learner != "RUCB":
            paper = "20%" if learner == "CondorcetSavage" else "less"
            share = share_of_time(played[k, "RUCB"], rival)._asdict()
            rows.append({"k": k, "rival": NAMES[learner], "paper": paper, **share})
    return ResultTable.of("Time that RUCB needs to be as accurate, as a share of the rival's", TIME, rows)


def draw_curves(results: ItemResults, played: dict[tuple[int, str], Played]) -> Drawing:
    """Draw regret above accuracy, with one column per size."""
    setting = SETTINGS[results.scale]
    sizes, rounds = setting.sizes, np.array(setting.horizons)
    figure, axes = panels(max(4.2 * len(sizes), 5.5), 7.6, 2, len(sizes), ("all", "row"), xscale="log")
    for (above, below), k in zip(axes.T, sizes, strict=True):
        for learner, style in STYLES.items():
            one = played[k, learner]
            draw_regret(above, one, NAMES[learner], style)
            accuracy = one.right_at(rounds).mean(axis=0)
            below.plot(rounds, accuracy, **style | {"marker": style["marker"] or "^"})
        bound = float(results[f"problem-k={k}"]["lower_bound"]) * np.log(rounds)
        above.plot(rounds, bound, "--", color="black", linewidth=1.2, label="asymptotic lower bound")
        above.set_title(f"K = {k} rankers", fontsize="medium")
        above.set(yscale="log")
        below.set(ylim=(-0.03, 1.03), xlabel="round or horizon T")
    axes[0, 0].set_ylabel("cumulative regret, mean of both arms' gaps")
    axes[1, 0].set_ylabel("accuracy: share of runs that are right")
    axes[0, 0].legend(fontsize="small")
    caption = (
        f"Regret and accuracy of {setting.runs} runs. Lines are means, dotted lines the best and the worst "
        f"run. Every marker of Beat the Mean and SAVAGE stands for new runs with that horizon; RUCB's line "
        f"is of one set of runs. The thin dashed line is the asymptotic lower bound on regret (Komiyama et "
        f"al. 2015) times log T: it holds in the limit, and early on a learner may well lie below it."
    )
    return Drawing("figure4", figure, caption)


def draw_regret(axes: "Axes", played: Played, label: str, style: dict[str, Any]) -> None:
    """Draw one learner's regret with its range, from 1,000 rounds on."""
    seen = played.rounds >= 1_000
    rounds, regret = played.rounds[seen], played.regret[:, seen]
    axes.plot(rounds, regret.mean(axis=0), **style, label=label)
    for extreme in (regret.min(axis=0), regret.max(axis=0)):
        axes.plot(rounds, extreme, ":", color=style["color"], linewidth=1.0)


def draw_match_lengths(results: ItemResults) -> Drawing:
    """Draw the share of single matches decided within n duels, with the exact chances."""
    savage, mean = results["savage-matches"], results["mean-matches"]
    figure, ((left, right),) = panels(9.5, 3.8, columns=2, share=("none", "all"))
    left.ecdf(
        savage["duels"], color=STYLES["CondorcetSavage"]["color"], linewidth=3.0, label="Condorcet SAVAGE"
    )
    exact = np.cumsum(savage["decided"])
    left.plot(exact, "--", color="black", drawstyle="steps-post", label="exact")
    left.set(xlabel="duels", ylabel="share of matches decided", xlim=(0, len(exact)))
    right.ecdf(mean["sweeps"], color=STYLES["BeatTheMean"]["color"], linewidth=3.0, label="Beat the Mean")
    for name, style, label in (("decided", "--", "at the latest"), ("soonest", ":", "at the soonest")):
        shown = np.cumsum(mean[name])
        begun = int(np.searchsorted(shown, 1e-4))
        places = np.arange(begun, len(shown), 5)
        right.plot(places, shown[places], style, color="black", label=label)
    right.set(xlabel="duels of each arm")
    for axes in (left, right):
        axes.legend(loc="lower right")
    caption = (
        f"Lengths of matches: {len(savage['duels']):,} explorations of two arms by Condorcet SAVAGE and "
        f"{len(mean['sweeps']):,} by Beat the Mean, of which one arm wins "
        f"{0.5 + savage.setting['epsilon']:.0%} of the duels."
    )
    return Drawing("match-lengths", figure, caption)
