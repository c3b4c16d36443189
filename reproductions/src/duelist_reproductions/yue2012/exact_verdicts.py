"""What is found out about matches and regret on the worst case where their expectations are known exactly.

What is proven about them is one-sided, so that filters which explore too little, or prune too much, meet it.
"""

from math import inf, sqrt

import numpy as np

from duelist.laboratory.items import Finding
from duelist.laboratory.work import ItemResults
from duelist_reproductions.single_match import allowed, farthest, mean_length
from duelist_reproductions.yue2012.expectations import expected_matches, expected_regret
from duelist_reproductions.yue2012.readings import AT_END, gather, standard_errors
from duelist_reproductions.yue2012.sweep import FILTERS


def judge_match_length(results: ItemResults, tolerance: float) -> Finding:
    """Compare how often single matches are decided within so many duels with the exact chances."""
    played = results["single-matches"]
    runs, chances = played.setting["runs"], played["decided"]
    duels = {name: played[f"{name}_duels"] for name in FILTERS}
    apart = max(farthest(one, chances) for one in duels.values())
    most = allowed(runs, tolerance)
    means = ", ".join(f"{name.upper()} {one.mean():,.0f}" for name, one in duels.items())
    return Finding(
        ours=f"mean duels of {runs:,} matches: {means}, expected {mean_length(chances):,.0f}; shares decided "
        f"by any duel at most {apart:.4f} off, chance allows {most:.4f}",
        value=apart <= most,
    )


def judge_full_matches(results: ItemResults, tolerance: float) -> Finding:
    """Compare the mean length of matches that are played to their ends with its expectation.

    Runs with a single round began with the best arm, and all of its matches are decided.
    """
    exact = results["expectations"]
    distances, counted, without = [], [], []
    for k, shortest, deviation in zip(
        exact.setting["sizes"], exact["shortest"], exact["deviation"], strict=True
    ):
        for name in FILTERS:
            duels = gather(results, f"{name}_duels", k=k)[gather(results, f"{name}_rounds", k=k) == 1]
            matches = len(duels) * (k - 1)
            if matches > 0:
                mean, error = float(duels.sum()) / matches, float(deviation) / sqrt(matches)
                distances.append(abs(mean - float(shortest[1])) / error)
                counted.append(f"{matches:,} with {k}")
            else:
                without.append(f"{name.upper()} with {k} arms")
    farthest_off = max(distances, default=inf)
    missing = f"; there are none of {', '.join(without)}" if without else ""
    return Finding(
        ours=f"mean length off its expectation by at most {farthest_off:.1f} standard errors; matches of "
        f"either filter and numbers of arms: {', '.join(dict.fromkeys(counted))}{missing}",
        value=farthest_off < tolerance,
    )


def judge_exact_matches(results: ItemResults, sizes: list[int], tolerance: float) -> Finding:
    """Compare the mean number of matches with its expectation."""
    matches = {(name, k): gather(results, f"{name}_matches", k=k) for name in FILTERS for k in sizes}
    distances = [standard_errors(one, expected_matches(*which)) for which, one in matches.items()]
    first, last = sizes[0], sizes[-1]
    ends = ", ".join(
        f"{name.upper()} {matches[name, first].mean():,.1f} and {matches[name, last].mean():,.1f} (expected "
        f"{expected_matches(name, first):,.1f} and {expected_matches(name, last):,.1f})"
        for name in FILTERS
    )
    return Finding(
        ours=f"off by at most {np.abs(distances).max():.1f} standard errors; with {first} and {last} arms: "
        f"{ends}",
        value=bool(np.abs(distances).max() < tolerance),
    )


def judge_exact_regret(results: ItemResults, tolerance: float) -> Finding:
    """Compare the mean regret for each match with its expectation.

    A run's regret less what as many matches cost in expectation is 0 in expectation. It varies little, for
    how much regret there is depends above all on how many matches there are.
    """
    exact = results["expectations"]
    epsilon = exact.setting["epsilon"]
    distances, errors = [], []
    for k, shortest in zip(exact.setting["sizes"], exact["shortest"], strict=True):
        for name in FILTERS:
            regret = gather(results, f"{name}_regret", k=k)[:, AT_END]
            expected = expected_regret(name, k, shortest, epsilon)
            rest = regret - expected / expected_matches(name, k) * gather(results, f"{name}_matches", k=k)
            distances.append(standard_errors(rest, 0.0))
            errors.append(float(rest.std(ddof=1)) / sqrt(len(rest)) / expected)
    sizes = ", ".join(str(k) for k in exact.setting["sizes"])
    return Finding(
        ours=f"off by at most {np.abs(distances).max():.1f} standard errors, which are {min(errors):.2%} to "
        f"{max(errors):.2%} of it, with {sizes} arms",
        value=bool(np.abs(distances).max() < tolerance),
    )
