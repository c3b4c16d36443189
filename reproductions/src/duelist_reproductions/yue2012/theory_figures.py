"""Figures of rounds, matches and regret in the worst case, with bounds."""

from collections.abc import Iterator

import numpy as np

from duelist.duel import FloatArray
from duelist.figures import PALETTE
from duelist.laboratory import Drawing, Expected, ItemResults, ResultTable, panels
from duelist.simulation.figures import look
from duelist_reproductions.yue2012.expectations import (
    expected_matches,
    harmonic,
    proven_matches,
    proven_regret,
)
from duelist_reproductions.yue2012.readings import regret_of, sizes_of
from duelist_reproductions.yue2012.sweep import EPSILON, FILTERS, HORIZON

COLUMNS = {
    "K": "{k}",
    "rounds IF1": "{rounds[if1]:.2f}",
    "rounds IF2": "{rounds[if2]:.2f}",
    "H(K)": "{random:.2f}",
    "1 + H(K-1)": "{last:.2f}",
    **{
        f"matches {name.upper()} / expected / bound": f"{{matches[{name}]:,.1f}} / {{exact[{name}]:,.1f}} / "
        f"{{proven[{name}]:,.1f}}"
        for name in FILTERS
    },
    "regret IF1": "{regret[if1]:,.0f}",
    "regret IF2": "{regret[if2]:,.0f}",
    "lower bound at T": "{bound:,.0f}",
}


def show_theory(results: ItemResults, expected: Expected) -> list[Drawing | ResultTable]:
    """Draw measurements by number of arms, with bounds."""
    sizes = sizes_of(results)
    runs: dict[str, dict[str, list[FloatArray]]] = {
        "rounds": {name: [results.stacked(f"{name}_rounds", k=k) for k in sizes] for name in FILTERS},
        "matches": {name: [results.stacked(f"{name}_matches", k=k) / k for k in sizes] for name in FILTERS},
        "regret": {name: [regret_of(results, name, k=k) for k in sizes] for name in FILTERS},
    }
    rows = [
        {
            "k": k,
            **{what: {name: one[name][place].mean() for name in FILTERS} for what, one in runs.items()},
            "matches": {name: k * runs["matches"][name][place].mean() for name in FILTERS},
            "random": harmonic(k),
            "last": 1.0 + harmonic(k - 1),
            "exact": {name: expected_matches(name, k) for name in FILTERS},
            "proven": {name: proven_matches(name, k) for name in FILTERS},
            "bound": results.stacked("lower_bound", k=k)[0],
        }
        for place, k in enumerate(sizes)
    ]
    counts = ", ".join(f"{len(one):,} with {k}" for one, k in zip(runs["rounds"]["if1"], sizes, strict=True))
    figure, (axes,) = panels(12.5, 4.2, columns=3, xlabel="number of arms K", xscale="log")
    for panel, (what, found) in zip(axes, runs.items(), strict=True):
        for place, (name, values) in enumerate(found.items()):
            errors = [2.0 * one.std(ddof=1) / np.sqrt(len(one)) for one in values]
            means = [one.mean() for one in values]
            panel.errorbar(sizes, means, errors, **look(place), label=name.upper())
        for label, style, line in known_lines(what, sizes):
            panel.plot(sizes, line, style, color="black", zorder=3, label=label)
    walks, walked = results["walks"]["lengths"], results["walks"].setting["sizes"]
    lengths = (walks * np.arange(walks.shape[1])).sum(axis=1) / walks.sum(axis=1)
    axes[0].plot(walked, lengths, "s", color=PALETTE[2], label="walks from the last node")
    axes[2].plot(sizes, [row["bound"] for row in rows], "-.", color="black", label="asymptotic lower bound")
    axes[2].set_yscale("log")
    for panel, label in zip(axes, ("rounds", "matches / K", "strong regret"), strict=True):
        panel.set_xticks(sizes, [str(k) for k in sizes])
        panel.minorticks_off()
        panel.set(ylabel=label)
        panel.legend(fontsize="small")
    caption = (
        f"Both filters on the worst case, means of runs ({counts} arms) with two standard errors, and what "
        "is proven: rounds as long as the random walk, matches O(K log K) for IF1 and O(K) for IF2, and "
        "regret between the asymptotic lower bound and matches times the longest match. Of matches the exact "
        "expectation is drawn too."
    )
    table = ResultTable.of("Worst case: means and bounds", COLUMNS, rows)
    return [Drawing("theorems", figure, caption), table, draw_match_lengths(results)]


def known_lines(what: str, sizes: list[int]) -> Iterator[tuple[str | None, str, list[float]]]:
    """Iterate over the bounds and exact values of a panel: labels, styles and values."""
    if what == "rounds":
        yield "1 + H(K-1)", ":", [1.0 + harmonic(k - 1) for k in sizes]
        yield "H(K), from a random node", "--", [harmonic(k) for k in sizes]
        return
    for name, style, exact in zip(FILTERS, (":", "--"), ("exact", None), strict=True):
        if what == "matches":
            yield exact, "x", [expected_matches(name, k) / k for k in sizes]
            yield f"{name.upper()}'s bound", style, [proven_matches(name, k) / k for k in sizes]
        else:
            yield f"{name.upper()}'s bound", style, [proven_regret(name, k, HORIZON, EPSILON) for k in sizes]


def draw_match_lengths(results: ItemResults) -> Drawing:
    """Draw the share of single matches decided within n duels, with the exact chances."""
    played = results["single-matches"]
    figure, ((axes,),) = panels(6.6, 4.0, xlabel="duels", ylabel="share of matches decided")
    axes.plot(np.cumsum(played["decided"]), "--", color="black", zorder=3, label="exact")
    for name, colour, width in zip(FILTERS, PALETTE, (5.0, 2.0), strict=False):
        axes.ecdf(played[f"{name}_duels"], color=colour, linewidth=width, label=name.upper())
    axes.set(xlim=(0, len(played["decided"])))
    axes.legend()
    caption = (
        f"Lengths of matches: {played.setting['runs']:,} explorations of two arms, of which one wins "
        f"{0.5 + EPSILON:.0%} of the duels. With two arms there is nothing to prune, and both filters, which "
        "have the same random stream, play the same duels."
    )
    return Drawing("match-lengths", figure, caption)
