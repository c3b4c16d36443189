"""Ranking problems: lists of documents shown to simulated users who click."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from duelist.clicks.user import click_page, click_through, user_for
from duelist.duel import BoolArray, IntArray
from duelist.errors import OutcomeError, ParameterError, require_generator
from duelist.interleaving.page import Page
from duelist.kernels.compile import borrowing, overload_for
from duelist.kernels.duels import ListBuffer, QueryMenu
from duelist.kernels.loop import Ledger, close, prepare, step
from duelist.menus import Documents, Impression
from duelist.protocols import ClickModel
from duelist.ranking import RankingData
from duelist.ranking.corpus import Corpus, corpus_of, list_quality, mean_quality
from duelist.text import counted

QUALITY, SHOWN_QUALITY = 0, 1  # rows of a ledger's measures


class ListWorld(NamedTuple):
    """The documents, the queries to measure on, the click model, and the buffers for a page."""

    corpus: Corpus
    judged: Corpus
    user: Any
    grades: IntArray  # buffer for the grades of a page's documents
    clicked: BoolArray  # buffer for the clicks


@borrowing
def book_list(corpus: Corpus, ledger: Ledger, query: int, documents: IntArray, shown: int) -> None:
    """Count an impression, and its NDCG if the query has a relevant document."""
    ledger.played[0] += 1
    if corpus.ideal[query] > 0.0:
        ledger.sums[0] += list_quality(corpus, query, documents, shown)
        ledger.counts[0] += 1


@borrowing
def read_page(world: ListWorld, query: int, page: Page, world_rng: Generator) -> None:
    first, shown = world.corpus.offsets[query], page.shown[0]
    for place in range(shown):
        world.grades[place] = world.corpus.labels[first + page.documents[place]]
    click_through(world.user, world.grades, shown, world.clicked, world_rng)


@borrowing
def draw_query(world: ListWorld, menu: QueryMenu, world_rng: Generator) -> None:
    menu.query[0] = int(world_rng.random() * len(world.corpus.ideal))


@overload_for(prepare, ListWorld)
def prepare_query(world: ListWorld, menu: QueryMenu, played: int, world_rng: Generator) -> None:
    """Draw the next query through a kernel, because the compiler would drop a direct write as dead code."""
    draw_query(world, menu, world_rng)


@overload_for(step, ListWorld)
def step_list(world: ListWorld, ledger: Ledger, impression: ListBuffer, world_rng: Generator) -> BoolArray:
    page, query = impression.page, impression.query[0]
    read_page(world, query, page, world_rng)
    book_list(world.corpus, ledger, query, page.documents, page.shown[0])
    return world.clicked


@overload_for(close, ListWorld)
def close_lists(world: ListWorld, ledger: Ledger, mark: int) -> None:
    """Record the ranker's quality on the held-out queries and the mean quality of the lists so far."""
    ledger.measures[QUALITY, mark] = mean_quality(world.judged, ledger.answer)
    ledger.measures[SHOWN_QUALITY, mark] = ledger.sums[0] / max(ledger.counts[0], 1)


@dataclass(frozen=True, eq=False, repr=False)
class RankingProblem:
    """Queries whose documents are shown in lists to simulated users who click.

    Each round draws a query. The click model knows the relevance grades of its documents; the learner only
    sees the clicks.

    Parameters
    ----------
    data : RankingData
        The queries to learn from.
    clicks : ClickModel
        The simulated user, such as `clicks.informational(grades=3)`.
    held_out : RankingData, optional
        The queries to evaluate on; by default `data`.
    depth : int, default 10
        The cut-off of the NDCG by which lists are evaluated.

    Raises
    ------
    ParameterError
        If `held_out` has other features than `data`, either has no query with a relevant document, or
        `clicks` does not know all grades of the data.

    Examples
    --------
    >>> from duelist import DuelingGradientRanker, PairwiseGradientRanker, simulate
    >>> from duelist import clicks
    >>> from duelist.ranking import synthetic_ranking_data
    >>> data = synthetic_ranking_data(queries=50, seed=1)
    >>> problem = RankingProblem(data, clicks.informational(grades=3))
    >>> problem
    RankingProblem(50 queries, 46 features, informational)
    >>> result = simulate([DuelingGradientRanker(), PairwiseGradientRanker()], problem, 2_000, runs=2)
    >>> result["PairwiseGradientRanker"].quality.shape == result["DuelingGradientRanker"].quality.shape
    True
    """

    data: RankingData
    clicks: ClickModel
    held_out: RankingData | None = None
    depth: int = 10
    corpus: Corpus = field(init=False)
    judged: Corpus = field(init=False)
    user: Any = field(init=False)

    in_kernels: ClassVar[tuple[str, ...]] = ("menu", "play", "list_quality", "quality")

    def __post_init__(self) -> None:
        for name, part in (("data", self.data), ("held_out", self.held_out)):
            if not isinstance(part, RankingData) and not (part is None and name == "held_out"):
                raise ParameterError(
                    f"{name} must be RankingData, such as load_ranking_data(path); got {part!r:.80}."
                )
        measured = self.data if self.held_out is None else self.held_out
        if measured.d != self.data.d:
            raise ParameterError(
                f"held_out has {counted(measured.d, 'feature')}, but data has {self.data.d}; give both the "
                "same features."
            )
        corpus, judged = corpus_of(self.data, self.depth), corpus_of(measured, self.depth)
        for name, graded in (("data", corpus), ("held_out", judged)):
            if not graded.ideal.any():
                raise ParameterError(
                    f"{name} has no query with a relevant document, so its NDCG is undefined."
                )
        vars(self).update(corpus=corpus, judged=judged, user=user_for(self.clicks, self.data.grades))

    def __repr__(self) -> str:
        user = getattr(self.clicks, "name", self.clicks)
        return f"RankingProblem({counted(len(self.data), 'query')}, {counted(self.d, 'feature')}, {user})"

    @property
    def d(self) -> int:
        """The number of features."""
        return self.data.d

    def menu(self, rng: Generator | None = None) -> Documents:
        """Return the documents of a random query.

        Parameters
        ----------
        rng : numpy.random.Generator
            Draws the query; required.

        Returns
        -------
        Documents
            The features of the query's documents, and the query's index.

        Raises
        ------
        ParameterError
            If `rng` is missing or not a generator.

        Examples
        --------
        >>> from duelist import clicks
        >>> from duelist.ranking import synthetic_ranking_data
        >>> problem = RankingProblem(synthetic_ranking_data(queries=50, seed=1), clicks.perfect(3))
        >>> problem.menu(np.random.default_rng(0)).features.shape[1]
        46
        """
        if rng is None:
            raise ParameterError("rng is missing; queries are drawn at random, so give menu a generator.")
        require_generator(rng)
        query = int(rng.random() * len(self.corpus.ideal))
        first, end = self.corpus.offsets[query], self.corpus.offsets[query + 1]
        return Documents(self.corpus.features[first:end], query)

    def play(self, impression: Impression, rng: Generator) -> list[int]:
        """Return the clicks of the simulated user on a list.

        Parameters
        ----------
        impression : Impression
            A query's documents, and the list of them that is shown.
        rng : numpy.random.Generator
            Draws the clicks.

        Returns
        -------
        list of int
            The clicked documents, in the order of the list.

        Raises
        ------
        OutcomeError
            If the list is empty, repeats a document, or has one that the query lacks.

        Examples
        --------
        >>> from duelist import clicks
        >>> from duelist.ranking import synthetic_ranking_data
        >>> problem = RankingProblem(synthetic_ranking_data(queries=50, seed=1), clicks.perfect(3))
        >>> rng = np.random.default_rng(0)
        >>> clicked = problem.play(Impression([0, 1, 2], problem.menu(rng)), rng)
        >>> set(clicked) <= {0, 1, 2}
        True
        """
        require_generator(rng)
        documents = self.rows(impression)
        grades = self.corpus.labels[self.corpus.offsets[impression.menu.query] + documents]
        clicked = np.zeros(len(documents), np.bool_)
        click_page(self.user, grades, len(documents), clicked, rng)
        return [int(document) for document in documents[clicked]]

    def list_quality(self, impression: Impression) -> float | None:
        """Return the NDCG of a list; None if the query has no relevant document.

        Parameters
        ----------
        impression : Impression
            A query's documents, and the list of them that is shown.

        Returns
        -------
        float or None
            The NDCG.

        Raises
        ------
        OutcomeError
            If the list is empty, repeats a document, or has one that the query lacks.

        Examples
        --------
        >>> from duelist import clicks
        >>> from duelist.ranking import synthetic_ranking_data
        >>> data = synthetic_ranking_data(queries=50, seed=1).with_relevant()
        >>> problem = RankingProblem(data, clicks.perfect(3))
        >>> 0.0 <= problem.list_quality(Impression([0, 1], problem.menu(np.random.default_rng(0)))) <= 1.0
        True
        """
        query, documents = impression.menu.query, self.rows(impression)
        if self.corpus.ideal[query] == 0.0:
            return None
        return float(list_quality(self.corpus, query, documents, len(documents)))

    def quality(self, weights: ArrayLike) -> float:
        """Return a linear ranker's mean NDCG over the evaluation queries that have a relevant document.

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
        >>> from duelist import clicks
        >>> from duelist.ranking import synthetic_ranking_data
        >>> problem = RankingProblem(synthetic_ranking_data(queries=50, seed=1), clicks.perfect(3))
        >>> 0.0 < problem.quality(np.ones(46)) < 1.0
        True
        """
        return float(mean_quality(self.judged, np.ascontiguousarray(weights, np.float64)))

    def rows(self, impression: Impression) -> IntArray:
        """Return the documents of a list as a validated array.

        Parameters
        ----------
        impression : Impression
            A query's documents, and the list of them that is shown.

        Returns
        -------
        array of int
            The rows of the documents within their query.

        Raises
        ------
        OutcomeError
            If the list is empty, repeats a document, or has one that the query lacks.

        Examples
        --------
        >>> from duelist import clicks
        >>> from duelist.ranking import synthetic_ranking_data
        >>> problem = RankingProblem(synthetic_ranking_data(queries=50, seed=1), clicks.perfect(3))
        >>> problem.rows(Impression([2, 0], problem.menu(np.random.default_rng(0))))
        array([2, 0])
        """
        shown: Sequence[int] = impression.documents
        query = impression.menu.query
        many = int(self.corpus.offsets[query + 1] - self.corpus.offsets[query])
        if not shown or len(set(shown)) < len(shown) or not 0 <= min(shown) <= max(shown) < many:
            raise OutcomeError(
                f"documents must be distinct, from 0 to {many - 1}, at least one; got {shown!r:.80}."
            )
        return np.array(shown, np.int64)

    def world(self, length: int) -> ListWorld:
        """Return the problem in the kernels' form.

        Parameters
        ----------
        length : int
            The length of the lists.

        Returns
        -------
        ListWorld
            The problem, with its own page buffers.

        Examples
        --------
        >>> from duelist import clicks
        >>> from duelist.ranking import synthetic_ranking_data
        >>> problem = RankingProblem(synthetic_ranking_data(queries=50, seed=1), clicks.perfect(3))
        >>> problem.world(10).clicked.shape
        (10,)
        """
        grades, clicked = np.zeros(length, np.int64), np.zeros(length, np.bool_)
        return ListWorld(self.corpus, self.judged, self.user, grades, clicked)
