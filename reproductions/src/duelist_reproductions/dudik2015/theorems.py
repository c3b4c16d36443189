"""Regret, error and oracle calls: findings about the theorems, and figures."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from duelist.duel import FloatArray
from duelist.figures import PALETTE
from duelist.laboratory import Drawing, Expected, Finding, Item, ItemResults, panels
from duelist.laboratory.comparisons import bounds_of
from duelist_reproductions.dudik2015 import theorems_readings as readings
from duelist_reproductions.dudik2015.theorems_readings import EXPLORERS, LEARNERS, Level, Prices
from duelist_reproductions.dudik2015.theorems_sweep import plan

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = dict(zip(LEARNERS, PALETTE, strict=False))
MARKERS = dict(zip(LEARNERS, "osD", strict=True))
PANEL: dict[str, Any] = {"width": 7.5, "height": 5.0, "xscale": "log", "yscale": "log"}
FALLING = {
    "regret": (
        "horizon",
        "A round's mean regret, mean and range over runs. EXP4.P spars to the end of every horizon it is "
        "set for; FPL and PGD explore uniformly first, then follow what they learned. Where the proven "
        "bound of EXP4.P exceeds what playing at random costs, it says nothing.",
    ),
    "error": (
        "duels",
        "By how much the best policy beats what was learned, mean and range over runs, by the duels learned "
        "from. FPL is given as many calls of the oracle as there are duels, PGD 200.",
    ),
}
"""Decreasing quantities: their variable, and a caption."""


def findings(results: ItemResults, expected: Expected) -> dict[str, Finding]:
    claims, sparring = expected["claims"], readings.telling(results, "SparringEXP4P")
    following = [one for learner in EXPLORERS for one in readings.telling(results, learner)]
    bought = [readings.prices(results, learner) for learner in EXPLORERS]
    found = {
        "no_winner_alone": mixtures(results),
        "exp4p_regret_bound": bounded(results, sparring, [one.regret for one in sparring]),
        "error_bound": bounded(results, following, [one.error for one in following]),
        "calls_counted": counted(results, claims["calls_counted"]["tolerance"]),
        "support": supported(results, bought),
        "pgd_fewer_calls": fewer(*bought),
        **{name: fallen(*rate, claims[name]) for name, rate in readings.rates(results).items()},
    }
    for learner, name, price in zip(EXPLORERS, ("fpl", "pgd"), bought, strict=True):
        found[f"{name}_calls"] = priced(price, claims[f"{name}_calls"]["paper"])
        found[f"{name}_promise"] = kept(results, learner)
    return found


def fallen(slope: float, deviation: float, claim: Expected) -> Finding:
    """Return an exponent, judged if it is known precisely enough or certainly too slow."""
    ours = f"exponent {slope:.3f}, standard error {deviation:.3f}"
    slowest = bounds_of(claim)[1]
    if deviation > claim["tolerance"] / 2.0 and slope <= slowest + 3.0 * deviation:
        return Finding(ours, None, "Too few runs to distinguish exponents.")
    return Finding(ours, slope, limit=slowest)


def mixtures(results: ItemResults) -> Finding:
    """Check that mixtures lose less than guaranteed, than random play and than any single policy."""
    world = results["problem"]
    alone, uniform = float(world["alone"]), float(world["uniform"])
    right, parts = [not world["condorcet"]], []
    for name in LEARNERS:
        last = readings.levels(results, name)[-1]
        limit, worst = min(alone, uniform, last.promised), float(last.error.max())
        right.append(worst < limit)
        parts.append(f"{name} {worst:.3f} (allowed {limit:.3f})")
    ours = f"every policy loses to another by {alone:.2f} or more; learned mixtures at most by: "
    return Finding(ours + ", ".join(parts), right)


def bounded(results: ItemResults, played: Sequence[Level], found: Sequence[FloatArray]) -> Finding:
    """Check that no run exceeds its bound, and that all bounds are below the loss of random play."""
    if not played:
        return Finding("no bound", None, "With so few duels, random play would satisfy the bound.")
    bounds = [one.promised + one.gap for one in played]
    shares = np.concatenate([one / bound for one, bound in zip(found, bounds, strict=True)])
    loosest, uniform = max(float(one.max()) for one in bounds), float(results["problem"]["uniform"])
    ours = (
        f"{(shares <= 1.0).sum()} of {len(shares)} runs below; at most {shares.max():.0%} of the bound, "
        f"which is {loosest:.3f} at most (playing at random: {uniform:.2f})"
    )
    return Finding(ours, [*(shares <= 1.0), loosest < uniform])


def counted(results: ItemResults, more: float) -> Finding:
    """Check that the number of oracle calls equals the requested and the reported one."""
    fits = [one for one in results.values() if "over" in one]
    most = max(float(one["over"].max()) for one in fits)
    honest = not any(one["untold"].any() for one in fits)
    agrees, many = "always" if honest else "not always", sum(one["over"].size for one in fits)
    ours = f"{many} fits: counted as reported: {agrees}; at most {most:.0f} calls more than asked"
    return Finding(ours, [honest, most <= more])


def supported(results: ItemResults, bought: Sequence[Prices]) -> Finding:
    """Check that no mixture has more policies than theory allows, if that is below the size of the class."""
    parts, right = [], []
    for name, each, found in zip(EXPLORERS, (2, 1), bought, strict=True):
        allowed = np.array(found.calls) // each
        judged = allowed < int(results["problem"]["policies"])
        most, allowed = found.support.max(axis=0)[judged], allowed[judged]
        right += list(most <= allowed)
        pairs = zip(most, allowed, strict=True)
        parts.append(f"{name} " + ", ".join(f"{ours:.0f} of {theirs}" for ours, theirs in pairs))
    return Finding(f"most policies, of as many as allowed: {'; '.join(parts)}", right)


def priced(found: Prices, exponent: float) -> Finding:
    """Measure the exponent of calls in 1 / gap; infinite if a gap is not reached."""
    pairs = zip(found.accuracies, found.needed, strict=True)
    parts = [f"{gap:g}: {'not reached' if calls is None else f'{calls:,} calls'}" for gap, calls in pairs]
    ours, limit = found.power(found.needed[-1]), exponent + found.doubling
    words = f"{'; '.join(parts)}; exponent {ours:.2f}, {limit:.2f} allowed"
    largest = found.power(found.calls[-1])
    if ours <= largest <= limit:
        return Finding(words, None, f"No exponent above {largest:.2f} is observable here.")
    return Finding(words, ours, limit=limit)


def fewer(many: Prices, few: Prices) -> Finding:
    """Check that one learner needs fewer calls than another for every gap."""
    pairs = list(zip(few.accuracies, few.needed, many.needed, strict=True))
    ours = "; ".join(f"{gap:g}: {one} of {other}" for gap, one, other in pairs)
    right = [one is not None and (other is None or one < other) for _, one, other in pairs]
    return Finding(f"calls for a gap, of those of SparringFPL: {ours}", right)


def kept(results: ItemResults, learner: str) -> Finding:
    """Measure the gap left by the theoretical step and calls, as a share of the guarantee, on every log."""
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


def show(results: ItemResults, expected: Expected) -> list[Drawing]:
    """Return three figures; the verdicts have exponents, calls and guarantees."""
    return [*(draw_falling(results, what) for what in FALLING), draw_calls(results)]


def draw_falling(results: ItemResults, what: str) -> Drawing:
    """Draw regret or error, the bound, lines of the guaranteed slopes, and the loss without learning."""
    size, caption = FALLING[what]
    figure, ((axes,),) = panels(**PANEL, xlabel=size, ylabel=f"{what}, a margin from 0 to 1")
    slopes = {"SparringEXP4P": -1 / 2, "SparringPGD": -1 / 3 if what == "regret" else -1 / 2}
    for name in LEARNERS:
        found = readings.levels(results, name)
        sizes = [getattr(one, size) for one in found]
        draw_range(axes, name, sizes, [getattr(one, what) for one in found], slopes.get(name))
        if name not in EXPLORERS:
            axes.plot(sizes, [one.promised for one in found], "--", color="black", label="proven bound")
    known = {"best policy alone": "alone", "playing at random": "uniform"}
    draw_levels(axes, {label: float(results["problem"][name]) for label, name in known.items()})
    return Drawing(what, figure, caption)


def draw_calls(results: ItemResults) -> Drawing:
    """Draw the gap on the log and the true error against oracle calls."""
    figure, ((axes,),) = panels(**PANEL, xlabel="calls of the oracle")
    for name in EXPLORERS:
        found = readings.prices(results, name)
        draw_range(axes, name, found.calls, list(found.gap.T))
        mean = found.error.mean(axis=0)
        axes.plot(found.calls, mean, "--", color=COLOURS[name], label=f"{name}, true error")
    draw_levels(axes, {f"gap {accuracy:g}": accuracy for accuracy in found.accuracies})
    axes.set(ylabel="margin, 0 to 1", ylim=(1e-3, 1.0))
    caption = (
        "What a best response gains on the log (full lines, mean and range over logs) and by how much "
        "the best policy truly beats what was learned (broken lines), against calls of the oracle."
    )
    return Drawing("calls", figure, caption)


def draw_range(
    axes: "Axes", name: str, sizes: Sequence[int], samples: Sequence[FloatArray], slope: float | None = None
) -> None:
    """Draw the means of samples as a line, their range as a shaded area, and a power law below their end."""
    low, means, high = np.array([(one.min(), one.mean(), one.max()) for one in samples]).T
    axes.plot(sizes, means, marker=MARKERS[name], markersize=4, color=COLOURS[name], label=name)
    axes.fill_between(sizes, low, high, color=COLOURS[name], alpha=0.15, linewidth=0)
    if slope:
        line = 0.6 * means[-1] * (np.array(sizes) / sizes[-1]) ** slope
        label = f"slope -1/{-1.0 / slope:.0f}"
        axes.plot(sizes, line, ":", color=COLOURS[name], linewidth=1.0, label=label)


def draw_levels(axes: "Axes", known: dict[str, float]) -> None:
    """Draw constant levels and the legend."""
    for place, (label, level) in enumerate(known.items()):
        axes.axhline(level, color=PALETTE[6 - place % 4], linewidth=0.8, linestyle="-.", label=label)
    axes.legend(fontsize="small")


ITEM = Item(
    name="theorems",
    title="Theorems: regret, error and oracle calls on contexts with a cycle",
    minutes=5.0,
    plan=plan,
    findings=findings,
    show=show,
    learners=("SparringEXP4P", "SparringFPL", "SparringPGD"),
)
