"""What regret, error and oracle calls say about what the theorems promise."""

from collections.abc import Sequence

import numpy as np

from duelist.duel import FloatArray
from duelist.laboratory import Expected, Finding, ItemResults
from duelist.laboratory.comparisons import bounds_of
from duelist_reproductions.dudik2015.theorems.readings import (
    EXPLORERS,
    LEARNERS,
    Level,
    Prices,
    Rate,
    levels,
    prices,
    rates,
    telling,
)


def findings(results: ItemResults, expected: Expected) -> dict[str, Finding]:
    """Return what was found out about every claim."""
    claims, sparring = expected["claims"], telling(results, "SparringEXP4P")
    following = [one for learner in EXPLORERS for one in telling(results, learner)]
    bought = [prices(results, learner) for learner in EXPLORERS]
    found = {
        "no_winner_alone": mixtures(results),
        "exp4p_regret_bound": bounded(results, sparring, [one.regret for one in sparring]),
        "error_bound": bounded(results, following, [one.error for one in following]),
        "calls_counted": counted(results, claims["calls_counted"]["tolerance"]),
        "support": supported(results, bought),
        "pgd_fewer_calls": fewer(*bought),
        **{name: fallen(rate, claims[name]) for name, rate in rates(results).items()},
    }
    for learner, name, price in zip(EXPLORERS, ("fpl", "pgd"), bought, strict=True):
        found[f"{name}_calls"] = priced(price, claims[f"{name}_calls"]["paper"])
        found[f"{name}_promise"] = kept(results, learner)
    return found


def fallen(found: Rate, claim: Expected) -> Finding:
    """Return how fast something falls, where that is known well enough, or is too slow for certain."""
    ours = f"exponent {found.slope:.3f}, standard error {found.deviation:.3f}"
    slowest = bounds_of(claim)[1]
    if found.deviation > claim["tolerance"] / 2.0 and found.slope <= slowest + 3.0 * found.deviation:
        return Finding(ours, None, "Too few runs to tell exponents apart.")
    return Finding(ours, found.slope, limit=slowest)


def mixtures(results: ItemResults) -> Finding:
    """Find out whether mixtures lose less than is promised, than playing at random and any policy alone."""
    world = results["problem"]
    alone, uniform = float(world["alone"]), float(world["uniform"])
    right, parts = [not world["condorcet"]], []
    for name in LEARNERS:
        last = levels(results, name)[-1]
        limit, worst = min(alone, uniform, last.promised), float(last.error.max())
        right.append(worst < limit)
        parts.append(f"{name} {worst:.3f} (allowed {limit:.3f})")
    ours = f"every policy loses to another by {alone:.2f} or more; learned mixtures at most by: "
    return Finding(ours + ", ".join(parts), right)


def bounded(results: ItemResults, played: Sequence[Level], found: Sequence[FloatArray]) -> Finding:
    """Find out whether no run exceeds its bound, and all bounds are below what playing at random costs."""
    if not played:
        return Finding("no bound", None, "With so few duels, playing at random would keep to the bound.")
    bounds = [one.promised + one.gap for one in played]
    shares = np.concatenate([one / bound for one, bound in zip(found, bounds, strict=True)])
    loosest, uniform = max(float(one.max()) for one in bounds), float(results["problem"]["uniform"])
    ours = (
        f"{(shares <= 1.0).sum()} of {len(shares)} runs below; at most {shares.max():.0%} of the bound, "
        f"which is {loosest:.3f} at most (playing at random: {uniform:.2f})"
    )
    return Finding(ours, [*(shares <= 1.0), loosest < uniform])


def counted(results: ItemResults, more: float) -> Finding:
    """Find out whether the oracle was asked as often as a learner was told to, and as it says."""
    fits = [one for one in results.values() if "over" in one]
    most = max(float(one["over"].max()) for one in fits)
    honest = not any(one["untold"].any() for one in fits)
    told, many = "always" if honest else "not always", sum(one["over"].size for one in fits)
    ours = f"{many} fits: counted as told: {told}; at most {most:.0f} calls more than asked"
    return Finding(ours, [honest, most <= more])


def supported(results: ItemResults, bought: Sequence[Prices]) -> Finding:
    """Find out whether no mixture has more policies than theory says, where the class has more of them."""
    parts, right = [], []
    for name, each, found in zip(EXPLORERS, (2, 1), bought, strict=True):
        allowed = np.array(found.calls) // each
        told = allowed < int(results["problem"]["policies"])
        most, allowed = found.support.max(axis=0)[told], allowed[told]
        right += list(most <= allowed)
        pairs = zip(most, allowed, strict=True)
        parts.append(f"{name} " + ", ".join(f"{ours:.0f} of {theirs}" for ours, theirs in pairs))
    return Finding(f"most policies, of as many as allowed: {'; '.join(parts)}", right)


def priced(found: Prices, exponent: float) -> Finding:
    """Measure with which power of one over the gap calls grow; infinite where a gap is not reached."""
    pairs = zip(found.accuracies, found.needed, strict=True)
    parts = [f"{gap:g}: {'not reached' if calls is None else f'{calls:,} calls'}" for gap, calls in pairs]
    limit = exponent + found.doubling
    ours = f"{'; '.join(parts)}; exponent {found.exponent:.2f}, {limit:.2f} allowed"
    if found.exponent <= found.largest <= limit:
        return Finding(ours, None, f"No exponent above {found.largest:.2f} could have been seen.")
    return Finding(ours, found.exponent, limit=limit)


def fewer(many: Prices, few: Prices) -> Finding:
    """Find out whether one learner needs fewer calls than another for every gap."""
    pairs = list(zip(few.accuracies, few.needed, many.needed, strict=True))
    ours = "; ".join(f"{gap:g}: {one} of {other}" for gap, one, other in pairs)
    right = [one is not None and (other is None or one < other) for _, one, other in pairs]
    return Finding(f"calls for a gap, of those of SparringFPL: {ours}", right)


def kept(results: ItemResults, learner: str) -> Finding:
    """Measure the gap that theory's step and calls leave, as a share of what is promised, on every log."""
    parts = [one for one in results.where(learner=learner) if "promised" in one]
    promised, calls, gap = (
        np.concatenate([one[name] for one in parts]) for name in ("promised", "calls", "gap")
    )
    shares, duels = gap / promised, parts[0].setting["duels"]
    ours = (
        f"{(shares <= 1.0).sum()} of {len(shares)} logs of {duels:,} duels; at most {shares.max():.0%} "
        f"of the gap promised, {promised.min():.2f} to {promised.max():.2f}, after "
        f"{calls.min():,.0f} to {calls.max():,.0f} calls"
    )
    return Finding(ours, shares)
