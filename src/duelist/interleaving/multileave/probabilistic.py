"""Probabilistic multileaving (Schuth, Bruintjes, et al., SIGIR 2015)."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.interleaving.multileave import base
from duelist.interleaving.page import END, NOBODY, Page, draft_many, put, settle_many
from duelist.interleaving.softmax import EXHAUSTED, chances_to_draw, draw_order, rank_weights, require_tau
from duelist.kernels.compile import compiled, overload_for


class ProbabilisticManyRules(NamedTuple):
    """The parameters of the kernels."""

    tau: float  # a document at rank r has the weight r^-tau


@overload_for(draft_many, ProbabilisticManyRules)
def draft_by_chance(rules: ProbabilisticManyRules, rankings: IntArray, page: Page, rng: Generator) -> None:
    """Fill each place with the next draw of a random ranking."""
    many, depth = rankings.shape
    first = page.shown[0]
    sure = base.shortest_length(rankings)
    weights = rank_weights(depth, rules.tau)
    orders = np.full((many, depth), END)
    for ranking in range(many):
        documents = rankings[ranking, : base.length_of(rankings[ranking])]
        order = draw_order(documents, weights, page.taken, len(page.documents) - first, rng)
        orders[ranking, : len(order)] = order
    heads = np.zeros(many, np.int64)
    asked = np.empty(many, np.int64)
    while page.shown[0] < len(page.documents):
        left = base.all_that_can(orders, heads, page.taken, asked)
        if left == 0:
            break
        team = asked[int(rng.random() * left)]
        document = base.best_left(orders, team, heads, page.taken)
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
    """Return the chance of each ranking to draw the document at each place."""
    many = len(rankings)
    ranks = np.empty(len(page.taken), np.int64)
    chances = np.empty((many, page.shown[0]))
    for ranking in range(many):
        documents = rankings[ranking, : base.length_of(rankings[ranking])]
        chances[ranking] = chances_to_draw(documents, weights, page, ranks)
    return chances


@overload_for(settle_many, ProbabilisticManyRules)
def settle_by_chance(
    rules: ProbabilisticManyRules, rankings: IntArray, page: Page, clicked: BoolArray, credits: FloatArray
) -> None:
    """Write each ranking's credit: its chance, given the page, to have drawn each clicked document."""
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
class ProbabilisticMultileaving(base.Multileaving):
    """Multileave by drawing: at each place a random ranking draws one of its best documents.

    A click is shared in proportion to the chances of the rankings, given the list, to have drawn the
    document. As with `Probabilistic`, any document may be shown anywhere.

    Parameters
    ----------
    tau : float, default 3
        Of the documents not yet shown, a ranking draws the one at rank r with a chance proportional to
        r^-tau; at most 50.

    Notes
    -----
    Given the list, places are independent: a document was drawn by a ranking with its chance to draw it
    there, over the sum of all rankings' chances. Fairness: the expected credit for a click that does not
    depend on the documents is the chance to be drawn there, the same for all rankings.

    Deviations from the paper: exact credits instead of sampled assignments; and where lengths differ, as many
    places are credited as the shortest ranking has documents.

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

    def rules(self) -> ProbabilisticManyRules:
        """Return the parameters of the kernels."""
        require_tau(self.tau)
        return ProbabilisticManyRules(float(self.tau))
