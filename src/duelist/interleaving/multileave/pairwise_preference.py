"""Pairwise preference multileaving (Oosterhuis, de Rijke, CIKM 2017)."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.errors import require_whole
from duelist.interleaving.multileave.base import END, Multileaving, place_of, put
from duelist.interleaving.page import NOBODY, Page, draft_many, settle_many
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
    seen = count_seen(page.shown[0], clicked, rules.beyond)
    if seen > 0:
        ranks = ranks_of_shown(rankings, page)
        entries = best_ranks(ranks)
        for winner in range(seen):
            if clicked[winner]:
                for loser in range(seen):
                    if not clicked[loser]:
                        credit_pair(winner, loser, entries, ranks, page.propensities, credits)


@compiled
def count_seen(shown: int, clicked: BoolArray, beyond: int) -> int:
    """Return how many places count as seen: to `beyond` below the last click, or none without a click."""
    seen = 0
    for place in range(shown):
        if clicked[place]:
            seen = min(place + 1 + beyond, shown)
    return seen


@compiled
def ranks_of_shown(rankings: IntArray, page: Page) -> IntArray:
    """Return the rank, from 0, that each ranking gives each shown document; those it lacks come last."""
    many, depth = rankings.shape
    ranks = np.empty((many, page.shown[0]), np.int64)
    for ranking in range(many):
        for place in range(page.shown[0]):
            ranks[ranking, place] = depth
        for rank in range(depth):
            document = rankings[ranking, rank]
            if document == END:
                break
            if page.taken[document]:
                ranks[ranking, place_of(document, page)] = rank
    return ranks


@compiled
def best_ranks(ranks: IntArray) -> IntArray:
    """Return each shown document's best rank in any ranking: the first place, from 0, that may show it."""
    entries: IntArray = ranks[0].copy()
    for ranking in range(1, len(ranks)):
        for place in range(len(entries)):
            entries[place] = min(entries[place], ranks[ranking, place])
    return entries


@compiled
def credit_pair(
    winner: int, loser: int, entries: IntArray, ranks: IntArray, propensities: FloatArray, credits: FloatArray
) -> None:
    """Add 1 / P to the credit of rankings with the winner above the loser, take it from those with it below.

    The pair counts only if both stand where either could: then they are as likely to stand the other way
    round. P is the chance of that: the one that could be shown earlier was left out until the other came.
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
    place shows nothing that every ranking has further down. Fair: clicks that do not depend on the documents
    favour no ranking, on average. Every ranking learns from every pair, so that many can be compared at once.

    Parameters
    ----------
    beyond : int, default 1
        How many documents below the last click count as seen, besides all above it.

    Notes
    -----
    Place x shows one of the documents that some ranking has among its first x, of those not shown yet, each
    as likely. Let a document's entry be its best rank in any ranking: the first place that may show it. Two
    documents are exchangeable from the later of their entries on, so that a pair counts only if both stand
    there or below. The chance of it is known: the product of 1 - 1 / candidates from the earlier entry to the
    later. A ranking gets its inverse as credit if it has the clicked document above the other, minus this if
    below, and nothing if it has neither. Where clicks do not depend on the documents, a pair is as often read
    one way as the other, and every expected credit is 0.

    Deviations from the paper: none intended. Credits are not divided by the number of pairs that count, as
    some implementations do: that number depends on the list drawn, and dividing by it would undo the
    fairness. A document that a ranking lacks stands below all it has. Below the end of the longest ranking,
    the list goes on with what is left of the others.

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
