"""How the six rankers are told apart, impression by impression."""

from typing import TYPE_CHECKING

import numpy as np

from duelist.interleaving.analysis import impressions_needed
from duelist.laboratory.items import Drawing, Expected, Grid
from duelist.laboratory.work import Results
from duelist.reproductions.slides.readings import LABELS, Reading, effect_of, read
from duelist.reproductions.slides.sweep import PAIRS
from duelist.simulation.figures import PALETTE, new_figure
from duelist.types import TIE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CONFIDENCE = 0.95


def show(results: Results, expected: Expected) -> list[Drawing | Grid]:
    """Return the preferences, the share of months in which they are significant, and a table."""
    seen = read(results, sighted=True)
    months, last = seen.wins.shape[0], int(seen.impressions[-1])
    return [
        Drawing(
            "preferences",
            draw_preferences(seen),
            f"How often the ranker named first wins, a tie counting half, against impressions: the first "
            f"month with its {CONFIDENCE:.0%} interval at each number of impressions; grey, the range of "
            f"all {months} months; orange, when a test that may be looked at all the time decides, in the "
            f"median month.",
        ),
        Drawing(
            "significance",
            draw_significance(seen),
            f"Share of {months} months in which the sign test shows the expected order at "
            f"{1.0 - CONFIDENCE:.0%}, pairs that are as many swaps apart together.",
        ),
        Grid(f"Every pair, {months} months of {last:,} impressions", HEADINGS, list_pairs(seen)),
    ]


def draw_preferences(seen: Reading) -> "Figure":
    """Draw a panel for every pair."""
    figure = new_figure(12.0, 7.0)
    panels = figure.subplots(3, 5, sharex=True, sharey=True)
    margin = seen.margin(CONFIDENCE)
    for pair, axes in enumerate(panels.flat):
        rows = seen.preference[:, pair]
        axes.fill_between(seen.impressions, rows.min(axis=0), rows.max(axis=0), color="#bbbbbb", lw=0)
        first, reach = rows[0], margin[0, pair]
        axes.fill_between(seen.impressions, first - reach, first + reach, color=PALETTE[0], alpha=0.3, lw=0)
        axes.plot(seen.impressions, first, color=PALETTE[0])
        axes.axhline(TIE, color="black", linestyle=":", linewidth=1.0)
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
    """Draw one line for each number of swaps between two rankers."""
    figure = new_figure(7.0, 4.4)
    axes = figure.subplots()
    right = (np.sign(seen.preference - TIE) == seen.order[:, np.newaxis]) & (seen.p_values < 1.0 - CONFIDENCE)
    apart = np.array([right_one - left for left, right_one in PAIRS])
    for distance in np.unique(apart):
        share = right[:, apart == distance].mean(axis=(0, 1))
        label = f"{distance} swap{'s' if distance > 1 else ''} apart"
        axes.plot(seen.impressions, share, color=PALETTE[distance - 1], marker=".", label=label)
    axes.set(xscale="log", ylim=(-0.02, 1.02), xlabel="impressions", ylabel="share of months")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
    return figure


HEADINGS = (
    "pair",
    "NDCG@10",
    "lists shown",
    "preference",
    "ties",
    "months in order",
    "largest p",
    "enough in 80% of months",
    "anytime test decides",
)


def list_pairs(seen: Reading) -> list[list[str]]:
    """Return a row for every pair."""
    rows = []
    shown, left, right = seen.quality.mean(axis=0).T
    last = seen.p_values[:, :, -1]
    ties = 1.0 - (seen.wins + seen.losses)[:, :, -1].mean(axis=0) / seen.impressions[-1]
    for pair, label in enumerate(LABELS):
        effect, deviation = effect_of(seen, pair)
        stopped = seen.decided[:, pair]
        decided = f"{np.nanmedian(stopped):,.0f}" if np.isfinite(stopped).all() else "not always"
        rows.append(
            [
                label,
                f"{left[pair]:.3f}, {right[pair]:.3f}",
                f"{shown[pair]:.3f}",
                f"{TIE + effect:.3f}",
                f"{ties[pair]:.0%}",
                f"{seen.ordered[:, pair].sum()} of {len(last)}",
                f"{last[:, pair].max():.1g}",
                f"{impressions_needed(effect, deviation):,}" if effect else "-",
                decided,
            ]
        )
    return rows
