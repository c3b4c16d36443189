"""How the six rankers are told apart, impression by impression."""

from typing import TYPE_CHECKING

import numpy as np

from duelist.duel import TIE
from duelist.interleaving.analysis import impressions_needed
from duelist.laboratory.items import Drawing, Expected, Table
from duelist.laboratory.work import ItemResults
from duelist.simulation.figures import PALETTE, new_figure
from duelist_reproductions.slides.readings import LABELS, Reading, effect_of, enough_from, read
from duelist_reproductions.slides.sweep import LEVEL, PAIRS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POWER = 0.8
"""The share of months in which a pair is to be told apart, to call impressions enough."""
AT = f"at {LEVEL:.2%}"


def show(results: ItemResults, expected: Expected) -> list[Drawing | Table]:
    """Return the preferences, the share of months in which they are significant, and two tables."""
    seen = read(results, sighted=True)
    months, last = seen.wins.shape[0], int(seen.impressions[-1])
    return [
        Drawing(
            "preferences",
            draw_preferences(seen),
            f"How often the ranker named first wins, a tie counting half, against impressions: the first "
            f"month with its {1.0 - LEVEL:.2%} interval (one less 0.05 / {len(PAIRS)}) at each number of "
            f"impressions; grey, the range of all {months} months; dotted green, the exact value; dashed "
            f"orange, when a test that may be looked at all the time decides {AT}, in the median month.",
        ),
        Drawing(
            "significance",
            draw_significance(seen),
            f"Share of {months} months in which the exact sign test shows the expected order {AT} "
            f"(0.05 / {len(PAIRS)}), two-sided, pairs that are as many swaps apart together; dashed, what is "
            f"expected by the exact chances of a win and a loss. The slides do not say how many impressions "
            f"their month had.",
        ),
        Table(f"Months of any length: the sign test {AT}", LENGTH_HEADINGS, list_lengths(seen)),
        Table(f"Every pair, {months} months of {last:,} impressions", PAIR_HEADINGS, list_pairs(seen)),
    ]


def draw_preferences(seen: Reading) -> "Figure":
    """Draw a panel for every pair."""
    figure = new_figure(12.0, 7.0)
    panels = figure.subplots(3, 5, sharex=True, sharey=True)
    margin = seen.margin(LEVEL)
    for pair, axes in enumerate(panels.flat):
        rows = seen.preference[:, pair]
        axes.fill_between(seen.impressions, rows.min(axis=0), rows.max(axis=0), color="#bbbbbb", lw=0)
        first, reach = rows[0], margin[0, pair]
        axes.fill_between(seen.impressions, first - reach, first + reach, color=PALETTE[0], alpha=0.3, lw=0)
        axes.plot(seen.impressions, first, color=PALETTE[0])
        axes.axhline(TIE, color="black", linestyle=":", linewidth=1.0)
        exact = TIE + TIE * float(seen.win[pair] - seen.loss[pair])
        axes.axhline(exact, color=PALETTE[2], linestyle=":", linewidth=1.5)
        stopped = seen.decided[:, pair]
        if np.isfinite(stopped).any():
            axes.axvline(float(np.nanmedian(stopped)), color=PALETTE[1], linestyle="--", linewidth=1.0)
        axes.set(xscale="log", ylim=(0.4, 0.7))
        axes.set_title(LABELS[pair], fontsize="small")
        axes.grid(alpha=0.3)
    figure.supxlabel("impressions", fontsize="medium")
    figure.supylabel("preference for the ranker named first", fontsize="medium")
    return figure


def draw_significance(seen: Reading) -> "Figure":
    """Draw two lines for each number of swaps between two rankers: what was seen, and what was expected."""
    figure = new_figure(7.0, 4.4)
    axes = figure.subplots()
    told, chances = seen.told(LEVEL), seen.chance_to_be_told(LEVEL)
    apart = np.array([right - left for left, right in PAIRS])
    for distance in np.unique(apart):
        alike, colour = apart == distance, PALETTE[distance - 1]
        label = f"{distance} swap{'s' if distance > 1 else ''} apart"
        share = told[:, alike].mean(axis=(0, 1))
        axes.plot(seen.impressions, share, color=colour, linestyle="", marker="o", label=label)
        axes.plot(seen.impressions, chances[:, alike].mean(axis=(0, 1)), color=colour, linestyle="--")
    axes.set(xscale="log", ylim=(-0.02, 1.02), xlabel="impressions of a pair", ylabel="share of months")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
    return figure


LENGTH_HEADINGS = (
    "impressions a pair",
    "comparisons significant",
    "expected",
    f"pairs significant in {POWER:.0%} of months",
    "pairs significant in all months",
)


def list_lengths(seen: Reading) -> list[list[str]]:
    """Return a row for every number of impressions that a month may have."""
    told, chances = seen.told(LEVEL), seen.chance_to_be_told(LEVEL)
    pairs = told.shape[1]
    return [
        [
            f"{impressions:,}",
            f"{told[:, :, mark].sum()} of {told[:, :, mark].size}",
            f"{chances[:, :, mark].sum():.1f}",
            f"{(told[:, :, mark].mean(axis=0) >= POWER).sum()} of {pairs}",
            f"{told[:, :, mark].all(axis=0).sum()} of {pairs}",
        ]
        for mark, impressions in enumerate(seen.impressions)
    ]


PAIR_HEADINGS = (
    "pair",
    "NDCG@10",
    "lists shown",
    "preference",
    "exact",
    "ties",
    "months in order",
    "largest p, sign test",
    f"significant in {POWER:.0%} of months from, sign test {AT}",
    f"planned for {POWER:.0%} of months, t-test {AT}",
    f"anytime test decides {AT}",
)


def list_pairs(seen: Reading) -> list[list[str]]:
    """Return a row for every pair."""
    rows = []
    shown, left, right = seen.quality.mean(axis=0).T
    last, ordered = seen.p_values[:, :, -1], seen.ordered[:, :, -1]
    often = seen.told(LEVEL).mean(axis=0) >= POWER
    ties = 1.0 - (seen.wins + seen.losses)[:, :, -1].mean(axis=0) / seen.impressions[-1]
    for pair, label in enumerate(LABELS):
        effect, deviation = effect_of(seen, pair)
        stopped = seen.decided[:, pair]
        decided = f"{np.nanmedian(stopped):,.0f}" if np.isfinite(stopped).all() else "not always"
        enough = enough_from(often[pair], seen.impressions)
        rows.append(
            [
                label,
                f"{left[pair]:.3f}, {right[pair]:.3f}",
                f"{shown[pair]:.3f}",
                f"{TIE + effect:.4f}",
                f"{TIE + TIE * (seen.win[pair] - seen.loss[pair]):.4f}",
                f"{ties[pair]:.0%}",
                f"{ordered[:, pair].sum()} of {len(last)}",
                f"{last[:, pair].max():.1g}",
                "-" if enough is None else f"{enough:,}",
                f"{impressions_needed(effect, deviation, 1.0 - LEVEL, POWER):,}" if effect else "-",
                decided,
            ]
        )
    return rows
