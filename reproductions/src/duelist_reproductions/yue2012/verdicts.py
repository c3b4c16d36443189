"""What is found out about the claims of Figures 1 to 4."""

import numpy as np

from duelist.duel import FloatArray
from duelist.laboratory.items import Expected, Finding
from duelist.laboratory.work import ItemResults
from duelist_reproductions.yue2012.readings import (
    Trend,
    gather,
    match_ratio,
    median_floor,
    misfit,
    proportional_slope,
    regret_ratio,
    sizes_of,
    tolerances_of,
    trend,
)
from duelist_reproductions.yue2012.sweep import FILTERS
from duelist_reproductions.yue2012.web_search import MAIN

MADE_UP = "The documents are made up, and so are these rankers."


def judge_worst_case(results: ItemResults, expected: Expected) -> dict[str, Finding]:
    """Figure 1: IF2 is ahead, and the more so the more arms there are."""
    sizes, tolerances = sizes_of(results), tolerances_of(expected)
    columns = [regret_ratio(results, k=k) for k in sizes]
    medians = np.array([np.median(column) for column in columns])
    line = trend(sizes, medians)
    return {
        "if2_ahead": judge_ahead(sizes, columns, "regret"),
        "grows": Finding(ours=describe(line), value=line.low > 0.0),
        "logarithmic": judge_form(sizes, columns, tolerances["logarithmic"]),
        "mistakes": judge_mistakes(results, tolerances["mistakes"]),
    }


def judge_random_case(results: ItemResults, expected: Expected) -> dict[str, Finding]:
    """Figure 2: IF2 is ahead, by about as much with few arms as with many."""
    sizes, tolerances = sizes_of(results), tolerances_of(expected)
    columns = [regret_ratio(results, k=k) for k in sizes]
    return {
        "if2_ahead": judge_ahead(sizes, columns, "regret"),
        "flat": judge_flat(sizes, columns, tolerances["flat"]),
        "mistakes": judge_mistakes(results, tolerances["mistakes"]),
    }


def judge_web_search(results: ItemResults, expected: Expected) -> dict[str, Finding]:
    """Figures 3 and 4: IF2 is ahead, but not by log K, for there are few rounds and few survivors."""
    sizes, tolerances = sizes_of(results), tolerances_of(expected)
    # trials with the same rankers are not independent, choices of rankers are
    regret = [np.median(regret_ratio(results, k=k, **MAIN), axis=1) for k in sizes]
    matches = [np.median(match_ratio(results, k=k, **MAIN), axis=1) for k in sizes]
    return {
        "if2_ahead": judge_ahead(sizes, regret, "regret"),
        "flat": judge_flat(sizes, regret, tolerances["flat"]),
        "fewer_matches": judge_ahead(sizes, matches, "matches"),
        "few_rounds": judge_rounds(
            results, sizes, expected["claims"]["few_rounds"]["paper"], tolerances["few_rounds"]
        ),
        "few_survivors": judge_survivors(results, sizes, tolerances["few_survivors"]),
        "mistakes": judge_mistakes(results, tolerances["mistakes"]),
    }


def judge_ahead(sizes: list[int], columns: list[FloatArray], what: str) -> Finding:
    """Find out whether the median ratio of IF1 to IF2 is above 1 for every number of arms."""
    medians = [float(np.median(column)) for column in columns]
    floors = [median_floor(column) for column in columns]
    lowest = int(np.argmin(floors))
    return Finding(
        ours=f"median ratio of {what} {min(medians):.3f} to {max(medians):.3f}; with 95% confidence above "
        f"{floors[lowest]:.3f} at K = {sizes[lowest]}, where it is least sure",
        value=floors[lowest] > 1.0,
    )


def judge_mistakes(results: ItemResults, tolerance: float) -> Finding:
    """Count the runs that ended with a wrong arm."""
    runs = [one for one in results.values() if "winner" in one]
    wrong = sum(int((one[f"{name}_best"] != one["winner"]).sum()) for one in runs for name in FILTERS)
    played = sum(one[f"{name}_best"].size for one in runs for name in FILTERS)
    return Finding(ours=f"{wrong} of {played:,} runs ended with a wrong arm", value=wrong <= tolerance)


def judge_form(sizes: list[int], columns: list[FloatArray], tolerance: float) -> Finding:
    """Find out whether medians lie on a line a + b log K up to chance, and not on a level."""
    medians = np.array([np.median(column) for column in columns])
    line = trend(sizes, medians).at(np.array(sizes, np.float64))
    straight = np.polynomial.Polynomial.fit(sizes, medians, 1)(np.array(sizes, np.float64))
    off_line, chance = misfit(columns, line, parameters=2)
    off_level, level_chance = misfit(columns, np.full(len(sizes), medians.mean()), parameters=1)
    off_straight, _ = misfit(columns, straight, parameters=2)
    return Finding(
        ours=f"the medians miss a + b log K by a chi-square of {off_line:.1f} (p = {chance:.2f}), a level by "
        f"{off_level:.0f} (p = {level_chance:.1g}), and a + b K by {off_straight:.1f}",
        value=chance > tolerance > level_chance,
    )


def judge_flat(sizes: list[int], columns: list[FloatArray], tolerance: float) -> Finding:
    """Find out whether medians grow less than in proportion to log K, as the worst-case bounds do."""
    medians = np.array([np.median(column) for column in columns])
    line = trend(sizes, medians)
    proportional = proportional_slope(sizes, medians)
    return Finding(
        ours=f"{describe(line)}; in proportion to log K it would be {proportional:.3f}",
        value=line.high < tolerance * proportional,
    )


def judge_rounds(results: ItemResults, sizes: list[int], paper: list[int], tolerance: float) -> Finding:
    """Find out whether the middle half of runs have as many rounds as the paper's, for any number of arms."""
    fewest, most = paper[0] - tolerance, paper[1] + tolerance
    rounds = {
        (name, k): gather(results, f"{name}_rounds", k=k, **MAIN).ravel() for name in FILTERS for k in sizes
    }
    quarters = np.array([np.quantile(one, (0.25, 0.75)) for one in rounds.values()])
    within = np.mean([np.mean((one >= fewest) & (one <= most)) for one in rounds.values()])
    return Finding(
        ours=f"the middle half of runs have {quarters.min():g} to {quarters.max():g} rounds; {within:.0%} of "
        f"all runs have {fewest:g} to {most:g}",
        value=bool(quarters.min() >= fewest and quarters.max() <= most) if results.real else None,
        note="" if results.real else MADE_UP,
    )


def judge_survivors(results: ItemResults, sizes: list[int], tolerance: float) -> Finding:
    """Find out which share of arms IF1, which does not prune, still has when a later round begins."""
    shares = []
    for k in sizes:
        matches = gather(results, "if1_matches", k=k, **MAIN)
        rounds = gather(results, "if1_rounds", k=k, **MAIN)
        shares.append(survivors(matches, rounds, k))
    return Finding(
        ours=f"when a later round of IF1 begins, {min(shares):.0%} to {max(shares):.0%} of arms are left",
        value=max(shares) <= tolerance if results.real else None,
        note="" if results.real else MADE_UP,
    )


def survivors(matches: FloatArray, rounds: FloatArray, k: int) -> float:
    """Return the mean share of the other arms that play in a round after the first."""
    later = np.maximum(rounds - 1, 0).sum()
    return float((matches - (k - 1)).sum() / max(later * (k - 1), 1))


def describe(line: Trend) -> str:
    """Return a fitted line in words."""
    return (
        f"median ratio = {line.intercept:.2f} {line.slope:+.3f} log K, the slope between {line.low:.3f} and "
        f"{line.high:.3f} (95% one-sided each), R^2 = {line.explained:.2f}"
    )
