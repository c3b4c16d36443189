"""How rare Condorcet winners are, by who clicks and by how often they did: a figure and two tables."""

import numpy as np

from duelist.duel import FloatArray
from duelist.laboratory import Drawing, Expected, ItemResults, Table, panels
from duelist.simulation.figures import PALETTE
from duelist_reproductions.dudik2015.users.estimates import AsClear, Users
from duelist_reproductions.dudik2015.users.sweep import INFORMATIONAL, PERFECT
from duelist_reproductions.dudik2015.users.verdicts import users_asked

COLOURS = {INFORMATIONAL: PALETTE[0], PERFECT: PALETTE[1]}
LOOKED_AT = (5, 10, 20, 40, 60, 80, 100, 120)
"""Sizes of subsets in the tables."""
ONE_SIZE = 10
"""Where the chance is drawn against the number of comparisons."""
FEWER = 4
"""How many times fewer comparisons are drawn too."""


def show(results: ItemResults, expected: Expected) -> list[Drawing | Table]:
    """Return the figure and the tables."""
    informational, perfect, asked = users_asked(results, expected)
    users = {INFORMATIONAL: informational, PERFECT: perfect}
    return [
        draw(users),
        chances(users, expected["claims"]["condorcet"]["tolerance"]),
        taste(AsClear.of(informational, perfect, asked)),
    ]


def draw(users: dict[str, Users]) -> Drawing:
    """Draw how likely a subset has a Condorcet winner: by its size, by comparisons, and by clearness."""
    figure, ((by_size, by_comparisons, by_clearness),) = panels(
        11.0, 4.2, columns=3, share=("none", "all"), ylim=(0.0, 1.03)
    )
    most = min(one.amounts[-1] for one in users.values())
    for name, amount, line in (
        (PERFECT, most, "-"),
        (INFORMATIONAL, most, "-"),
        (INFORMATIONAL, most // FEWER, "--"),
    ):
        sizes, colour = users[name].whole.sizes, COLOURS[name]
        label = f"{name}, {amount:,} comparisons"
        by_size.plot(sizes, users[name].mean_chances(amount), line, color=colour, label=label)
        for estimate in users[name].estimates(amount):
            by_size.plot(sizes, estimate.chances, line, color=colour, alpha=0.25, linewidth=0.8)
    for name, one in users.items():
        chances = [one.mean_chances(n)[ONE_SIZE - one.whole.sizes[0]] for n in one.amounts]
        by_comparisons.plot(one.amounts, chances, "o-", color=COLOURS[name], markersize=4)
        clearness = [one.clearness(n) for n in one.amounts]
        by_clearness.plot(clearness, chances, "o-", color=COLOURS[name], markersize=4)
    figure.legend(loc="outside upper left", ncols=3, fontsize="small")
    by_size.set(xlabel="number of arms K", ylabel="probability of a Condorcet winner")
    by_comparisons.set(xlabel=f"comparisons of a pair (K = {ONE_SIZE})", xscale="log")
    by_clearness.set(xlabel=f"median gap in standard errors (K = {ONE_SIZE})", xscale="log")
    for axes, ticks in ((by_comparisons, users[INFORMATIONAL].amounts), (by_clearness, (0.5, 1, 2, 4))):
        axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
        axes.minorticks_off()
    caption = (
        "The probability that a random subset of K features of MSLR has a Condorcet winner, exact for "
        "preferences that were estimated anew. Left: means over independent estimates, which are the thin "
        f"lines. Middle and right: K = {ONE_SIZE}, against the number of comparisons, and against how "
        "clearly they tell rankers apart. The paper's, of informational users, drops rapidly with K."
    )
    return Drawing("condorcet", figure, caption)


def chances(users: dict[str, Users], limit: float) -> Table:
    """Return the chance for some sizes, its range over estimates, and how often it drops for good."""
    sizes = users[INFORMATIONAL].whole.sizes
    looked_at = [k for k in LOOKED_AT if k in sizes]
    columns = {
        "users": "{user}",
        "comparisons": "{amount:,}",
        "median gap in standard errors": "{clearness:.2f}",
        **{f"K = {k}": f"{{chances[{place}]}}" for place, k in enumerate(looked_at)},
        "drops for good": "{drops} of {number}",
    }
    rows = []
    for name, one in users.items():
        for amount in one.amounts:
            estimates = one.estimates(amount)
            found = np.array([each.chances for each in estimates])[:, np.searchsorted(sizes, looked_at)]
            row = {"user": name, "amount": amount, "clearness": one.clearness(amount)}
            row |= {"drops": sum(each.falls(limit) for each in estimates), "number": len(estimates)}
            rows.append({**row, "chances": [spread(values) for values in found.T]})
    title = "Chance of a Condorcet winner: mean over independent estimates, and their range"
    return Table.of(title, columns, rows)


def spread(values: FloatArray) -> str:
    """Return the mean, and the range if there is more than one value."""
    extent = f" ({values.min():.2f}-{values.max():.2f})" if len(values) > 1 else ""
    return f"{values.mean():.3f}{extent}"


def taste(matched: AsClear) -> Table:
    """Return what is left of the difference between users if they tell rankers apart as clearly."""
    columns = {
        "K": "{k}",
        f"informational, {matched.comparisons:,}": "{informational:.3f}",
        f"perfect, {matched.comparisons:,}": "{perfect:.3f}",
        f"perfect, {matched.fewer:,.0f}": "{unclear:.3f}",
        "difference": "{whole:+.3f}",
        "left if as clear": "{left:+.3f}",
        "part that is left": "{part:+.0%}",
    }
    known = ("informational", "perfect", "unclear", "whole", "left")
    rows = [
        {"k": k, **{name: getattr(matched, name)[place] for name in known}}
        for k in LOOKED_AT
        for place in np.flatnonzero(matched.sizes == k)
    ]
    rows = [{**row, "part": row["left"] / row["whole"]} for row in rows]
    return Table.of("What is left of the difference between users if they are as clear", columns, rows)
