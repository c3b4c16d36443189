"""Figure 4: what was found out about the paper's claims, and about those by which wrong learners are told."""

from math import isfinite, log

import numpy as np

from duelist.duel import FloatArray
from duelist.laboratory import (
    Expected,
    Finding,
    ItemResults,
    PieceResult,
    Scale,
    not_played,
    ratio_of_means,
)
from duelist.laboratory.comparisons import factors_of
from duelist_reproductions.single_match import allowed, farthest, mean_length
from duelist_reproductions.zoghi2014.figure4.readings import LEVELS, Played, ratio_of_times, share_of_time
from duelist_reproductions.zoghi2014.figure4.sweep import GAMMAS, LATE, SETTINGS

LEARNERS = ("RUCB", "CondorcetSavage", "BeatTheMean")
MILLION = 1_000_000


def findings(results: ItemResults, expected: Expected) -> dict[str, Finding]:
    """Return what was found out about every claim."""
    claims = expected["claims"]
    found: dict[str, Finding] = {}
    for k in SETTINGS[Scale.PAPER].sizes:
        by_size = (f"regret_ratio_{k}", f"accuracy_time_{k}", f"accuracy_contrast_{k}")
        if k in SETTINGS[results.scale].sizes:
            measured = (
                regret_ratio(results, k),
                accuracy_time(results, k, *factors_of(claims[f"accuracy_time_{k}"])),
                accuracy_contrast(results, k),
            )
            found |= dict(zip(by_size, measured, strict=True))
        else:
            found |= dict.fromkeys(by_size, not_played(f"This scale leaves out {k} rankers."))
    problems = {k: results[f"problem-k={k}"] for k in GAMMAS}
    gammas = {k: float(one["gamma"]) for k, one in problems.items()}
    gamma_of_table = float(problems[64]["gamma_of_table"])
    return found | {
        "beat_the_mean": beat_the_mean(results),
        "right_at_the_end": right_at_the_end(results),
        "logarithmic_growth": logarithmic_growth(results),
        "gamma_64": Finding(
            f"{gamma_of_table:.2f}",
            gamma_of_table,
            f"For all pairs in the table's order; for pairs of which the first beats the second, "
            f"{gammas[64]:.2f}.",
        ),
        "gamma_above_1": Finding(by_k(gammas, "{:.2f}"), list(gammas.values())),
        "savage_match": savage_match(results["savage-matches"], claims["savage_match"]["tolerance"]),
        "beat_the_mean_match": beat_the_mean_match(
            results["mean-matches"], claims["beat_the_mean_match"]["tolerance"]
        ),
        "needed_gamma": needed_gamma(results, claims["needed_gamma"]["tolerance"]),
        **all_rankers(results, expected["earlier_program"]),
    }


def by_k(values: dict[int, float], style: str) -> str:
    """Return numbers by the number of rankers, in words."""
    return "; ".join(f"K = {k}: {style.format(value)}" for k, value in values.items())


def played_by(results: ItemResults, learner: str) -> dict[int, Played]:
    """Return a learner's runs by the number of rankers."""
    return {k: Played.of(results, k, learner) for k in SETTINGS[results.scale].sizes}


def regret_ratio(results: ItemResults, k: int) -> Finding:
    """Measure how many times RUCB's regret SAVAGE ends with."""
    end = SETTINGS[results.scale].horizons[-1]
    ratio = ratio_of_means(*(Played.of(results, k, one).at(end) for one in ("CondorcetSavage", "RUCB")))
    return Finding(f"SAVAGE ends with {ratio} times RUCB's regret", ratio)


def accuracy_time(results: ItemResults, k: int, low: float, high: float) -> Finding:
    """Measure in which share of SAVAGE's time RUCB is as accurate; say where only its interval agrees."""
    optimist, savage = (Played.of(results, k, one) for one in ("RUCB", "CondorcetSavage"))
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
    median = share.median
    if median.high >= low and median.low <= high and not low <= median.value <= high:
        note = f"Our number lies outside of {low:.0%} to {high:.0%}; its interval reaches in. {note}"
    return Finding(f"RUCB needs {median:.1%} of SAVAGE's time", median, note)


def accuracy_contrast(results: ItemResults, k: int) -> Finding:
    """Measure Beat the Mean's time over SAVAGE's, by which RUCB's shares of them compare."""
    optimist, savage, mean = (Played.of(results, k, one) for one in LEARNERS)
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
    return Finding(ours, ratio, note)


def beat_the_mean(results: ItemResults) -> Finding:
    """Measure how many times SAVAGE's regret Beat the Mean ends with, at every size."""
    end = SETTINGS[results.scale].horizons[-1]
    mean, savage = (played_by(results, one) for one in ("BeatTheMean", "CondorcetSavage"))
    ratios = {k: ratio_of_means(mean[k].at(end), savage[k].at(end)) for k in mean}
    problems = {k: results[f"problem-k={k}"] for k in mean}
    told = "; ".join(
        f"K = {k}: {mean[k].at(end).mean() / float(one['random_regret']):.3f} times the regret of random "
        f"play, right in {mean[k].accuracy[-1]:.0%} of its runs, first removal foreseen after "
        f"{float(one['removal_by_the_paper']) / MILLION:,.0f} million rounds"
        for k, one in problems.items()
    )
    note = f"With the paper's gammas it removes no arm, and plays as if at random. {told}."
    ours = "; ".join(f"K = {k}: {ratio} times SAVAGE's regret" for k, ratio in ratios.items())
    return Finding(ours, list(ratios.values()), note)


def right_at_the_end(results: ItemResults) -> Finding:
    """Count the runs in which RUCB names the Condorcet winner."""
    right = {k: one.right[:, -1] for k, one in played_by(results, "RUCB").items()}
    ours = "; ".join(f"K = {k}: {runs.sum()} of {len(runs)} runs" for k, runs in right.items())
    return Finding(ours, [bool(runs.all()) for runs in right.values()])


def logarithmic_growth(results: ItemResults) -> Finding:
    """Measure by how much RUCB's regret grows late, at all and no faster than the logarithm of the round."""
    end = SETTINGS[results.scale].horizons[-1]
    early = round(end / LATE)
    most = log(end) / log(early)
    grown = {
        k: float(one.at(end).mean() / one.at(early).mean()) for k, one in played_by(results, "RUCB").items()
    }
    ours = f"regret from {early:,} to {end:,} rounds: {by_k(grown, '{:.3f} times')}"
    ours += f"; the logarithm: {most:.3f} times"
    return Finding(ours, [1.0 < ratio <= most for ratio in grown.values()])


def savage_match(played: PieceResult, level: float) -> Finding:
    """Compare how often single matches of SAVAGE are decided within n duels with the exact chances."""
    duels, chances = played["duels"], played["decided"]
    apart, most = farthest(duels, chances), allowed(len(duels), level)
    ours = (
        f"mean duels of {len(duels):,} matches: {duels.mean():.2f}, expected {mean_length(chances):.2f}; "
        f"shares decided by any duel at most {apart:.4f} off, chance allows {most:.4f}"
    )
    return Finding(ours, apart, limit=most)


def beat_the_mean_match(played: PieceResult, level: float) -> Finding:
    """Compare how often Beat the Mean removes one of two arms within n sweeps with the chances."""
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
    """Return how far two sets of chances are apart at most, in what has come by some time.

    Examples
    --------
    >>> widest(np.array([0.0, 0.5, 0.5]), np.array([0.0, 1.0]))
    0.5
    """
    apart = np.zeros(max(len(late), len(soon)))
    apart[: len(late)] += late
    apart[: len(soon)] -= soon
    return float(np.abs(np.cumsum(apart)).max())


def needed_gamma(results: ItemResults, deviations: float) -> Finding:
    """Find out whether Beat the Mean, told the gamma it needs, has the regret that its radius foretells."""
    told, held = [], []
    for k, horizon, runs in SETTINGS[results.scale].needed_gamma:
        one = results.where(k=k, told=horizon)[0]
        regret, right = (results.stacked(name, k=k, told=horizon) for name in ("played", "right"))
        random = float(one["random_regret"])
        ratio, tolerance = regret.mean() / float(one["regret"]), deviations * float(one["scatter"])
        limit = regret.mean() + 1.96 * regret.std(ddof=1) / runs**0.5
        if one["removed"]:
            held.append(bool(abs(ratio - 1.0) <= tolerance and limit < random and right.all()))
        told.append(
            f"K = {k}, T = {horizon:,}: {ratio:.3f} times the regret foreseen (within {tolerance:.3f}), "
            f"with {one['removed']} of {k} arms removed; {regret.mean() / random:.3f} times that of "
            f"random play; right in {right.sum()} of {runs} runs"
        )
    first = float(results["problem-k=64"]["removal"]) / MILLION
    note = f"64 rankers are not played: the first would be removed after {first:,.0f} million rounds."
    if not held:
        note = "No arm is foreseen to be removed: Beat the Mean and random play cannot be told apart."
    return Finding("; ".join(told), held or None, note)


def all_rankers(results: ItemResults, earlier: Expected) -> dict[str, Finding]:
    """Compare RUCB on all rankers with what another program found, up to the luck of both."""
    if 64 not in SETTINGS[results.scale].sizes:
        return dict.fromkeys(
            ("earlier_program", "right_from_a_million"), not_played("This scale leaves out 64 rankers.")
        )
    played = Played.of(results, 64, "RUCB")
    ours = [played.at(int(rounds)) for rounds in earlier["regret"]] + [played.informative[:, -1]]
    theirs = [*earlier["regret"].values(), earlier["informative"]]
    errors = [one.std(ddof=1) * (1 / len(one) + 1 / earlier["runs"]) ** 0.5 for one in ours]
    apart = [
        float((one.mean() - other) / error) for one, other, error in zip(ours, theirs, errors, strict=True)
    ]
    means = ", ".join(f"{one.mean():,.0f}" for one in ours)
    right = played.right[:, played.rounds >= MILLION]
    said = (
        f"at {right.shape[1]} looks from {MILLION:,} rounds on at least {right.sum(axis=0).min()} of "
        f"{len(right)} runs"
    )
    return {
        "earlier_program": Finding(
            f"{means}; {max(map(abs, apart)):.1f} standard errors apart at most", apart
        ),
        "right_from_a_million": Finding(said, bool(right.all())),
    }
