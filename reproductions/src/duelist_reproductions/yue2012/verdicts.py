"""Findings about the claims of Figures 1 to 4."""

import numpy as np

from duelist.duel import FloatArray
from duelist.laboratory import Expected, Finding, ItemResults
from duelist.laboratory.comparisons import bounds_of
from duelist_reproductions.yue2012.readings import median_floor, medians_of, misfit, ratio_of, sizes_of, trend
from duelist_reproductions.yue2012.sweep import FILTERS
from duelist_reproductions.yue2012.web_search import MAIN


def find_synthetic(results: ItemResults, expected: Expected) -> dict[str, Finding]:
    """Figures 1 and 2: IF2 is ahead, by a ratio that grows with the number of arms, or stays the same."""
    sizes, claims = sizes_of(results), expected["claims"]
    columns = [ratio_of(results, "regret", k=k) for k in sizes]
    found = {"if2_ahead": find_ahead(sizes, columns, "regret"), "mistakes": find_mistakes(results)}
    if "flat" in claims:
        return found | {"flat": find_flat(sizes, columns)}
    line = trend(sizes, medians_of(columns))
    form = find_form(sizes, columns, claims["logarithmic"]["tolerance"])
    return found | {"grows": Finding(str(line), line.low), "logarithmic": form}


def find_web_search(results: ItemResults, expected: Expected) -> dict[str, Finding]:
    """Figures 3 and 4: IF2 is ahead, but not by log K, because there are few rounds and few survivors."""
    sizes = sizes_of(results)
    # choices of rankers are independent; trials with the same rankers are not
    regret, matches = (
        [np.median(ratio_of(results, what, k=k, **MAIN), axis=1) for k in sizes]
        for what in ("regret", "matches")
    )
    fewest, most = bounds_of(expected["claims"]["few_rounds"])
    rounds = [results.stacked(f"{name}_rounds", k=k, **MAIN).ravel() for name in FILTERS for k in sizes]
    quarters = np.quantile(rounds, (0.25, 0.75), axis=1)
    within = np.mean([np.mean((one >= fewest) & (one <= most)) for one in rounds])
    shares = [survivors(results, k) for k in sizes]
    return {
        "if2_ahead": find_ahead(sizes, regret, "regret"),
        "flat": find_flat(sizes, regret),
        "fewer_matches": find_ahead(sizes, matches, "matches"),
        "few_rounds": Finding(
            f"the middle half of runs have {quarters.min():g} to {quarters.max():g} rounds; {within:.0%} of "
            f"all runs have {fewest:g} to {most:g}",
            quarters,
        ),
        "few_survivors": Finding(
            f"when a later round of IF1 begins, {min(shares):.0%} to {max(shares):.0%} of arms are left",
            shares,
        ),
        "mistakes": find_mistakes(results),
    }


def find_ahead(sizes: list[int], columns: list[FloatArray], what: str) -> Finding:
    """Bound the median ratio of IF1 to IF2 from below for every number of arms."""
    medians, floors = medians_of(columns), [median_floor(column) for column in columns]
    lowest = int(np.argmin(floors))
    return Finding(
        f"median ratio of {what} {medians.min():.3f} to {medians.max():.3f}; with 95% confidence above "
        f"{floors[lowest]:.3f} at K = {sizes[lowest]}, where it is least sure",
        floors,
    )


def find_mistakes(results: ItemResults) -> Finding:
    """Count the runs that ended with a wrong arm."""
    runs = [one for one in results.values() if "winner" in one]
    wrong = np.concatenate(
        [np.ravel(one[f"{name}_best"] != one["winner"]) for one in runs for name in FILTERS]
    )
    return Finding(f"{wrong.sum()} of {wrong.size:,} runs ended with a wrong arm", int(wrong.sum()))


def find_form(sizes: list[int], columns: list[FloatArray], least: float) -> Finding:
    """Check that medians fit a line a + b log K up to chance, and not a constant."""
    medians = medians_of(columns)
    straight = np.polynomial.Polynomial.fit(sizes, medians, 1)(np.array(sizes, np.float64))
    off_line, chance = misfit(columns, trend(sizes, medians).at(sizes), parameters=2)
    off_level, level_chance = misfit(columns, np.full(len(sizes), medians.mean()), parameters=1)
    off_straight, _ = misfit(columns, straight, parameters=2)
    return Finding(
        f"the medians miss a + b log K by a chi-square of {off_line:.1f} (p = {chance:.2f}), a level by "
        f"{off_level:.0f} (p = {level_chance:.1g}), and a + b K by {off_straight:.1f}",
        [chance > least, level_chance < least],
    )


def find_flat(sizes: list[int], columns: list[FloatArray]) -> Finding:
    """Compare the growth of medians with growth in proportion to log K, as of the worst-case bounds."""
    medians = medians_of(columns)
    line, proportional = trend(sizes, medians), float(medians.mean() / np.mean(np.log(sizes)))
    return Finding(f"{line}; in proportion to log K it would be {proportional:.3f}", line.high / proportional)


def survivors(results: ItemResults, k: int) -> float:
    """Return the mean share of the other arms that play in a round of IF1 after the first."""
    matches, rounds = (results.stacked(f"if1_{what}", k=k, **MAIN) for what in ("matches", "rounds"))
    later = np.maximum(rounds - 1, 0).sum()
    return float((matches - (k - 1)).sum() / max(later * (k - 1), 1))
