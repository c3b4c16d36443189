"""Figure 4: findings about the paper's claims, and about claims that detect wrong learners."""

from collections.abc import Mapping
from math import isfinite, log

import numpy as np

from duelist.duel import FloatArray
from duelist.laboratory import Expected, Finding, ItemResults, PieceResult, Scale, not_played, ratio_of_means
from duelist.laboratory.comparisons import bounds_of
from duelist_reproductions.single_match import allowed, farthest, mean_length
from duelist_reproductions.zoghi2014.figure4.readings import (
    LEVELS,
    Played,
    median_known,
    ratio_of_times,
    share_of_time,
    shares_of_time,
)
from duelist_reproductions.zoghi2014.figure4.sweep import GAMMAS, LATE, SETTINGS

MILLION = 1_000_000


def findings(results: ItemResults, expected: Expected) -> dict[str, Finding]:
    claims, setting = expected["claims"], SETTINGS[results.scale]
    end, sizes = setting.horizons[-1], setting.sizes
    optimist, savage, mean = (
        {k: Played.of(results, k, learner) for k in sizes}
        for learner in ("RUCB", "CondorcetSavage", "BeatTheMean")
    )
    found = {}
    for k in sizes:
        ratio = ratio_of_means(savage[k].at(end), optimist[k].at(end))
        found[f"regret_ratio_{k}"] = Finding(f"SAVAGE ends with {ratio} times RUCB's regret", ratio)
        bounds = bounds_of(claims[f"accuracy_time_{k}"])
        found[f"accuracy_time_{k}"] = accuracy_time(optimist[k], savage[k], bounds)
        found[f"accuracy_contrast_{k}"] = accuracy_contrast(optimist[k], savage[k], mean[k])
    for k in set(SETTINGS[Scale.PAPER].sizes) - set(sizes):
        by_size = (f"{claim}_{k}" for claim in ("regret_ratio", "accuracy_time", "accuracy_contrast"))
        found |= dict.fromkeys(by_size, not_played(f"This scale leaves out {k} rankers."))
    worse = {k: ratio_of_means(mean[k].at(end), savage[k].at(end)) for k in sizes}
    right = {k: one.right[:, -1] for k, one in optimist.items()}
    gammas = {k: float(results[f"problem-k={k}"]["gamma"]) for k in GAMMAS}
    gamma_of_table = float(results["problem-k=64"]["gamma_of_table"])
    defined = f"for pairs of which the first beats the second, {gammas[64]:.2f}."
    return found | {
        "beat_the_mean": Finding(by_k(worse, "{} times SAVAGE's regret"), list(worse.values())),
        "right_at_the_end": Finding(
            "; ".join(f"K = {k}: {runs.sum()} of {len(runs)} runs" for k, runs in right.items()),
            [bool(runs.all()) for runs in right.values()],
        ),
        "logarithmic_growth": logarithmic_growth(optimist, end),
        "gamma_64": Finding(
            f"{gamma_of_table:.2f}", gamma_of_table, f"For all pairs in the table's order; {defined}"
        ),
        "gamma_above_1": Finding(by_k(gammas, "{:.2f}"), list(gammas.values())),
        "savage_match": savage_match(results["savage-matches"], claims["savage_match"]["tolerance"]),
        "beat_the_mean_match": beat_the_mean_match(
            results["mean-matches"], claims["beat_the_mean_match"]["tolerance"]
        ),
        "needed_gamma": needed_gamma(results, claims["needed_gamma"]["tolerance"]),
        **all_rankers(optimist.get(64), expected["earlier_program"]),
    }


def by_k(values: Mapping[int, object], style: str) -> str:
    """Format numbers by the number of rankers."""
    return "; ".join(f"K = {k}: {style.format(value)}" for k, value in values.items())


def accuracy_time(optimist: Played, savage: Played, bounds: tuple[float, float]) -> Finding:
    """Measure the share of SAVAGE's time that RUCB needs; note if only its interval agrees."""
    share, (low, high) = share_of_time(optimist, savage), bounds
    pairs = zip(LEVELS, share.levels, strict=True)
    levels = ", ".join(f"{level:.0%} in {one:.0%}" for level, one in pairs if isfinite(one))
    note = (
        f"Accuracy of {levels} of SAVAGE's time: {share.counted} of {len(LEVELS)} levels count, where both "
        f"were below at the first checkpoint and reached it by the last."
    )
    median = share.median
    if median.high >= low and median.low <= high and not low <= median.value <= high:
        note = f"Our number is outside {low:.0%} to {high:.0%}, but its interval overlaps. {note}"
    return Finding(f"RUCB needs {median:.1%} of SAVAGE's time", median, note)


def accuracy_contrast(optimist: Played, savage: Played, mean: Played) -> Finding:
    """Measure Beat the Mean's time over SAVAGE's, the ratio of RUCB's shares."""
    ratio = ratio_of_times(mean, savage).median
    shares = [float(median_known(shares_of_time(optimist, rival))) for rival in (mean, savage)]
    ours = (
        f"Beat the Mean needs {ratio} times SAVAGE's time; RUCB needs {shares[0]:.0%} of Beat the Mean's and "
        f"{shares[1]:.0%} of SAVAGE's"
    )
    return Finding(ours, ratio)


def logarithmic_growth(optimist: dict[int, Played], end: int) -> Finding:
    """Measure the late growth of RUCB's regret: positive, and no faster than the logarithm of the round."""
    early = round(end / LATE)
    most = log(end) / log(early)
    grown = {k: float(one.at(end).mean() / one.at(early).mean()) for k, one in optimist.items()}
    growth = f"{by_k(grown, '{:.3f} times')}; the logarithm: {most:.3f} times"
    ours = f"regret from {early:,} to {end:,} rounds: {growth}"
    return Finding(ours, [1.0 < ratio <= most for ratio in grown.values()])


def savage_match(played: PieceResult, level: float) -> Finding:
    """Compare the shares of SAVAGE's single matches decided within n duels with the exact chances."""
    duels, chances = played["duels"], played["decided"]
    apart, most = farthest(duels, chances), allowed(len(duels), level)
    ours = (
        f"mean duels of {len(duels):,} matches: {duels.mean():.2f}, expected {mean_length(chances):.2f}; "
        f"shares decided by any duel at most {apart:.4f} off, chance allows {most:.4f}"
    )
    return Finding(ours, apart, limit=most)


def beat_the_mean_match(played: PieceResult, level: float) -> Finding:
    """Compare how often Beat the Mean removes one of two arms within n sweeps with the exact chances."""
    sweeps, chances = played["sweeps"], played["decided"]
    unsure = widest(chances, played["soonest"])
    apart, most = farthest(sweeps, chances), allowed(len(sweeps), level) + unsure
    ours = (
        f"mean duels of an arm in {len(sweeps):,} matches: {sweeps.mean():,.1f}, expected "
        f"{mean_length(played['soonest']):,.1f} to {mean_length(chances):,.1f}; shares decided by any duel "
        f"at most {apart:.4f} off, chance ({most - unsure:.4f}) and that span ({unsure:.4f}) allow {most:.4f}"
    )
    return Finding(ours, apart, limit=most)


def widest(late: FloatArray, soon: FloatArray) -> float:
    """Return the largest difference of two cumulative distributions."""
    apart = np.zeros(max(len(late), len(soon)))
    apart[: len(late)] += late
    apart[: len(soon)] -= soon
    return float(np.abs(np.cumsum(apart)).max())


def needed_gamma(results: ItemResults, deviations: float) -> Finding:
    """Check that Beat the Mean, with the gamma it needs, has the regret that its radius predicts."""
    lines, held = [], []
    for k, horizon, runs in SETTINGS[results.scale].needed_gamma:
        one = results.where(k=k, told=horizon)[0]
        regret, right = (results.stacked(name, k=k, told=horizon) for name in ("played", "right"))
        random = float(one["random_regret"])
        ratio, tolerance = regret.mean() / float(one["regret"]), deviations * float(one["scatter"])
        limit = regret.mean() + 1.96 * regret.std(ddof=1) / runs**0.5
        if one["removed"]:
            held.append(bool(abs(ratio - 1.0) <= tolerance and limit < random and right.all()))
        lines.append(
            f"K = {k}, T = {horizon:,}: {ratio:.3f} times the predicted regret (within {tolerance:.3f}), "
            f"with {one['removed']} of {k} arms removed; {regret.mean() / random:.3f} times that of "
            f"random play; right in {right.sum()} of {runs} runs"
        )
    note = "No arm is predicted to be removed: Beat the Mean cannot be distinguished from random play."
    return Finding("; ".join(lines), held or None, "" if held else note)


def all_rankers(played: Played | None, earlier: Expected) -> dict[str, Finding]:
    """Compare RUCB on all rankers with the results of another program, up to the chance of both."""
    if played is None:
        without = not_played("This scale leaves out 64 rankers.")
        return {"earlier_program": without, "right_from_a_million": without}
    ours = [played.at(int(rounds)) for rounds in earlier["regret"]] + [played.informative[:, -1]]
    theirs = [*earlier["regret"].values(), earlier["informative"]]
    apart = [
        float((one.mean() - other) / (one.std(ddof=1) * (1 / len(one) + 1 / earlier["runs"]) ** 0.5))
        for one, other in zip(ours, theirs, strict=True)
    ]
    means = ", ".join(f"{one.mean():,.0f}" for one in ours)
    right = played.right[:, played.rounds >= MILLION]
    least = f"at least {right.sum(axis=0).min()} of {len(right)} runs"
    return {
        "earlier_program": Finding(
            f"{means}; {max(map(abs, apart)):.1f} standard errors apart at most", apart
        ),
        "right_from_a_million": Finding(
            f"at {right.shape[1]} checkpoints from {MILLION:,} rounds on {least}", bool(right.all())
        ),
    }
