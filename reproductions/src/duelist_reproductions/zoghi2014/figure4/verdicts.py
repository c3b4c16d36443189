"""Figure 4: whether the paper's claims hold."""

from math import isfinite, log

import numpy as np

from duelist.laboratory import Expected, Finding, ItemResults, Scale
from duelist_reproductions.zoghi2014.figure4.accuracy import LEVELS, ratio_of_times, share_of_time
from duelist_reproductions.zoghi2014.figure4.measures import (
    gather,
    growth_ratio,
    last_horizon,
    ratio_of_means,
    subset_ratios,
)
from duelist_reproductions.zoghi2014.figure4.own_verdicts import UNREAL, judge_ours
from duelist_reproductions.zoghi2014.figure4.sweep import GAMMAS, LATE, SETTINGS

TOO_SHORT = "The claim is about the end of 4.5 million rounds and 100 runs; this scale plays less."


def judge(results: ItemResults, expected: Expected) -> dict[str, Finding]:
    """Return what was found out about every claim."""
    claims = expected["claims"]
    by_size = {
        "regret_ratio": regret_ratio,
        "accuracy_time": accuracy_time,
        "accuracy_contrast": accuracy_contrast,
    }
    findings = {}
    for k in SETTINGS[Scale.PAPER].sizes:
        for claim, finding in by_size.items():
            name = f"{claim}_{k}"
            if k in SETTINGS[results.scale].sizes:
                findings[name] = weigh(finding(results, k, claims[name]), results)
            else:
                findings[name] = Finding("not played", None, f"This scale leaves out {k} rankers.")
    return (
        findings
        | {
            "beat_the_mean": beat_the_mean(results),
            "right_at_the_end": right_at_the_end(results),
            "logarithmic_growth": logarithmic_growth(results),
            "gamma_64": gamma_64(results, claims["gamma_64"]),
            "gamma_above_1": gamma_above_1(results, claims["gamma_above_1"]),
        }
        | judge_ours(results, expected)
    )


def bounds_of(claim: Expected) -> tuple[float, float]:
    """Return what still agrees with the paper: beyond a range by the tolerance, or a number by the factor."""
    paper, tolerance = claim["paper"], claim["tolerance"]
    if isinstance(paper, list):
        return paper[0] - tolerance, paper[1] + tolerance
    return paper / tolerance, paper * tolerance


def weigh(finding: Finding, results: ItemResults) -> Finding:
    """Return a finding on a number of the paper's, unjudged where that is not the paper's experiment."""
    if results.scale is not Scale.PAPER:
        return Finding(finding.ours, None, TOO_SHORT)
    return finding if results.real else Finding(finding.ours, None, UNREAL)


def regret_ratio(results: ItemResults, k: int, claim: Expected) -> Finding:
    """Judge whether SAVAGE ends with so many times RUCB's regret; look for the reason if not."""
    low, high = bounds_of(claim)
    end = last_horizon(results)
    ratio = ratio_of_means(*(gather(results, k, one).at(end) for one in ("CondorcetSavage", "RUCB")))
    others = subset_ratios(results, k)
    (far,) = results.where(k=k, subset=0)
    rounds = far.setting["horizons"][-1]
    distant = far["CondorcetSavage"][:, -1].mean() / far["RUCB"][:, -1].mean()
    growth = growth_ratio(far["CondorcetSavage"], far["RUCB"])
    note = (
        f"At {rounds:,} rounds the ratio is {distant:.2f}; from {end:,} rounds to there SAVAGE gains "
        f"{growth:.1f} times the regret that RUCB gains. With twice its radius' square, log(2NT/delta) / n, "
        f"SAVAGE would end with {subset_ratios(results, k, 'wide')[0]:.2f} times RUCB's regret, with delta = "
        f"0.05 instead of 1/T with {subset_ratios(results, k, 'bold')[0]:.2f} times."
    )
    if len(others) > 1:
        within = np.mean((others >= low) & (others <= high))
        note += (
            f" The paper's {k} rankers are not known: over {len(others)} random subsets the ratio goes from "
            f"{others.min():.2f} to {others.max():.2f}, with {within:.0%} between {low:g} and {high:g}."
        )
    return Finding(f"SAVAGE ends with {ratio} times RUCB's regret", ratio.meets(low, high), note)


def accuracy_time(results: ItemResults, k: int, claim: Expected) -> Finding:
    """Judge in which share of SAVAGE's time RUCB is as accurate."""
    low, high = bounds_of(claim)
    optimist, savage = gather(results, k, "RUCB"), gather(results, k, "CondorcetSavage")
    share = share_of_time(optimist, savage)
    decided = share_of_time(optimist, savage.once_decided()).median.value
    reading = f"RUCB needs {decided:.1%}" if isfinite(decided) else "it is never right in half of its runs"
    levels = ", ".join(
        f"{level:.0%} in {one:.0%}" for level, one in zip(LEVELS, share.levels, strict=True) if isfinite(one)
    )
    note = (
        f"Accuracy of {levels} of SAVAGE's time: {share.counted} of {len(LEVELS)} levels count, where both "
        f"were below at the first look and reached it by the last. What SAVAGE answers when the horizon ends "
        f"its exploration, the paper does not say; here it is the arm that leads the most. If SAVAGE is "
        f"right only once it has ruled out all other arms, {reading}."
    )
    holds = share.median.meets(low, high)
    if holds and not low <= share.median.value <= high:
        note = f"Our number lies outside of {low:.0%} to {high:.0%}; its interval reaches in. {note}"
    return Finding(f"RUCB needs {share.median:.1%} of SAVAGE's time", holds, note)


def accuracy_contrast(results: ItemResults, k: int, claim: Expected) -> Finding:
    """Judge whether RUCB's share of Beat the Mean's time is smaller than its share of SAVAGE's."""
    optimist, savage, mean = (gather(results, k, one) for one in ("RUCB", "CondorcetSavage", "BeatTheMean"))
    ratio = ratio_of_times(mean, savage).median
    shares = [share_of_time(optimist, rival).median.value for rival in (mean, savage)]
    sooner = mean.rounds[mean.accuracy > savage.accuracy]
    note = (
        f"With these gammas Beat the Mean removes no arm: it samples all evenly and names the one with the "
        f"best record, which may be right soon. It is right more often than SAVAGE at "
        f"{', '.join(f'{one:,}' for one in sooner) or 'no'} rounds."
    )
    ours = (
        f"Beat the Mean needs {ratio} times SAVAGE's time; RUCB needs {shares[0]:.0%} of Beat the Mean's and "
        f"{shares[1]:.0%} of SAVAGE's"
    )
    return Finding(ours, ratio.low > 1.0, note)


def beat_the_mean(results: ItemResults) -> Finding:
    """Judge whether Beat the Mean ends with more regret than SAVAGE, at every size."""
    end, sizes = last_horizon(results), SETTINGS[results.scale].sizes
    mean, savage = ({k: gather(results, k, one) for k in sizes} for one in ("BeatTheMean", "CondorcetSavage"))
    ratios = {k: ratio_of_means(mean[k].at(end), savage[k].at(end)) for k in sizes}
    ours = "; ".join(f"K = {k}: {ratio} times SAVAGE's regret" for k, ratio in ratios.items())
    problems = {k: results[f"problem-k={k}"] for k in sizes}
    told = "; ".join(
        f"K = {k}: {mean[k].at(end).mean() / float(one['random_regret']):.3f} times the regret of random "
        f"play, right in {mean[k].accuracy[-1]:.0%} of its runs, first removal foreseen after "
        f"{float(one['removal_by_the_paper']) / 1e6:,.0f} million rounds"
        for k, one in problems.items()
    )
    note = f"With the paper's gammas it removes no arm, and plays as if at random. {told}."
    return Finding(ours, all(ratio.low > 1.0 for ratio in ratios.values()), note)


def right_at_the_end(results: ItemResults) -> Finding:
    """Judge whether RUCB names the Condorcet winner in every run."""
    right = {k: gather(results, k, "RUCB").right[:, -1] for k in SETTINGS[results.scale].sizes}
    ours = "; ".join(f"K = {k}: {runs.sum()} of {len(runs)} runs" for k, runs in right.items())
    return Finding(ours, all(runs.all() for runs in right.values()))


def logarithmic_growth(results: ItemResults) -> Finding:
    """Judge whether RUCB's regret grows no faster than the logarithm of the round, late."""
    end = last_horizon(results)
    early = round(end / LATE)
    allowed = log(end) / log(early)
    played = {k: gather(results, k, "RUCB") for k in SETTINGS[results.scale].sizes}
    grown = {k: one.at(end).mean() / one.at(early).mean() for k, one in played.items()}
    ours = "; ".join(f"K = {k}: {ratio:.3f} times" for k, ratio in grown.items())
    ours = f"regret from {early:,} to {end:,} rounds: {ours}; the logarithm: {allowed:.3f} times"
    return Finding(ours, all(1.0 < ratio <= allowed for ratio in grown.values()))


def gamma_64(results: ItemResults, claim: Expected) -> Finding:
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


def gamma_above_1(results: ItemResults, claim: Expected) -> Finding:
    """Judge whether every problem that is played needs more than strong stochastic transitivity has."""
    gammas = {k: float(results[f"problem-k={k}"]["gamma"]) for k in GAMMAS}
    ours = "; ".join(f"K = {k}: {gamma:.2f}" for k, gamma in gammas.items())
    if not results.real:
        return Finding(ours, None, UNREAL)
    return Finding(ours, all(gamma > claim["paper"] for gamma in gammas.values()))
