"""What is found out about the random walk, and about rounds, matches and regret on the worst case."""

from math import log, sqrt

import numpy as np

from duelist.laboratory.items import Expected, Finding
from duelist.laboratory.work import Results
from duelist.reproductions.single_match import allowed, farthest, mean_length
from duelist.reproductions.yue2012.readings import AT_END, gather, sizes_of, trend
from duelist.reproductions.yue2012.sweep import EPSILON, FILTERS, HORIZON
from duelist.reproductions.yue2012.theory import MATCHES, harmonic, proven_regret, walk_chances
from duelist.types import FloatArray

FAR = 4.0
"""Standard errors between a mean and its expectation: by chance further apart once in 16,000 times."""
SURE = 0.001
"""How often a distribution that is dominated may look as if it were not."""


def judge_theory(results: Results, expected: Expected) -> dict[str, Finding]:
    """Find out about Lemmas 4, 5, 8 and 9, Proposition 1, Corollary 1 and Theorems 1 to 3."""
    sizes = sizes_of(results)
    return {
        "walk": judge_walk(results),
        "rounds": judge_rounds(results, sizes),
        "dominated": judge_domination(results, sizes),
        "if1_matches": judge_matches(results, sizes, "if1"),
        "if2_matches": judge_matches(results, sizes, "if2"),
        "pruning_saves": judge_growth(results, sizes),
        "match_length": judge_match_length(results),
        "mistakes": judge_mistakes(results),
        "regret": judge_regret(results, sizes),
    }


def judge_walk(results: Results) -> Finding:
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
        holds=bool(np.abs(distances).max() < FAR),
    )


def judge_rounds(results: Results, sizes: list[int]) -> Finding:
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
        holds=bool(np.abs(distances).max() < FAR),
    )


def walk_spread(nodes: int) -> float:
    """Return the standard deviation of how many of the first nodes a walk visits: node i with chance 1/i."""
    visited = 1.0 / np.arange(1, nodes + 1)
    return float(np.sqrt((visited * (1.0 - visited)).sum()))


def judge_domination(results: Results, sizes: list[int]) -> Finding:
    """Compare how often there are more than r rounds with how often walks are longer, for every r."""
    excess, allowed = [], []
    for name in FILTERS:
        for k in sizes:
            rounds = gather(results, f"{name}_rounds", k=k)
            length = np.arange(k + 1)
            longer = (rounds[:, np.newaxis] > length).mean(axis=0)
            excess.append(float((longer - (1.0 - np.cumsum(walk_chances(k)))).max()))
            allowed.append(sqrt(-log(SURE) / (2.0 * len(rounds))))
    return Finding(
        ours=f"more than r rounds at most {max(excess):.3f} more often than walks from the last node are "
        f"longer; chance allows {min(allowed):.3f}",
        holds=all(one <= most for one, most in zip(excess, allowed, strict=True)),
    )


def judge_matches(results: Results, sizes: list[int], name: str) -> Finding:
    """Compare the mean number of matches with what is proven."""
    means = np.array([upper_limit(gather(results, f"{name}_matches", k=k)) for k in sizes])
    bounds = np.array([MATCHES[name](k) for k in sizes])
    last = gather(results, f"{name}_matches", k=sizes[-1]).mean()
    return Finding(
        ours=f"{last:,.0f} matches at K = {sizes[-1]}, {last / sizes[-1]:.2f} K; at most "
        f"{(means / bounds).max():.2f} of the bound, {bounds[-1]:,.0f} at that K",
        holds=bool((means <= bounds).all()),
    )


def upper_limit(values: FloatArray) -> float:
    """Return what the expectation behind independent values stays below, but for chance."""
    return float(values.mean() + FAR * values.std(ddof=1) / sqrt(len(values)))


def judge_growth(results: Results, sizes: list[int]) -> Finding:
    """Find out whether IF1 plays the more matches for each of IF2's, the more arms there are."""
    means = {name: [gather(results, f"{name}_matches", k=k).mean() for k in sizes] for name in FILTERS}
    ratio = np.array(means["if1"]) / np.array(means["if2"])
    line = trend(sizes, ratio)
    slopes = [trend(sizes, np.array(means[name]) / sizes).slope for name in FILTERS]
    return Finding(
        ours=f"{ratio[0]:.2f} times the matches at K = {sizes[0]}, {ratio[-1]:.2f} at K = {sizes[-1]}: "
        f"{line.slope:.2f} (at least {line.low:.2f}) a unit of log K; matches / K grow by {slopes[0]:.2f} "
        f"for IF1 and by {slopes[1]:.2f} for IF2",
        holds=line.low > 0.0,
    )


def judge_match_length(results: Results) -> Finding:
    """Compare how often single matches are decided within so many duels with the exact chances."""
    played = results["single-matches"]
    runs, chances = played.setting["runs"], played["decided"]
    duels = {name: played[f"{name}_duels"] for name in FILTERS}
    apart = max(farthest(one, chances) for one in duels.values())
    means = ", ".join(f"{name.upper()} {one.mean():,.0f}" for name, one in duels.items())
    return Finding(
        ours=f"mean duels of {runs:,} matches: {means}, expected {mean_length(chances):,.0f}; shares decided "
        f"by any duel at most {apart:.4f} off, chance allows {allowed(runs):.4f}",
        holds=apart <= allowed(runs),
    )


def judge_mistakes(results: Results) -> Finding:
    """Count the runs that ended with a wrong arm."""
    runs = [one for one in results.values() if "winner" in one]
    wrong = sum(int((one[f"{name}_best"] != one["winner"][0]).sum()) for one in runs for name in FILTERS)
    played = sum(len(one[f"{name}_best"]) for one in runs for name in FILTERS)
    return Finding(ours=f"{wrong} of {played:,} runs ended with a wrong arm", holds=wrong == 0)


def judge_regret(results: Results, sizes: list[int]) -> Finding:
    """Compare mean regret with the lower bound and with matches times the longest match."""
    parts, held = [], True
    for name in FILTERS:
        above, below = [], []
        for k in sizes:
            regret = gather(results, f"{name}_regret", k=k)[:, AT_END]
            above.append(regret.mean() / gather(results, "lower_bound", k=k)[0])
            below.append(upper_limit(regret) / proven_regret(name, k, HORIZON, EPSILON))
        parts.append(
            f"{name.upper()} {min(above):.1f} to {max(above):.1f} times the lower bound, at most "
            f"{max(below):.2f} of the upper"
        )
        held = held and bool(min(above) > 1.0) and max(below) <= 1.0
    return Finding(ours="; ".join(parts), holds=held)
