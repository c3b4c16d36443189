"""Probabilistic interleaving (Hofmann et al. 2011), for many rankings (Schuth et al. 2015): draws by softmax.

A ranking draws the document at rank r with probability proportional to r^-tau, among those not yet taken.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.constraints import Range
from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.interleaving import page as pages
from duelist.interleaving.base import Interleaving
from duelist.interleaving.page import END, NOBODY, Page, draft, length_of, put, settle
from duelist.kernels.compile import borrowing, compiled, overload_for

EXHAUSTED = -1.0  # in place of a probability: the ranking has no documents left
STEEPEST = 50.0


class ProbabilisticRules(NamedTuple):
    tau: float  # a document at rank r has the weight r^-tau
    counting: int  # which clicks count


@overload_for(draft, ProbabilisticRules)
def draft_by_chance(rules: ProbabilisticRules, rankings: IntArray, page: Page, rng: Generator) -> None:
    many, depth = rankings.shape
    begin, capacity = page.shown[0], len(page.documents)
    sure = pages.shortest_length(rankings)
    weights = rank_weights(depth, rules.tau)
    orders = np.empty((many, min(depth, capacity - begin)), np.int64)
    rings = np.empty(orders.shape[1])
    for ranking in range(many):
        documents = rankings[ranking, : length_of(rankings[ranking])]
        drawn = draw_order(documents, weights, page.taken, rings, orders[ranking], rng)
        orders[ranking, drawn:] = END
    heads = np.zeros(many, np.int64)
    asked = np.empty(many, np.int64)
    while page.shown[0] < capacity:
        left = pages.all_that_can(orders, heads, page.taken, asked)
        if left == 0:
            break
        team = asked[pages.draw_ranking(left, many, rng)]
        document = pages.best_left(orders, team, heads, page.taken)
        put(document, team if page.shown[0] < sure else NOBODY, 0.0, page)
    chances = chances_of_all(rankings, weights, page)
    for place in range(begin, page.shown[0]):
        whole, able = 0.0, 0
        for ranking in range(many):
            if chances[ranking, place] != EXHAUSTED:
                whole += chances[ranking, place]
                able += 1
        page.propensities[place] = whole / able


@overload_for(settle, ProbabilisticRules)
def settle_by_chance(
    rules: ProbabilisticRules, rankings: IntArray, page: Page, clicked: BoolArray, credits: FloatArray
) -> None:
    """Write each ranking's expected clicks, given the page; of two, the probability of having more."""
    many, depth = rankings.shape
    chances = chances_of_all(rankings, rank_weights(depth, rules.tau), page)
    sure = pages.shortest_length(rankings)
    prefix = pages.shared_prefix(rankings) if rules.counting == pages.UNSHARED else 0
    credits[:] = 0.0
    firsts = np.empty(page.shown[0])
    counted = 0
    for place in range(page.shown[0]):
        if clicked[place]:
            if place < sure and not is_among(page.documents[place], rankings[0], prefix):
                whole = 0.0
                for ranking in range(many):
                    whole += chances[ranking, place]
                for ranking in range(many):
                    credits[ranking] += chances[ranking, place] / whole
                firsts[counted] = chances[0, place] / whole
                counted += 1
            if rules.counting == pages.FIRST:
                break
    if many == 2:
        credits[0] = expected_outcome(firsts[:counted])
        credits[1] = 1.0 - credits[0]


@borrowing
def is_among(document: int, ranking: IntArray, prefix: int) -> bool:
    """Return whether a document is among the first `prefix` of a ranking."""
    place = 0
    while place < prefix and ranking[place] != document:
        place += 1
    return place < prefix


@compiled
def chances_of_all(rankings: IntArray, weights: FloatArray, page: Page) -> FloatArray:
    """Return each ranking's probability of drawing the document at each place."""
    many = len(rankings)
    ranks = np.empty(len(page.taken), np.int64)
    chances = np.empty((many, page.shown[0]))
    for ranking in range(many):
        documents = rankings[ranking, : length_of(rankings[ranking])]
        chances_to_draw(documents, weights, page, ranks, chances[ranking])
    return chances


@compiled
def expected_outcome(firsts: FloatArray) -> float:
    """Return the probability of more clicks for the first of two, plus half that of a tie.

    `firsts` has each click's probability of being the first's.
    """
    clicks = len(firsts)
    chance = np.zeros(clicks + 1)  # the probability of each number of clicks
    chance[0] = 1.0
    for click in range(clicks):
        for number in range(click + 1, 0, -1):
            chance[number] += firsts[click] * (chance[number - 1] - chance[number])
        chance[0] *= 1.0 - firsts[click]
    outcome = 0.0
    for number in range(clicks + 1):
        outcome += chance[number] * pages.outcome_of(number, clicks - number)
    return min(outcome, 1.0)  # rounding can push the sum above 1


@compiled
def rank_weights(count: int, tau: float) -> FloatArray:
    """Return r^-tau for the ranks from 1; products of known powers are cheaper than powers."""
    weights = np.empty(count)
    for i in range(count):
        rank = i + 1
        if rank > 2 and rank % 2 == 0:
            weights[i] = weights[1] * weights[rank // 2 - 1]
        elif rank > 3 and rank % 3 == 0:
            weights[i] = weights[2] * weights[rank // 3 - 1]
        else:
            weights[i] = rank**-tau
    return weights


@compiled
def draw_order(
    ranking: IntArray,
    weights: FloatArray,
    taken: BoolArray,
    rings: FloatArray,
    order: IntArray,
    rng: Generator,
) -> int:
    """Write the first documents that a ranking draws one by one, skipping taken ones; return their number."""
    # Each document has an exponential clock with its weight as the rate; documents are drawn as clocks ring.
    # Once `order` is full, only documents that ring before its last one matter; `waiting` determines both how
    # many to skip and when the next one rings.
    filled = 0
    i = 0
    while i < len(ranking) and filled < len(order):
        if not taken[ranking[i]]:
            insert(rng.standard_exponential() / weights[i], ranking[i], rings, order, filled)
            filled += 1
        i += 1
    while i < len(ranking) and filled > 0:
        end = min(2 * i, len(ranking))
        highest = weights[i]  # no weight up to `end` is higher
        while i < end:
            rate = rings[filled - 1] * highest
            waiting = rng.standard_exponential()
            if waiting >= rate * (end - i):
                i = end
            else:
                passed = int(waiting / rate)
                i += passed
                ring = (waiting - passed * rate) / weights[i]
                if ring < rings[filled - 1] and not taken[ranking[i]]:
                    insert(ring, ranking[i], rings, order, filled - 1)
                i += 1
    return filled


@compiled
def insert(ring: float, document: int, rings: FloatArray, order: IntArray, filled: int) -> None:
    """Insert a document into the first `filled`, sorted by their rings."""
    place = filled
    while place > 0 and rings[place - 1] > ring:
        rings[place] = rings[place - 1]
        order[place] = order[place - 1]
        place -= 1
    rings[place] = ring
    order[place] = document


@compiled
def chances_to_draw(
    ranking: IntArray, weights: FloatArray, page: Page, ranks: IntArray, chances: FloatArray
) -> None:
    """Write the probability of drawing each place's document, and all ranks, 0 for missing ones."""
    # bottom up: subtracting weights from the top would leave mostly rounding errors
    ranks[:] = 0
    remaining = 0.0
    for i in range(len(ranking) - 1, -1, -1):
        ranks[ranking[i]] = i + 1
        if not page.taken[ranking[i]]:
            remaining += weights[i]
    for place in range(page.shown[0] - 1, -1, -1):
        rank = ranks[page.documents[place]]
        weight = weights[rank - 1] if rank > 0 else 0.0
        remaining += weight
        chances[place] = weight / remaining if remaining > 0.0 else EXHAUSTED


@dataclass(frozen=True)
class Probabilistic(Interleaving):
    """Interleave by drawing: at each place a random ranking draws one of its best documents.

    A click is shared by the rankings' probabilities, given the list, of having drawn the document; this needs
    fewer clicks. Any document can be shown at any place: clicks on old lists can be reused for new rankings,
    but users sometimes see a document that no ranking has near its top.

    Parameters
    ----------
    tau : float, default 3
        A ranking draws the document at rank r with probability proportional to r^-tau, among those not shown
        yet. At most 50, which already shows the rankings as they are.
    counting : str, default "all"
        Which clicks count: "all", "first" (the topmost clicked place only) or "unshared" (all but those on
        the common prefix of all rankings).

    Raises
    ------
    UnknownNameError
        If there is no such counting.
    ParameterError
        If `tau` is out of range.

    Notes
    -----
    Given the list, places are independent: the probability that a ranking drew a document is its probability
    of drawing it among those not shown above, divided by the sum over all rankings. `teams` are the rankings
    that drew. The credit is the expected number of clicks on a ranking's documents; for two rankings, whose
    clicks are a sum of independent coin flips, it is the probability of having more of them, plus half that
    of a tie.

    Fairness: as for `TeamDraft`, but only with "all" and "first", and for more than two rankings only for the
    expected credit; with "unshared", the rankings may differ in how often they draw from the prefix.

    Deviations from the papers: exact sums instead of sums over all or over sampled assignments. If lengths
    differ, as many places are credited as the shortest ranking has documents, because down to there all
    rankings can draw.

    References
    ----------
    Hofmann, Whiteson, de Rijke (2011). A probabilistic method for inferring preferences from clicks. CIKM.
    Schuth, Bruintjes, Buettner, van Doorn, Groenland, Oosterhuis, Tran, Veeling, van der Velde, Wechsler,
    Woudenberg, de Rijke (2015). Probabilistic Multileave for Online Retrieval Evaluation. SIGIR.

    Examples
    --------
    >>> import numpy as np
    >>> method = Probabilistic()
    >>> shown = method.interleave([["a", "b", "c"], ["b", "d"]], np.random.default_rng(1))
    >>> shown.documents, shown.teams
    (('b', 'a', 'd', 'c'), (1, 0, -1, -1))
    >>> round(method.outcome(shown, clicked=["b"]), 3)
    0.108
    >>> shown = method.interleave(["abc", "bca", "acb"], np.random.default_rng(0))
    >>> shown.documents, method.credit(shown, clicked=["a"]).round(3)
    (('a', 'c', 'b'), array([0.491, 0.018, 0.491]))
    """

    tau: Annotated[float, Range(above=0.0, most=STEEPEST)] = 3.0
    counting: str = "all"
    fair: ClassVar[tuple[str, ...]] = ("all", "first")

    def rules(self) -> ProbabilisticRules:
        return ProbabilisticRules(float(self.tau), self.counting_rule())
