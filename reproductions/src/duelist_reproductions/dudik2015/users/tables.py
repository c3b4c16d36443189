"""How rare Condorcet winners are, by who clicks and by how often, and what it depends on: in numbers."""

import numpy as np

from duelist.laboratory.items import Table
from duelist.preferences import gaps
from duelist.winners import condorcet, copeland
from duelist_reproductions.dudik2015.subsets.verdicts import all_inside, one_inside
from duelist_reproductions.dudik2015.users.as_clear import AsClear
from duelist_reproductions.dudik2015.users.estimates import Users
from duelist_reproductions.dudik2015.users.verdicts import RESAMPLES, falls

LOOKED_AT = (5, 10, 20, 40, 60, 80, 100, 120)
"""Sizes of subsets."""
SUBSETS = 10
"""Of every size, that are drawn of one estimate to see how large supports are and whom they hold."""
PAPER_LARGEST = 5
"""No support is larger in the paper."""


def chances(users: dict[str, Users], limit: float) -> Table:
    """Return the chance for some sizes, its range over estimates, and how often it drops for good."""
    some = next(iter(users.values())).whole.sizes
    places = [int(np.searchsorted(some, k)) for k in LOOKED_AT if k in some]
    rows = []
    for name, one in users.items():
        for amount in one.amounts:
            estimates = one.estimates(amount)
            found = np.array([estimate.chances for estimate in estimates])[:, places]
            drop = sum(falls(estimate, limit) for estimate in estimates)
            rows.append([name, f"{amount:,}", *map(spread, found.T), f"{drop} of {len(estimates)}"])
    headings = ("users", "comparisons", *(f"K = {some[place]}" for place in places), "drops for good")
    title = "Chance of a Condorcet winner: mean over independent estimates, and their range"
    return Table(title, headings, rows)


def spread(values: np.ndarray) -> str:
    """Return the mean, and the range if there is more than one value."""
    extent = f" ({values.min():.2f}-{values.max():.2f})" if len(values) > 1 else ""
    return f"{values.mean():.3f}{extent}"


def clearness(users: dict[str, Users]) -> Table:
    """Return how clearly rankers are told apart, and what the von Neumann winners are like."""
    rows = []
    for name, one in users.items():
        for amount in one.amounts:
            tally = one.estimates(amount)[0].tally(SUBSETS)
            hard = tally.contested
            rows.append(
                [
                    name,
                    f"{amount:,}",
                    f"{one.standard_error(amount):.4f}",
                    f"{one.clearness(amount):.2f}",
                    f"{tally.share(tally.support == PAPER_LARGEST):.1%}",
                    f"{tally.share(tally.support > PAPER_LARGEST):.1%}",
                    f"{tally.share(one_inside(tally)):.1%} ({hard.share(one_inside(hard)):.1%})",
                    f"{tally.share(all_inside(tally)):.1%} ({hard.share(all_inside(hard)):.1%})",
                ]
            )
    headings = (
        "users",
        "comparisons",
        "standard error of a preference",
        "median gap in standard errors",
        "supports of 5 (in the paper < 0.03%)",
        "supports above 5 (in the paper none)",
        "one Copeland winner in the support (in the paper > 99.9%)",
        "all in it",
    )
    title = "By the number of comparisons; of subsets of one estimate, in brackets without a Condorcet winner"
    return Table(title, headings, rows)


def best_rankers(users: dict[str, Users]) -> Table:
    """Return which ranker beats most others, from all comparisons, and how sure it is to beat all."""
    rows = []
    for name, one in users.items():
        matrix = one.whole.matrix
        best = copeland(matrix)[0]
        ahead = np.delete(gaps(matrix)[best], best)
        closest = int(np.delete(np.arange(len(matrix)), best)[ahead.argmin()])
        shares = [type(one)([piece]).whole.matrix[best, closest] for piece in one.pieces]
        error = np.std(shares, ddof=1) / np.sqrt(len(shares))
        alone = np.mean([condorcet(other.matrix) == best for other in one.resampled(RESAMPLES)])
        rows.append(
            [
                name,
                f"{one.whole.middle_gap:.4f}",
                str(np.count_nonzero(one.whole.pair_gaps == 0.0)),
                str(best),
                str(closest),
                f"{ahead.min():+.4f} ± {error:.4f}",
                f"{alone:.0%}",
            ]
        )
    headings = (
        "users",
        "median gap of a pair",
        "pairs that tie",
        "best ranker (from 0)",
        "closest to it",
        "its lead, standard error",
        f"beats all others in {RESAMPLES} resamples",
    )
    return Table("From all comparisons: the ranker that beats most others", headings, rows)


def taste(matched: AsClear) -> Table:
    """Return what is left of the difference between users if they tell rankers apart as clearly."""
    rows = [
        [
            str(k),
            *(f"{values[place]:.3f}" for values in (matched.informational, matched.perfect, matched.unclear)),
            f"{matched.whole[place]:+.3f}",
            f"{matched.left[place]:+.3f}",
            f"{matched.left[place] / matched.whole[place]:+.0%}",
        ]
        for k in LOOKED_AT
        for place in np.flatnonzero(matched.sizes == k)
    ]
    headings = (
        "K",
        f"informational, {matched.comparisons:,}",
        f"perfect, {matched.comparisons:,}",
        f"perfect, {matched.fewer:,.0f}",
        "difference",
        "left if as clear",
        "part that is left",
    )
    return Table("What is left of the difference between users if they are as clear", headings, rows)
