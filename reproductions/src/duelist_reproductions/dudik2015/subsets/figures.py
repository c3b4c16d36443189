"""The appendix's figures of random subsets of rankers, and tables of them."""

from typing import Any

import numpy as np

from duelist.laboratory import Drawing, Expected, ItemResults, Table, panels
from duelist.simulation.figures import PALETTE
from duelist_reproductions.dudik2015.subsets.tally import Tally

BUBBLE_STEP = 8
"""Every eighth size has bubbles: more would hide each other."""
LARGEST_BUBBLE = 500.0
"""In square points: the area that stands for all subsets of a size."""
RARE = 5
"""The smallest support that is so rare that it takes a zoomed plot to be seen."""
RANGES = ((2, 10), (11, 20), (21, 40), (41, 60), (61, 80), (81, 100), (101, 120), (121, 135))
ARMS = "number of arms K"
BY_SIZE = {
    "K": "{name}",
    "subsets": "{total:,}",
    "support 1": "{supports[1]:.3%}",
    "support 3": "{supports[3]:.3%}",
    "support 5 (paper: of all < 0.03%)": "{supports[5]:.3%}",
    "larger (none)": "{larger:.3%}",
    "one Copeland winner in it (> 99.9%)": "{one:.3%}",
    "all in it (slightly less)": "{every:.3%}",
    "others that beat its weakest arm (few)": "{loss:.2%}",
}
BY_WINNERS = {
    "Copeland winners": "{name}",
    "subsets": "{total:,}",
    "share": "{part:.2%}",
    "one in the support": "{one:.2%}",
    "all in it": "{every:.2%}",
}


def show(results: ItemResults, expected: Expected) -> list[Drawing | Table]:
    """Return the figures and the tables."""
    tally = Tally.of(results)
    hard = tally.contested
    winners = {str(n): hard.where(hard.winners == n) for n in np.unique(hard.winners)}
    title = "Subsets without a Condorcet winner, by the number of Copeland winners"
    return [
        draw_condorcet(results, tally),
        draw_supports(tally),
        draw_copeland(tally),
        draw_losses(tally),
        by_size(tally, "All subsets"),
        by_size(hard, "Subsets without a Condorcet winner"),
        Table.of(title, BY_WINNERS, [row(name, some, hard.total) for name, some in winners.items()]),
    ]


def draw_condorcet(results: ItemResults, tally: Tally) -> Drawing:
    """Draw how likely a subset has a Condorcet winner."""
    figure, ((axes,),) = panels(6.5, 3.8, xlabel=ARMS, ylim=(0.0, 1.03))
    counted, sampled = results["counting"], tally.shares(tally.support == 1)
    axes.plot(tally.sizes, sampled, ".", color=PALETTE[5], markersize=4, label="share of drawn subsets")
    axes.plot(counted["size"], counted["chance"], color=PALETTE[0], label="exact, by counting")
    axes.set(ylabel="probability of a Condorcet winner")
    axes.legend(loc="lower left")
    caption = (
        "The probability that a random subset of K rankers has a Condorcet winner. The paper's, of another "
        "matrix, drops rapidly with K."
    )
    return Drawing("condorcet", figure, caption)


def draw_supports(tally: Tally) -> Drawing:
    """Draw how many arms have weight, whole and zoomed."""
    figure, ((whole,), (zoomed,)) = panels(6.5, 6.0, rows=2, share=("all", "none"))
    for place, size in enumerate(np.unique(tally.support)):
        shares = 100.0 * tally.shares(tally.support == size)
        for axes in (whole, zoomed):
            axes.plot(tally.sizes, shares, color=PALETTE[place], label=f"support size {size}")
    rarest = 100.0 * tally.shares(tally.support >= RARE).max()
    zoomed.set(xlabel=ARMS, ylabel="% of subsets, zoomed", ylim=(0.0, max(1.2 * rarest, 0.01)))
    whole.set(ylabel="% of subsets", ylim=(-2.0, 103.0))
    whole.legend(loc="center left")
    caption = "The percentage of subsets of K rankers by the support size of the von Neumann winner; zoomed."
    return Drawing("supports", figure, caption)


def draw_copeland(tally: Tally) -> Drawing:
    """Draw how often Copeland winners have weight, in all subsets and in those that have no winner."""
    figure, ((above,), (below,)) = panels(6.5, 6.0, rows=2, share=("all", "none"))
    for axes, some in ((above, tally), (below, tally.contested)):
        for place, (label, inside) in enumerate(
            (("at least one", some.one_inside), ("all", some.all_inside))
        ):
            axes.plot(some.sizes, 100.0 * some.shares(inside), color=PALETTE[place], label=label)
    above.set(ylabel="% of subsets")
    above.legend(title="Copeland winners in the support", loc="lower right")
    below.set(xlabel=ARMS, ylabel="% of those without a Condorcet winner")
    caption = (
        "The percentage of subsets of K rankers for which all Copeland winners, or at least one, are in the "
        "support of the von Neumann winner; below, only of subsets without a Condorcet winner, which are "
        "few of the smallest and largest sizes."
    )
    return Drawing("copeland", figure, caption)


def draw_losses(tally: Tally) -> Drawing:
    """Draw to how many arms the weakest arm of a support loses."""
    figure, ((axes,),) = panels(7.0, 4.2, xlabel=ARMS, ylabel="largest Copeland loss in the support")
    for k in tally.sizes[::BUBBLE_STEP]:
        some = tally.where(tally.size == k)
        losses = np.unique(some.loss)
        areas = [LARGEST_BUBBLE * some.share(some.loss == loss) for loss in losses]
        axes.scatter(np.full(len(losses), k), losses, s=areas, color=PALETTE[0], linewidths=0)
    axes.locator_params(axis="y", integer=True)
    caption = (
        "The area of a bubble is the share of subsets of K rankers in which the weakest arm of the von "
        "Neumann winner's support loses to so many others."
    )
    return Drawing("losses", figure, caption)


def by_size(tally: Tally, title: str) -> Table:
    """Return the shares by ranges of sizes."""
    parts = {f"{low}-{high}": tally.where((low <= tally.size) & (tally.size <= high)) for low, high in RANGES}
    rows = [row(name, part, tally.total) for name, part in {**parts, "all": tally}.items() if part.total]
    return Table.of(f"{title}: {tally.total:,}, by size", BY_SIZE, rows)


def row(name: str, some: Tally, whole: int) -> dict[str, Any]:
    """Return what is said of some subsets."""
    return {
        "name": name,
        "total": some.total,
        "part": some.total / whole,
        "supports": {size: some.share(some.support == size) for size in (1, 3, 5)},
        "larger": some.share(some.support > RARE),
        "one": some.share(some.one_inside),
        "every": some.share(some.all_inside),
        "loss": some.mean_loss,
    }
