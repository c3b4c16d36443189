"""Probabilistic multileaving (Schuth, Bruintjes, et al., SIGIR 2015)."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.interleaving.multileave.base import (
    Multileaving,
    all_that_can,
    best_left,
    length_of,
    shortest_length,
)
from duelist.interleaving.page import END, NOBODY, Page, draft_many, put, settle_many
from duelist.interleaving.softmax import EXHAUSTED, chances_to_draw, draw_order, rank_weights, require_tau
from duelist.kernels.compile import compiled, overload_for


class ProbabilisticManyRules(NamedTuple):
    """The parameters of the kernels."""

    tau: float  # a document at rank r has the weight r^-tau


@overload_for(draft_many, ProbabilisticManyRules)
def draft_by_chance(rules: ProbabilisticManyRules, rankings: IntArray, page: Page, rng: Generator) -> None:
    """Fill each place with what a ranking drawn afresh names next, in the order that it has drawn."""
    many, depth = rankings.shape
    first = page.shown[0]
    sure = shortest_length(rankings)
    weights = rank_weights(depth, rules.tau)
    orders = np.full((many, depth), END)
    for ranking in range(many):
        documents = rankings[ranking, : length_of(rankings[ranking])]
        order = draw_order(documents, weights, page.taken, len(page.documents) - first, rng)
        orders[ranking, : len(order)] = order
    heads = np.zeros(many, np.int64)
    asked = np.empty(many, np.int64)
    while page.shown[0] < len(page.documents):
        left = all_that_can(orders, heads, page.taken, asked)
        if left == 0:
            break
        team = asked[int(rng.random() * left)]
        document = best_left(orders, team, heads, page.taken)
        put(document, team if page.shown[0] < sure else NOBODY, 0.0, page)
    chances = chances_of_all(rankings, weights, page)
    for place in range(first, page.shown[0]):
        whole, able = 0.0, 0
        for ranking in range(many):
            if chances[ranking, place] != EXHAUSTED:
                whole += chances[ranking, place]
                able += 1
        page.propensities[place] = whole / able


@compiled
def chances_of_all(rankings: IntArray, weights: FloatArray, page: Page) -> FloatArray:
    """Return the chance that each ranking, asked at each place, names the document that is shown there."""
    many = len(rankings)
    ranks = np.empty(len(page.taken), np.int64)
    chances = np.empty((many, page.shown[0]))
    for ranking in range(many):
        documents = rankings[ranking, : length_of(rankings[ranking])]
        chances[ranking] = chances_to_draw(documents, weights, page, ranks)
    return chances


@overload_for(settle_many, ProbabilisticManyRules)
def settle_by_chance(
    rules: ProbabilisticManyRules, rankings: IntArray, page: Page, clicked: BoolArray, credits: FloatArray
) -> None:
    """Write each ranking's credit: a click is shared by the chances, given the page, of who drew it."""
    many, depth = rankings.shape
    chances = chances_of_all(rankings, rank_weights(depth, rules.tau), page)
    credits[:] = 0.0
    for place in range(page.shown[0]):
        if clicked[place] and page.teams[place] != NOBODY:
            whole = 0.0
            for ranking in range(many):
                whole += chances[ranking, place]
            for ranking in range(many):
                credits[ranking] += chances[ranking, place] / whole


@dataclass(frozen=True)
class ProbabilisticMultileaving(Multileaving):
    """Multileave by drawing: at each place any ranking, which names a document, likelier a high one.

    A click is shared by the chances, given the list, of each ranking to have named the document. As with
    `Probabilistic`, any document may be shown anywhere.

    Parameters
    ----------
    tau : float, default 3
        A ranking names the document at rank r with a chance in proportion to r^-tau, among those that
        are not yet shown; at most 50.

    Notes
    -----
    Given the list, the draws of rankings are independent: a document was named by a ranking with its chance
    to name it there, over the sum of all rankings' chances. Fairness: the expected credit for a click that
    does not depend on the documents is the chance to be drawn there, the same for all rankings.

    Deviations from the paper: the exact credits instead of sampled assignments; and of rankings of unequal
    length, as many places are credited as the shortest has documents. What is below is nobody's.

    References
    ----------
    Schuth, Bruintjes, Buettner, van Doorn, Groenland, Oosterhuis, Tran, Veeling, van der Velde, Wechsler,
    Woudenberg, de Rijke (2015). Probabilistic Multileave for Online Retrieval Evaluation. SIGIR.

    Examples
    --------
    >>> import numpy as np
    >>> method = ProbabilisticMultileaving()
    >>> shown = method.interleave(["abc", "bca", "acb"], np.random.default_rng(0))
    >>> shown.documents
    ('a', 'c', 'b')
    >>> method.credit(shown, clicked=["a"]).round(3)
    array([0.491, 0.018, 0.491])
    """

    tau: float = 3.0

    def __post_init__(self) -> None:
        """Refuse a tau that cannot work."""
        require_tau(self.tau)

    def rules(self) -> ProbabilisticManyRules:
        """Return the parameters of the kernels."""
        return ProbabilisticManyRules(float(self.tau))
