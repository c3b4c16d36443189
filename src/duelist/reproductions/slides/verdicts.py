"""Whether the slides' summary of interleaving holds here."""

import numpy as np

from duelist.laboratory.items import Expected, Finding
from duelist.laboratory.work import Results
from duelist.reproductions.slides.readings import LABELS, Reading, most_by_luck, read


def judge(results: Results, expected: Expected) -> dict[str, Finding]:
    """Return what was found out about every claim."""
    claims = expected["claims"]
    seen, blind = read(results, sighted=True), read(results, sighted=False)
    return {
        "expected_order": judge_order(seen),
        "significant": judge_significance(seen, claims["significant"]["tolerance"]),
        "low_impact": judge_impact(seen),
        "not_by_bias": judge_bias(blind, claims["not_by_bias"]["tolerance"], expected["sure"]),
    }


def judge_order(seen: Reading) -> Finding:
    """Say whether the better ranker wins in every pair and month."""
    right = seen.ordered
    ours = f"{right.sum()} of {right.size} comparisons, {right.shape[1]} pairs in {right.shape[0]} months"
    if (np.diff(seen.truth) >= 0.0).any():
        return Finding(ours, None, "A ranker is not worse than the one with a swap less: no order is known.")
    wrong = [LABELS[pair] for pair in np.flatnonzero(~right.all(axis=0))]
    return Finding(ours, not wrong, f"Not so: {', '.join(wrong)}." if wrong else "")


def judge_significance(seen: Reading, level: float) -> Finding:
    """Say whether every pair is told apart by the end of every month, as it should be."""
    last = seen.p_values[:, :, -1]
    told = (last < level / last.shape[1]) & seen.ordered
    worst = np.unravel_index(last.argmax(), last.shape)
    ours = (
        f"{told.sum()} of {told.size} after {seen.impressions[-1]:,} impressions a pair; largest p "
        f"{last.max():.1g} ({LABELS[worst[1]]})"
    )
    return Finding(ours, bool(told.all()))


def judge_impact(seen: Reading) -> Finding:
    """Say whether what was shown is as good as the rankers are."""
    shown, left, right = seen.quality.mean(axis=0).T
    between = (np.minimum(left, right) <= shown) & (shown <= np.maximum(left, right))
    ours = (
        f"NDCG of the lists shown between the rankers' in {between.sum()} of {len(between)} pairs; "
        f"{seen.without.sum()} lists without a relevant document where a ranker had one in its top five"
    )
    return Finding(ours, bool(between.all() and not seen.without.any()))


def judge_bias(blind: Reading, level: float, sure: float) -> Finding:
    """Say whether blind clicks prefer a ranker more often than luck makes it look so."""
    last = blind.p_values[:, :, -1]
    found, most = int((last < level).sum()), most_by_luck(last.size, level, sure)
    ours = (
        f"{found} of {last.size} blind comparisons significant at {level:.0%}, by luck alone up to {most}; "
        f"smallest p {last.min():.1g}"
    )
    return Finding(ours, bool(found <= most and last.min() * last.size >= 1.0 - sure))
