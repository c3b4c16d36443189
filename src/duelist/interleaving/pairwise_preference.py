"""Pairwise preference multileaving (Oosterhuis, de Rijke, CIKM 2017), for many rankings."""

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
    beyond: int  # the number of documents below the last click that count as seen


@overload_for(draft, PairwisePreferenceRules)
def draft_from_pool(rules: PairwisePreferenceRules, rankings: IntArray, page: Page, rng: Generator) -> None:
    """Fill place x with a random document among the first x of any ranking."""
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
    """Add the documents at this depth to the pool, unless they are shown or in it; return its size."""
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
    """Credit each ranking for its order of pairs of a clicked and a skipped document."""
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
    """Return the shown documents' ranks in each ranking, from 0, last if missing; and their best ranks."""
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
    # the pair only counts if both are at places where either could be
    if min(winner, loser) < late:
        return
    # P: the probability that the document that could be shown first was not shown until the other could be
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

    A clicked document is preferred to those seen and not clicked. A pair only counts if it could also have
    been shown in the opposite order, weighted by the inverse probability of that. No place shows a document
    that every ranking has further down. Many rankings can be compared at once.

    Parameters
    ----------
    beyond : int, default 1
        The number of documents below the last click that count as seen, besides all above it.

    Raises
    ------
    ParameterError
        If `beyond` is not a whole number from 0.

    Notes
    -----
    Place x shows a random document, not shown yet, among the first x of any ranking. A document's entry is
    its best rank in any ranking: the first place that may show it. Two documents are exchangeable from the
    later of their entries on: a pair counts if both are there or below, which has the probability of the
    product of 1 - 1 / candidates from the earlier entry to the later one. The credit is the inverse for a
    ranking that has the clicked document above the other, its negative if below. Fairness: if clicks are
    independent of the documents, both orders are equally likely, and every expected credit is 0.

    Deviations from the paper: none intended. Credits are not divided by the number of pairs that count, as
    some implementations do: that number depends on the list drawn, and fairness would be lost. Documents that
    a ranking lacks rank below all it has; below the end of the longest ranking, the list continues with the
    rest.

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
        return PairwisePreferenceRules(int(self.beyond))
