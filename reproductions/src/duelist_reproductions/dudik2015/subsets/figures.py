"""The appendix's figures of random subsets of rankers."""

import numpy as np

from duelist.laboratory.items import Drawing, Expected, Table
from duelist.laboratory.work import ItemResults
from duelist.simulation.figures import PALETTE, new_figure
from duelist_reproductions.dudik2015.subsets.tally import Tally
from duelist_reproductions.dudik2015.subsets.verdicts import all_inside, one_inside

BUBBLE_STEP = 8
"""Every eighth size has bubbles: more would hide each other."""
LARGEST_BUBBLE = 500.0
"""In square points: the area that stands for all subsets of a size."""
RARE = 5
"""The smallest support that is so rare that it takes a zoomed plot to be seen."""
RANGES = ((2, 10), (11, 20), (21, 40), (41, 60), (61, 80), (81, 100), (101, 120), (121, 135))
ARMS = "number of arms K"


def show(results: ItemResults, expected: Expected) -> list[Drawing | Table]:
    """Return the figures and the tables."""
    tally = Tally.of(results)
    return [
        condorcet(results, tally),
        supports(tally),
        copeland(tally),
        losses(tally),
        by_size(tally, "All subsets"),
        by_size(tally.contested, "Subsets without a Condorcet winner"),
        by_winners(tally.contested),
    ]


def condorcet(results: ItemResults, tally: Tally) -> Drawing:
    """Draw how likely a subset has a Condorcet winner."""
    figure = new_figure(6.5, 3.8)
    axes = figure.subplots()
    counted = results["counting"]
    sampled = tally.shares(tally.support == 1)
    axes.plot(tally.sizes, sampled, ".", color=PALETTE[5], markersize=4, label="share of drawn subsets")
    axes.plot(counted["size"], counted["chance"], color=PALETTE[0], label="exact, by counting")
    axes.set(xlabel=ARMS, ylabel="probability of a Condorcet winner", ylim=(0.0, 1.03))
    axes.legend(loc="lower left")
    axes.grid(alpha=0.3)
    return Drawing(
        "condorcet",
        figure,
        "The probability that a random subset of K rankers has a Condorcet winner. The paper's, of another "
        "matrix, drops rapidly with K.",
    )


def supports(tally: Tally) -> Drawing:
    """Draw how many arms have weight, whole and zoomed."""
    figure = new_figure(6.5, 6.0)
    whole, zoomed = figure.subplots(2, 1, sharex=True)
    for place, size in enumerate(np.unique(tally.support)):
        shares = 100.0 * tally.shares(tally.support == size)
        for axes in (whole, zoomed):
            axes.plot(tally.sizes, shares, color=PALETTE[place], label=f"support size {size}")
    rarest = 100.0 * tally.shares(tally.support >= RARE).max()
    zoomed.set(xlabel=ARMS, ylabel="% of subsets, zoomed", ylim=(0.0, max(1.2 * rarest, 0.01)))
    whole.set(ylabel="% of subsets", ylim=(-2.0, 103.0))
    whole.legend(loc="center left")
    for axes in (whole, zoomed):
        axes.grid(alpha=0.3)
    return Drawing(
        "supports",
        figure,
        "The percentage of subsets of K rankers whose von Neumann winner has a given support size; below, "
        "zoomed.",
    )


def copeland(tally: Tally) -> Drawing:
    """Draw how often Copeland winners have weight, in all subsets and in those that have no winner."""
    figure = new_figure(6.5, 6.0)
    parts = figure.subplots(2, 1, sharex=True)
    kinds = (("of subsets", tally), ("of those without a Condorcet winner", tally.contested))
    for axes, (part, some) in zip(parts, kinds, strict=True):
        for place, (label, inside) in enumerate((("at least one", one_inside), ("all", all_inside))):
            axes.plot(some.sizes, 100.0 * some.shares(inside(some)), color=PALETTE[place], label=label)
        axes.set_ylabel(f"% {part}")
        axes.grid(alpha=0.3)
    parts[0].legend(title="Copeland winners in the support", loc="lower right")
    parts[1].set_xlabel(ARMS)
    return Drawing(
        "copeland",
        figure,
        "The percentage of subsets of K rankers for which all Copeland winners, or at least one, are in the "
        "support of the von Neumann winner; below, only of subsets without a Condorcet winner, which are "
        "few of the smallest and largest sizes.",
    )


def losses(tally: Tally) -> Drawing:
    """Draw to how many arms the weakest arm of a support loses."""
    figure = new_figure(7.0, 4.2)
    axes = figure.subplots()
    chosen = tally.sizes[::BUBBLE_STEP]
    rows = [
        (k, loss, tally.count((tally.size == k) & (tally.loss == loss)) / tally.count(tally.size == k))
        for k in chosen
        for loss in np.unique(tally.loss[tally.size == k])
    ]
    size, loss, share = np.array(rows).T
    axes.scatter(size, loss, s=LARGEST_BUBBLE * share, color=PALETTE[0], linewidths=0)
    axes.set(xlabel=ARMS, ylabel="largest Copeland loss in the support")
    axes.set_ylim(-0.7, loss.max() + 0.7)
    axes.set_yticks(range(0, int(loss.max()) + 1, 1 + int(loss.max()) // 12))
    axes.grid(alpha=0.3)
    return Drawing(
        "losses",
        figure,
        "The area of a bubble is the share of subsets of K rankers in which the weakest arm of the von "
        "Neumann winner's support loses to so many others.",
    )


def by_size(tally: Tally, title: str) -> Table:
    """Return the shares by ranges of sizes, and those that the paper tells."""
    parts = {f"{smallest}-{largest}": tally.part(smallest, largest) for smallest, largest in RANGES}
    return Table(
        f"{title}: {tally.total:,}, by size",
        (
            "K",
            "subsets",
            "support 1",
            "support 3",
            "support 5",
            "larger",
            "one Copeland winner in it",
            "all in it",
            "others that beat its weakest arm",
        ),
        [
            *(row(name, part) for name, part in {**parts, "all": tally}.items() if part.total),
            ["the paper, of all", "", "", "", "< 0.03%", "none", "> 99.9%", "slightly less", "few"],
        ],
    )


def row(name: str, tally: Tally) -> list[str]:
    """Return a row of the table."""
    chosen = (
        *(tally.support == size for size in (1, 3, 5)),
        tally.support > RARE,
        one_inside(tally),
        all_inside(tally),
    )
    return [
        name,
        f"{tally.total:,}",
        *(f"{tally.share(rows):.3%}" for rows in chosen),
        f"{tally.mean_loss:.2%}",
    ]


def by_winners(hard: Tally) -> Table:
    """Return how often Copeland winners have weight, by how many there are."""
    rows = []
    for winners in np.unique(hard.winners):
        some = hard.where(hard.winners == winners)
        inside = (some.share(chosen(some)) for chosen in (one_inside, all_inside))
        share = some.total / hard.total
        rows.append([str(winners), f"{some.total:,}", f"{share:.2%}", *(f"{part:.2%}" for part in inside)])
    headings = ("Copeland winners", "subsets", "share", "one in the support", "all in it")
    return Table("Subsets without a Condorcet winner, by the number of Copeland winners", headings, rows)
