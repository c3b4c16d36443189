"""Findings about the slides' summary of interleaving."""

import numpy as np

from duelist.laboratory import Expected, Finding, ItemResults
from duelist_reproductions.slides.readings import (
    LABELS,
    Reading,
    enough_from,
    range_by_chance,
    read,
    surprise,
    surprise_of_sum,
)
from duelist_reproductions.slides.sweep import LEVEL

EQUAL = 1e-9
"""Chances that differ by less differ only by rounding."""


def findings(results: ItemResults, expected: Expected) -> dict[str, Finding]:
    seen, blind = read(results, sighted=True), read(results, sighted=False)
    bias = expected["claims"]["not_by_bias"]
    return {
        "expected_order": order(seen),
        "significant": significance(seen),
        "growing_significance": growth(seen),
        "low_impact": impact(seen),
        "preference_as_defined": preferences(seen, blind),
        "not_by_bias": bias_of_blind(blind, bias["tolerance"], bias["limit"]),
    }


def order(seen: Reading) -> Finding:
    """Count the pairs and months in which the better ranker wins."""
    right = seen.ordered[:, :, -1]
    ours = f"{right.sum()} of {right.size} comparisons, {right.shape[1]} pairs in {right.shape[0]} months"
    if (np.diff(seen.truth) >= 0.0).any():
        return Finding(ours, None, "A ranker is not worse than the one with a swap less: no order is known.")
    wrong = [LABELS[pair] for pair in np.flatnonzero(~right.all(axis=0))]
    return Finding(ours, not wrong, f"Not in the expected order: {', '.join(wrong)}." if wrong else "")


def significance(seen: Reading) -> Finding:
    """Count the pairs that are significant at the end of every month, and find the first such checkpoint."""
    significant, last = seen.significant(LEVEL), seen.p_values[:, :, -1]
    worst = np.unravel_index(last.argmax(), last.shape)
    enough = enough_from(np.asarray(significant.all(axis=(0, 1))), seen.impressions)
    since = "" if enough is None else f", all of them from {enough:,} on"
    ours = (
        f"{significant[:, :, -1].sum()} of {last.size} after {seen.impressions[-1]:,} impressions per pair"
        f"{since}; "
        f"largest p {last.max():.1g} ({LABELS[worst[1]]}), sign test at {LEVEL:.2%}"
    )
    return Finding(ours, significant[:, :, -1])


def growth(seen: Reading) -> Finding:
    """Compare the number of significant pairs with its expectation, for months of any length."""
    significant, chances = seen.significant(LEVEL), seen.chance_significant(LEVEL)
    marks = range(len(seen.impressions))
    unlikely = [surprise_of_sum(int(significant[:, :, mark].sum()), chances[:, :, mark]) for mark in marks]
    worst = int(np.argmin(unlikely))
    ours = (
        f"{significant[:, :, 0].mean():.0%} significant after {seen.impressions[0]:,} impressions, "
        f"{significant[:, :, -1].mean():.0%} after {seen.impressions[-1]:,}; least likely is the number "
        f"after {seen.impressions[worst]:,}: {significant[:, :, worst].sum()} of "
        f"{significant[:, :, worst].size}, expected {chances[:, :, worst].sum():.1f} "
        f"(p {unlikely[worst]:.2g})"
    )
    return Finding(ours, unlikely[worst] * len(marks))


def impact(seen: Reading) -> Finding:
    """Check that lists are as good as their rankers, and draw from both evenly."""
    shown, left, right = seen.quality.mean(axis=0).T
    between = (np.minimum(left, right) <= shown) & (shown <= np.maximum(left, right))
    ours = (
        f"NDCG of the lists shown between the rankers' in {between.sum()} of {len(between)} pairs; "
        f"{seen.without.sum()} lists without a relevant document where a ranker had one in its top five; "
        f"{seen.uneven.sum()} that break the invariant"
    )
    return Finding(ours, [bool(between.all()), not seen.without.any(), not seen.uneven.any()])


def preferences(seen: Reading, blind: Reading) -> Finding:
    """Compare the wins of each side of every pair with the exact chances by the slide's definition."""
    unlikely = []
    for reading in (seen, blind):
        tries = int(reading.impressions[-1]) * len(reading.wins)
        for counts, chance in ((reading.wins, reading.win), (reading.losses, reading.loss)):
            unlikely.append(surprise(counts[:, :, -1].sum(axis=0), tries, chance))
    smallest, tests = np.min(unlikely), np.size(unlikely)
    exact = (1.0 + seen.win - seen.loss) / 2.0
    farthest = np.abs(seen.preference[:, :, -1].mean(axis=0) - exact).max()
    ours = (
        f"preferences within {farthest:.4f} of the exact ones, {exact.min():.3f} to {exact.max():.3f}; "
        f"of {tests} counts of wins and losses the least likely has p {smallest:.2g}"
    )
    return Finding(ours, float(smallest) * tests)


def bias_of_blind(blind: Reading, level: float, unlikely: float) -> Finding:
    """Check that blind clicks prefer no ranker, and are significant as often as chance predicts."""
    last = blind.p_values[:, :, -1]
    found, (least, most) = int((last < level).sum()), range_by_chance(last.size, level, 1.0 - unlikely)
    unequal = np.abs(blind.win - blind.loss).max()
    ours = (
        f"{found} of {last.size} blind comparisons significant at {level:.0%}, by chance alone {least} to "
        f"{most}; smallest p {last.min():.1g}; exact chances of both sides differ by {unequal:.1g} at most"
    )
    plausible = [least <= found <= most, bool(last.min() * last.size >= unlikely)]
    return Finding(ours, [*plausible, bool(unequal < EQUAL)])
