"""Pairwise preference multileaving (Oosterhuis, de Rijke, CIKM 2017): a method for many rankings."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.constraints import Range
from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.interleaving.base import Interleaving
from duelist.interleaving.page import END, NOBODY, Page, draft, length_of, place_of, put, settle
from duelist.kernels.compile import compiled, overload_for


class PairwisePreferenceRules(NamedTuple):
    """The parameters of the kernels."""

    beyond: int  # how many documents below the last click count as seen


@overload_for(draft, PairwisePreferenceRules)
def draft_from_pool(rules: PairwisePreferenceRules, rankings: IntArray, page: Page, rng: Generator) -> None:
    """Fill place x with a random one of the documents that some ranking has among its first x."""
    pooled = np.zeros(len(page.taken), np.bool_)
    pool = np.empty(len(page.taken), np.int64)
    size = 0
    for depth in range(page.shown[0]):
        size = widen(rankings, depth, pooled, pool, size, page.taken)
    while page.shown[0] < len(page.documents):
        size = widen(rankings, page.shown[0], pooled, pool, size, page.taken)
        if size == 0:
            break
        chosen = int(rng.random() * size)
        put(pool[chosen], NOBODY, 1.0 / size, page)
        size -= 1
        pool[chosen] = pool[size]


@compiled
def widen(
    rankings: IntArray, depth: int, pooled: BoolArray, pool: IntArray, size: int, taken: BoolArray
) -> int:
    """Add the documents at a depth to the pool, unless they are shown or in it; return its size."""
    if depth < rankings.shape[1]:
        for ranking in range(len(rankings)):
            document = rankings[ranking, depth]
            if document != END and not pooled[document] and not taken[document]:
                pooled[document] = True
                pool[size] = document
                size += 1
    return size


@overload_for(settle, PairwisePreferenceRules)
def settle_pairs(
    rules: PairwisePreferenceRules, rankings: IntArray, page: Page, clicked: BoolArray, credits: FloatArray
) -> None:
    """Write each ranking's credit for its order of pairs of a clicked and a skipped document."""
    credits[:] = 0.0
    seen = 0
    for place in range(page.shown[0]):
        if clicked[place]:
            seen = min(place + 1 + rules.beyond, page.shown[0])
    if seen > 0:
        ranks, entries = ranks_of_shown(rankings, page)
        for winner in range(seen):
            if clicked[winner]:
                for loser in range(seen):
                    if not clicked[loser]:
                        credit_pair(winner, loser, entries, ranks, page.propensities, credits)


@compiled
def ranks_of_shown(rankings: IntArray, page: Page) -> tuple[IntArray, IntArray]:
    """Return the ranks of shown documents in each ranking, from 0, last if missing; and the best ranks."""
    many, depth = rankings.shape
    ranks = np.full((many, page.shown[0]), depth)
    entries = np.full(page.shown[0], depth)
    for ranking in range(many):
        for rank in range(length_of(rankings[ranking])):
            document = rankings[ranking, rank]
            if page.taken[document]:
                place = place_of(document, page)
                ranks[ranking, place] = rank
                entries[place] = min(entries[place], rank)
    return ranks, entries


@compiled
def credit_pair(
    winner: int, loser: int, entries: IntArray, ranks: IntArray, propensities: FloatArray, credits: FloatArray
) -> None:
    """Add 1 / P to the credit of rankings with the winner above the loser, subtract it if below."""
    early, late = min(entries[winner], entries[loser]), max(entries[winner], entries[loser])
    # the pair counts only if both stand where either could
    if min(winner, loser) < late:
        return
    # P, the chance of that: the document that could be shown earlier was not, until the other could
    chance = 1.0
    for place in range(early, late):
        chance *= 1.0 - propensities[place]
    for ranking in range(len(ranks)):
        if ranks[ranking, winner] < ranks[ranking, loser]:
            credits[ranking] += 1.0 / chance
        elif ranks[ranking, winner] > ranks[ranking, loser]:
            credits[ranking] -= 1.0 / chance


@dataclass(frozen=True)
class PairwisePreference(Interleaving):
    """Interleave by drawing from the tops of all rankings; credit each for the pairs it orders correctly.

    A clicked document is preferred to those seen and not clicked. A pair counts only if it could as well have
    been shown the other way round, weighted by the inverse of the chance of that. No place shows a document
    that every ranking has further down. Many rankings can be compared at once.

    Parameters
    ----------
    beyond : int, default 1
        How many documents below the last click count as seen, besides all above it.

    Notes
    -----
    Place x shows a random one of the documents, not shown yet, that some ranking has among its first x. A
    document's entry is its best rank in any ranking: the first place that may show it. Two documents are
    exchangeable from the later of their entries on: a pair counts if both stand there or below, which has as
    its chance the product of 1 - 1 / candidates from the earlier entry to the later. The inverse is the
    credit of a ranking that has the clicked document above the other, its negative if below. Fairness: if
    clicks do not depend on the documents, both orders are equally likely, and every expected credit is 0.

    Deviations from the paper: none intended. Credits are not divided by the number of pairs that count, as in
    some implementations: that number depends on the list drawn, and fairness would be lost. Documents that a
    ranking lacks rank below all it has; below the end of the longest ranking, the list goes on with the rest.

    References
    ----------
    Oosterhuis, de Rijke (2017). Sensitive and Scalable Online Evaluation with Theoretical Guarantees. CIKM.

    Examples
    --------
    >>> import numpy as np
    >>> method = PairwisePreference()
    >>> shown = method.interleave(["abc", "bca", "acb"], np.random.default_rng(2))
    >>> shown.documents, shown.propensities
    (('a', 'b', 'c'), (0.5, 0.5, 1.0))
    >>> method.credit(shown, clicked=["b"])
    array([ 1.,  3., -3.])
    """

    beyond: Annotated[int, Range(least=0)] = 1
    fewest: ClassVar[int] = 3

    def rules(self) -> PairwisePreferenceRules:
        """Return the parameters of the kernels."""
        return PairwisePreferenceRules(int(self.beyond))
