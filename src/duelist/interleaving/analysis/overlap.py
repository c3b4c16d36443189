"""The overlap of two rankings, and its consequences for an interleaving experiment."""

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

MANY = 0.25  # warn at this share of rankings that are identical or have the same documents
SCARCE = 0.1  # warn below this share of impressions with a click or a winner


class Overlap(NamedTuple):
    """What two rankings have in common; each array has one number per impression.

    Parameters
    ----------
    shared : array of float
        The number of documents in both, divided by the length of the longer ranking.
    prefix : array of int
        The length of the common prefix.
    jaccard : array of float
        The number of documents in both, divided by the number in either.
    rbo : array of float
        The rank-biased overlap.
    identical : array of bool
        Whether both rankings are identical, in the same order.

    Examples
    --------
    >>> measure_overlap([["a", "b", "c"]], [["a", "c", "d"]]).jaccard
    array([0.5])
    """

    shared: FloatArray
    prefix: IntArray
    jaccard: FloatArray
    rbo: FloatArray
    identical: BoolArray


@dataclass(frozen=True)
class OverlapReport(Report):
    """The means of `Overlap`, and how often clicks can reveal a difference; prints as a table.

    Parameters
    ----------
    impressions : int
        The number of impressions.
    depth : int
        The number of documents compared.
    shared, prefix, jaccard, rbo, identical : float
        The means of the measures; impressions with identical rankings cannot reveal a difference.
    reordered : float
        The share of impressions whose rankings have the same documents in another order.
    clicked : float or None
        The share of impressions with a click, if clicks are given.
    decisive : float or None
        The share of impressions that are not ties, if outcomes are given.
    chance_outcomes : float or None
        The share of impressions with a winner despite identical rankings, by chance, if outcomes are given.
    warnings : tuple of str
        Reasons why the experiment may reveal little.

    Examples
    --------
    >>> analyze_overlap([["a", "b"], ["a", "b"]], [["a", "b"], ["c", "a"]], depth=2).identical
    0.5
    """

    impressions: int
    depth: int
    shared: float
    prefix: float
    jaccard: float
    rbo: float
    identical: float
    reordered: float
    clicked: float | None
    decisive: float | None
    chance_outcomes: float | None
    warnings: tuple[str, ...]

    def __str__(self) -> str:
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
        rows.insert(1, ["length of the common prefix", f"{self.prefix:.1f}"])
        return align([counted(self.impressions, "impression"), ""], rows) + list_warnings(self.warnings)


@compiled
def measure_pair(left: IntArray, right: IntArray, persistence: float) -> tuple[int, int, float]:
    """Return the shared documents, the length of the common prefix, and rank-biased overlap (eq. 32)."""
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
    """Write the overlap of each impression; its left ranking is followed by its right one."""
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
    """Measure the overlap of two rankings' top documents, for each impression.

    Parameters
    ----------
    left, right : sequences of rankings, or arrays of shape (impressions, documents)
        The documents, numbers or names, best first. No ranking is empty or repeats a document.
    depth : int, default 10
        The number of documents to compare, usually those of a page.
    persistence : float, default 0.9
        Rank-biased overlap's probability of continuing to the next place.

    Returns
    -------
    Overlap
        The measures of each impression.

    Raises
    ------
    ParameterError
        If the rankings differ in number, one is empty or repeats a document, or a number is out of range.

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
        raise ParameterError(
            f"left and right must have one ranking per impression, at least 1; got {n} and {len(right)}."
        )
    pairs = zip(cut("left", left, depth), cut("right", right, depth), strict=True)
    tops = [top for pair in pairs for top in pair]
    numbers: dict[Any, int] = {}
    documents = [numbers.setdefault(document, len(numbers)) for top in tops for document in top]
    found = Overlap(np.empty(n), np.empty(n, np.int64), np.empty(n), np.empty(n), np.empty(n, np.bool_))
    measure_all(np.array(documents), np.cumsum([len(top) for top in tops]), persistence, found)
    return found


def cut(name: str, rankings: Rankings, depth: int) -> Iterator[Sequence[Any]]:
    """Yield the top of each ranking after checking it."""
    for row, ranking in enumerate(rankings):
        top = ranking[:depth].tolist() if isinstance(ranking, np.ndarray) else ranking[:depth]
        if len(top) == 0:
            raise ParameterError(f"{name}, row {row}, is empty; omit such impressions.")
        if len(set(top)) < len(top):
            raise ParameterError(f"{name}, row {row}, repeats a document; list each document once.")
        yield top


def rank_biased_overlap(
    left: Sequence[Hashable], right: Sequence[Hashable], persistence: float = 0.9
) -> float:
    """Return the top-weighted similarity of two whole rankings: 1 if identical, 0 if disjoint.

    Parameters
    ----------
    left, right : sequence
        The documents, best first.
    persistence : float, default 0.9
        The probability of continuing to the next place.

    Returns
    -------
    float
        The rank-biased overlap.

    Raises
    ------
    ParameterError
        If a ranking is empty or repeats a document, or `persistence` is out of range.

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
    """Report how much two rankings differ, and in how many impressions interleaving can distinguish them.

    Parameters
    ----------
    left, right : sequences of rankings, or arrays of shape (impressions, documents)
        The documents, numbers or names, best first. No ranking is empty or repeats a document.
    outcomes : array, optional
        For each impression, 1 if left won, 0 if right won, 0.5 for a tie.
    clicks : boolean array (impressions, places), or sequences of clicked places, optional
        The clicks on the interleaved lists.
    depth : int, default 10
        The number of documents to compare, usually those of a page.
    persistence : float, default 0.9
        Rank-biased overlap's probability of continuing to the next place.

    Returns
    -------
    OverlapReport
        The mean overlap, with warnings.

    Raises
    ------
    ParameterError
        If rankings or clicks are malformed, differ in number, or a number is out of range.
    OutcomeError
        If an outcome is not from 0 to 1.

    Examples
    --------
    >>> left, right = [["a", "b"], ["a", "b"]], [["a", "b"], ["c", "a"]]
    >>> report = analyze_overlap(left, right, outcomes=[0.5, 1], depth=2)
    >>> report.identical, report.decisive
    (0.5, 0.5)
    >>> print(report.warnings[0])
    in 50% of the impressions both rankings show the same 2 documents in the same order: interleaving cannot
    distinguish them there.
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
    same = f"of the impressions both rankings show the same {counted(report.depth, 'document')} in"
    if report.identical >= MANY:
        yield f"in {report.identical:.0%} {same} the same order: interleaving cannot distinguish them there."
    if report.reordered >= MANY:
        yield f"in {report.reordered:.0%} {same} another order: clicks there only reflect the order."
    if report.chance_outcomes:
        share = f"{report.chance_outcomes:.0%} of the impressions have a winner"
        yield f"{share} by chance, because both rankings are identical: omit them or count them as ties."
    if report.clicked is not None and report.clicked < SCARCE:
        yield f"only {report.clicked:.0%} of the impressions have a click; the others are ties."
    if report.decisive is not None and report.decisive < SCARCE:
        yield f"only {report.decisive:.0%} of the impressions have a winner; you will need many impressions."
