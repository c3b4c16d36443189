"""Findings about the random walk, and about rounds, matches and regret in the worst case.

The theorems are one-sided, so filters that explore too little, or prune too much, meet them; exact
expectations detect such filters.
"""

from math import inf, sqrt
from typing import TypeAlias

import numpy as np

from duelist.duel import FloatArray
from duelist.laboratory import Expected, Finding, ItemResults
from duelist_reproductions.single_match import allowed, farthest, mean_length
from duelist_reproductions.yue2012.expectations import (
    expected_matches,
    expected_regret,
    harmonic,
    proven_matches,
    proven_regret,
    walk_chances,
    walk_spread,
)
from duelist_reproductions.yue2012.readings import regret_of, sizes_of, standard_errors, trend
from duelist_reproductions.yue2012.sweep import EPSILON, FILTERS, HORIZON
from duelist_reproductions.yue2012.verdicts import find_mistakes

Runs: TypeAlias = dict[tuple[str, int], FloatArray]
"""A number per run, by filter and number of arms."""


def find_theory(results: ItemResults, expected: Expected) -> dict[str, Finding]:
    """Return findings about Lemmas 4, 5, 8 and 9, Proposition 1, Corollary 1 and Theorems 1 to 3."""
    which = [(name, k) for name in FILTERS for k in sizes_of(results)]
    rounds, matches, duels = (
        {(name, k): results.stacked(f"{name}_{what}", k=k) for name, k in which}
        for what in ("rounds", "matches", "duels")
    )
    regret = {(name, k): regret_of(results, name, k=k) for name, k in which}
    tolerances = {name: claim["tolerance"] for name, claim in expected["claims"].items()}
    return {
        "mistakes": find_mistakes(results),
        **find_rounds(results, rounds, tolerances["dominated"]),
        **find_matches(matches),
        "exact_matches": find_exact_matches(matches),
        **find_regret(results, matches, regret, tolerances["regret"]),
        "match_length": find_match_length(results, tolerances["match_length"]),
        "full_matches": find_full_matches(results, rounds, duels),
    }


def find_rounds(results: ItemResults, rounds: Runs, level: float) -> dict[str, Finding]:
    """Compare walks with 1 + H(K-1), rounds with walks from a random node, H(K), and with longer walks."""
    walks, walked = results["walks"], []
    for k, counts in zip(walks.setting["sizes"], walks["lengths"], strict=True):
        mean = float((counts * np.arange(len(counts))).sum() / counts.sum())
        walked.append((mean - 1.0 - harmonic(k - 1)) / (walk_spread(k - 1) / sqrt(counts.sum())))
    off, excess = [], []
    for (_, k), one in rounds.items():
        off.append((one.mean() - harmonic(k)) / (walk_spread(k) / sqrt(len(one))))
        longer = (one[:, np.newaxis] > np.arange(k + 1)).mean(axis=0)
        excess.append(float((longer - (1.0 - np.cumsum(walk_chances(k)))).max()))
    most = [allowed(len(one), 2.0 * level) for one in rounds.values()]  # on one side alone
    last = max(k for _, k in rounds)
    ends = ", ".join(f"{name.upper()} {rounds[name, last].mean():.2f}" for name in FILTERS)
    return {
        "walk": Finding(
            f"mean length of {walks.setting['walks']:,} walks off 1 + H(K-1) by at most "
            f"{np.abs(walked).max():.1f} standard errors",
            walked,
        ),
        "rounds": Finding(
            f"mean rounds off H(K) by at most {np.abs(off).max():.1f} standard errors; at K = {last} {ends}, "
            f"expected {harmonic(last):.2f}, bound {1.0 + harmonic(last - 1):.2f}",
            off,
        ),
        "dominated": Finding(
            f"more than r rounds at most {max(excess):.3f} more often than walks from the last node are "
            f"longer; chance allows {min(most):.3f}",
            excess,
            limit=most,
        ),
    }


def find_matches(matches: Runs) -> dict[str, Finding]:
    """Compare mean matches with their bounds, and those of IF1 with those of IF2."""
    sizes = sorted({k for _, k in matches})
    first, last = sizes[0], sizes[-1]
    means = {name: np.array([matches[name, k].mean() for k in sizes]) for name in FILTERS}
    found = {}
    for name, mean in means.items():
        bounds = [proven_matches(name, k) for k in sizes]
        below = [-standard_errors(matches[name, k], bound) for k, bound in zip(sizes, bounds, strict=True)]
        found[f"{name}_matches"] = Finding(
            f"{mean[-1]:,.0f} matches at K = {last}, {mean[-1] / last:.2f} K; at most "
            f"{(mean / bounds).max():.2f} of the bound, {bounds[-1]:,.0f} at that K, and at least "
            f"{min(below):.1f} standard errors below it",
            below,
        )
    ratio = means["if1"] / means["if2"]
    line, slopes = trend(sizes, ratio), [trend(sizes, mean / sizes).slope for mean in means.values()]
    found["pruning_saves"] = Finding(
        f"{ratio[0]:.2f} times the matches at K = {first}, {ratio[-1]:.2f} at K = {last}: {line.slope:.2f} "
        f"(at least {line.low:.2f}) a unit of log K; matches / K grow by {slopes[0]:.2f} for IF1 and by "
        f"{slopes[1]:.2f} for IF2",
        line.low,
    )
    return found


def find_exact_matches(matches: Runs) -> Finding:
    """Compare mean matches with their expectations."""
    off = [standard_errors(one, expected_matches(*which)) for which, one in matches.items()]
    first, last = (end(k for _, k in matches) for end in (min, max))
    ends = ", ".join(
        f"{name.upper()} {matches[name, first].mean():,.1f} and {matches[name, last].mean():,.1f} (expected "
        f"{expected_matches(name, first):,.1f} and {expected_matches(name, last):,.1f})"
        for name in FILTERS
    )
    words = f"off by at most {np.abs(off).max():.1f} standard errors; with {first} and {last} arms: {ends}"
    return Finding(words, off)


def find_regret(results: ItemResults, matches: Runs, regret: Runs, errors: float) -> dict[str, Finding]:
    """Compare mean regret with both bounds, and regret per match with its expectation.

    A run's regret minus the expected cost of that many matches is 0 in expectation. The difference varies
    little, because regret depends mostly on the number of matches.
    """
    parts, held = [], []
    for name in FILTERS:
        own = {k: one for (whose, k), one in regret.items() if whose == name}
        proven = {k: proven_regret(name, k, HORIZON, EPSILON) for k in own}
        above = [one.mean() / results.stacked("lower_bound", k=k)[0] for k, one in own.items()]
        share = max(one.mean() / proven[k] for k, one in own.items())
        held += [min(above) > 1.0, *(standard_errors(own[k], proven[k]) <= -errors for k in own)]
        parts.append(
            f"{name.upper()} {min(above):.1f} to {max(above):.1f} times the lower bound, at most {share:.2f} "
            "of the upper"
        )
    exact, off, error = results["expectations"], [], []
    for k, shortest in zip(exact.setting["sizes"], exact["shortest"], strict=True):
        for name in FILTERS:
            cost = expected_regret(name, k, shortest, exact.setting["epsilon"])
            rest = regret[name, k] - cost / expected_matches(name, k) * matches[name, k]
            off.append(standard_errors(rest, 0.0))
            error.append(float(rest.std(ddof=1)) / sqrt(len(rest)) / cost)
    return {
        "regret": Finding("; ".join(parts), held),
        "exact_regret": Finding(
            f"off by at most {np.abs(off).max():.1f} standard errors, which are {min(error):.2%} to "
            f"{max(error):.2%} of it, with {', '.join(str(k) for k in exact.setting['sizes'])} arms",
            off,
        ),
    }


def find_match_length(results: ItemResults, level: float) -> Finding:
    """Compare the shares of single matches decided within n duels with the exact chances."""
    played = results["single-matches"]
    runs, chances = played.setting["runs"], played["decided"]
    duels = {name: played[f"{name}_duels"] for name in FILTERS}
    apart, most = max(farthest(one, chances) for one in duels.values()), allowed(runs, level)
    means = ", ".join(f"{name.upper()} {one.mean():,.0f}" for name, one in duels.items())
    return Finding(
        f"mean duels of {runs:,} matches: {means}, expected {mean_length(chances):,.0f}; shares decided by "
        f"any duel at most {apart:.4f} off, chance allows {most:.4f}",
        apart,
        limit=most,
    )


def find_full_matches(results: ItemResults, rounds: Runs, duels: Runs) -> Finding:
    """Compare the mean length of matches played to the end with its expectation.

    Runs with a single round began with the best arm, and all its matches are decided.
    """
    exact = results["expectations"]
    off, counted, without = [], [], []
    for row, k in enumerate(exact.setting["sizes"]):
        mean, deviation = float(exact["shortest"][row, 1]), float(exact["deviation"][row])
        for name in FILTERS:
            ended = rounds[name, k] == 1
            matches = int(ended.sum()) * (k - 1)
            if matches == 0:
                without.append(f"{name.upper()} with {k} arms")
                continue
            counted.append(f"{matches:,} with {k}")
            off.append((float(duels[name, k][ended].sum()) / matches - mean) / (deviation / sqrt(matches)))
    missing = f"; there are none of {', '.join(without)}" if without else ""
    return Finding(
        f"mean length off its expectation by at most {max(map(abs, off), default=inf):.1f} standard errors; "
        f"matches of either filter and numbers of arms: {', '.join(dict.fromkeys(counted))}{missing}",
        off or inf,
    )
