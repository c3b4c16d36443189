"""Figure 5: findings about its claims, the figure in the paper's form, and its numbers."""

from math import comb

import numpy as np

from duelist.figures import PALETTE
from duelist.laboratory import Drawing, Expected, Finding, ItemResults, ResultTable, panels
from duelist_reproductions.zoghi2014.rankers import RANKERS

SIZES = (2, 3, 4, 8, 16, 22, 32, 48, 64)
"""Sizes in the table; the chance of a Condorcet winner is lowest at 22."""
COLUMNS = {
    "K": "{k}",
    "Condorcet winner, ours": "{chance:.4f}",
    "Condorcet winner, paper": "> 0.97",
    "total order, ours": "{share:.4f}",
}


def findings(results: ItemResults, expected: Expected) -> dict[str, Finding]:
    chance, found = results["condorcet"]["chance"], results["total-order"]
    share, least = found["ordered"] / found["samples"], int(chance.argmin())
    lowest = f"{chance[least]:.5f}"
    only_rises = bool((np.diff(chance[least:]) >= 0.0).all())
    humps = int((np.diff(chance)[:least] > 0.0).sum())
    half = RANKERS // 2
    doubled = share[[1, 3, 7, 15, half - 1]]
    rare = doubled[-1] <= expected["claims"]["total_order_vanishes"]["tolerance"]
    sizes = ", ".join(f"{share[k - 1]:.2%} at K = {k}" for k in (4, 8, 16, half))
    exact = 1.0 - int(results["condorcet"]["cyclic_triples"]) / comb(RANKERS, 3)
    apart = abs(share[2] - exact) / (exact * (1.0 - exact) / int(found["samples"])) ** 0.5
    return {
        "condorcet_chance": Finding(f"never below {lowest}, at K = {least + 1}", float(chance[least])),
        "condorcet_shape": Finding(
            f"1 at K = 2, {chance[2]:.5f} at K = 3, {lowest} at K = {least + 1}, 1 at K = {RANKERS}",
            [bool(chance[2] < chance[1]), only_rises, bool(chance[-1] == 1.0 > chance[least])],
            f"While falling, it rises slightly at {humps} sizes." if humps else "",
        ),
        "total_order_vanishes": Finding(
            f"{sizes}, {share[-1]:.0%} at K = {RANKERS}",
            [bool((np.diff(doubled) < 0.0).all()), bool(rare), bool(share[-1] == 0.0)],
        ),
        "total_order_of_three": Finding(
            f"{share[2]:.5f} of samples, {exact:.5f} by counting cycles: {apart:.1f} standard errors",
            float(apart),
        ),
    }


def show(results: ItemResults, expected: Expected) -> list[Drawing | ResultTable]:
    chance, found = results["condorcet"]["chance"], results["total-order"]
    share, sizes = found["ordered"] / found["samples"], np.arange(1, len(chance) + 1)
    figure, ((axes,),) = panels(6.6, 4.2, xlim=(1, len(chance)), ylim=(-0.02, 1.02))
    axes.set(xlabel="K, rankers in the subset", ylabel="probability")
    axes.plot(sizes, chance, color=PALETTE[1], label="Condorcet winner (counted)")
    sampled = f"total order ({int(found['samples']):,} samples per size)"
    axes.plot(sizes, share, "--", color=PALETTE[0], label=sampled)
    axes.legend(loc="center right")
    caption = "Chances that random rankers have a Condorcet winner, or even a total order."
    rows = [{"k": k, "chance": chance[k - 1], "share": share[k - 1]} for k in SIZES]
    return [Drawing("figure5", figure, caption), ResultTable.of("Probabilities by size", COLUMNS, rows)]
