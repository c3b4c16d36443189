"""Random subsets of rankers: findings about the appendix's claims, its figures, and tables.

The paper's shares are of all matrices it sampled, with and without a Condorcet winner. A Condorcet winner is
the only arm in the support and the only Copeland winner, so subsets with one cannot contradict a claim.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import binom

from duelist.duel import BoolArray
from duelist.figures import PALETTE
from duelist.laboratory import Drawing, Expected, Finding, Item, ItemResults, ResultTable, agrees, panels
from duelist.simulation.figures import look, staggered
from duelist_reproductions.dudik2015.subsets_sweep import MATRIX, plan
from duelist_reproductions.dudik2015.subsets_tally import Tally, chance_of_counts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KINDS: dict[str, Callable[[Tally], BoolArray]] = {
    "one_or_three": lambda some: np.isin(some.support, (1, 3)),
    "five": lambda some: some.support == 5,
    "one_copeland": lambda some: some.one_inside,
    "all_copeland": lambda some: some.all_inside,
}
"""Claims about shares of subsets; the last one is about subsets without a Condorcet winner."""
RANGES = ((2, 10), (11, 20), (21, 40), (41, 60), (61, 80), (81, 100), (101, 120), (121, 135))
ARMS = "number of arms K"
BY_SIZE = {
    "K": "{low}-{high}",
    "subsets": "{some.total:,}",
    "support 1": "{supports[1]:.3%}",
    "support 3": "{supports[3]:.3%}",
    "support 5 (paper: of all < 0.03%)": "{supports[5]:.3%}",
    "larger (none)": "{larger:.3%}",
    "one Copeland winner in it (> 99.9%)": "{one:.3%}",
    "all in it (slightly less)": "{every:.3%}",
    "others that beat its weakest arm (few)": "{some.mean_loss:.2%}",
}


def findings(results: ItemResults, expected: Expected) -> dict[str, Finding]:
    claims, tally = expected["claims"], Tally.of(results)
    hard, supports = tally.contested, np.unique(tally.support)
    losses = (
        f"{hard.mean_loss:.2%} of the others on average without a Condorcet winner, {tally.mean_loss:.2%} of "
        f"all; at most {tally.loss.max()} arms"
    )
    return {
        "condorcet": falling(results, claims["condorcet"]["tolerance"]),
        "at_most_five": Finding(f"largest support {supports[-1]} in {tally.total:,} subsets", supports[-1]),
        **{name: share(tally, name, expected, kind) for name, kind in KINDS.items()},
        "fewer_by_size": fewer_by_size(tally, claims["fewer_by_size"]["tolerance"]),
        "losses": Finding(losses, hard.mean_loss),
        "odd": Finding(f"supports of {', '.join(map(str, supports))}", supports % 2 == 1),
        "counting": counting(results, tally),
    }


def share(tally: Tally, name: str, expected: Expected, kind: Callable[[Tally], BoolArray]) -> Finding:
    """Measure a share of subsets; note if the claim holds only because of subsets with a winner."""
    hard, claim = tally.contested, expected["claims"][name]
    every, harder = tally.share(kind(tally)), hard.share(kind(hard))
    ours = f"{every:.3%} of {tally.total:,}; {harder:.2%} of the {hard.total:,} without a Condorcet winner"
    only = claim["test"] == "above" and agrees(claim, every) and not agrees(claim, harder)
    value = harder if name == "all_copeland" else every
    return Finding(ours, value, expected["if_only_by_winners"] if only else "")


def falling(results: ItemResults, limit: float) -> Finding:
    """Check that Condorcet winners become ever rarer as subsets grow, until most subsets have none."""
    chance, size = results["counting"]["chance"], results["counting"]["size"]
    lowest = int(chance.argmin())
    ours = (
        f"{chance[0]:.4f} at K = {size[0]}, lowest {chance[lowest]:.4f} at K = {size[lowest]}, "
        f"{chance[-1]:.4f} at K = {size[-1]}"
    )
    return Finding(ours, [*(np.diff(chance) <= 0.0), chance[-1] < limit])


def fewer_by_size(tally: Tally, level: float) -> Finding:
    """Check that all Copeland winners have weight less often than one, by a share that varies with size."""
    hard = tally.contested
    left_out, drawn = hard.counts(~hard.all_inside), hard.counts(hard.size > 0)
    rate = np.full(len(drawn), left_out.sum() / drawn.sum())
    lower = hard.share(hard.one_inside) - hard.share(hard.all_inside)
    by_chance = chance_of_counts(left_out, drawn, rate, fitted=1)
    ours = (
        f"lower by {lower:.2%} without a Condorcet winner, by {lower * hard.total / tally.total:.2%} of all; "
        f"if it did not depend on the size, chance would make it look so with probability {by_chance:.1g}"
    )
    return Finding(ours, [lower > 0.0, by_chance < level])


def counting(results: ItemResults, tally: Tally) -> Finding:
    """Test the number of drawn Condorcet winners against the exact count over all subsets."""
    found, drawn = tally.counts(tally.support == 1), tally.counts(tally.size > 0)
    chance = results["counting"]["chance"]
    by_chance = chance_of_counts(found, drawn, chance)
    alone = np.minimum(binom.cdf(found, drawn, chance), binom.sf(found - 1, drawn, chance))
    ours = (
        f"by chance as far or farther off with probability {by_chance:.2g}, all sizes together; the least "
        f"likely size alone, K = {tally.sizes[alone.argmin()]}, has {alone.min():.1g} on its side"
    )
    return Finding(ours, by_chance)


def show(results: ItemResults, expected: Expected) -> list[Drawing | ResultTable]:
    tally = Tally.of(results)
    return [
        draw_condorcet(results, tally),
        draw_supports(tally),
        draw_copeland(tally),
        draw_losses(tally),
        by_size(tally, "All subsets"),
        by_size(tally.contested, "Subsets without a Condorcet winner"),
    ]


def draw_shares(panel: "Axes", some: Tally, kinds: dict[str, BoolArray], **properties: Any) -> None:
    """Draw shares of the subsets of each size, in percent."""
    for place, (label, chosen) in enumerate(kinds.items()):
        marked = staggered(place, len(kinds), len(some.sizes))
        panel.plot(some.sizes, 100.0 * some.shares(chosen), **look(place), markevery=marked, label=label)
    panel.set(**properties)


def draw_condorcet(results: ItemResults, tally: Tally) -> Drawing:
    """Draw the chance of a Condorcet winner by size."""
    figure, ((axes,),) = panels(6.5, 3.8, xlabel=ARMS, ylim=(0.0, 103.0))
    draw_shares(axes, tally, {"drawn subsets": tally.support == 1}, ylabel="% that have a Condorcet winner")
    counted = results["counting"]
    axes.plot(counted["size"], 100.0 * counted["chance"], "--", color="black", label="exact, by counting")
    axes.legend(loc="lower left")
    caption = "Chance that a random subset of K rankers has a Condorcet winner; the paper's drops rapidly."
    return Drawing("condorcet", figure, caption)


def draw_supports(tally: Tally) -> Drawing:
    """Draw the shares of support sizes, whole and zoomed."""
    figure, ((whole,), (zoomed,)) = panels(6.5, 6.0, rows=2, share=("all", "none"))
    kinds = {f"support size {size}": tally.support == size for size in np.unique(tally.support)}
    rarest = 100.0 * tally.shares(tally.support >= 5).max()
    draw_shares(whole, tally, kinds, ylabel="% of subsets", ylim=(-2.0, 103.0))
    draw_shares(zoomed, tally, kinds, xlabel=ARMS, ylabel="% zoomed", ylim=(0.0, max(1.2 * rarest, 0.01)))
    whole.legend(loc="center left")
    caption = "The percentage of subsets of K rankers by the support size of the von Neumann winner."
    return Drawing("supports", figure, caption)


def draw_copeland(tally: Tally) -> Drawing:
    """Draw how often Copeland winners have weight, in all subsets and in those without a Condorcet winner."""
    figure, ((above,), (below,)) = panels(6.5, 6.0, rows=2, share=("all", "none"), xlabel=ARMS)
    for axes, some, part in ((above, tally, "subsets"), (below, tally.contested, "subsets without a winner")):
        kinds = {"at least one": some.one_inside, "all": some.all_inside}
        draw_shares(axes, some, kinds, ylabel=f"% of {part}")
    above.legend(title="Copeland winners in the support", loc="lower right")
    caption = (
        "The percentage of subsets of K rankers for which all Copeland winners, or at least one, are in the "
        "support of the von Neumann winner; below, only of subsets without a Condorcet winner, which are "
        "few of the smallest and largest sizes."
    )
    return Drawing("copeland", figure, caption)


def draw_losses(tally: Tally) -> Drawing:
    """Draw the losses of the weakest arm of a support."""
    figure, ((axes,),) = panels(7.0, 4.2, xlabel=ARMS, ylabel="largest Copeland loss in the support")
    for k in tally.sizes[::8]:  # more bubbles would hide each other
        some = tally.where(tally.size == k)
        for loss in np.unique(some.loss):
            axes.scatter(k, loss, s=500.0 * some.share(some.loss == loss), color=PALETTE[0], linewidths=0)
    axes.locator_params(axis="y", integer=True)
    caption = "A bubble's area is the share of subsets of K rankers by losses of the support's weakest arm."
    return Drawing("losses", figure, caption)


def by_size(tally: Tally, title: str) -> ResultTable:
    rows = []
    for low, high in (*RANGES, (2, 135)):
        some = tally.where((low <= tally.size) & (tally.size <= high))
        if some.total:
            supports = {size: some.share(some.support == size) for size in (1, 3, 5)}
            inside = {"one": some.share(some.one_inside), "every": some.share(some.all_inside)}
            row = {"low": low, "high": high, "some": some, "larger": some.share(some.support > 5)}
            rows.append({**row, **inside, "supports": supports})
    return ResultTable.of(f"{title}: {tally.total:,}, by size", BY_SIZE, rows)


ITEM = Item(
    name="subsets",
    title="Appendix: winners of a million random subsets of MSLR's rankers",
    minutes=1.0,
    plan=plan,
    findings=findings,
    show=show,
    data=(MATRIX,),
)
