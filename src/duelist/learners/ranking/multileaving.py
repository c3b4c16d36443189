"""Multileave Gradient Descent over linear rankers (Schuth, Oosterhuis, Whiteson, de Rijke, WSDM 2016)."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.card import Card
from duelist.constraints import Count, Positive
from duelist.duel import LEFT_WINS, RIGHT_WINS, BoolArray, FloatArray, IntArray
from duelist.interleaving import TeamDraft
from duelist.interleaving.page import draft, require_compiled, settle, wipe
from duelist.kernels.compile import compiled
from duelist.kernels.duels import DuelBuffer, ListBuffer, QueryMenu, duel_at, point_buffer
from duelist.kernels.loop import Kernels
from duelist.learners.base import first_field, playing
from duelist.learners.continuous import multileaving
from duelist.learners.continuous.multileaving import MultileavingGradientDescent, State
from duelist.learners.ranking.base import RankingLearner
from duelist.menus import Sphere
from duelist.ranking.corpus import rank_query


class Rules(NamedTuple):
    descent: multileaving.Rules
    multileaving: Any


class Workspace(NamedTuple):
    duels: DuelBuffer  # of the current ranker with each neighbour
    scores: FloatArray
    rankings: IntArray  # the current ranker's, then each neighbour's
    ranked: IntArray  # one number: how many documents each ranking has
    credits: FloatArray


@compiled
def ask(rules: Rules, state: State, menu: QueryMenu, impression: ListBuffer, rng: Generator) -> None:
    """Multileave the current ranker's list with those of neighbours in random directions."""
    wipe(impression.page)
    corpus, query, workspace = menu.corpus, menu.query[0], impression.workspace
    ranked = rank_query(corpus, query, state.point, workspace.scores, workspace.rankings[0])
    neighbours = multileaving.plan(rules.descent, state, menu, workspace.duels, rng)
    for index in range(neighbours):
        rank_query(
            corpus, query, workspace.duels.sides[index, 1], workspace.scores, workspace.rankings[index + 1]
        )
    workspace.ranked[0] = ranked
    draft(rules.multileaving, workspace.rankings[:, :ranked], impression.page, rng)


@compiled
def tell(rules: Rules, state: State, impression: ListBuffer, clicked: BoolArray) -> None:
    """Step along the mean direction of the neighbours that got more credit than the current ranker."""
    workspace, page = impression.workspace, impression.page
    rankings = workspace.rankings[:, : workspace.ranked[0]]
    settle(rules.multileaving, rankings, page, clicked[: page.shown[0]], workspace.credits)
    for index in range(len(workspace.duels.sides)):
        outcome = RIGHT_WINS if workspace.credits[index + 1] > workspace.credits[0] else LEFT_WINS
        multileaving.tell(rules.descent, state, duel_at(workspace.duels, index), outcome)


play = playing(ask, tell, first_field)


@dataclass(frozen=True)
class MultileavingGradientRanker(RankingLearner[State]):
    """Learn a linear ranker from clicks on lists multileaved with those of several neighbours (MGD).

    Like `DuelingGradientRanker`, but each list compares the current ranker with several neighbours, and a
    step goes along the mean direction of all neighbours that beat it: fewer impressions are wasted.

    Parameters
    ----------
    exploration : float, default 1.0
        The distance of the neighbours.
    exploitation : float, default 0.01
        The length of a step if all winners have the same direction.
    neighbours : int, default 9
        Number of neighbours compared with the current ranker in a list.
    multileaving : TeamDraft or another method of interleaving, default TeamDraft()
        The method that merges the lists and turns clicks into credits.
    length : int, default 10
        Number of documents in a list.

    Notes
    -----
    Deviations from the paper: weights are points of the unit sphere, as in Dueling Bandit Gradient Descent.
    The update is the paper's mean of winners (MGD-M). All lists are cut to `length` first.

    References
    ----------
    Schuth, Oosterhuis, Whiteson, de Rijke (2016). Multileave Gradient Descent for Fast Online Learning to
    Rank. WSDM.

    Examples
    --------
    >>> from duelist import RankingProblem, simulate
    >>> from duelist import clicks
    >>> from duelist.ranking import synthetic_ranking_data
    >>> data = synthetic_ranking_data(queries=50, seed=1)
    >>> problem = RankingProblem(data, clicks.perfect(grades=3))
    >>> result = simulate(MultileavingGradientRanker(), problem, horizon=5_000, runs=2)
    >>> quality = result["MultileavingGradientRanker"].quality
    >>> bool((quality[:, -1] > quality[:, 0]).all())
    True
    """

    exploration: Positive = 1.0
    exploitation: Positive = 0.01
    neighbours: Count = 9
    multileaving: Any = field(default_factory=TeamDraft)
    length: Count = 10

    card = Card(
        setting="rankings",
        seeks="best linear ranker",
        assumes="clicks that prefer the better of several rankers",
        regret="not proven",
        citation="Schuth, Oosterhuis, Whiteson, de Rijke (2016). Multileave Gradient Descent for Fast "
        "Online Learning to Rank",
        example={"exploitation": 0.1, "neighbours": 3, "length": 5},
    )
    kernels = Kernels(ask, tell, first_field, play)

    def __post_init__(self) -> None:
        super().__post_init__()
        require_compiled("multileaving", self.multileaving, int(self.neighbours) + 1)

    @property
    def rankings(self) -> int:
        """The current ranker's, and one of each neighbour."""
        return int(self.neighbours) + 1

    def descent(self) -> MultileavingGradientDescent:
        return MultileavingGradientDescent(self.exploration, self.exploitation, self.neighbours)

    def rules(self) -> Rules:
        return Rules(self.descent().rules(), self.multileaving.rules())

    def start(self, d: int, rng: Generator) -> State:
        return self.descent().init(Sphere(d), rng)

    def workspace(self, d: int, documents: int) -> Workspace:
        return Workspace(
            point_buffer(d, self.neighbours),
            np.zeros(documents),
            np.zeros((self.neighbours + 1, self.length), np.int64),
            np.zeros(1, np.int64),
            np.zeros(self.neighbours + 1),
        )
