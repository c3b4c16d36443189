"""What preferences estimated anew say about the appendix's claim that Condorcet winners are rare."""

from collections.abc import Sequence

import numpy as np

from duelist.duel import FloatArray
from duelist.laboratory.items import Expected, Finding
from duelist.laboratory.work import ItemResults, Scale
from duelist_reproductions.dudik2015.users.as_clear import AsClear
from duelist_reproductions.dudik2015.users.estimates import Estimate, Users
from duelist_reproductions.dudik2015.users.sweep import INFORMATIONAL, PERFECT

MADE_UP = "The claim is about rankers of MSLR; these documents are made up."
TOO_FEW = "Too few rankers and comparisons at this scale."
LUCK = "Half as many comparisons say otherwise, so luck decides."
ONE_GOOD_RANKER = (
    "One ranker beats all others or nearly all, so it wins most of the large subsets it is in, and the "
    "chance rises again. Resamples in which it does not are those in which luck turns a pair of the best "
    "rankers round. How far the chance drops before depends on the number of comparisons more than on the "
    "users, see the claims on these."
)
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


def judge(results: ItemResults, expected: Expected) -> dict[str, Finding]:
    """Return a finding for every claim."""
    claims = expected["claims"]
    informational, perfect = (Users.of(results, name) for name in (INFORMATIONAL, PERFECT))
    asked = sizes_asked(informational, expected)
    findings = {
        "condorcet": falling(informational, float(claims["condorcet"]["tolerance"])),
        "informational": rarer(informational, perfect, asked),
        "comparisons": growing(informational, asked),
        "taste": taste(AsClear.of(informational, perfect, asked), float(claims["taste"]["tolerance"])),
    }
    if results.real and results.scale is Scale.PAPER:
        return findings
    why = TOO_FEW if results.real else MADE_UP
    return {name: Finding(finding.ours, None, why) for name, finding in findings.items()}


def sizes_asked(users: Users, expected: Expected) -> slice:
    """Return where the sizes are at which users are compared."""
    smallest, largest = expected["sizes"]
    return slice(*np.searchsorted(users.whole.sizes, (smallest, largest + 1)))


def falling(users: Users, limit: float) -> Finding:
    """Judge whether a Condorcet winner becomes ever rarer as subsets grow, until most have none."""
    chances, sizes = users.whole.chances, users.whole.sizes
    lowest = int(chances.argmin())
    share = float(np.mean([falls(one, limit) for one in users.resampled(RESAMPLES)]))
    ours = (
        f"{chances[0]:.3f} at K = {sizes[0]}, lowest {chances[lowest]:.3f} at K = {sizes[lowest]}, "
        f"{chances[-1]:.3f} at K = {sizes[-1]}, from {users.amounts[-1]:,} comparisons of a pair; it drops "
        f"for good in {share:.0%} of {RESAMPLES} resamples"
    )
    if not falls(users.whole, limit):
        return Finding(ours, False, ONE_GOOD_RANKER)
    return Finding(ours, True) if share >= SURE else Finding(ours, None, ONE_PAIR)


def falls(estimate: Estimate, limit: float) -> bool:
    """Whether the chance of a Condorcet winner never rises with the size, and ends below a limit."""
    return bool(np.all(np.diff(estimate.chances) <= 0.0) and estimate.chances[-1] < limit)


def agreed(ours: str, verdicts: Sequence[bool]) -> Finding:
    """Return a verdict on which all agree, or none."""
    return Finding(ours, verdicts[0]) if len(set(verdicts)) == 1 else Finding(ours, None, LUCK)


def rarer(informational: Users, perfect: Users, asked: slice) -> Finding:
    """Judge whether winners are rarer with informational users than with perfect ones, at all sizes asked."""
    common = [amount for amount in informational.amounts if amount in perfect.amounts]
    less, more = (behind(informational, perfect, amount, asked) for amount in common[-2:])
    ours = f"{described(more, informational, asked)}, from {common[-1]:,} comparisons of a pair by both users"
    return agreed(ours, [bool(np.all(more > 0.0)), bool(np.all(less > 0.0))])


def behind(informational: Users, perfect: Users, comparisons: int, asked: slice) -> FloatArray:
    """Return by how much the chance of a winner is lower with informational users, by size."""
    difference = perfect.mean_chances(comparisons) - informational.mean_chances(comparisons)
    return np.asarray(difference[asked])


def described(lower: FloatArray, users: Users, asked: slice) -> str:
    """Say by how much the chance is lower."""
    sizes = users.whole.sizes[asked]
    least, most = int(lower.argmin()), int(lower.argmax())
    return (
        f"lower by {lower[least]:.3f} (K = {sizes[least]}) to {lower[most]:.3f} (K = {sizes[most]}), "
        f"{lower.mean():.3f} on average"
    )


def growing(users: Users, asked: slice) -> Finding:
    """Judge whether winners are rarer if preferences are estimated from an eighth of the comparisons."""
    *_, few, _, half, most = users.amounts
    rare = users.mean_chances(few)[asked]
    lower = users.whole.chances[asked] - rare
    halves = [bool(np.all(one.chances[asked] > rare)) for one in users.estimates(half)]
    ours = f"{described(lower, users, asked)}, from {few:,} comparisons of a pair instead of {most:,}"
    return agreed(ours, [bool(np.all(lower > 0.0)), *halves])


def taste(matched: AsClear, limit: float) -> Finding:
    """Judge whether perfect users have winners about as rarely if they tell rankers apart no better.

    Sizes at which they have them more often and those at which they have them less often do not cancel.
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
