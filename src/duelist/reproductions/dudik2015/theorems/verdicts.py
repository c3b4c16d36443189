"""Whether regret, error and oracle calls are what the theorems promise."""

import numpy as np

from duelist.laboratory.items import Expected, Finding
from duelist.laboratory.work import Results
from duelist.reproductions.dudik2015.theorems.readings import (
    EXPLORERS,
    LEARNERS,
    Prices,
    Rate,
    error_rate,
    levels,
    prices,
    regret_rate,
    telling,
)


def judge(results: Results, expected: Expected) -> dict[str, Finding]:
    """Return what was found out about every claim."""
    claims = expected["claims"]
    found = {
        "no_winner_alone": judge_mixtures(results),
        "exp4p_regret_bound": judge_regret_bound(results),
        "exp4p_regret_rate": judge_rate(regret_rate(telling(results)), claims["exp4p_regret_rate"]),
        "exp4p_error_rate": judge_rate(error_rate(telling(results)), claims["exp4p_error_rate"], faster=True),
        "error_bound": judge_error_bound(results),
        "calls_counted": judge_counts(results),
    }
    for learner, name in zip(EXPLORERS, ("fpl", "pgd"), strict=True):
        played = levels(results, learner)
        claim = f"{name}_error_rate"
        found[claim] = judge_rate(error_rate(played), claims[claim], faster=True)
        claim = f"{name}_regret_rate"
        found[claim] = judge_rate(regret_rate(played), claims[claim])
        claim = f"{name}_calls"
        found[claim] = judge_calls(prices(results, learner), claims[claim]["paper"])
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


def judge_mixtures(results: Results) -> Finding:
    """Say whether mixtures lose less than any policy alone."""
    world = results["problem"]
    alone = float(world["alone"])
    worst = {name: float(levels(results, name)[-1].error.max()) for name in LEARNERS}
    told = ", ".join(f"{name} {error:.3f}" for name, error in worst.items())
    ours = f"every policy loses to another by {alone:.2f} or more; learned mixtures at most by: {told}"
    return Finding(ours, not bool(world["condorcet"]) and max(worst.values()) < alone)


def judge_regret_bound(results: Results) -> Finding:
    """Say whether no run's regret exceeds the bound, where that is below what playing at random costs."""
    played = telling(results)
    shares = np.concatenate([one.regret / one.promised for one in played])
    ours = f"{(shares <= 1.0).sum()} of {len(shares)} runs below; at most {shares.max():.0%} of the bound"
    return Finding(ours, bool((shares <= 1.0).all()))


def judge_error_bound(results: Results) -> Finding:
    """Say whether no run's true error exceeds its gap on the log and what the log may be wrong about."""
    played = [one for learner in EXPLORERS for one in levels(results, learner)]
    shares = np.concatenate([one.error / one.promised for one in played])
    ours = f"{(shares <= 1.0).sum()} of {len(shares)} runs below; at most {shares.max():.0%} of the bound"
    return Finding(ours, bool((shares <= 1.0).all()))


def judge_counts(results: Results) -> Finding:
    """Say whether the oracle was asked as often as a learner was told to, and as it says."""
    fits, most, honest = 0, 0.0, True
    for one in results.values():
        if "counted" in one:
            fits += one["counted"].size
            most = max(most, float((one["counted"] - one.setting["calls"]).max()))
            honest = honest and bool((one["counted"] == one["told"]).all())
    told = "always" if honest else "not always"
    ours = f"{fits} fits: counted as told: {told}; at most {most:.0f} calls more than asked"
    return Finding(ours, honest and most <= 2.0)


def judge_calls(found: Prices, exponent: float) -> Finding:
    """Say whether every accuracy is reached with fewer calls than promised, at no higher a power."""
    parts, kept = [], True
    for place, (accuracy, needed) in enumerate(zip(found.accuracies, found.needed, strict=True)):
        promised = float(found.promised[:, place].min())
        kept = kept and needed is not None and needed <= promised
        reached = "not reached" if needed is None else f"{needed:,} calls"
        parts.append(f"{accuracy:g}: {reached} (theory {promised:.1g})")
    ours = f"{'; '.join(parts)}; exponent {found.exponent:.2f}"
    return Finding(ours, bool(kept and found.exponent <= exponent + found.doubling))
