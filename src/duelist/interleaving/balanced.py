"""Balanced interleaving (Joachims 2002): two rankings are merged in turn; a coin decides which goes first."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.interleaving.base import Interleaving
from duelist.interleaving.page import END, FIRST, Page, draft, length_of, put, settle, shared_prefix
from duelist.kernels.compile import overload_for


class BalancedRules(NamedTuple):
    counting: int  # which clicks count


@overload_for(draft, BalancedRules)
def draft_in_turn(rules: BalancedRules, rankings: IntArray, page: Page, rng: Generator) -> None:
    """At each depth, add one ranking's document, then the other's, unless they are already shown."""
    capacity = len(page.documents)
    first = page.teams[0] if page.shown[0] > 0 else 0 if rng.random() < 0.5 else 1
    one, other = rankings[first], rankings[1 - first]
    ones, others = length_of(one), length_of(other)
    depth = 0
    while page.shown[0] < capacity and (depth < ones or depth < others):
        if depth < ones and not page.taken[one[depth]]:
            put(one[depth], first, 1.0, page)
        if depth < others and page.shown[0] < capacity and not page.taken[other[depth]]:
            put(other[depth], 1 - first, 1.0, page)
        depth += 1
    # the coin only matters at the first place where the rankings differ
    fork = shared_prefix(rankings)
    if fork < page.shown[0] and fork < ones and fork < others:
        page.propensities[fork] = 0.5


@overload_for(settle, BalancedRules)
def settle_above(
    rules: BalancedRules, rankings: IntArray, page: Page, clicked: BoolArray, credits: FloatArray
) -> None:
    """Credit each ranking for the clicks above the depth at which one of them has the lowest click."""
    credits[:] = 0.0
    counts = np.zeros(len(page.taken), np.bool_)
    lowest = END
    for place in range(page.shown[0]):
        if clicked[place]:
            lowest = page.documents[place]
            counts[lowest] = True
            if rules.counting == FIRST:
                break
    found = lowest == END
    depth = 0
    while not found and depth < rankings.shape[1]:
        for ranking in range(len(rankings)):
            document = rankings[ranking, depth]
            if document != END:
                credits[ranking] += counts[document]
                found = found or document == lowest
        depth += 1


@dataclass(frozen=True)
class Balanced(Interleaving):
    """Interleave in turn: a coin decides which ranking goes first, then each adds its next document.

    For two rankings. Both are cut at the smallest depth at which one of them has the lowest click; the one
    with more clicks above that depth wins. Only two lists are possible and no method is cheaper, but it can
    be *unfair*: to choose between rankings, use `TeamDraft`.

    Parameters
    ----------
    counting : str, default "all"
        Which clicks count: "all", or "first" (the topmost clicked place only).

    Raises
    ------
    UnknownNameError
        If there is no such counting.
    ParameterError
        If `counting` is "unshared", which makes no difference here.

    Notes
    -----
    Bias: left a, b, c, d and right b, c, d, a give the lists a, b, c, d and b, a, c, d. The right ranking
    wins three out of four single random clicks, because it ranks all documents but a higher.

    In `Shown`, `teams` record whose turn it was; clicks are not credited by team. Deviations from the paper:
    none; once a ranking is exhausted, the rest of the other follows.

    References
    ----------
    Joachims (2002). Unbiased evaluation of retrieval quality using clickthrough data. SIGIR workshop.
    Radlinski, Kurup, Joachims (2008). How does clickthrough data reflect retrieval quality? CIKM.

    Examples
    --------
    >>> import numpy as np
    >>> shown = Balanced().interleave([["a", "b", "c"], ["b", "d"]], np.random.default_rng(1))
    >>> shown.documents, shown.teams
    (('b', 'a', 'd', 'c'), (1, 0, 1, 0))
    >>> Balanced().credit(shown, clicked=["d"]), Balanced().outcome(shown, clicked=["d"])
    (array([0., 1.]), 0.0)
    """

    counting: str = "all"
    most: ClassVar[int | None] = 2
    fair: ClassVar[tuple[str, ...]] = ()

    def rules(self) -> BalancedRules:
        reason = "a click on the common prefix counts for both rankings or for neither"
        return BalancedRules(self.counting_rule(reason))
