"""Pairwise Differentiable Gradient Descent (Oosterhuis, de Rijke, CIKM 2018)."""

from dataclasses import dataclass
from math import exp
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.card import Card
from duelist.constraints import Count, Positive
from duelist.duel import BoolArray, FloatArray
from duelist.interleaving.page import NOBODY, Page, wipe
from duelist.kernels.compile import borrowing
from duelist.kernels.duels import ListBuffer, QueryMenu
from duelist.kernels.loop import Kernels
from duelist.learners.base import first_field, playing
from duelist.learners.ranking.base import RankingLearner
from duelist.ranking.corpus import rank_top, score_documents

SMALLEST = 1e-300  # keeps a quotient of probabilities finite if one of them underflows


class Rules(NamedTuple):
    exploitation: float


class State(NamedTuple):
    weights: FloatArray


class Workspace(NamedTuple):
    appeal: FloatArray  # e to the score of each document of the query, up to a common factor
    keys: FloatArray
    rest: FloatArray  # at each place: the total appeal of all documents not shown above it
    pull: FloatArray  # at each place: how far the weights move along the features of its document


@borrowing
def ask(rules: Rules, state: State, menu: QueryMenu, impression: ListBuffer, rng: Generator) -> None:
    """Lines 4-5: draw a ranking place by place, with probabilities proportional to e to the score."""
    wipe(impression.page)
    corpus, query, workspace, page = menu.corpus, menu.query[0], impression.workspace, impression.page
    first = corpus.offsets[query]
    count = corpus.offsets[query + 1] - first
    appeal, keys = workspace.appeal[:count], workspace.keys[:count]
    score_documents(corpus.features, first, state.weights, appeal)
    highest = appeal[0]
    for document in range(count):
        highest = max(highest, appeal[document])
    for document in range(count):
        appeal[document] = exp(appeal[document] - highest)
        # sorting by these quotients is equivalent to drawing without replacement
        keys[document] = appeal[document] / rng.standard_exponential()
    shown = rank_top(keys, page.documents)
    page.shown[0] = shown
    for place in range(shown):
        page.taken[page.documents[place]] = True
        page.teams[place] = NOBODY
    sum_rest(workspace, page, count)
    for place in range(shown):
        page.propensities[place] = appeal[page.documents[place]] / max(workspace.rest[place], SMALLEST)


@borrowing
def sum_rest(workspace: Workspace, page: Page, count: int) -> None:
    """Write the total appeal that each place was drawn from, summed from the bottom for precision."""
    total = 0.0
    for document in range(count):
        if not page.taken[document]:
            total += workspace.appeal[document]
    for place in range(page.shown[0] - 1, -1, -1):
        total += workspace.appeal[page.documents[place]]
        workspace.rest[place] = total


@borrowing
def tell(rules: Rules, state: State, impression: ListBuffer, clicked: BoolArray) -> None:
    """Lines 6-12: step along the weighted preferences of clicked documents over skipped ones."""
    corpus, query, workspace, page = (
        impression.corpus,
        impression.query[0],
        impression.workspace,
        impression.page,
    )
    seen = documents_seen(page, clicked)
    if seen == 0:
        return
    for place in range(seen):
        workspace.pull[place] = 0.0
    for winner in range(seen):
        if clicked[winner]:
            for loser in range(seen):
                if not clicked[loser]:
                    weight = preference_weight(workspace, page, winner, loser)
                    workspace.pull[winner] += weight
                    workspace.pull[loser] -= weight
    first = corpus.offsets[query]
    for place in range(seen):
        step = rules.exploitation * workspace.pull[place]
        if step != 0.0:
            row = first + page.documents[place]
            for i in range(len(state.weights)):
                state.weights[i] += step * corpus.features[row, i]


@borrowing
def documents_seen(page: Page, clicked: BoolArray) -> int:
    """Return how many documents count as seen: up to one below the last click, or none without clicks."""
    last = -1
    for place in range(page.shown[0]):
        if clicked[place]:
            last = place
    return min(last + 2, page.shown[0]) if last >= 0 else 0


@borrowing
def preference_weight(workspace: Workspace, page: Page, winner: int, loser: int) -> float:
    """Return a pair's contribution to the gradient: the derivative of equation 8, weighted by equation 9."""
    better, worse = workspace.appeal[page.documents[winner]], workspace.appeal[page.documents[loser]]
    odds = min(better, worse) / max(better, worse, SMALLEST)  # squares of small numbers would underflow
    slope = odds / ((1.0 + odds) * (1.0 + odds))
    upper, lower = min(winner, loser), max(winner, loser)
    above, below = workspace.appeal[page.documents[upper]], workspace.appeal[page.documents[lower]]
    # the likelihood ratio of the list with the two documents exchanged: only places between them matter
    exchanged = 1.0
    for place in range(upper + 1, lower + 1):
        rest = workspace.rest[place]
        exchanged *= rest / max(rest - below + above, SMALLEST)
    return float(slope * (exchanged / (1.0 + exchanged)))


play = playing(ask, tell, first_field)


@dataclass(frozen=True)
class PairwiseGradientRanker(RankingLearner[State]):
    """Learn a linear ranker from clicks on lists sampled from it (PDGD).

    Each list is sampled place by place, with a higher probability for documents with higher scores. A clicked
    document is preferred to the documents that were seen and skipped. The weights take a step along these
    preferences, which are weighted to correct for position bias. The more certain the ranker is, the less it
    explores.

    Parameters
    ----------
    exploitation : float, default 0.1
        Learning rate.
    length : int, default 10
        Number of documents in a list.

    Notes
    -----
    Deviations from the paper: none. The scores are those at the time the list was shown, so late clicks are
    interpreted correctly. Features should have similar scales (see `RankingData.normalised`): if scores
    differ by hundreds, lists are no longer random, and nothing is learned.

    References
    ----------
    Oosterhuis, de Rijke (2018). Differentiable Unbiased Online Learning to Rank. CIKM. Algorithm 1.

    Examples
    --------
    >>> from duelist import RankingProblem, simulate
    >>> from duelist import clicks
    >>> from duelist.ranking import synthetic_ranking_data
    >>> data = synthetic_ranking_data(queries=50, seed=1)
    >>> problem = RankingProblem(data, clicks.perfect(grades=3))
    >>> result = simulate(PairwiseGradientRanker(), problem, horizon=2_000, runs=2)
    >>> quality = result["PairwiseGradientRanker"].quality
    >>> bool((quality[:, -1] > quality[:, 0] + 0.05).all())
    True
    """

    exploitation: Positive = 0.1
    length: Count = 10

    card = Card(
        setting="rankings",
        seeks="best linear ranker",
        assumes="documents that are seen are clicked more often if they are relevant",
        regret="not proven",
        citation="Oosterhuis, de Rijke (2018). Differentiable Unbiased Online Learning to Rank",
        example={"length": 5},
    )
    kernels = Kernels(ask, tell, first_field, play)

    def rules(self) -> Rules:
        return Rules(float(self.exploitation))

    def start(self, d: int, rng: Generator) -> State:
        return State(np.zeros(d))

    def workspace(self, d: int, documents: int) -> Workspace:
        return Workspace(
            np.zeros(documents), np.zeros(documents), np.zeros(self.length), np.zeros(self.length)
        )
