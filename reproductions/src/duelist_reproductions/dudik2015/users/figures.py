"""The appendix's figure of how rare Condorcet winners are, by who clicks and by how often they did."""

from typing import TYPE_CHECKING

import numpy as np

from duelist.laboratory.items import Drawing, Expected, Table
from duelist.laboratory.work import ItemResults
from duelist.simulation.figures import PALETTE, new_figure
from duelist_reproductions.dudik2015.users import tables
from duelist_reproductions.dudik2015.users.as_clear import AsClear
from duelist_reproductions.dudik2015.users.estimates import Estimate, Users
from duelist_reproductions.dudik2015.users.sweep import INFORMATIONAL, PERFECT
from duelist_reproductions.dudik2015.users.verdicts import sizes_asked

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = {INFORMATIONAL: PALETTE[0], PERFECT: PALETTE[1]}
ONE_SIZE = 10
"""Where the chance is drawn against the number of comparisons."""
FEWER = 4
"""How many times fewer comparisons are drawn too."""


def show(results: ItemResults, expected: Expected) -> list[Drawing | Table]:
    """Return the figure and the tables."""
    users = {name: Users.of(results, name) for name in COLOURS}
    sizes = sizes_asked(users[INFORMATIONAL], expected)
    return [
        condorcet(users),
        tables.chances(users, expected["claims"]["condorcet"]["tolerance"]),
        tables.taste(AsClear.of(users[INFORMATIONAL], users[PERFECT], sizes)),
        tables.clearness(users),
        tables.best_rankers(users),
    ]


def condorcet(users: dict[str, Users]) -> Drawing:
    """Draw how likely a subset has a Condorcet winner: by its size, by comparisons, and by clearness."""
    figure = new_figure(11.0, 4.2)
    by_size, by_comparisons, by_clearness = figure.subplots(1, 3, sharey=True, width_ratios=(1.6, 1.0, 1.0))
    draw_sizes(by_size, users, min(one.amounts[-1] for one in users.values()))
    figure.legend(loc="outside upper left", ncols=3, fontsize="small")
    for name, one in users.items():
        chances = [np.mean([chance_of(each, ONE_SIZE) for each in one.estimates(n)]) for n in one.amounts]
        clearness = [one.clearness(n) for n in one.amounts]
        for axes, across in ((by_comparisons, one.amounts), (by_clearness, clearness)):
            axes.plot(across, chances, "o-", color=COLOURS[name], markersize=4, label=name)
    by_comparisons.set(xlabel=f"comparisons of a pair (K = {ONE_SIZE})", xscale="log")
    amounts = users[INFORMATIONAL].amounts
    by_comparisons.set_xticks(amounts, [f"{amount:,}" for amount in amounts])
    by_clearness.set_xscale("log", base=2)
    by_clearness.set_xlabel(f"median gap in standard errors (K = {ONE_SIZE})")
    by_clearness.xaxis.set_major_formatter("{x:g}")
    for axes in (by_comparisons, by_clearness):
        axes.minorticks_off()
        axes.legend(fontsize="small", loc="lower right")
    for axes in (by_size, by_comparisons, by_clearness):
        axes.grid(alpha=0.3)
    return Drawing(
        "condorcet",
        figure,
        "The probability that a random subset of K features of MSLR has a Condorcet winner, exact for "
        "preferences that were estimated anew. Left: means over independent estimates, which are the thin "
        f"lines. Middle and right: K = {ONE_SIZE}, against the number of comparisons, and against how "
        "clearly they tell rankers apart. The paper's, of informational users, drops rapidly with K.",
    )


def draw_sizes(axes: "Axes", users: dict[str, Users], amount: int) -> None:
    """Draw the chance by size: of both users from equally many comparisons, and from fewer."""
    fewer = amount // FEWER
    for name, comparisons, line in (
        (PERFECT, amount, "-"),
        (INFORMATIONAL, amount, "-"),
        (INFORMATIONAL, fewer, "--"),
    ):
        one = users[name]
        mean = one.mean_chances(comparisons)
        label = f"{name}, {comparisons:,} comparisons"
        axes.plot(one.whole.sizes, mean, line, color=COLOURS[name], label=label)
        for estimate in one.estimates(comparisons):
            axes.plot(estimate.sizes, estimate.chances, line, color=COLOURS[name], alpha=0.25, linewidth=0.8)
    axes.set(xlabel="number of arms K", ylabel="probability of a Condorcet winner", ylim=(0.0, 1.03))


def chance_of(estimate: Estimate, k: int) -> float:
    """Return the chance for one size."""
    return float(estimate.chances[k - estimate.sizes[0]])
