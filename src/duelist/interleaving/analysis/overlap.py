"""How much two rankings have in common, impression by impression."""

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.errors import ParameterError, require_whole
from duelist.kernels.compile import compiled

Rankings: TypeAlias = Sequence[Sequence[Hashable]] | NDArray[Any]
"""Of each impression the documents, best first: sequences of any lengths, or an array with a row for each."""


class Overlap(NamedTuple):
    """What two rankings have in common, one number an impression."""

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


@compiled
def measure_pair(left: IntArray, right: IntArray, persistence: float) -> tuple[int, int, float]:
    """Return the number of shared documents, the common prefix's length, and rank-biased overlap (eq. 32)."""
    short, long = (left, right) if len(left) <= len(right) else (right, left)
    shared, shared_short, prefix = 0, 0, 0
    weight, total = 1.0, 0.0
    for place in range(len(long)):
        depth = place + 1
        weight *= persistence
        within = min(depth, len(short))
        for other in range(within):
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
def measure_all(
    left: IntArray,
    left_ends: IntArray,
    right: IntArray,
    right_ends: IntArray,
    persistence: float,
    room: Overlap,
) -> None:
    """Write what the rankings of each impression have in common."""
    first, second = 0, 0
    for row in range(len(left_ends)):
        one, two = left[first : left_ends[row]], right[second : right_ends[row]]
        shared, prefix, rbo = measure_pair(one, two, persistence)
        room.shared[row] = shared / max(len(one), len(two))
        room.prefix[row] = prefix
        room.jaccard[row] = shared / (len(one) + len(two) - shared)
        room.rbo[row] = rbo
        room.identical[row] = prefix == len(one) == len(two)
        first, second = left_ends[row], right_ends[row]


def measure_overlap(left: Rankings, right: Rankings, depth: int = 10, persistence: float = 0.9) -> Overlap:
    """Return what the tops of two rankings have in common, for each impression.

    Parameters
    ----------
    left, right : sequences of rankings, or arrays of shape (impressions, documents)
        Documents are numbers or names, best first; no ranking is empty or shows a document twice.
    depth : int, default 10
        How many documents of each ranking are looked at: those of a page.
    persistence : float, default 0.9
        Rank-biased overlap's chance to look at the next place.

    References
    ----------
    Webber, Moffat, Zobel (2010). A similarity measure for indefinite rankings. ACM Transactions on
    Information Systems 28(4).

    Examples
    --------
    >>> overlap = measure_overlap([["a", "b", "c"], ["a", "b"]], [["a", "c", "d"], ["a", "b"]])
    >>> overlap.prefix.tolist(), overlap.jaccard.tolist(), overlap.identical.tolist()
    ([1, 2], [0.5, 1.0], [False, True])
    """
    require_whole("depth", depth, 1)
    if not 0.0 < persistence < 1.0:
        raise ParameterError(f"persistence must lie between 0 and 1; got {persistence!r}. Try 0.9.")
    if len(left) != len(right) or len(left) == 0:
        raise ParameterError(
            "left and right must have a ranking for each impression; got "
            f"{len(left)} and {len(right)} rankings."
        )
    tops = cut("left", left, depth), cut("right", right, depth)
    for row, pair in enumerate(zip(*tops, strict=True)):
        if any(len(set(top)) < len(top) for top in pair):
            raise ParameterError(f"row {row} of left or right shows a document twice.")
    numbers: dict[Any, int] = {}
    n = len(left)
    room = Overlap(np.empty(n), np.empty(n, np.int64), np.empty(n), np.empty(n), np.empty(n, np.bool_))
    measure_all(*flatten(tops[0], numbers), *flatten(tops[1], numbers), persistence, room)
    return room


def cut(name: str, rankings: Rankings, depth: int) -> list[Sequence[Any]]:
    """Return the tops of rankings, or refuse an empty one."""
    tops = [top.tolist() if isinstance(top, np.ndarray) else top for top in (one[:depth] for one in rankings)]
    for row, top in enumerate(tops):
        if len(top) == 0:
            raise ParameterError(f"{name}, row {row}, is empty; leave such impressions out.")
    return tops


def flatten(tops: list[Sequence[Any]], numbers: dict[Any, int]) -> tuple[IntArray, IntArray]:
    """Return all documents as numbers, one ranking after the other, and where each ranking ends."""
    ends = np.cumsum([len(top) for top in tops])
    documents = (numbers.setdefault(document, len(numbers)) for top in tops for document in top)
    return np.fromiter(documents, np.int64, int(ends[-1])), ends


def rank_biased_overlap(
    left: Sequence[Hashable], right: Sequence[Hashable], persistence: float = 0.9
) -> float:
    """Return how alike two rankings are, their tops counting most: 1 the same, 0 nothing in common.

    See `measure_overlap`; here, rankings are compared to their ends.

    Examples
    --------
    >>> round(rank_biased_overlap("abc", "acb"), 3), rank_biased_overlap("abc", "abc")
    (0.955, 1.0)
    """
    depth = max(len(left), len(right), 1)
    return float(measure_overlap([left], [right], depth, persistence).rbo[0])
