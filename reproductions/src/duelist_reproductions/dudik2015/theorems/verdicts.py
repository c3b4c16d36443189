"""Whether regret, error and oracle calls are what the theorems promise."""

from collections.abc import Sequence

import numpy as np

from duelist.duel import FloatArray
from duelist.laboratory.items import Expected, Finding
from duelist.laboratory.work import ItemResults
from duelist_reproductions.dudik2015.theorems.readings import (
    EXPLORERS,
    LEARNERS,
    Level,
    Prices,
    Promises,
    Rate,
    error_rate,
    levels,
    prices,
    promises,
    regret_rate,
    telling,
)


def judge(results: ItemResults, expected: Expected) -> dict[str, Finding]:
    """Return what was found out about every claim."""
    claims = expected["claims"]
    sparring = telling(results, "SparringEXP4P")
    following = [one for learner in EXPLORERS for one in telling(results, learner)]
    found = {
        "no_winner_alone": judge_mixtures(results),
        "exp4p_regret_bound": judge_bound(results, sparring, [one.regret for one in sparring]),
        "exp4p_regret_rate": judge_rate(regret_rate(sparring), claims["exp4p_regret_rate"]),
        "exp4p_error_rate": judge_rate(error_rate(sparring), claims["exp4p_error_rate"], faster=True),
        "error_bound": judge_bound(results, following, [one.error for one in following]),
        "calls_counted": judge_counts(results, claims["calls_counted"]["tolerance"]),
        "support": judge_support(results),
        "pgd_fewer_calls": judge_fewer(*(prices(results, learner) for learner in EXPLORERS)),
    }
    for learner, name in zip(EXPLORERS, ("fpl", "pgd"), strict=True):
        played = levels(results, learner)
        claim = f"{name}_error_rate"
        found[claim] = judge_rate(error_rate(played), claims[claim], faster=True)
        claim = f"{name}_regret_rate"
        found[claim] = judge_rate(regret_rate(played), claims[claim])
        claim = f"{name}_calls"
        found[claim] = judge_calls(prices(results, learner), claims[claim]["paper"])
        found[f"{name}_promise"] = judge_promise(promises(results, learner))
    return found


def judge_rate(found: Rate, claim: Expected, faster: bool = False) -> Finding:
    """Say whether something falls as fast as promised; it may fall faster where nothing speaks against it."""
    promised, tolerance = claim["paper"], claim["tolerance"]
    ours = f"exponent {found.slope:.3f}, standard error {found.deviation:.3f}"
    if found.deviation > tolerance / 2.0:
        late = found.slope > promised + tolerance + 3.0 * found.deviation
        return Finding(ours, False if late else None, "" if late else "Too few runs to tell exponents apart.")
    slow, fast = found.slope > promised + tolerance, found.slope < promised - tolerance
    return Finding(ours, not (slow or (fast and not faster)))


def judge_mixtures(results: ItemResults) -> Finding:
    """Say whether mixtures lose less than is promised, than playing at random and than any policy alone."""
    world = results["problem"]
    alone, uniform = float(world["alone"]), float(world["uniform"])
    kept, parts = not bool(world["condorcet"]), []
    for name in LEARNERS:
        last = levels(results, name)[-1]
        limit, worst = min(alone, uniform, last.promised), float(last.error.max())
        kept = kept and worst < limit
        parts.append(f"{name} {worst:.3f} (allowed {limit:.3f})")
    ours = f"every policy loses to another by {alone:.2f} or more; learned mixtures at most by: "
    return Finding(ours + ", ".join(parts), kept)


def judge_bound(results: ItemResults, played: Sequence[Level], found: Sequence[FloatArray]) -> Finding:
    """Say whether no run exceeds its bound, and whether all bounds are below what playing at random costs."""
    if not played:
        return Finding("no bound", None, "With so few duels, playing at random would keep to the bound.")
    shares = np.concatenate([one / level.bound for one, level in zip(found, played, strict=True)])
    loosest, uniform = max(float(level.bound.max()) for level in played), float(results["problem"]["uniform"])
    ours = (
        f"{(shares <= 1.0).sum()} of {len(shares)} runs below; at most {shares.max():.0%} of the bound, "
        f"which is {loosest:.3f} at most (playing at random: {uniform:.2f})"
    )
    return Finding(ours, bool((shares <= 1.0).all()) and loosest < uniform)


def judge_counts(results: ItemResults, more: float) -> Finding:
    """Say whether the oracle was asked as often as a learner was told to, and as it says."""
    fits = [one for one in results.values() if "over" in one]
    most = max(float(one["over"].max()) for one in fits)
    honest = not any(one["untold"].any() for one in fits)
    told = "always" if honest else "not always"
    many = sum(one["over"].size for one in fits)
    ours = f"{many} fits: counted as told: {told}; at most {most:.0f} calls more than asked"
    return Finding(ours, honest and most <= more)


def judge_support(results: ItemResults) -> Finding:
    """Say whether no mixture has more policies than theory says; only where the class has more of them."""
    parts, kept = [], True
    for name, each in zip(EXPLORERS, (2, 1), strict=True):
        found = prices(results, name)
        most = np.array(found.calls) // each
        told = most < int(results["problem"]["policies"])
        kept = kept and bool((found.support[:, told] <= most[told]).all())
        pairs = zip(found.support.max(axis=0)[told], most[told], strict=True)
        parts.append(f"{name} " + ", ".join(f"{ours:.0f} of {theirs}" for ours, theirs in pairs))
    return Finding(f"most policies, of as many as allowed: {'; '.join(parts)}", kept)


def judge_calls(found: Prices, exponent: float) -> Finding:
    """Say whether every gap is reached, with calls that grow with no higher a power of one over it."""
    pairs = zip(found.accuracies, found.needed, strict=True)
    parts = [f"{gap:g}: {'not reached' if calls is None else f'{calls:,} calls'}" for gap, calls in pairs]
    limit = exponent + found.doubling
    ours = f"{'; '.join(parts)}; exponent {found.exponent:.2f}, {limit:.2f} allowed"
    if found.exponent <= found.largest <= limit:
        return Finding(ours, None, f"No exponent above {found.largest:.2f} could have been seen.")
    return Finding(ours, found.exponent <= limit)


def judge_fewer(many: Prices, few: Prices) -> Finding:
    """Say whether one learner needs fewer calls than another for every gap."""
    pairs = list(zip(many.needed, few.needed, strict=True))
    ours = "; ".join(
        f"{gap:g}: {one} of {other}" for gap, (other, one) in zip(few.accuracies, pairs, strict=True)
    )
    kept = all(one is not None and (other is None or one < other) for other, one in pairs)
    return Finding(f"calls for a gap, of those of SparringFPL: {ours}", kept)


def judge_promise(found: Promises) -> Finding:
    """Say whether theory's step and calls leave no larger a gap than promised, on every log."""
    shares = found.gap / found.promised
    ours = (
        f"{(shares <= 1.0).sum()} of {len(shares)} logs of {found.duels:,} duels; at most {shares.max():.0%} "
        f"of the gap promised, {found.promised.min():.2f} to {found.promised.max():.2f}, after "
        f"{found.calls.min():,.0f} to {found.calls.max():,.0f} calls"
    )
    return Finding(ours, bool((shares <= 1.0).all()))
