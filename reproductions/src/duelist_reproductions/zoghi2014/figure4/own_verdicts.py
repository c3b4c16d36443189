"""Figure 4: claims that are not in the paper, by which a wrong learner is told from a right one."""

import numpy as np

from duelist.duel import FloatArray
from duelist.laboratory import Expected, Finding, ItemResults, PieceResult
from duelist_reproductions.single_match import allowed, farthest, mean_length
from duelist_reproductions.zoghi2014.figure4.measures import gather
from duelist_reproductions.zoghi2014.figure4.sweep import SETTINGS

UNREAL = "The number is one of the paper's data; made-up preferences have another."
MILLION = 1_000_000


def judge_ours(results: ItemResults, expected: Expected) -> dict[str, Finding]:
    """Return what was found out about every claim of our own."""
    claims = expected["claims"]
    return {
        "savage_match": savage_match(results["savage-matches"], claims["savage_match"]["tolerance"]),
        "beat_the_mean_match": beat_the_mean_match(
            results["mean-matches"], claims["beat_the_mean_match"]["tolerance"]
        ),
        "needed_gamma": needed_gamma(results, claims["needed_gamma"]),
        "earlier_program": earlier_program(results, expected["earlier_program"], claims["earlier_program"]),
        "right_from_a_million": right_from_a_million(results),
    }


def savage_match(played: PieceResult, level: float) -> Finding:
    """Compare how often single matches of SAVAGE are decided within so many duels with the exact chances."""
    duels, chances = played["duels"], played["decided"]
    apart, most = farthest(duels, chances), allowed(len(duels), level)
    ours = (
        f"mean duels of {len(duels):,} matches: {duels.mean():.2f}, expected {mean_length(chances):.2f}; "
        f"shares decided by any duel at most {apart:.4f} off, chance allows {most:.4f}"
    )
    return Finding(ours, apart <= most)


def beat_the_mean_match(played: PieceResult, level: float) -> Finding:
    """Compare how often Beat the Mean removes one of two arms within so many sweeps with the chances."""
    sweeps, chances = played["sweeps"], played["decided"]
    unsure = widest(chances, played["soonest"])
    apart, most = farthest(sweeps, chances), allowed(len(sweeps), level) + unsure
    ours = (
        f"mean duels of an arm in {len(sweeps):,} matches: {sweeps.mean():,.1f}, expected "
        f"{mean_length(played['soonest']):,.1f} to {mean_length(chances):,.1f}; shares decided by any duel "
        f"at most {apart:.4f} off, chance ({most - unsure:.4f}) and that span ({unsure:.4f}) allow {most:.4f}"
    )
    return Finding(ours, apart <= most)


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


def needed_gamma(results: ItemResults, claim: Expected) -> Finding:
    """Judge whether Beat the Mean, told the gamma it needs, has the regret that its radius foretells."""
    told, held = [], []
    for k, horizon, runs in SETTINGS[results.scale].needed_gamma:
        parts = results.where(k=k, told=horizon)
        regret, right = (np.concatenate([part[name] for part in parts]) for name in ("played", "right"))
        foreseen, random = float(parts[0]["regret"]), float(parts[0]["random_regret"])
        ratio, tolerance = regret.mean() / foreseen, claim["tolerance"] * float(parts[0]["scatter"])
        limit = regret.mean() + 1.96 * regret.std(ddof=1) / runs**0.5
        if parts[0]["removed"]:
            held.append(bool(abs(ratio - 1.0) <= tolerance and limit < random and right.all()))
        told.append(
            f"K = {k}, T = {horizon:,}: {ratio:.3f} times the regret foreseen (within {tolerance:.3f}), "
            f"with {parts[0]['removed']} of {k} arms removed; {regret.mean() / random:.3f} times that of "
            f"random play; right in {right.sum()} of {runs} runs"
        )
    if not held:
        note = "No arm is foreseen to be removed: Beat the Mean and random play cannot be told apart."
        return Finding("; ".join(told), None, note)
    first = float(results["problem-k=64"]["removal"])
    note = (
        f"64 rankers are not played: the first would be removed after {first / MILLION:,.0f} million rounds."
    )
    return Finding("; ".join(told), all(held), note)


def earlier_program(results: ItemResults, earlier: Expected, claim: Expected) -> Finding:
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
    return Finding(said, all(abs(one) <= claim["tolerance"] for one in apart))


def right_from_a_million(results: ItemResults) -> Finding:
    """Judge whether RUCB on all rankers is right in every run, whenever it is looked at late."""
    if 64 not in SETTINGS[results.scale].sizes:
        return Finding("not played", None, "This scale leaves out 64 rankers.")
    played = gather(results, 64, "RUCB")
    right = played.right[:, played.rounds >= MILLION].sum(axis=0)
    ours = (
        f"at {len(right)} looks from {MILLION:,} rounds on at least {right.min()} of {len(played.right)} runs"
    )
    if not results.real:
        return Finding(ours, None, UNREAL)
    return Finding(ours, bool(right.min() == len(played.right)))
