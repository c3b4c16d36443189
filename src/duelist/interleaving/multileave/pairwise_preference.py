"""Pairwise preference multileaving (Oosterhuis, de Rijke, CIKM 2017)."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.errors import require_whole
from duelist.interleaving.multileave.base import Multileaving, length_of, place_of
from duelist.interleaving.page import END, NOBODY, Page, draft_many, put, settle_many
from duelist.kernels.compile import compiled, overload_for


class PairwisePreferenceRules(NamedTuple):
    """The parameters of the kernels."""

    beyond: int  # how many documents below the last click count as seen


@overload_for(draft_many, PairwisePreferenceRules)
def draft_from_pool(rules: PairwisePreferenceRules, rankings: IntArray, page: Page, rng: Generator) -> None:
    """Fill place x with any of the documents that some ranking has among its first x, each as likely."""
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
    """Add to the pool what the rankings have at a depth, unless it is shown or there; return its size."""
    if depth < rankings.shape[1]:
        for ranking in range(len(rankings)):
            document = rankings[ranking, depth]
            if document != END and not pooled[document] and not taken[document]:
                pooled[document] = True
                pool[size] = document
                size += 1
    return size


@overload_for(settle_many, PairwisePreferenceRules)
def settle_pairs(
    rules: PairwisePreferenceRules, rankings: IntArray, page: Page, clicked: BoolArray, credits: FloatArray
) -> None:
    """Write each ranking's credit for pairs of a clicked and a skipped document, by how it orders them."""
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
    """Return the rank, from 0, that each ranking gives each shown document, or last if it lacks it.

    Also returns each document's best rank, which is the first place, from 0, that may show it.
    """
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
    """Add 1 / P to the credit of rankings with the winner above the loser, take it from those with it below.

    The pair counts only if both stand where either could. P is the chance of that: the one that could be
    shown earlier was left out until the other came.
    """
    early = min(entries[winner], entries[loser])
    late = max(entries[winner], entries[loser])
    if min(winner, loser) < late:
        return
    chance = 1.0
    for place in range(early, late):
        chance *= 1.0 - propensities[place]
    for ranking in range(len(ranks)):
        if ranks[ranking, winner] < ranks[ranking, loser]:
            credits[ranking] += 1.0 / chance
        elif ranks[ranking, winner] > ranks[ranking, loser]:
            credits[ranking] -= 1.0 / chance


@dataclass(frozen=True)
class PairwisePreferenceMultileaving(Multileaving):
    """Multileave by drawing from the tops of all rankings; credit each for the pairs it orders correctly.

    A clicked document is preferred to those seen and not clicked. Only pairs count that could as well have
    been shown the other way round, each weighted by the inverse of the chance that it counts. Considerate: a
    place shows nothing that every ranking has further down. Every ranking learns from every pair, so that
    many can be compared at once.

    Parameters
    ----------
    beyond : int, default 1
        How many documents below the last click count as seen, besides all above it.

    Notes
    -----
    Place x shows one of the documents that some ranking has among its first x, of those not shown yet, each
    as likely. A document's entry is its best rank in any ranking: the first place that may show it. Two
    documents are exchangeable from the later of their entries on, so that a pair counts only if both stand
    there or below, which has as its chance the product of 1 - 1 / candidates from the earlier entry to the
    later. A ranking gets its inverse as credit if it has the clicked document above the other, minus this if
    below, and nothing if it has neither. Fairness: where clicks do not depend on the documents, a pair is as
    often read one way as the other, and every expected credit is 0.

    Deviations from the paper: none intended. Credits are not divided by the number of pairs that count, as
    some implementations do: that number depends on the list drawn, and the fairness would be lost. What a
    ranking lacks stands below all it has; below the end of the longest, the list goes on with the others.

    References
    ----------
    Oosterhuis, de Rijke (2017). Sensitive and Scalable Online Evaluation with Theoretical Guarantees. CIKM.

    Examples
    --------
    >>> import numpy as np
    >>> method = PairwisePreferenceMultileaving()
    >>> shown = method.interleave(["abc", "bca", "acb"], np.random.default_rng(2))
    >>> shown.documents, shown.propensities
    (('a', 'b', 'c'), (0.5, 0.5, 1.0))
    >>> method.credit(shown, clicked=["b"])
    array([ 1.,  3., -3.])
    """

    beyond: int = 1

    def __post_init__(self) -> None:
        """Refuse a number that cannot work."""
        require_whole("beyond", self.beyond, 0)

    def rules(self) -> PairwisePreferenceRules:
        """Return the parameters of the kernels."""
        return PairwisePreferenceRules(int(self.beyond))
