"""Sample-only scored multileaving (Brost, Cox, Seldin, Lioma, SIGIR 2016), for many rankings."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from numpy.random import Generator

from duelist.constraints import Positive
from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.interleaving.base import Interleaving
from duelist.interleaving.page import END, Page, draft, place_of, settle
from duelist.interleaving.probabilistic import rank_weights
from duelist.interleaving.team_draft import pick_in_rounds
from duelist.kernels.compile import compiled, overload_for


class SampleOnlyRules(NamedTuple):
    tau: float  # a click on the document at rank r earns r^-tau


@overload_for(draft, SampleOnlyRules)
def draft_sample(rules: SampleOnlyRules, rankings: IntArray, page: Page, rng: Generator) -> None:
    """Fill a page as team draft does."""
    pick_in_rounds(rules, rankings, page, rng)


@overload_for(settle, SampleOnlyRules)
def settle_sample(
    rules: SampleOnlyRules, rankings: IntArray, page: Page, clicked: BoolArray, credits: FloatArray
) -> None:
    """Credit each ranking with the weights of the clicked documents' ranks among those shown."""
    weights = rank_weights(page.shown[0], rules.tau)
    clicks = 0
    for place in range(page.shown[0]):
        clicks += clicked[place]
    for ranking in range(len(rankings)):
        credits[ranking] = credit_of(rankings[ranking], weights, clicks, page, clicked)


@compiled
def credit_of(ranking: IntArray, weights: FloatArray, clicks: int, page: Page, clicked: BoolArray) -> float:
    """Return the weights of the clicked documents; those that the ranking lacks share the last ranks."""
    credit, rank = 0.0, 0
    for document in ranking:
        if document == END:
            break
        if page.taken[document]:
            if clicked[place_of(document, page)]:
                credit += weights[rank]
                clicks -= 1
            rank += 1
    if clicks > 0:
        shared = 0.0
        for last in range(rank, len(weights)):
            shared += weights[last]
        credit += clicks * shared / (len(weights) - rank)
    return credit


@dataclass(frozen=True)
class SampleOnly(Interleaving):
    """Interleave as in team draft, and credit every ranking for every click, by its own order.

    Each ranking is scored by its ranks of the clicked documents among those shown, whichever ranking picked
    them. All rankings learn from every click, so many can be compared at once at little cost.

    Parameters
    ----------
    tau : float, default 3
        A click on a document earns r^-tau for a ranking that has it at rank r among those shown.

    Raises
    ------
    ParameterError
        If `tau` is not positive.

    Notes
    -----
    Fair only if all places are equally likely to be clicked. If higher places are clicked more often whatever
    they show, rankings that agree with many others gain, because their first documents are shown higher.

    Deviations from the paper, whose rankings contain the same documents: documents that a ranking lacks come
    last and share the credits of the last ranks equally.

    References
    ----------
    Brost, Cox, Seldin, Lioma (2016). An Improved Multileaving Algorithm for Online Ranker Evaluation. SIGIR.

    Examples
    --------
    >>> import numpy as np
    >>> method = SampleOnly()
    >>> shown = method.interleave(["abc", "bca", "acb"], np.random.default_rng(1))
    >>> method.credit(shown, clicked=["b"])
    array([0.125     , 1.        , 0.03703704])
    """

    tau: Positive = 3.0
    fewest: ClassVar[int] = 3

    def rules(self) -> SampleOnlyRules:
        return SampleOnlyRules(float(self.tau))
