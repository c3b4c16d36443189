"""Pictures of rounds, matches and regret on the worst case, against what is proven."""

from typing import TYPE_CHECKING

import numpy as np

from duelist.duel import FloatArray
from duelist.laboratory.items import Drawing, Expected, Table
from duelist.laboratory.work import ItemResults
from duelist.simulation.figures import PALETTE, new_figure
from duelist_reproductions.yue2012.expectations import expected_matches, harmonic
from duelist_reproductions.yue2012.readings import AT_END, gather, sizes_of
from duelist_reproductions.yue2012.sweep import EPSILON, FILTERS, HORIZON
from duelist_reproductions.yue2012.theory import MATCHES, proven_regret

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def show_theory(results: ItemResults, expected: Expected) -> list[Drawing | Table]:
    """Draw what was measured against the number of arms, and what is proven."""
    sizes = sizes_of(results)
    figure = new_figure(12.5, 4.2)
    rounds, matches, regret = figure.subplots(1, 3)
    draw_rounds(rounds, results, sizes)
    draw_matches(matches, results, sizes)
    draw_regret(regret, results, sizes)
    runs = ", ".join(f"{len(gather(results, 'if1_rounds', k=k)):,} with {k}" for k in sizes)
    caption = (
        f"Both filters on the worst case, means of runs ({runs} arms) with two standard errors, and what is "
        "proven: rounds as long as the random walk, matches O(K log K) for IF1 and O(K) for IF2, and regret "
        "between the asymptotic lower bound and matches times the longest match. Of matches the exact "
        "expectation is drawn too."
    )
    return [Drawing("theorems", figure, caption), tell_theory(results, sizes), draw_match_lengths(results)]


def draw_rounds(axes: "Axes", results: ItemResults, sizes: list[int]) -> None:
    """Draw rounds, the walks that were walked, and their expectations."""
    draw_means(
        axes, sizes, {name: [gather(results, f"{name}_rounds", k=k) for k in sizes] for name in FILTERS}
    )
    walks, walked = results["walks"]["lengths"], results["walks"].setting["sizes"]
    lengths = (walks * np.arange(walks.shape[1])).sum(axis=1) / walks.sum(axis=1)
    axes.plot(walked, lengths, "s", color=PALETTE[2], label="walks from the last node")
    axes.plot(sizes, [1.0 + harmonic(k - 1) for k in sizes], ":", color="black", label="1 + H(K-1)")
    axes.plot(sizes, [harmonic(k) for k in sizes], "--", color="black", label="H(K), from a random node")
    finish(axes, sizes, "rounds")


def draw_matches(axes: "Axes", results: ItemResults, sizes: list[int]) -> None:
    """Draw matches divided by the number of arms."""
    draw_means(
        axes, sizes, {name: [gather(results, f"{name}_matches", k=k) / k for k in sizes] for name in FILTERS}
    )
    for (name, bound), style, label in zip(MATCHES.items(), (":", "--"), ("exact", None), strict=True):
        axes.plot(sizes, [expected_matches(name, k) / k for k in sizes], "kx", zorder=3, label=label)
        axes.plot(sizes, [bound(k) / k for k in sizes], style, color="black", label=f"{name.upper()}'s bound")
    finish(axes, sizes, "matches / K")


def draw_regret(axes: "Axes", results: ItemResults, sizes: list[int]) -> None:
    """Draw regret and its bounds."""
    draw_means(
        axes,
        sizes,
        {name: [gather(results, f"{name}_regret", k=k)[:, AT_END] for k in sizes] for name in FILTERS},
    )
    for name, style in zip(FILTERS, (":", "--"), strict=True):
        bound = [proven_regret(name, k, HORIZON, EPSILON) for k in sizes]
        axes.plot(sizes, bound, style, color="black", label=f"{name.upper()}'s bound")
    lower = [gather(results, "lower_bound", k=k)[0] for k in sizes]
    axes.plot(sizes, lower, "-.", color="black", label="asymptotic lower bound")
    axes.set_yscale("log")
    finish(axes, sizes, "strong regret")


def draw_means(axes: "Axes", sizes: list[int], columns: dict[str, list[FloatArray]]) -> None:
    """Draw each filter's means with two standard errors."""
    for (name, values), colour in zip(columns.items(), PALETTE, strict=False):
        errors = [2.0 * one.std(ddof=1) / np.sqrt(len(one)) for one in values]
        axes.errorbar(
            sizes, [one.mean() for one in values], errors, fmt="o-", color=colour, label=name.upper()
        )


def finish(axes: "Axes", sizes: list[int], label: str) -> None:
    """Name the axes; the number of arms doubles from tick to tick."""
    axes.set_xscale("log")
    axes.set_xticks(sizes, [str(k) for k in sizes])
    axes.minorticks_off()
    axes.set(xlabel="number of arms K", ylabel=label)
    axes.grid(alpha=0.3)
    axes.legend(fontsize="x-small")


def draw_match_lengths(results: ItemResults) -> Drawing:
    """Draw how many single matches were decided within so many duels, on the exact chances."""
    played = results["single-matches"]
    figure = new_figure(6.6, 4.0)
    axes = figure.subplots()
    axes.plot(np.cumsum(played["decided"]), "--", color="black", zorder=3, label="exact")
    for name, colour, width in zip(FILTERS, PALETTE, (5.0, 2.0), strict=False):
        axes.ecdf(played[f"{name}_duels"], color=colour, linewidth=width, label=name.upper())
    axes.set(xlabel="duels", ylabel="share of matches decided", xlim=(0, len(played["decided"])))
    axes.grid(alpha=0.3)
    axes.legend()
    caption = (
        f"How long a match lasts: {played.setting['runs']:,} explorations of two arms, of which one wins "
        f"{0.5 + EPSILON:.0%} of the duels. With two arms there is nothing to prune, and both filters, which "
        "have the same luck, play the same duels."
    )
    return Drawing("match-lengths", figure, caption)


def tell_theory(results: ItemResults, sizes: list[int]) -> Table:
    """Return what was measured beside what is proven."""
    rows = []
    for k in sizes:
        rounds, matches = (
            [gather(results, f"{name}_{what}", k=k).mean() for name in FILTERS]
            for what in ("rounds", "matches")
        )
        regrets = [gather(results, f"{name}_regret", k=k)[:, AT_END].mean() for name in FILTERS]
        rows.append(
            (
                str(k),
                *(f"{mean:.2f}" for mean in rounds),
                f"{harmonic(k):.2f}",
                f"{1.0 + harmonic(k - 1):.2f}",
                *(
                    f"{mean:,.1f} / {expected_matches(name, k):,.1f} / {bound(k):,.1f}"
                    for mean, (name, bound) in zip(matches, MATCHES.items(), strict=True)
                ),
                *(f"{regret:,.0f}" for regret in regrets),
                f"{gather(results, 'lower_bound', k=k)[0]:,.0f}",
            )
        )
    headings = (
        "K",
        "rounds IF1",
        "rounds IF2",
        "H(K)",
        "1 + H(K-1)",
        "matches IF1 / expected / bound",
        "matches IF2 / expected / bound",
        "regret IF1",
        "regret IF2",
        "lower bound at T",
    )
    return Table("Worst case: means beside what is proven", headings, rows)
