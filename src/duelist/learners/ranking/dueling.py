"""Dueling Bandit Gradient Descent over linear rankers, by interleaving (Yue, Joachims, ICML 2009)."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.card import Card
from duelist.constraints import Count, Positive
from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.interleaving import TeamDraft
from duelist.interleaving.page import draft, outcome_of, require_compiled, settle, wipe
from duelist.kernels.compile import borrowing
from duelist.kernels.duels import DuelBuffer, ListBuffer, QueryMenu, point_buffer
from duelist.kernels.loop import Kernels
from duelist.learners.base import first_field, playing
from duelist.learners.continuous import gradient_descent
from duelist.learners.continuous.gradient_descent import DuelingBanditGradientDescent, State
from duelist.learners.ranking.base import RankingLearner
from duelist.menus import Sphere
from duelist.ranking.corpus import rank_query


class Rules(NamedTuple):
    descent: gradient_descent.Rules
    interleaving: Any


class Workspace(NamedTuple):
    duel: DuelBuffer
    scores: FloatArray
    rankings: IntArray  # the current ranker's, then its neighbour's
    ranked: IntArray  # one number: how many documents each ranking has
    credits: FloatArray


@borrowing
def ask(rules: Rules, state: State, menu: QueryMenu, impression: ListBuffer, rng: Generator) -> None:
    """Interleave the current ranker's list with its neighbour's."""
    wipe(impression.page)
    corpus, query, workspace = menu.corpus, menu.query[0], impression.workspace
    gradient_descent.ask(rules.descent, state, menu, workspace.duel, rng)
    ranked = rank_query(corpus, query, workspace.duel.sides[0], workspace.scores, workspace.rankings[0])
    rank_query(corpus, query, workspace.duel.sides[1], workspace.scores, workspace.rankings[1])
    workspace.ranked[0] = ranked
    draft(rules.interleaving, workspace.rankings[:, :ranked], impression.page, rng)


@borrowing
def tell(rules: Rules, state: State, impression: ListBuffer, clicked: BoolArray) -> None:
    """Step towards the neighbour if its documents are preferred."""
    workspace, page = impression.workspace, impression.page
    rankings, credits = workspace.rankings[:, : workspace.ranked[0]], workspace.credits
    settle(rules.interleaving, rankings, page, clicked[: page.shown[0]], credits)
    gradient_descent.tell(rules.descent, state, workspace.duel, outcome_of(credits[0], credits[1]))


play = playing(ask, tell, first_field)


@dataclass(frozen=True)
class DuelingGradientRanker(RankingLearner[State]):
    """Learn a linear ranker from clicks on lists interleaved with those of a random neighbour (DBGD).

    The current ranker's list is interleaved with the list of a neighbour in a random direction. If the clicks
    prefer the neighbour, the weights take a small step towards it. Only the direction of the weights matters:
    they are points of the unit sphere.

    Parameters
    ----------
    exploration : float, default 1.0
        The distance of the neighbour.
    exploitation : float, default 0.01
        The length of a step.
    comparisons : int, default 1
        Number of impressions with the same neighbour per step, which is decided by majority.
    interleaving : TeamDraft, Balanced or Probabilistic, default TeamDraft()
        The method that merges the two lists and turns clicks into a preference.
    length : int, default 10
        Number of documents in a list.

    Notes
    -----
    Deviations from the paper: none, except that its experiments decide duels by NDCG; for that, see
    `problems.LinearRankerSpace`. Both lists are cut to `length` before they are interleaved. A tie does not
    count as a win.

    References
    ----------
    Yue, Joachims (2009). Interactively Optimizing Information Retrieval Systems as a Dueling Bandits Problem.
    ICML. Algorithm 1, section 5.2.

    Examples
    --------
    >>> from duelist import RankingProblem, simulate
    >>> from duelist import clicks
    >>> from duelist.ranking import synthetic_ranking_data
    >>> data = synthetic_ranking_data(queries=50, seed=1)
    >>> problem = RankingProblem(data, clicks.perfect(grades=3))
    >>> result = simulate(DuelingGradientRanker(), problem, horizon=5_000, runs=2)
    >>> quality = result["DuelingGradientRanker"].quality
    >>> bool((quality[:, -1] > quality[:, 0]).all())
    True
    """

    exploration: Positive = 1.0
    exploitation: Positive = 0.01
    comparisons: Count = 1
    interleaving: Any = field(default_factory=TeamDraft)
    length: Count = 10

    card = Card(
        setting="rankings",
        seeks="best linear ranker",
        assumes="clicks that prefer the better of two rankers",
        regret="not proven for clicks",
        citation="Yue, Joachims (2009). Interactively Optimizing Information Retrieval Systems as a "
        "Dueling Bandits Problem",
        example={"exploitation": 0.1, "length": 5},
    )
    kernels = Kernels(ask, tell, first_field, play)

    def __post_init__(self) -> None:
        super().__post_init__()
        require_compiled("interleaving", self.interleaving, 2)

    @property
    def rankings(self) -> int:
        return 2

    def descent(self) -> DuelingBanditGradientDescent:
        return DuelingBanditGradientDescent(self.exploration, self.exploitation, self.comparisons)

    def rules(self) -> Rules:
        return Rules(self.descent().rules(), self.interleaving.rules())

    def start(self, d: int, rng: Generator) -> State:
        return self.descent().init(Sphere(d), rng)

    def workspace(self, d: int, documents: int) -> Workspace:
        rankings = np.zeros((2, self.length), np.int64)
        return Workspace(point_buffer(d), np.zeros(documents), rankings, np.zeros(1, np.int64), np.zeros(2))
