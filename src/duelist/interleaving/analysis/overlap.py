"""How much two rankings have in common, and what that means for an interleaving experiment."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from duelist.duel import TIE, BoolArray, FloatArray, IntArray
from duelist.errors import ParameterError, require_whole
from duelist.interleaving.analysis.columns import Clicks, as_clicked_places, as_outcomes, require_rows
from duelist.kernels.compile import compiled
from duelist.text import Report, align, counted, list_warnings

Rankings: TypeAlias = Sequence[Sequence[Hashable]] | NDArray[Any]
"""The documents of each impression, best first: sequences of any lengths, or an array with a row for each."""

MANY = 0.25  # warn from this share of identical rankings, or of rankings with the same documents, on
SCARCE = 0.1  # warn below this share of impressions with a click, or with a winner


class Overlap(NamedTuple):
    """What two rankings have in common, one number for each impression."""

    shared: FloatArray
    """Documents in both, as a share of the longer ranking."""
    prefix: IntArray
    """How many documents from the top are the same, in the same order."""
    jaccard: FloatArray
    """Documents in both, as a share of those in either."""
    rbo: FloatArray
    """Rank-biased overlap."""
    identical: BoolArray
    """Whether both are the same, in the same order."""


@dataclass(frozen=True)
class OverlapReport(Report):
    """The means of `Overlap`, and how often clicks can show a difference; prints as a table."""

    impressions: int
    depth: int
    shared: float
    prefix: float
    jaccard: float
    rbo: float
    identical: float
    """The share of impressions whose rankings are the same; they cannot show a difference."""
    reordered: float
    """The share of impressions whose rankings have the same documents in another order."""
    clicked: float | None
    """The share of impressions with a click, if clicks are given."""
    decisive: float | None
    """The share of impressions that are not ties, if outcomes are given."""
    chance_outcomes: float | None
    """The share of impressions that have a winner, by chance, although their rankings are identical."""
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


@compiled
def measure_pair(left: IntArray, right: IntArray, persistence: float) -> tuple[int, int, float]:
    """Return the number of shared documents, the common prefix's length, and rank-biased overlap (eq. 32)."""
    short, long = (left, right) if len(left) <= len(right) else (right, left)
    shared, shared_short, prefix = 0, 0, 0
    weight, total = 1.0, 0.0
    for place in range(len(long)):
        depth = place + 1
        weight *= persistence
        for other in range(min(depth, len(short))):
            shared += long[place] == short[other]
        if place < len(short):
            for other in range(place):
                shared += short[place] == long[other]
            shared_short = shared
            prefix += prefix == place and short[place] == long[place]
        agreement = shared / depth
        if depth > len(short):
            agreement += shared_short * (depth - len(short)) / (len(short) * depth)
        total += agreement * weight
    end = (shared - shared_short) / len(long) + shared_short / len(short)
    return shared, prefix, total * (1.0 - persistence) / persistence + end * weight


@compiled
def measure_all(documents: IntArray, ends: IntArray, persistence: float, found: Overlap) -> None:
    """Write the overlap of each impression, whose left ranking is followed by its right one."""
    start = 0
    for row in range(len(found.shared)):
        middle, stop = ends[2 * row], ends[2 * row + 1]
        left, right = documents[start:middle], documents[middle:stop]
        shared, prefix, rbo = measure_pair(left, right, persistence)
        found.shared[row] = shared / max(len(left), len(right))
        found.prefix[row] = prefix
        found.jaccard[row] = shared / (len(left) + len(right) - shared)
        found.rbo[row] = rbo
        found.identical[row] = prefix == len(left) == len(right)
        start = stop


def measure_overlap(left: Rankings, right: Rankings, depth: int = 10, persistence: float = 0.9) -> Overlap:
    """Return what the tops of two rankings have in common, for each impression.

    Parameters
    ----------
    left, right : sequences of rankings, or arrays of shape (impressions, documents)
        Documents are numbers or names, best first; no ranking is empty or shows a document twice.
    depth : int, default 10
        How many documents of each ranking are compared: those of a page.
    persistence : float, default 0.9
        Rank-biased overlap's probability of going on to the next place.

    References
    ----------
    Webber, Moffat, Zobel (2010). A similarity measure for indefinite rankings. ACM TOIS 28(4).

    Examples
    --------
    >>> overlap = measure_overlap([["a", "b", "c"], ["a", "b"]], [["a", "c", "d"], ["a", "b"]])
    >>> overlap.prefix.tolist(), overlap.jaccard.tolist(), overlap.identical.tolist()
    ([1, 2], [0.5, 1.0], [False, True])
    """
    require_whole("depth", depth, 1)
    if not 0.0 < persistence < 1.0:
        raise ParameterError(f"persistence must lie between 0 and 1; got {persistence!r}. Try 0.9.")
    n = len(left)
    if len(right) != n or n == 0:
        raise ParameterError(f"each impression needs a left and a right; got {n} and {len(right)} rankings.")
    pairs = zip(cut("left", left, depth), cut("right", right, depth), strict=True)
    tops = [top for pair in pairs for top in pair]
    numbers: dict[Any, int] = {}
    documents = [numbers.setdefault(document, len(numbers)) for top in tops for document in top]
    found = Overlap(np.empty(n), np.empty(n, np.int64), np.empty(n), np.empty(n), np.empty(n, np.bool_))
    measure_all(np.array(documents), np.cumsum([len(top) for top in tops]), persistence, found)
    return found


def cut(name: str, rankings: Rankings, depth: int) -> Iterator[Sequence[Any]]:
    """Yield the top of each ranking; refuse one that is empty or has a document twice."""
    for row, ranking in enumerate(rankings):
        top = ranking[:depth].tolist() if isinstance(ranking, np.ndarray) else ranking[:depth]
        if len(top) == 0:
            raise ParameterError(f"{name}, row {row}, is empty; leave such impressions out.")
        if len(set(top)) < len(top):
            raise ParameterError(f"{name}, row {row} shows a document twice.")
        yield top


def rank_biased_overlap(
    left: Sequence[Hashable], right: Sequence[Hashable], persistence: float = 0.9
) -> float:
    """Return how similar two whole rankings are, with most weight on the top: 1 the same, 0 disjoint.

    Examples
    --------
    >>> round(rank_biased_overlap("abc", "acb"), 3), rank_biased_overlap("abc", "abc")
    (0.955, 1.0)
    """
    depth = max(len(left), len(right), 1)
    return float(measure_overlap([left], [right], depth, persistence).rbo[0])


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
        For each impression: 1 where left won, 0 where right won, 0.5 for a tie.
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
        decisive, by_chance = float(won.mean()), float((won & overlap.identical).mean())
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
        share = f"{report.chance_outcomes:.0%} of the impressions have a winner"
        yield f"{share} by chance, as both rankings are identical: leave them out, or count them as ties."
    if report.clicked is not None and report.clicked < SCARCE:
        yield f"only {report.clicked:.0%} of the impressions have a click; the others are ties."
    if report.decisive is not None and report.decisive < SCARCE:
        yield f"only {report.decisive:.0%} of the impressions have a winner; expect to need many."
