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
    """Hyperparameters, as the kernels read them."""

    descent: gradient_descent.Rules
    interleaving: Any


class Workspace(NamedTuple):
    """What is remembered from a list to its clicks."""

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
    """Learn a linear ranker from clicks on lists interleaved with a neighbour's: DBGD.

    The current ranker's list is interleaved with that of a neighbour in a random direction, towards which a
    small step is taken if clicks prefer it. Weights are directions, points of the unit sphere.

    Parameters
    ----------
    exploration, exploitation : float, default 1.0 and 0.01
        The distance of the neighbour, and the length of a step.
    comparisons : int, default 1
        Impressions in the same direction before a step is decided, by majority.
    interleaving : TeamDraft, Balanced or Probabilistic, default TeamDraft()
        How the two lists become one, and clicks a preference.
    length : int, default 10
        Documents in a list.

    Notes
    -----
    Deviations from the paper: none, except that its experiments decide duels by NDCG, for which see
    `problems.LinearRankerSpace`. Both lists are cut to `length` before they are interleaved. A tie is no win.

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
        regret="none proven for clicks",
        citation="Yue, Joachims (2009). Interactively Optimizing Information Retrieval Systems as a "
        "Dueling Bandits Problem",
        example={"exploitation": 0.1, "length": 5},
    )
    kernels = Kernels(ask, tell, first_field, play)

    def __post_init__(self) -> None:
        """Refuse also methods whose kernels are not compiled."""
        super().__post_init__()
        require_compiled("interleaving", self.interleaving, 2)

    @property
    def rankings(self) -> int:
        """The current ranker's, and its neighbour's."""
        return 2

    def descent(self) -> DuelingBanditGradientDescent:
        """Return the learner that chooses the neighbours and takes the steps."""
        return DuelingBanditGradientDescent(self.exploration, self.exploitation, self.comparisons)

    def rules(self) -> Rules:
        """Return the numbers the kernels need."""
        return Rules(self.descent().rules(), self.interleaving.rules())

    def start(self, d: int, rng: Generator) -> State:
        """Return the state before the first impression: all features count alike."""
        return self.descent().init(Sphere(d), rng)

    def workspace(self, d: int, documents: int) -> Workspace:
        """Return room to remember a list, for queries of at most n documents."""
        rankings = np.zeros((2, self.length), np.int64)
        return Workspace(point_buffer(d), np.zeros(documents), rankings, np.zeros(1, np.int64), np.zeros(2))
