"""Lists of documents for simulated people who click: what learners of rankings are played on."""

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
    """The documents, how good they are, and who clicks."""

    corpus: Corpus
    judged: Corpus
    user: Any
    grades: IntArray  # room for those of the documents on a page
    clicked: BoolArray  # room for the clicks


@borrowing
def book_list(corpus: Corpus, ledger: Ledger, query: int, documents: IntArray, shown: int) -> None:
    """Write down one impression and how good it was, where the query has a relevant document."""
    ledger.played[0] += 1
    if corpus.ideal[query] > 0.0:
        ledger.sums[0] += list_quality(corpus, query, documents, shown)
        ledger.counts[0] += 1


@borrowing
def read_page(world: ListWorld, query: int, page: Page, world_rng: Generator) -> None:
    """Let the user read the page and click."""
    first, shown = world.corpus.offsets[query], page.shown[0]
    for place in range(shown):
        world.grades[place] = world.corpus.labels[first + page.documents[place]]
    click_through(world.user, world.grades, shown, world.clicked, world_rng)


@borrowing
def draw_query(world: ListWorld, menu: QueryMenu, world_rng: Generator) -> None:
    """Write the next query."""
    menu.query[0] = int(world_rng.random() * len(world.corpus.ideal))


@overload_for(prepare, ListWorld)
def prepare_query(world: ListWorld, menu: QueryMenu, played: int, world_rng: Generator) -> None:
    """Draw the next query; by a kernel, because a write of its own would be taken for dead code."""
    draw_query(world, menu, world_rng)


@overload_for(step, ListWorld)
def step_list(world: ListWorld, ledger: Ledger, impression: ListBuffer, world_rng: Generator) -> BoolArray:
    """Let the user read the page and click, and write down how good it was."""
    page, query = impression.page, impression.query[0]
    read_page(world, query, page, world_rng)
    book_list(world.corpus, ledger, query, page.documents, page.shown[0])
    return world.clicked


@overload_for(close, ListWorld)
def close_lists(world: ListWorld, ledger: Ledger, mark: int) -> None:
    """Write down how good the ranker is on queries held out, and how good the lists shown so far were."""
    ledger.measures[QUALITY, mark] = mean_quality(world.judged, ledger.answer)
    ledger.measures[SHOWN_QUALITY, mark] = ledger.sums[0] / max(ledger.counts[0], 1)


@dataclass(frozen=True, eq=False, repr=False)
class RankingProblem:
    """Queries whose documents are shown as lists to simulated people, who click on them.

    In every round a query is drawn. The click model knows how relevant its documents are; a learner sees the
    clicks alone.

    Parameters
    ----------
    data : RankingData
        The queries to learn from.
    clicks : ClickModel
        Who clicks, such as `clicks.informational(grades=3)`.
    held_out : RankingData, optional
        Queries to measure on; by default those learned from.
    depth : int, default 10
        Lists are judged by the NDCG of their first `depth` places.

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
        """Refuse what nothing can be learned from or measured on."""
        measured = self.data if self.held_out is None else self.held_out
        if measured.d != self.data.d:
            raise ParameterError(
                f"held_out has {counted(measured.d, 'feature')}, but data {self.data.d}; both need the same."
            )
        corpus, judged = corpus_of(self.data, self.depth), corpus_of(measured, self.depth)
        for name, part in (("data", corpus), ("held_out", judged)):
            if not part.ideal.any():
                raise ParameterError(
                    f"{name} has no query with a relevant document, so nothing can be measured."
                )
        vars(self).update(corpus=corpus, judged=judged, user=user_for(self.clicks, self.data.grades))

    def __repr__(self) -> str:
        """Describe the problem in a line."""
        user = getattr(self.clicks, "name", self.clicks)
        return f"RankingProblem({counted(len(self.data), 'query')}, {counted(self.d, 'feature')}, {user})"

    @property
    def d(self) -> int:
        """The number of features."""
        return self.data.d

    def menu(self, rng: Generator | None = None) -> Documents:
        """Return the documents of a query drawn at random."""
        if rng is None:
            raise ParameterError("queries are drawn at random, so menu needs a generator, rng.")
        require_generator(rng)
        query = int(rng.random() * len(self.corpus.ideal))
        first, end = self.corpus.offsets[query], self.corpus.offsets[query + 1]
        return Documents(self.corpus.features[first:end], query)

    def play(self, impression: Impression, rng: Generator) -> list[int]:
        """Return the documents that are clicked, in the order of the list."""
        require_generator(rng)
        documents = self.rows(impression)
        grades = self.corpus.labels[self.corpus.offsets[impression.menu.query] + documents]
        clicked = np.zeros(len(documents), np.bool_)
        click_page(self.user, grades, len(documents), clicked, rng)
        return [int(document) for document in documents[clicked]]

    def list_quality(self, impression: Impression) -> float | None:
        """Return a list's NDCG; None where the query has no relevant document."""
        query, documents = impression.menu.query, self.rows(impression)
        if self.corpus.ideal[query] == 0.0:
            return None
        return float(list_quality(self.corpus, query, documents, len(documents)))

    def quality(self, weights: ArrayLike) -> float:
        """Return a linear ranker's mean NDCG over the queries to measure on that have a relevant document."""
        return float(mean_quality(self.judged, np.ascontiguousarray(weights, np.float64)))

    def rows(self, impression: Impression) -> IntArray:
        """Return the documents of a list, which must be rows of its query, each once."""
        shown: Sequence[int] = impression.documents
        query = impression.menu.query
        many = int(self.corpus.offsets[query + 1] - self.corpus.offsets[query])
        if not shown or len(set(shown)) < len(shown) or not 0 <= min(shown) <= max(shown) < many:
            raise OutcomeError(
                f"a list must show documents 0 to {many - 1} of its query, each once; got {shown!r:.80}."
            )
        return np.array(shown, np.int64)

    def world(self, length: int) -> ListWorld:
        """Return the problem as kernels see it, for lists of a length."""
        grades, clicked = np.zeros(length, np.int64), np.zeros(length, np.bool_)
        return ListWorld(self.corpus, self.judged, self.user, grades, clicked)
