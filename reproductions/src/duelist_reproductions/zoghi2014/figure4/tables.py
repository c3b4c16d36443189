"""Figure 4: tables of what is behind it."""

from collections.abc import Sequence

import numpy as np

from duelist.laboratory import ItemResults, Table
from duelist_reproductions.zoghi2014.figure4.accuracy import LEVELS, share_of_time
from duelist_reproductions.zoghi2014.figure4.measures import (
    gather,
    growth_ratio,
    last_horizon,
    ratio_of_means,
    subset_ratios,
)
from duelist_reproductions.zoghi2014.figure4.sweep import GAMMAS, SETTINGS

NAMES = {"BeatTheMean": "Beat the Mean", "CondorcetSavage": "Condorcet SAVAGE", "RUCB": "RUCB"}


def tell(results: ItemResults) -> list[Table]:
    """Return all tables."""
    sizes = SETTINGS[results.scale].sizes
    return [
        end_table(results, sizes),
        time_table(results, sizes),
        far_table(results, sizes),
        subset_table(results, sizes),
        gamma_table(results),
        needed_gamma_table(results),
    ]


def end_table(results: ItemResults, sizes: Sequence[int]) -> Table:
    """Return what every learner ends with."""
    end, rows = last_horizon(results), []
    for k in sizes:
        played = {learner: gather(results, k, learner) for learner in NAMES}
        optimist = played["RUCB"].at(end)
        for learner, one in reversed(played.items()):
            regret = one.at(end)
            ratio = "1" if learner == "RUCB" else f"{ratio_of_means(regret, optimist)}"
            paper = {"CondorcetSavage": "5 to 10", "BeatTheMean": "more than SAVAGE's"}.get(learner, "1")
            right = f"{one.right[:, -1].sum()} of {len(regret)}"
            extremes = f"{regret.min():,.0f} to {regret.max():,.0f}"
            rows.append((str(k), NAMES[learner], f"{regret.mean():,.0f}", extremes, ratio, paper, right))
    headings = ("K", "learner", "mean regret", "range", "over RUCB's, ours", "over RUCB's, paper", "right")
    return Table(f"After {end:,} rounds", headings, rows)


def time_table(results: ItemResults, sizes: Sequence[int]) -> Table:
    """Return how soon RUCB is as accurate, level by level."""
    rows = []
    for k in sizes:
        optimist = gather(results, k, "RUCB")
        for learner in ("CondorcetSavage", "BeatTheMean"):
            share = share_of_time(optimist, gather(results, k, learner))
            cells = [f"{one:.0%}" if np.isfinite(one) else "-" for one in share.levels]
            paper = "20%" if learner == "CondorcetSavage" else "less"
            rows.append((str(k), NAMES[learner], *cells, f"{share.median:.0%}", paper))
    headings = ("K", "rival", *(f"{level:.0%} right" for level in LEVELS), "median", "paper")
    return Table("Time that RUCB needs to be as accurate, as a share of the rival's", headings, rows)


def far_table(results: ItemResults, sizes: Sequence[int]) -> Table:
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
                    f"{ratio_of_means(savage[:, place], optimist[:, place])}",
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
    return Table(f"Far beyond the paper's horizon, {runs} runs: mean regret", headings, rows)


def subset_table(results: ItemResults, sizes: Sequence[int]) -> Table:
    """Return how much the ratio depends on which rankers are drawn."""
    radii = {
        "CondorcetSavage": "log(2NT/delta) / 2n, delta = 1/T",
        "wide": "log(2NT/delta) / n, delta = 1/T",
        "bold": "log(2NT/delta) / 2n, delta = 0.05",
    }
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
    return Table("SAVAGE's regret over RUCB's on random subsets of the rankers", headings, rows)


def gamma_table(results: ItemResults) -> Table:
    """Return the gammas that relaxed transitivity needs, read in two ways, and what two of them lead to."""
    problems = {k: results[f"problem-k={k}"] for k in GAMMAS}
    rows = [
        (
            str(k),
            f"{GAMMAS[k]:g}",
            f"{float(one['gamma_of_table']):.2f}",
            f"{float(one['gamma']):.2f}",
            f"{float(one['removal_by_the_paper']):,.0f}",
            f"{float(one['removal']):,.0f}",
        )
        for k, one in problems.items()
    ]
    headings = (
        "K",
        "paper, and passed to Beat the Mean",
        "all pairs in the table's order",
        "pairs j beating k",
        "first removal foreseen in round, with the paper's",
        "with that of pairs j beating k",
    )
    return Table("gamma of relaxed stochastic transitivity", headings, rows)


def needed_gamma_table(results: ItemResults) -> Table:
    """Return what Beat the Mean does with the gamma that the problem needs."""
    rows = []
    for k, horizon, runs in SETTINGS[results.scale].needed_gamma:
        parts = results.where(k=k, told=horizon)
        regret, right = (np.concatenate([part[name] for part in parts]) for name in ("played", "right"))
        one = {name: float(parts[0][name]) for name in ("gamma", "regret", "random_regret", "removed")}
        rows.append(
            (
                str(k),
                f"{one['gamma']:.2f}",
                f"{horizon:,}",
                f"{regret.mean():,.0f}",
                f"{one['regret']:,.0f}",
                f"{one['random_regret']:,.0f}",
                f"{one['removed']:.0f}",
                f"{right.sum()} of {runs}",
            )
        )
    headings = (
        "K",
        "gamma",
        "T",
        "mean regret",
        "foreseen",
        "random play",
        "arms removed, foreseen",
        "right",
    )
    return Table("Beat the Mean with the gamma that the problem needs", headings, rows)
