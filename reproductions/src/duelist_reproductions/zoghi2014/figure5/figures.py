"""Figure 5 in the paper's own form, and its numbers."""

import numpy as np

from duelist.laboratory import Drawing, Expected, ItemResults, Table
from duelist.simulation.figures import PALETTE, new_figure

SIZES = (2, 3, 4, 8, 16, 22, 32, 48, 64)
"""Shown in the table; the least chance of a Condorcet winner is at 22."""


def show(results: ItemResults, expected: Expected) -> list[Drawing | Table]:
    """Return the figure and a table of some of its numbers."""
    chance, found = results["condorcet"]["chance"], results["total-order"]
    share = found["ordered"] / found["samples"]
    sizes = np.arange(1, len(chance) + 1)
    figure = new_figure(6.6, 4.2)
    axes = figure.subplots()
    axes.plot(sizes, chance, color=PALETTE[1], label="Condorcet winner (counted)")
    axes.plot(
        sizes, share, "--", color=PALETTE[0], label=f"total order ({int(found['samples']):,} samples a size)"
    )
    axes.set(
        xlabel="K, rankers in the subset", ylabel="probability", xlim=(1, len(chance)), ylim=(-0.02, 1.02)
    )
    axes.grid(alpha=0.3)
    axes.legend(loc="center right")
    caption = "How likely it is that rankers drawn at random have a Condorcet winner, or even a total order."
    rows = [(str(k), f"{chance[k - 1]:.4f}", "> 0.97", f"{share[k - 1]:.4f}") for k in SIZES]
    headings = ("K", "Condorcet winner, ours", "Condorcet winner, paper", "total order, ours")
    return [Drawing("figure5", figure, caption), Table("Probabilities by size", headings, rows)]
