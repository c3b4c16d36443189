"""What is found out about the random walk, and about rounds, matches and regret on the worst case."""

from math import sqrt

import numpy as np

from duelist.laboratory.items import Expected, Finding
from duelist.laboratory.work import ItemResults
from duelist_reproductions.single_match import allowed
from duelist_reproductions.yue2012.exact_verdicts import (
    judge_exact_matches,
    judge_exact_regret,
    judge_full_matches,
    judge_match_length,
)
from duelist_reproductions.yue2012.expectations import harmonic
from duelist_reproductions.yue2012.readings import (
    AT_END,
    gather,
    sizes_of,
    standard_errors,
    tolerances_of,
    trend,
)
from duelist_reproductions.yue2012.sweep import EPSILON, FILTERS, HORIZON
from duelist_reproductions.yue2012.theory import MATCHES, proven_regret, walk_chances
from duelist_reproductions.yue2012.verdicts import judge_mistakes


def judge_theory(results: ItemResults, expected: Expected) -> dict[str, Finding]:
    """Find out about Lemmas 4, 5, 8 and 9, Proposition 1, Corollary 1 and Theorems 1 to 3."""
    sizes, tolerances = sizes_of(results), tolerances_of(expected)
    return {
        "walk": judge_walk(results, tolerances["walk"]),
        "rounds": judge_rounds(results, sizes, tolerances["rounds"]),
        "dominated": judge_domination(results, sizes, tolerances["dominated"]),
        "if1_matches": judge_matches(results, sizes, "if1", tolerances["if1_matches"]),
        "if2_matches": judge_matches(results, sizes, "if2", tolerances["if2_matches"]),
        "pruning_saves": judge_growth(results, sizes),
        "mistakes": judge_mistakes(results, tolerances["mistakes"]),
        "regret": judge_regret(results, sizes, tolerances["regret"]),
        "match_length": judge_match_length(results, tolerances["match_length"]),
        "full_matches": judge_full_matches(results, tolerances["full_matches"]),
        "exact_matches": judge_exact_matches(results, sizes, tolerances["exact_matches"]),
        "exact_regret": judge_exact_regret(results, tolerances["exact_regret"]),
    }


def judge_walk(results: ItemResults, tolerance: float) -> Finding:
    """Compare the mean length of walks with 1 + H_{K-1}."""
    walks = results["walks"]
    distances = []
    for k, counts in zip(walks.setting["sizes"], walks["lengths"], strict=True):
        length = np.arange(len(counts))
        mean = float((counts * length).sum() / counts.sum())
        distances.append((mean - 1.0 - harmonic(k - 1)) / (walk_spread(k - 1) / sqrt(counts.sum())))
    return Finding(
        ours=f"mean length of {walks.setting['walks']:,} walks off 1 + H(K-1) by at most "
        f"{np.abs(distances).max():.1f} standard errors",
        value=bool(np.abs(distances).max() < tolerance),
    )


def judge_rounds(results: ItemResults, sizes: list[int], tolerance: float) -> Finding:
    """Compare the mean number of rounds with that of walks from a random node: H_K."""
    distances = []
    for name in FILTERS:
        for k in sizes:
            rounds = gather(results, f"{name}_rounds", k=k)
            distances.append((rounds.mean() - harmonic(k)) / (walk_spread(k) / sqrt(len(rounds))))
    last = [gather(results, f"{name}_rounds", k=sizes[-1]).mean() for name in FILTERS]
    return Finding(
        ours=f"mean rounds off H(K) by at most {np.abs(distances).max():.1f} standard errors; at K = "
        f"{sizes[-1]} IF1 {last[0]:.2f}, IF2 {last[1]:.2f}, expected {harmonic(sizes[-1]):.2f}, bound "
        f"{1.0 + harmonic(sizes[-1] - 1):.2f}",
        value=bool(np.abs(distances).max() < tolerance),
    )


def walk_spread(nodes: int) -> float:
    """Return the standard deviation of how many of the first nodes a walk visits: node i with chance 1/i."""
    visited = 1.0 / np.arange(1, nodes + 1)
    return float(np.sqrt((visited * (1.0 - visited)).sum()))


def judge_domination(results: ItemResults, sizes: list[int], tolerance: float) -> Finding:
    """Compare how often there are more than r rounds with how often walks are longer, for every r."""
    excess, most = [], []
    for name in FILTERS:
        for k in sizes:
            rounds = gather(results, f"{name}_rounds", k=k)
            length = np.arange(k + 1)
            longer = (rounds[:, np.newaxis] > length).mean(axis=0)
            excess.append(float((longer - (1.0 - np.cumsum(walk_chances(k)))).max()))
            most.append(allowed(len(rounds), 2.0 * tolerance))  # on one side alone
    return Finding(
        ours=f"more than r rounds at most {max(excess):.3f} more often than walks from the last node are "
        f"longer; chance allows {min(most):.3f}",
        value=all(one <= limit for one, limit in zip(excess, most, strict=True)),
    )


def judge_matches(results: ItemResults, sizes: list[int], name: str, tolerance: float) -> Finding:
    """Compare the mean number of matches with what is proven."""
    matches = [gather(results, f"{name}_matches", k=k) for k in sizes]
    bounds = [MATCHES[name](k) for k in sizes]
    last = matches[-1].mean()
    shares = [one.mean() / bound for one, bound in zip(matches, bounds, strict=True)]
    below = [-standard_errors(one, bound) for one, bound in zip(matches, bounds, strict=True)]
    return Finding(
        ours=f"{last:,.0f} matches at K = {sizes[-1]}, {last / sizes[-1]:.2f} K; at most {max(shares):.2f} "
        f"of the bound, {bounds[-1]:,.0f} at that K, and at least {min(below):.1f} standard errors below it",
        value=min(below) >= tolerance,
    )


def judge_growth(results: ItemResults, sizes: list[int]) -> Finding:
    """Find out whether IF1 plays the more matches for each of IF2's, the more arms there are."""
    means = {name: [gather(results, f"{name}_matches", k=k).mean() for k in sizes] for name in FILTERS}
    ratio = np.array(means["if1"]) / np.array(means["if2"])
    line = trend(sizes, ratio)
    slopes = [trend(sizes, np.array(means[name]) / sizes).slope for name in FILTERS]
    return Finding(
        ours=f"{ratio[0]:.2f} times the matches at K = {sizes[0]}, {ratio[-1]:.2f} at K = {sizes[-1]}: "
        f"{line.slope:.2f} (at least {line.low:.2f}) a unit of log K; matches / K grow by {slopes[0]:.2f} "
        f"for IF1 and by {slopes[1]:.2f} for IF2",
        value=line.low > 0.0,
    )


def judge_regret(results: ItemResults, sizes: list[int], tolerance: float) -> Finding:
    """Compare mean regret with the lower bound and with matches times the longest match."""
    parts, held = [], True
    for name in FILTERS:
        above, shares, below = [], [], []
        for k in sizes:
            regret = gather(results, f"{name}_regret", k=k)[:, AT_END]
            proven = proven_regret(name, k, HORIZON, EPSILON)
            above.append(regret.mean() / gather(results, "lower_bound", k=k)[0])
            shares.append(regret.mean() / proven)
            below.append(-standard_errors(regret, proven))
        parts.append(
            f"{name.upper()} {min(above):.1f} to {max(above):.1f} times the lower bound, at most "
            f"{max(shares):.2f} of the upper"
        )
        held = held and bool(min(above) > 1.0) and min(below) >= tolerance
    return Finding(ours="; ".join(parts), value=held)
