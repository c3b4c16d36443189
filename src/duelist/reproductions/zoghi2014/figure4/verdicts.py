"""Figure 4: whether the paper's claims hold."""

from math import isfinite, log

import numpy as np

from duelist.laboratory import Expected, Finding, Results, Scale
from duelist.reproductions.zoghi2014.figure4.measures import (
    LEVELS,
    gather,
    growth_ratio,
    last_horizon,
    median_share,
    ratio_of_means,
    subset_ratios,
    time_shares,
)
from duelist.reproductions.zoghi2014.figure4.sweep import LATE, SETTINGS

UNREAL = "The number is one of the paper's data; made-up preferences have another."
TOO_SHORT = "The claim is about the end of 4.5 million rounds and 100 runs; this scale plays less."


def judge(results: Results, expected: Expected) -> dict[str, Finding]:
    """Return what was found out about every claim."""
    claims = expected["claims"]
    findings = {}
    for k in SETTINGS[Scale.PAPER].sizes:
        for name, finding in ((f"regret_ratio_{k}", regret_ratio), (f"accuracy_time_{k}", accuracy_time)):
            if k in SETTINGS[results.scale].sizes:
                low, high = bounds_of(claims[name])
                findings[name] = weigh(finding(results, k, low, high), results)
            else:
                findings[name] = Finding("not played", None, f"This scale leaves out {k} rankers.")
    return findings | {
        "beat_the_mean": beat_the_mean(results),
        "right_at_the_end": right_at_the_end(results),
        "logarithmic_growth": logarithmic_growth(results),
        "gamma_64": gamma_64(results, claims["gamma_64"]),
        "earlier_program": earlier_program(results, expected["earlier_program"]),
    }


def bounds_of(claim: Expected) -> tuple[float, float]:
    """Return what still agrees with the paper: beyond a range by the tolerance, or a number by the factor."""
    paper, tolerance = claim["paper"], claim["tolerance"]
    if isinstance(paper, list):
        return paper[0] - tolerance, paper[1] + tolerance
    return paper / tolerance, paper * tolerance


def weigh(finding: Finding, results: Results) -> Finding:
    """Return a finding on a number of the paper's, unjudged where that is not the paper's experiment."""
    if results.scale is not Scale.PAPER:
        return Finding(finding.ours, None, TOO_SHORT)
    return finding if results.real else Finding(finding.ours, None, UNREAL)


def regret_ratio(results: Results, k: int, low: float, high: float) -> Finding:
    """Judge whether SAVAGE ends with so many times RUCB's regret; look for the reason if not."""
    end = last_horizon(results)
    ratio = ratio_of_means(*(gather(results, k, one).at(end) for one in ("CondorcetSavage", "RUCB")))
    holds = ratio.high >= low and ratio.low <= high
    others = subset_ratios(results, k)
    (far,) = results.where(k=k, subset=0)
    rounds = far.setting["horizons"][-1]
    distant = far["CondorcetSavage"][:, -1].mean() / far["RUCB"][:, -1].mean()
    growth = growth_ratio(far["CondorcetSavage"], far["RUCB"])
    note = (
        f"At {rounds:,} rounds the ratio is {distant:.2f}; from {end:,} rounds to there SAVAGE gains "
        f"{growth:.1f} times the regret that RUCB gains. With twice its radius' square, log(2NT/delta) / n, "
        f"SAVAGE would end with {subset_ratios(results, k, 'wide')[0]:.2f} times RUCB's regret."
    )
    if len(others) > 1:
        within = np.mean((others >= low) & (others <= high))
        note += (
            f" The paper's {k} rankers are not known: over {len(others)} random subsets the ratio goes from "
            f"{others.min():.2f} to {others.max():.2f}, with {within:.0%} between {low:g} and {high:g}."
        )
    return Finding(f"SAVAGE ends with {ratio} times RUCB's regret", holds, note)


def accuracy_time(results: Results, k: int, low: float, high: float) -> Finding:
    """Judge in which share of SAVAGE's time RUCB is as accurate."""
    optimist, savage = gather(results, k, "RUCB"), gather(results, k, "CondorcetSavage")
    shares = time_shares(optimist, savage.rounds, savage.accuracy)
    share = median_share(shares)
    decided = median_share(time_shares(optimist, savage.rounds, savage.decided))
    reading = f"RUCB needs {decided:.1%}" if isfinite(decided) else "it is never right in half of its runs"
    levels = ", ".join(
        f"{level:.0%} in {one:.0%}" for level, one in zip(LEVELS, shares, strict=True) if isfinite(one)
    )
    note = (
        f"Accuracy of {levels} of SAVAGE's time. What SAVAGE answers when the horizon ends its exploration, "
        f"the paper does not say; here it is the arm that leads the most. If SAVAGE is right only once it "
        f"has ruled out all other arms, {reading}."
    )
    return Finding(f"RUCB needs {share:.1%} of SAVAGE's time", low <= share <= high, note)


def beat_the_mean(results: Results) -> Finding:
    """Judge whether Beat the Mean ends with more regret than SAVAGE, at every size."""
    end, sizes = last_horizon(results), SETTINGS[results.scale].sizes
    mean, savage = ({k: gather(results, k, one) for k in sizes} for one in ("BeatTheMean", "CondorcetSavage"))
    ratios = {k: ratio_of_means(mean[k].at(end), savage[k].at(end)) for k in sizes}
    ours = "; ".join(f"K = {k}: {ratio} times SAVAGE's regret" for k, ratio in ratios.items())
    right = "; ".join(f"K = {k}: {mean[k].accuracy[-1]:.0%}" for k in sizes)
    note = f"Of its runs, the arm leading when the horizon ends is right in: {right}."
    return Finding(ours, all(ratio.low > 1.0 for ratio in ratios.values()), note)


def right_at_the_end(results: Results) -> Finding:
    """Judge whether RUCB names the Condorcet winner in every run."""
    right = {k: gather(results, k, "RUCB").right[:, -1] for k in SETTINGS[results.scale].sizes}
    ours = "; ".join(f"K = {k}: {runs.sum()} of {len(runs)} runs" for k, runs in right.items())
    return Finding(ours, all(runs.all() for runs in right.values()))


def logarithmic_growth(results: Results) -> Finding:
    """Judge whether RUCB's regret grows no faster than the logarithm of the round, late."""
    end = last_horizon(results)
    early = round(end / LATE)
    allowed = log(end) / log(early)
    played = {k: gather(results, k, "RUCB") for k in SETTINGS[results.scale].sizes}
    grown = {k: one.at(end).mean() / one.at(early).mean() for k, one in played.items()}
    ours = "; ".join(f"K = {k}: {ratio:.3f} times" for k, ratio in grown.items())
    ours = f"regret from {early:,} to {end:,} rounds: {ours}; the logarithm: {allowed:.3f} times"
    return Finding(ours, all(1.0 < ratio <= allowed for ratio in grown.values()))


def gamma_64(results: Results, claim: Expected) -> Finding:
    """Judge whether the table of all rankers has the gamma that the paper prints."""
    problem = results["problem-k=64"]
    gamma, defined = float(problem["gamma_of_table"]), float(problem["gamma"])
    ours = f"{gamma:.2f}"
    if not results.real:
        return Finding(ours, None, UNREAL)
    note = (
        f"For all pairs in the table's order; for pairs of which the first beats the second, {defined:.2f}."
    )
    return Finding(ours, abs(gamma - claim["paper"]) <= claim["tolerance"], note)


def earlier_program(results: Results, earlier: Expected) -> Finding:
    """Judge whether RUCB on all rankers is what another program found, up to the luck of both."""
    if 64 not in SETTINGS[results.scale].sizes:
        return Finding("not played", None, "This scale leaves out 64 rankers.")
    played = gather(results, 64, "RUCB")
    ours = [played.at(int(rounds)) for rounds in earlier["regret"]] + [played.informative[:, -1]]
    theirs = [*earlier["regret"].values(), earlier["informative"]]
    errors = [one.std(ddof=1) * (1 / len(one) + 1 / earlier["runs"]) ** 0.5 for one in ours]
    apart = [(one.mean() - other) / error for one, other, error in zip(ours, theirs, errors, strict=True)]
    means = ", ".join(f"{one.mean():,.0f}" for one in ours)
    said = f"{means}; {max(map(abs, apart)):.1f} standard errors apart at most"
    if not results.real:
        return Finding(said, None, UNREAL)
    return Finding(said, all(abs(one) <= 3.0 for one in apart))
