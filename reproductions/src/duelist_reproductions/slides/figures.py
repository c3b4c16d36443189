"""Figures and tables of how the six rankers are distinguished."""

import numpy as np

from duelist.duel import TIE
from duelist.figures import PALETTE
from duelist.interleaving.analysis import impressions_needed
from duelist.laboratory import Drawing, Expected, ItemResults, ResultTable, panels
from duelist.simulation.figures import look
from duelist_reproductions.slides.readings import LABELS, Reading, effect_of, enough_from, read
from duelist_reproductions.slides.sweep import LEVEL, PAIRS

POWER = 0.8
"""Share of months in which a pair must be significant for impressions to suffice."""
AT = f"at {LEVEL:.2%}"
LENGTHS = {
    "impressions per pair": "{impressions:,}",
    "comparisons significant": "{significant} of {comparisons}",
    "expected": "{expected:.1f}",
    f"pairs significant in {POWER:.0%} of months": "{often} of {pairs}",
    "pairs significant in all months": "{always} of {pairs}",
}
EACH = {
    "pair": "{label}",
    "NDCG@10": "{left:.3f}, {right:.3f}",
    "lists shown": "{shown:.3f}",
    "preference": "{preference:.4f}",
    "exact": "{exact:.4f}",
    "ties": "{ties:.0%}",
    "months in order": "{ordered} of {months}",
    "largest p, sign test": "{largest:.1g}",
    f"significant in {POWER:.0%} of months from, sign test {AT}": "{enough:,}",
    f"planned for {POWER:.0%} of months, t-test {AT}": "{planned:,}",
    f"anytime test decides {AT}": "{decided}",
}


def show(results: ItemResults, expected: Expected) -> list[Drawing | ResultTable]:
    """Return the figures of preferences and of significant months, and two tables."""
    seen = read(results, sighted=True)
    return [draw_preferences(seen), draw_significance(seen), lengths_table(seen), pairs_table(seen)]


def draw_preferences(seen: Reading) -> Drawing:
    figure, axes_of = panels(12.0, 7.0, 3, 5, share=("all", "all"), xscale="log", ylim=(0.4, 0.7))
    margin = seen.margin(LEVEL)
    for pair, axes in enumerate(axes_of.flat):
        rows = seen.preference[:, pair]
        axes.fill_between(seen.impressions, rows.min(axis=0), rows.max(axis=0), color="#bbbbbb", lw=0)
        first, reach = rows[0], margin[0, pair]
        axes.fill_between(seen.impressions, first - reach, first + reach, color=PALETTE[0], alpha=0.3, lw=0)
        axes.plot(seen.impressions, first, color=PALETTE[0])
        axes.axhline(TIE, color="black", linestyle=":", linewidth=1.0)
        axes.axhline(float(seen.exact[pair]), color=PALETTE[2], linestyle="-.", linewidth=1.5)
        stopped = seen.decided[:, pair]
        if np.isfinite(stopped).any():
            axes.axvline(float(np.nanmedian(stopped)), color=PALETTE[1], linestyle="--", linewidth=1.0)
        axes.set_title(LABELS[pair], fontsize="small")
    figure.supxlabel("impressions", fontsize="medium")
    figure.supylabel("preference for the ranker named first", fontsize="medium")
    caption = (
        f"How often the ranker named first wins, a tie counting half, against impressions: the first month "
        f"with its {1.0 - LEVEL:.2%} interval (one less 0.05 / {len(PAIRS)}) at each number of impressions; "
        f"grey, the range of all {len(seen.wins)} months; dash-dotted green, the exact value; dashed orange, "
        f"when an anytime-valid test decides {AT}, in the median month."
    )
    return Drawing("preferences", figure, caption)


def draw_significance(seen: Reading) -> Drawing:
    """Draw two lines per number of swaps between two rankers: observed and expected."""
    figure, ((axes,),) = panels(7.0, 4.4, xscale="log", ylim=(-0.02, 1.02), ylabel="share of months")
    significant, chances = seen.significant(LEVEL), seen.chance_significant(LEVEL)
    apart = np.array([right - left for left, right in PAIRS])
    for distance in np.unique(apart):
        alike, style = apart == distance, look(distance - 1)
        label = f"{distance} swap{'s' if distance > 1 else ''} apart"
        share = significant[:, alike].mean(axis=(0, 1))
        axes.plot(seen.impressions, share, **style | {"linestyle": ""}, label=label)
        axes.plot(seen.impressions, chances[:, alike].mean(axis=(0, 1)), color=style["color"], linestyle="--")
    axes.set(xlabel="impressions of a pair")
    axes.legend(fontsize="small")
    caption = (
        f"Share of {len(seen.wins)} months in which the exact sign test shows the expected order {AT} "
        f"(0.05 / {len(PAIRS)}), two-sided, pairs that are as many swaps apart together; dashed, what is "
        f"expected by the exact chances of a win and a loss. The slides do not say how many impressions "
        f"their month had."
    )
    return Drawing("significance", figure, caption)


def lengths_table(seen: Reading) -> ResultTable:
    """Return one row per number of impressions in a month."""
    significant, chances = seen.significant(LEVEL), seen.chance_significant(LEVEL)
    rows = [
        {
            "impressions": impressions,
            "significant": significant[:, :, mark].sum(),
            "comparisons": significant[:, :, mark].size,
            "expected": chances[:, :, mark].sum(),
            "often": (significant[:, :, mark].mean(axis=0) >= POWER).sum(),
            "always": significant[:, :, mark].all(axis=0).sum(),
            "pairs": significant.shape[1],
        }
        for mark, impressions in enumerate(seen.impressions)
    ]
    return ResultTable.of(f"Months of any length: the sign test {AT}", LENGTHS, rows)


def pairs_table(seen: Reading) -> ResultTable:
    shown, left, right = seen.quality.mean(axis=0).T
    often = seen.significant(LEVEL).mean(axis=0) >= POWER
    ties = 1.0 - (seen.wins + seen.losses)[:, :, -1].mean(axis=0) / seen.impressions[-1]
    columns = {"label": LABELS, "left": left, "right": right, "shown": shown, "ties": ties}
    columns["exact"] = seen.exact
    columns["ordered"] = seen.ordered[:, :, -1].sum(axis=0)
    columns["largest"] = seen.p_values[:, :, -1].max(axis=0)
    rows = []
    for pair in range(len(PAIRS)):
        effect, deviation = effect_of(seen, pair)
        stopped = seen.decided[:, pair]
        row = {name: values[pair] for name, values in columns.items()}
        row |= {"preference": TIE + effect, "months": len(seen.wins)}
        row["enough"] = enough_from(often[pair], seen.impressions)
        row["planned"] = impressions_needed(effect, deviation, 1.0 - LEVEL, POWER) if effect else None
        row["decided"] = f"{np.nanmedian(stopped):,.0f}" if np.isfinite(stopped).all() else "not always"
        rows.append(row)
    title = f"Every pair, {len(seen.wins)} months of {seen.impressions[-1]:,} impressions"
    return ResultTable.of(title, EACH, rows)
