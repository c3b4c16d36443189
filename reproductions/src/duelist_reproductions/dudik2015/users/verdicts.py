"""What preferences estimated anew say about the appendix's claim that Condorcet winners are rare."""

from collections.abc import Sequence

import numpy as np

from duelist.duel import FloatArray, IntArray
from duelist.laboratory import Expected, Finding, ItemResults
from duelist_reproductions.dudik2015.users.estimates import AsClear, Users
from duelist_reproductions.dudik2015.users.sweep import INFORMATIONAL, PERFECT

LUCK = "Half as many comparisons say otherwise, so luck decides."
ONE_PAIR = "Other luck might have let the chance rise again as subsets grow."
ANOTHER_TASTE = "Winners stay rarer with informational users, so they prefer other rankers too."
TURNED_ROUND = (
    "The difference is turned round: at large K, perfect users who tell rankers apart no more clearly have "
    "winners more rarely than informational users. There all hangs on whether one ranker beats all others, "
    "which the median gap does not tell, and which differs between estimates; see the table."
)
RESAMPLES = 200
SURE = 0.95
"""The share of resamples that have to agree for a claim to hold."""


def findings(results: ItemResults, expected: Expected) -> dict[str, Finding]:
    """Return what was found out about every claim."""
    limits = {name: claim["tolerance"] for name, claim in expected["claims"].items()}
    informational, perfect, asked = users_asked(results, expected)
    return {
        "condorcet": falling(informational, limits["condorcet"]),
        "informational": rarer(informational, perfect, asked),
        "comparisons": growing(informational, asked),
        "taste": taste(AsClear.of(informational, perfect, asked), limits["taste"]),
    }


def users_asked(results: ItemResults, expected: Expected) -> tuple[Users, Users, slice]:
    """Return both kinds of users, and where the sizes are at which they are compared."""
    informational, perfect = (Users(results.where(user=name)) for name in (INFORMATIONAL, PERFECT))
    smallest, largest = expected["sizes"]
    asked = slice(*np.searchsorted(informational.whole.sizes, (smallest, largest + 1)))
    return informational, perfect, asked


def falling(users: Users, limit: float) -> Finding:
    """Find out whether a Condorcet winner becomes ever rarer as subsets grow, until most have none."""
    chances, sizes = users.whole.chances, users.whole.sizes
    lowest = int(chances.argmin())
    share = float(np.mean([one.falls(limit) for one in users.resampled(RESAMPLES)]))
    ours = (
        f"{chances[0]:.3f} at K = {sizes[0]}, lowest {chances[lowest]:.3f} at K = {sizes[lowest]}, "
        f"{chances[-1]:.3f} at K = {sizes[-1]}, from {users.amounts[-1]:,} comparisons of a pair; it drops "
        f"for good in {share:.0%} of {RESAMPLES} resamples"
    )
    if users.whole.falls(limit) and share < SURE:
        return Finding(ours, None, ONE_PAIR)
    return Finding(ours, users.whole.falls(limit))


def agreed(ours: str, differences: Sequence[FloatArray]) -> Finding:
    """Return whether all of the differences are above 0 everywhere; unknown where they do not agree."""
    above = {bool(np.all(one > 0.0)) for one in differences}
    return Finding(ours, above.pop()) if len(above) == 1 else Finding(ours, None, LUCK)


def described(lower: FloatArray, sizes: IntArray) -> str:
    """Say by how much the chance is lower."""
    least, most = int(lower.argmin()), int(lower.argmax())
    return (
        f"lower by {lower[least]:.3f} (K = {sizes[least]}) to {lower[most]:.3f} (K = {sizes[most]}), "
        f"{lower.mean():.3f} on average"
    )


def rarer(informational: Users, perfect: Users, asked: slice) -> Finding:
    """Find out whether winners are rarer with informational users than with perfect ones, at all sizes."""
    common = [amount for amount in informational.amounts if amount in perfect.amounts]
    less, more = (
        (perfect.mean_chances(amount) - informational.mean_chances(amount))[asked] for amount in common[-2:]
    )
    lower = described(more, informational.whole.sizes[asked])
    return agreed(f"{lower}, from {common[-1]:,} comparisons of a pair by both users", [more, less])


def growing(users: Users, asked: slice) -> Finding:
    """Find out whether winners are rarer if preferences are estimated from an eighth of the comparisons."""
    *_, few, _, half, most = users.amounts
    rare, every = users.mean_chances(few), [users.whole, *users.estimates(half)]
    lower = [(one.chances - rare)[asked] for one in every]
    told = described(lower[0], users.whole.sizes[asked])
    return agreed(f"{told}, from {few:,} comparisons of a pair instead of {most:,}", lower)


def taste(matched: AsClear, limit: float) -> Finding:
    """Measure what is left of the difference if perfect users tell rankers apart no better.

    Sizes at which they have winners more often and those at which they have them less often do not cancel.
    """
    whole, left = float(matched.whole.mean()), float(matched.left.mean())
    size = float(np.abs(matched.left).mean())
    ours = (
        f"with informational users the chance is lower by {whole:.3f} on average, from "
        f"{matched.comparisons:,} comparisons by both; it is {'lower' if left > 0.0 else 'higher'} by "
        f"{abs(left):.3f} if perfect users have {matched.fewer:,.0f}, which tell rankers apart as clearly, "
        f"in size {size:.3f}. At every K up to {matched.explained(limit)} less than {limit:.0%} is left"
    )
    if size < limit * whole:
        return Finding(ours, True)
    return Finding(ours, False, ANOTHER_TASTE if left > 0.0 else TURNED_ROUND)
