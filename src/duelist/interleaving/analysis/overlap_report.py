"""What the overlap of two rankings means for an interleaving experiment."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from duelist.duel import TIE
from duelist.interleaving.analysis.columns import Clicks, as_clicked_places, as_outcomes, require_rows
from duelist.interleaving.analysis.overlap import Rankings, measure_overlap
from duelist.text import Report, align, counted, list_warnings

MANY = 0.25
"""The share of identical rankings, or of equal sets, that is warned of."""

SCARCE = 0.1
"""The share of clicked impressions, or of decisive outcomes, below which it is warned of."""


@dataclass(frozen=True)
class OverlapReport(Report):
    """How much two rankings differ, and how often clicks can show it; prints as a table."""

    impressions: int
    depth: int
    shared: float
    """The mean share of documents in both tops."""
    prefix: float
    """The mean number of documents from the top that are the same, in the same order."""
    jaccard: float
    rbo: float
    """Rank-biased overlap, its mean."""
    identical: float
    """The share of impressions whose rankings are the same: these can never tell anything."""
    reordered: float
    """The share of impressions that show the same documents in another order."""
    clicked: float | None
    """The share of impressions with a click, if clicks are given."""
    decisive: float | None
    """The share of impressions that are not ties, if outcomes are given."""
    chance_outcomes: float | None
    """The share of impressions with identical rankings that have a winner all the same: by chance."""
    warnings: tuple[str, ...]

    def __str__(self) -> str:
        """Return a table and warnings."""
        shares = {
            f"same documents in the top {self.depth}": self.shared,
            "Jaccard index": self.jaccard,
            "rank-biased overlap": self.rbo,
            "impressions with identical rankings": self.identical,
            "impressions with the same documents, reordered": self.reordered,
            "impressions with a click": self.clicked,
            "impressions with a winner": self.decisive,
        }
        rows = [[name, f"{share:.1%}"] for name, share in shares.items() if share is not None]
        rows.insert(1, ["places from the top that are the same", f"{self.prefix:.1f}"])
        return align([counted(self.impressions, "impression"), ""], rows) + list_warnings(self.warnings)


def analyze_overlap(
    left: Rankings,
    right: Rankings,
    outcomes: ArrayLike | None = None,
    clicks: Clicks | None = None,
    depth: int = 10,
    persistence: float = 0.9,
) -> OverlapReport:
    """Return how much two rankings differ, and in how many impressions interleaving can tell them apart.

    Parameters
    ----------
    left, right, depth, persistence
        As in `measure_overlap`.
    outcomes : array, optional
        Of each impression: 1 where left won, 0 where right won, 0.5 for a tie.
    clicks : boolean array (impressions, places), or sequences of clicked places, optional
        On what was shown.

    Examples
    --------
    >>> left, right = [["a", "b"], ["a", "b"]], [["a", "b"], ["c", "a"]]
    >>> report = analyze_overlap(left, right, outcomes=[0.5, 1], depth=2)
    >>> report.identical, report.decisive
    (0.5, 0.5)
    >>> print(report.warnings[0])
    in 50% of the impressions both rankings show the same 2 documents in the same order: interleaving cannot
    tell them apart there.
    """
    overlap = measure_overlap(left, right, depth, persistence)
    impressions = len(overlap.shared)
    clicked = decisive = by_chance = None
    if clicks is not None:
        log = as_clicked_places("clicks", clicks)
        require_rows("clicks", log.impressions, impressions)
        clicked = float((log.counts > 0).mean())
    if outcomes is not None:
        won = as_outcomes(outcomes) != TIE
        require_rows("outcomes", len(won), impressions)
        decisive = float(won.mean())
        by_chance = float((won & overlap.identical).mean())
    report = OverlapReport(
        impressions=impressions,
        depth=int(depth),
        **{name: float(column.mean()) for name, column in overlap._asdict().items()},
        reordered=float(np.mean((overlap.jaccard == 1.0) & ~overlap.identical)),
        clicked=clicked,
        decisive=decisive,
        chance_outcomes=by_chance,
        warnings=(),
    )
    return replace(report, warnings=tuple(find_warnings(report)))


def find_warnings(report: OverlapReport) -> Iterator[str]:
    """Yield why the experiment may learn little."""
    same = f"of the impressions both rankings show the same {counted(report.depth, 'document')} in"
    if report.identical >= MANY:
        yield f"in {report.identical:.0%} {same} the same order: interleaving cannot tell them apart there."
    if report.reordered >= MANY:
        yield f"in {report.reordered:.0%} {same} another order: clicks there are about order alone."
    if report.chance_outcomes:
        yield (
            f"{report.chance_outcomes:.0%} of the impressions have a winner although both rankings are "
            "identical: that is chance; leave them out, or count them as ties."
        )
    if report.clicked is not None and report.clicked < SCARCE:
        yield f"only {report.clicked:.0%} of the impressions have a click; the others are ties."
    if report.decisive is not None and report.decisive < SCARCE:
        yield f"only {report.decisive:.0%} of the impressions have a winner; expect to need many."
