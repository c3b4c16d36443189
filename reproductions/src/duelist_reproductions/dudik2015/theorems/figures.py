"""How regret and error fall with duels, and error with calls of an oracle."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from duelist.duel import FloatArray
from duelist.laboratory import Drawing, Expected, ItemResults, Table, panels
from duelist.simulation.figures import PALETTE
from duelist_reproductions.dudik2015.theorems.readings import EXPLORERS, LEARNERS, levels, prices, rates

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = dict(zip(LEARNERS, PALETTE, strict=False))
MARKERS = dict(zip(LEARNERS, "osD", strict=True))
PANEL: dict[str, Any] = {"width": 7.5, "height": 5.0, "xscale": "log", "yscale": "log"}
RATES = {"what": "{claim}", "theorem": "{paper:.3f}", "ours": "{slope:.3f} ± {deviation:.3f}"}
CALLS = {"gap": "{gap}", **{name: f"{{{name}}}" for name in EXPLORERS}}


def show(results: ItemResults, expected: Expected) -> list[Drawing | Table]:
    """Return three figures, and tables of exponents and calls."""
    found = [{**expected["claims"][name], **rate._asdict()} for name, rate in rates(results).items()]
    drawings = [draw_regret(results), draw_error(results), draw_calls(results)]
    return [*drawings, Table.of("How fast it falls", RATES, found), calls_table(results)]


def draw_regret(results: ItemResults) -> Drawing:
    """Draw regret against the horizon, the bound, and lines of the promised slopes."""
    figure, ((axes,),) = panels(**PANEL, xlabel="horizon T (rounds)")
    for name, slope in (("SparringEXP4P", -1 / 2), ("SparringFPL", None), ("SparringPGD", -1 / 3)):
        found = levels(results, name)
        draw_range(axes, name, [one.horizon for one in found], [one.regret for one in found], slope)
        if name == "SparringEXP4P":
            bounds = [one.promised for one in found]
            axes.plot([one.horizon for one in found], bounds, "--", color="black", label="proven bound")
    draw_levels(axes, {"playing at random": float(results["problem"]["uniform"])})
    axes.set(ylabel="mean regret of a round (margin, 0 to 1)")
    caption = (
        "A round's mean regret, mean and range over runs. EXP4.P spars to the end of every horizon it is "
        "set for; FPL and PGD explore uniformly first, then follow what they learned. Where the "
        "proven bound of EXP4.P exceeds what playing at random costs, it says nothing."
    )
    return Drawing("regret", figure, caption)


def draw_error(results: ItemResults) -> Drawing:
    """Draw the error of what was learned against the duels it was learned from."""
    figure, ((axes,),) = panels(**PANEL, xlabel="duels learned from (T, or m explored)")
    for name, slope in (("SparringEXP4P", -1 / 2), ("SparringFPL", None), ("SparringPGD", -1 / 2)):
        found = levels(results, name)
        draw_range(axes, name, [one.duels for one in found], [one.error for one in found], slope)
    known = {"best policy alone": "alone", "playing at random": "uniform"}
    draw_levels(axes, {label: float(results["problem"][name]) for label, name in known.items()})
    axes.set(ylabel="the best policy's margin over what is learned")
    caption = (
        "By how much the best policy beats what was learned, mean and range over runs. FPL is given as "
        "many calls of the oracle as there are duels, PGD 200."
    )
    return Drawing("error", figure, caption)


def draw_calls(results: ItemResults) -> Drawing:
    """Draw the gap on the log and the true error against calls of the oracle."""
    figure, ((axes,),) = panels(**PANEL, xlabel="calls of the oracle")
    for name in EXPLORERS:
        found = prices(results, name)
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
    """Draw the means of samples as a line, their range as a shade, and a power law below their end."""
    low, means, high = np.array([(one.min(), one.mean(), one.max()) for one in samples]).T
    axes.plot(sizes, means, marker=MARKERS[name], markersize=4, color=COLOURS[name], label=name)
    axes.fill_between(sizes, low, high, color=COLOURS[name], alpha=0.15, linewidth=0)
    if slope:
        line = 0.6 * means[-1] * (np.array(sizes) / sizes[-1]) ** slope
        label = f"slope -1/{-1.0 / slope:.0f}"
        axes.plot(sizes, line, ":", color=COLOURS[name], linewidth=1.0, label=label)


def draw_levels(axes: "Axes", known: dict[str, float]) -> None:
    """Draw levels that do not depend on duels or calls, and the legend."""
    for place, (label, level) in enumerate(known.items()):
        axes.axhline(level, color=PALETTE[6 - place % 4], linewidth=0.8, linestyle="-.", label=label)
    axes.legend(fontsize="small")


def calls_table(results: ItemResults) -> Table:
    """Return the calls needed for every gap, and the exponent of their growth."""
    found = {name: prices(results, name) for name in EXPLORERS}
    rows: list[dict[str, Any]] = [
        {"gap": f"{gap:g}", **{name: one.needed[place] for name, one in found.items()}}
        for place, gap in enumerate(found[EXPLORERS[0]].accuracies)
    ]
    exponents = {name: f"{one.exponent:.2f}" for name, one in found.items()}
    title = "Calls of the oracle after which the gap is no larger, on all logs, with the library's steps"
    return Table.of(title, CALLS, [*rows, {"gap": "exponent of 1 / gap", **exponents}])
