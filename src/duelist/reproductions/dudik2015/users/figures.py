"""The appendix's figure of how rare Condorcet winners are, by who clicks and by how often they did."""

from typing import TYPE_CHECKING

import numpy as np

from duelist.laboratory.items import Drawing, Expected, Grid
from duelist.laboratory.work import Results
from duelist.reproductions.dudik2015.users.estimates import Estimate, Users
from duelist.reproductions.dudik2015.users.sweep import INFORMATIONAL, PERFECT
from duelist.simulation.figures import PALETTE, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = {INFORMATIONAL: PALETTE[0], PERFECT: PALETTE[1]}
LOOKED_AT = (5, 10, 20, 40, 60, 100)
"""Sizes of subsets in the table."""
ONE_SIZE = 10
"""Where the chance is drawn against the number of comparisons."""
FEWER = 4
"""How many times fewer comparisons are drawn too."""
SUBSETS = 10
"""Of every size, that are drawn of one estimate to see how large supports are."""
PAPER_LARGEST = 5
"""No support is larger in the paper."""


def show(results: Results, expected: Expected) -> list[Drawing | Grid]:
    """Return the figure and a table."""
    users = {name: Users.of(results, name) for name in COLOURS}
    return [condorcet(users), table(users)]


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


def table(users: dict[str, Users]) -> Grid:
    """Return the chances for some sizes, and what they depend on."""
    sizes = [k for k in LOOKED_AT if k in users[INFORMATIONAL].whole.sizes]
    return Grid(
        "Chance of a Condorcet winner, mean over independent estimates",
        (
            "users",
            "comparisons",
            "estimates",
            *(f"K = {k}" for k in sizes),
            "standard error of a preference",
            "median gap in standard errors",
            "supports above 5 (in the paper none)",
        ),
        [row(name, one, amount, sizes) for name, one in users.items() for amount in one.amounts],
    )


def row(name: str, users: Users, amount: int, sizes: list[int]) -> list[str]:
    """Return a row of the table."""
    estimates = users.estimates(amount)
    larger = np.mean(estimates[0].support_sizes(SUBSETS) > PAPER_LARGEST)
    return [
        name,
        f"{amount:,}",
        str(len(estimates)),
        *(f"{np.mean([chance_of(one, k) for one in estimates]):.3f}" for k in sizes),
        f"{users.standard_error(amount):.4f}",
        f"{users.clearness(amount):.2f}",
        f"{larger:.2%}",
    ]


def chance_of(estimate: Estimate, k: int) -> float:
    """Return the chance for one size."""
    return float(estimate.chances[k - estimate.sizes[0]])
