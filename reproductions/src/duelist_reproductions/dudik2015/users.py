"""New estimates of preferences: findings about rare Condorcet winners, a figure and a table."""

import numpy as np

from duelist.duel import FloatArray, IntArray
from duelist.figures import PALETTE
from duelist.laboratory import Drawing, Expected, Finding, Item, ItemResults, ResultTable, panels
from duelist_reproductions.dudik2015.users_estimates import AsClear, Users, chances, falls
from duelist_reproductions.dudik2015.users_sweep import FILES, INFORMATIONAL, PERFECT, plan

RESAMPLES = 200
SURE = 0.95
"""Share of resamples that must agree for a claim to hold."""
COLOURS = {INFORMATIONAL: PALETTE[0], PERFECT: PALETTE[1]}
LOOKED_AT = (5, 10, 20, 40, 60, 80, 100, 120)
"""Sizes of subsets in the table."""


def findings(results: ItemResults, expected: Expected) -> dict[str, Finding]:
    limits = {name: claim["tolerance"] for name, claim in expected["claims"].items()}
    informational, perfect = (Users.of(results, name) for name in (INFORMATIONAL, PERFECT))
    smallest, largest = expected["sizes"]
    asked = np.arange(smallest, min(largest, len(chances(informational.whole)) + 1) + 1)
    return {
        "condorcet": falling(informational, limits["condorcet"]),
        "informational": rarer(informational, perfect, asked),
        "comparisons": growing(informational, asked),
        "taste": taste(AsClear.of(informational, perfect, asked), limits["taste"]),
    }


def falling(users: Users, limit: float) -> Finding:
    """Check that Condorcet winners become ever rarer as subsets grow, until most subsets have none."""
    found = chances(users.whole)
    lowest = int(found.argmin())
    share = float(np.mean([falls(chances(one), limit) for one in users.resampled(RESAMPLES)]))
    ours = (
        f"{found[0]:.3f} at K = 2, lowest {found[lowest]:.3f} at K = {lowest + 2}, {found[-1]:.3f} at "
        f"K = {len(found) + 1}, from {users.amounts[-1]:,} comparisons of a pair; it drops "
        f"for good in {share:.0%} of {RESAMPLES} resamples"
    )
    if falls(found, limit) and share < SURE:
        return Finding(ours, None, "With another random stream the chance might rise again as subsets grow.")
    return Finding(ours, falls(found, limit))


def agreed(lower: list[FloatArray], asked: IntArray, counts: str) -> Finding:
    """Check that all differences are positive at all sizes; undecided if they disagree."""
    first = lower[0]
    least, most = int(first.argmin()), int(first.argmax())
    ours = (
        f"lower by {first[least]:.3f} (K = {asked[least]}) to {first[most]:.3f} (K = {asked[most]}), "
        f"{first.mean():.3f} on average, from {counts}"
    )
    above = {bool(np.all(one > 0.0)) for one in lower}
    if len(above) > 1:
        return Finding(ours, None, "Half as many comparisons disagree, so chance decides.")
    return Finding(ours, above.pop())


def rarer(informational: Users, perfect: Users, asked: IntArray) -> Finding:
    """Check that winners are rarer with informational users than with perfect users, at all sizes."""
    half, most = [amount for amount in informational.amounts if amount in perfect.amounts][-2:]
    lower = [
        (perfect.mean_chances(amount) - informational.mean_chances(amount))[asked - 2]
        for amount in (most, half)
    ]
    return agreed(lower, asked, f"{most:,} comparisons of a pair by both users")


def growing(users: Users, asked: IntArray) -> Finding:
    """Check that winners are rarer if preferences are estimated from an eighth of the comparisons."""
    *_, few, _, half, most = users.amounts
    rare, every = users.mean_chances(few), [users.whole, *users.estimates(half)]
    lower = [(chances(one) - rare)[asked - 2] for one in every]
    return agreed(lower, asked, f"{few:,} comparisons of a pair instead of {most:,}")


def taste(matched: AsClear, limit: float) -> Finding:
    """Measure the remaining difference if perfect users distinguish rankers no better.

    Sizes at which they have winners more often do not cancel those at which they have them less often.
    """
    whole, left = float(matched.whole.mean()), float(matched.left.mean())
    size = float(np.abs(matched.left).mean())
    ours = (
        f"with informational users the chance is lower by {whole:.3f} on average, from "
        f"{matched.comparisons:,} comparisons by both; it is {'lower' if left > 0.0 else 'higher'} by "
        f"{abs(left):.3f} if perfect users have {matched.fewer:,.0f}, equally clear, "
        f"in size {size:.3f}. At every K up to {matched.explained(limit)} less than {limit:.0%} is left"
    )
    return Finding(ours, size, limit=limit * whole)


def show(results: ItemResults, expected: Expected) -> list[Drawing | ResultTable]:
    users = {name: Users.of(results, name) for name in COLOURS}
    return [draw(users), table(users, expected["claims"]["condorcet"]["tolerance"])]


def draw(users: dict[str, Users]) -> Drawing:
    """Draw the chance of a Condorcet winner, from equally many comparisons and from fewer."""
    figure, ((axes,),) = panels(7.5, 4.2, xlabel="number of arms K", ylim=(0.0, 1.03))
    most = min(one.amounts[-1] for one in users.values())
    for name, part, line in ((PERFECT, 1, "-"), (INFORMATIONAL, 1, "--"), (INFORMATIONAL, 4, ":")):
        amount, colour = most // part, COLOURS[name]
        mean = users[name].mean_chances(amount)
        sizes = np.arange(2, len(mean) + 2)
        axes.plot(sizes, mean, line, color=colour, label=f"{name}, {amount:,} comparisons")
        for one in users[name].estimates(amount):
            axes.plot(sizes, chances(one), line, color=colour, alpha=0.25, linewidth=0.8)
    axes.set(ylabel="probability of a Condorcet winner")
    axes.legend(fontsize="small")
    caption = (
        "The probability that a random subset of K features of MSLR has a Condorcet winner, exact for "
        "newly estimated preferences: means over independent estimates, which are the thin lines. "
        "The paper's, of informational users, drops rapidly with K."
    )
    return Drawing("condorcet", figure, caption)


def table(users: dict[str, Users], limit: float) -> ResultTable:
    """Return the chance for some sizes, its range over estimates, and how often it drops permanently."""
    looked_at = [k for k in LOOKED_AT if k < len(chances(users[PERFECT].whole)) + 2]
    columns = {
        "users": "{user}",
        "comparisons": "{amount:,}",
        "median gap in standard errors": "{clearness:.2f}",
        **{f"K = {k}": f"{{K = {k}}}" for k in looked_at},
        "drops for good": "{drops} of {number}",
    }
    rows = []
    for name, one in users.items():
        for amount in one.amounts:
            found = np.array([chances(each) for each in one.estimates(amount)])
            row = {"user": name, "amount": amount, "clearness": one.clearness(amount), "number": len(found)}
            for k, column in zip(looked_at, found.T[np.array(looked_at) - 2], strict=True):
                row[f"K = {k}"] = f"{column.mean():.3f} ({column.min():.2f}-{column.max():.2f})"
            rows.append({**row, "drops": sum(falls(each, limit) for each in found)})
    return ResultTable.of("Chance of a Condorcet winner: mean over estimates, and their range", columns, rows)


ITEM = Item(
    name="users",
    title="Appendix: how rare Condorcet winners are, by click model",
    minutes=4.0,
    plan=plan,
    findings=findings,
    show=show,
    data=FILES,
)
