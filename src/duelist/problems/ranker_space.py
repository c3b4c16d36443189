"""Linear rankers as the points of a space: weight directions, compared by quality or by clicks."""

from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from duelist.clicks.user import user_for
from duelist.constraints import Positive, check_fields
from duelist.duel import Duel, FloatArray, IntArray
from duelist.errors import ParameterError, require_generator
from duelist.interleaving import TeamDraft
from duelist.interleaving.page import require_compiled
from duelist.kernels.compile import compiled, overload_for
from duelist.kernels.points import compare, gap
from duelist.menus import Sphere, require_inside
from duelist.problems.contests import Display, compare_lists, new_display
from duelist.problems.separable import LINKS, chance
from duelist.protocols import ClickModel
from duelist.ranking import RankingData
from duelist.ranking.corpus import Corpus, corpus_of, list_quality, mean_quality, rank_query
from duelist.text import counted

LOGISTIC = LINKS.index("logistic")


class Rankings(NamedTuple):
    """Buffers for two rankers' lists of a query."""

    lists: IntArray
    scores: FloatArray


class QualityUtility(NamedTuple):
    """Rankers compared by the NDCG of their lists, in the kernels' form."""

    corpus: Corpus
    rankings: Rankings
    scale: float


class ClickUtility(NamedTuple):
    """Rankers compared by clicks on interleaved lists, in the kernels' form."""

    corpus: Corpus
    rankings: Rankings
    display: Display


@compiled
def rank_both(
    corpus: Corpus, query: int, left: FloatArray, right: FloatArray, rankings: Rankings
) -> tuple[int, float, float]:
    """Write both rankers' lists; return the number of documents in a list and both losses in quality."""
    ranked = rank_query(corpus, query, left, rankings.scores, rankings.lists[0])
    rank_query(corpus, query, right, rankings.scores, rankings.lists[1])
    # a query without relevant documents costs nothing
    best = 1.0 if corpus.ideal[query] > 0.0 else 0.0
    left_cost = best - list_quality(corpus, query, rankings.lists[0], ranked)
    right_cost = best - list_quality(corpus, query, rankings.lists[1], ranked)
    return ranked, left_cost, right_cost


@overload_for(compare, QualityUtility)
def compare_qualities(
    utility: QualityUtility, left: FloatArray, right: FloatArray, world_rng: Generator
) -> tuple[float, float, float]:
    """Draw the winner on a random query: the higher a list's NDCG, the likelier it wins."""
    query = int(world_rng.random() * len(utility.corpus.ideal))
    _, left_cost, right_cost = rank_both(utility.corpus, query, left, right, utility.rankings)
    lead = utility.scale * (right_cost - left_cost)
    outcome = 1.0 if world_rng.random() < chance(LOGISTIC, lead) else 0.0
    return outcome, left_cost, right_cost


@overload_for(compare, ClickUtility)
def compare_by_clicks(
    utility: ClickUtility, left: FloatArray, right: FloatArray, world_rng: Generator
) -> tuple[float, float, float]:
    """Interleave both lists for a random query and return the outcome of the clicks."""
    corpus, rankings = utility.corpus, utility.rankings
    query = int(world_rng.random() * len(corpus.ideal))
    ranked, left_cost, right_cost = rank_both(corpus, query, left, right, rankings)
    lists, first = rankings.lists[:, :ranked], corpus.offsets[query]
    outcome = compare_lists(utility.display, corpus.labels, first, lists, world_rng)
    return outcome, left_cost, right_cost


@overload_for(gap, QualityUtility, ClickUtility)
def gap_in_quality(utility: QualityUtility | ClickUtility, point: FloatArray) -> float:
    """Return 1 minus the ranker's mean NDCG."""
    return 1.0 - mean_quality(utility.corpus, point)


@compiled
def answer(utility: Any, left: FloatArray, right: FloatArray, world_rng: Generator) -> float:
    outcome, _, _ = compare(utility, left, right, world_rng)
    return outcome


@dataclass(frozen=True, eq=False, repr=False)
class LinearRankerSpace:
    """The space of linear rankers, one per weight direction, compared on random queries.

    Only the direction of the weights matters, so the space is the unit sphere. Without a click model, the
    outcome of a duel is drawn from a logistic function of the difference in NDCG, as in Yue and Joachims
    (2009, section 5.2); with one, it is decided by clicks on the interleaved list.

    Parameters
    ----------
    data : RankingData
        The queries. If quality decides duels, drop those without relevant documents (`data.with_relevant()`):
        on them, the outcome is a coin flip.
    clicks : ClickModel, optional
        The simulated user.
    interleaving : TeamDraft, Balanced or Probabilistic, default TeamDraft()
        How two lists are interleaved and clicks credited.
    scale : float, default 10.0
        Without clicks: the factor of the difference in NDCG in the logistic function.
    depth : int, default 10
        The number of documents in a list, and the cut-off of the NDCG.

    Raises
    ------
    ParameterError
        If `interleaving` has no compiled kernels, no query has a relevant document, or `clicks` does not know
        all grades of the data.

    Notes
    -----
    The best ranker is unknown, so the gap of a point is 1 minus its NDCG; regret sums the same loss over the
    lists of the drawn queries.

    Examples
    --------
    >>> from duelist import DuelingBanditGradientDescent, simulate
    >>> from duelist.ranking import synthetic_ranking_data
    >>> space = LinearRankerSpace(synthetic_ranking_data(queries=50, seed=1).with_relevant())
    >>> learner = DuelingBanditGradientDescent(exploration=1.0, exploitation=0.05)
    >>> result = simulate(learner, space, horizon=5_000, runs=2)["DuelingBanditGradientDescent"]
    >>> bool((result.gap_at[:, -1] < result.gap_at[:, 0]).all())
    True
    """

    data: RankingData
    clicks: ClickModel | None = None
    interleaving: Any = field(default_factory=TeamDraft)
    scale: Positive = 10.0
    depth: int = 10
    corpus: Corpus = field(init=False)

    in_kernels: ClassVar[tuple[str, ...]] = ("menu", "play", "quality", "gap", "world")

    def __post_init__(self) -> None:
        check_fields(self)
        require_compiled("interleaving", self.interleaving, 2)
        object.__setattr__(self, "corpus", corpus_of(self.data, self.depth))
        if not self.corpus.ideal.any():
            raise ParameterError(
                "data has no query with a relevant document, so all rankers score the same; give data with "
                "relevant documents."
            )
        if self.clicks is not None:
            user_for(self.clicks, self.data.grades)

    def __repr__(self) -> str:
        measure = "NDCG" if self.clicks is None else getattr(self.clicks, "name", self.clicks)
        return (
            f"LinearRankerSpace({counted(self.data.d, 'feature')}, {counted(len(self.data), 'query')}, by "
            f"{measure})"
        )

    def menu(self, rng: Generator | None = None) -> Sphere:
        """Return the space of weight directions.

        Parameters
        ----------
        rng : numpy.random.Generator, optional
            Ignored.

        Returns
        -------
        Sphere
            The unit sphere, with one dimension per feature.

        Examples
        --------
        >>> from duelist.ranking import synthetic_ranking_data
        >>> LinearRankerSpace(synthetic_ranking_data(queries=50, seed=1)).menu()
        Sphere(d=46)
        """
        return Sphere(self.data.d)

    def play(self, duel: Duel, rng: Generator) -> float:
        """Draw the outcome of a duel on a random query.

        Parameters
        ----------
        duel : Duel
            Two weight directions.
        rng : numpy.random.Generator
            Draws the query and the outcome.

        Returns
        -------
        float
            1 if the left ranker wins, 0 if the right one does, 0.5 for a tie.

        Raises
        ------
        ParameterError
            If a side is not a point of the space.

        Examples
        --------
        >>> from duelist.ranking import synthetic_ranking_data
        >>> space = LinearRankerSpace(synthetic_ranking_data(queries=50, seed=1))
        >>> first, second = np.eye(46)[:2]
        >>> space.play(Duel(first, second), np.random.default_rng(0))
        1.0
        """
        require_generator(rng)
        left, right = (require_inside(self.menu(), side) for side in (duel.left, duel.right))
        return float(answer(self.world, left, right, rng))

    def quality(self, weights: ArrayLike) -> float:
        """Return a linear ranker's mean NDCG over the queries that have a relevant document.

        Parameters
        ----------
        weights : array of shape (d,)
            The ranker's weights.

        Returns
        -------
        float
            The mean NDCG.

        Examples
        --------
        >>> from duelist.ranking import synthetic_ranking_data
        >>> space = LinearRankerSpace(synthetic_ranking_data(queries=50, seed=1))
        >>> 0.0 < space.quality(np.ones(46)) < 1.0
        True
        """
        return float(mean_quality(self.corpus, np.asarray(weights, np.float64)))

    def gap(self, point: ArrayLike) -> float:
        """Return 1 minus a ranker's mean NDCG.

        Parameters
        ----------
        point : array of shape (d,)
            The ranker's weights.

        Returns
        -------
        float
            The gap.

        Examples
        --------
        >>> from duelist.ranking import synthetic_ranking_data
        >>> space = LinearRankerSpace(synthetic_ranking_data(queries=50, seed=1))
        >>> space.gap(np.ones(46)) == 1.0 - space.quality(np.ones(46))
        True
        """
        return 1.0 - self.quality(point)

    @property
    def world(self) -> QualityUtility | ClickUtility:
        """The problem in the kernels' form, with its own list buffers."""
        largest = int(np.diff(self.data.offsets).max())
        rankings = Rankings(np.empty((2, self.depth), np.int64), np.empty(largest))
        if self.clicks is None:
            return QualityUtility(self.corpus, rankings, float(self.scale))
        user = user_for(self.clicks, self.data.grades)
        display = new_display(self.interleaving, user, self.depth, largest)
        return ClickUtility(self.corpus, rankings, display)
