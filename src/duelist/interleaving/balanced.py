"""Balanced interleaving (Joachims 2002): two rankings merged in turn; a coin decides which begins."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from numpy.random import Generator

from duelist.duel import BoolArray, IntArray
from duelist.interleaving.base import Interleaving
from duelist.interleaving.page import FIRST, LEFT, RIGHT, Page, draft, settle, shared_prefix, verdict
from duelist.kernels.compile import overload_for


class BalancedRules(NamedTuple):
    """The parameters of the kernels."""

    counting: int  # which clicks count


@overload_for(draft, BalancedRules)
def draft_balanced(rules: BalancedRules, left: IntArray, right: IntArray, page: Page, rng: Generator) -> None:
    """Fill a page: at each depth one ranking's document, then the other's, unless they are shown already."""
    documents, teams, propensities, shown, taken = page
    room = len(documents)
    place = shown[0]
    goes_first = teams[0] if place > 0 else LEFT if rng.random() < 0.5 else RIGHT
    goes_second = RIGHT if goes_first == LEFT else LEFT
    first, second = (left, right) if goes_first == LEFT else (right, left)
    firsts, seconds = len(first), len(second)
    depth = 0
    # both turns are written out: a ranking chosen anew in every turn takes three times as long
    while place < room and (depth < firsts or depth < seconds):
        if depth < firsts:
            document = first[depth]
            if not taken[document]:
                taken[document] = True
                documents[place] = document
                teams[place] = goes_first
                propensities[place] = 1.0
                place += 1
        if depth < seconds and place < room:
            document = second[depth]
            if not taken[document]:
                taken[document] = True
                documents[place] = document
                teams[place] = goes_second
                propensities[place] = 1.0
                place += 1
        depth += 1
    # only the place where the rankings first differ depends on the coin
    fork = shared_prefix(left, right)
    if fork < place and fork < len(left) and fork < len(right):
        propensities[fork] = 0.5
    shown[0] = place


@overload_for(settle, BalancedRules)
def settle_balanced(
    rules: BalancedRules, left: IntArray, right: IntArray, page: Page, clicked: BoolArray
) -> float:
    """Return which ranking has more clicks down to the depth at which one of them has the lowest click."""
    documents, _, _, shown, taken = page
    counts = taken.copy()
    lowest = -1
    for place in range(shown[0]):
        counted = clicked[place] and not (lowest >= 0 and rules.counting == FIRST)
        counts[documents[place]] = counted
        if counted:
            lowest = place
    lead = 0
    if lowest >= 0:
        target = documents[lowest]
        depth = 0
        found = False
        # a document that is not equal to itself, such as nan, is never found
        while not found and (depth < len(left) or depth < len(right)):
            if depth < len(left):
                lead += counts[left[depth]]
                found = left[depth] == target
            if depth < len(right):
                lead -= counts[right[depth]]
                found = found or right[depth] == target
            depth += 1
    return verdict(lead)


@dataclass(frozen=True)
class Balanced(Interleaving):
    """Interleave in turn: a coin decides which ranking goes first, then each adds its next document.

    Both rankings are cut at the smallest depth at which one of them has the lowest click; the one with more
    clicks above it wins. Only two lists are possible, and no method is cheaper, but it can be *unfair*: to
    choose between rankings, use `TeamDraft`.

    Parameters
    ----------
    counting : str, default "all"
        Which clicks count: "all", or "first" (the topmost clicked place only).

    Notes
    -----
    Bias: left a, b, c, d and right b, c, d, a make the lists a, b, c, d and b, a, c, d. The right ranking
    wins three of four single random clicks, because it has all documents but a higher.

    In `Shown`, `teams` say whose turn it was; clicks are not credited by them. Deviations from the paper:
    none; where a ranking is exhausted, the rest of the other follows.

    References
    ----------
    Joachims (2002). Unbiased evaluation of retrieval quality using clickthrough data. SIGIR workshop.
    Radlinski, Kurup, Joachims (2008). How does clickthrough data reflect retrieval quality? CIKM.

    Examples
    --------
    >>> import numpy as np
    >>> shown = Balanced().interleave(["a", "b", "c"], ["b", "d"], np.random.default_rng(1))
    >>> shown.documents, shown.teams
    (('b', 'a', 'd', 'c'), (1, 0, 1, 0))
    >>> Balanced().credit(shown, clicked=["d"])
    0.0
    """

    counting: str = "all"
    fair: ClassVar[tuple[str, ...]] = ()

    def rules(self) -> BalancedRules:
        """Return the parameters of the kernels."""
        reason = "a click on the common prefix counts for both rankings or for none of them"
        return BalancedRules(self.counting_rule(reason))
