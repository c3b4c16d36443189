"""Runs of impressions: a query, a list of its documents that a learner shows, and the clicks on it."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.clicks.user import click_page, click_through, user_for
from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.errors import ParameterError
from duelist.interleaving.page import Page
from duelist.kernels.compile import borrowing, overload_for
from duelist.kernels.duels import ListBuffer, QueryMenu
from duelist.kernels.loop import Ledger, Run, close, open_ledger, prepare, step
from duelist.menus import Documents
from duelist.parallel import Executor, progress_bar
from duelist.protocols import ClickModel, Learner
from duelist.ranking import RankingData
from duelist.ranking.corpus import Corpus, corpus_of, list_quality, mean_quality
from duelist.simulation.arguments import LEARNER_NEEDS, Named, as_checkpoints, name_learners, require_sizes
from duelist.simulation.result import Curves, Runs
from duelist.simulation.runs import Player, Setting, measure_all
from duelist.text import counted

QUALITY, SHOWN_QUALITY = 0, 1  # rows of a ledger's measures


@dataclass(frozen=True, eq=False, repr=False)
class RankingResult(Runs):
    """One learner's runs of impressions."""

    measures: ClassVar[tuple[str, ...]] = ("quality", "shown_quality")

    quality: FloatArray
    """The learned ranker's mean NDCG on the queries held out."""
    shown_quality: FloatArray
    """The mean NDCG of all lists shown so far: what learning cost the users."""
    weights: FloatArray
    """The learned ranker at the end of each run: a column per feature."""


@dataclass(frozen=True, eq=False, repr=False)
class RankingSimulationResult(Curves[RankingResult]):
    """The results of several learners of rankings, by name.

    Examples
    --------
    >>> from duelist import PairwiseGradientRanker, train_online
    >>> from duelist.problems import clicks
    >>> from duelist.ranking import synthetic_ranking_data
    >>> data = synthetic_ranking_data(queries=20, features=5)
    >>> result = train_online(PairwiseGradientRanker(), data, clicks.perfect(grades=3), 100, runs=2)
    >>> result["PairwiseGradientRanker"].weights.shape
    (2, 5)
    """

    runs: ClassVar[type[Runs]] = RankingResult

    depth: int
    """Lists are judged by their first `depth` places."""
    held_out: bool
    """Whether quality was measured on queries that were not learned from."""


class ListWorld(NamedTuple):
    """The documents, how good they are, and who clicks."""

    corpus: Corpus
    held_out: Corpus
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
    ledger.measures[QUALITY, mark] = mean_quality(world.held_out, ledger.answer)
    ledger.measures[SHOWN_QUALITY, mark] = ledger.sums[0] / max(ledger.counts[0], 1)


@dataclass(frozen=True)
class ListSetting(Setting[RankingResult]):
    """Queries to learn from and to measure on, and simulated people who click."""

    kind = RankingResult
    corpus: Corpus
    held_out: Corpus
    user: Any
    marks: IntArray
    seed: int

    def ledger(self, halt: BoolArray) -> Ledger:
        """Return an empty ledger for one run."""
        answer = np.zeros(self.corpus.features.shape[1])
        return open_ledger(self.marks, halt, measures=2, answer=answer, sums=1, counts=1)

    def start(self, learner: Any, rng: Generator, world_rng: Generator) -> Any:
        """Return a learner's state before the first impression."""
        return learner.init(self.menu(0), rng)

    def menu(self, query: int) -> Documents:
        """Return the documents of a query."""
        first, end = self.corpus.offsets[query], self.corpus.offsets[query + 1]
        return Documents(self.corpus.features[first:end], query)

    def world(self, length: int) -> ListWorld:
        """Return the world for lists of a length."""
        grades, clicked = np.zeros(length, np.int64), np.zeros(length, np.bool_)
        return ListWorld(self.corpus, self.held_out, self.user, grades, clicked)

    def run(self, player: Player) -> Run | None:
        """Return what the compiled loop needs."""
        menu = QueryMenu(self.corpus, np.zeros(1, np.int64))
        room = player.learner.room(player.state, menu)
        return player.run_in(self.world(player.learner.length), menu, room)

    def round(self, player: Player) -> None:
        """Play one impression through ask and tell."""
        corpus, world_rng = self.corpus, player.world_rng
        query = int(world_rng.random() * len(corpus.ideal))
        first = corpus.offsets[query]
        impression = player.learner.ask(player.state, self.menu(query), player.rng)
        documents = np.array(impression.documents, np.int64)
        clicked = np.zeros(len(documents), np.bool_)
        click_page(self.user, corpus.labels[first + documents], len(documents), clicked, world_rng)
        book_list(corpus, player.ledger, query, documents, len(documents))
        player.state = player.learner.tell(player.state, impression, documents[clicked].tolist())

    def close(self, player: Player, mark: int) -> None:
        """Write down where the run stands at a checkpoint."""
        player.ledger.answer[:] = player.learner.best(player.state, self.menu(0)).weights
        close_lists(self.world(0), player.ledger, mark)

    def standing(self, ledgers: Sequence[Ledger]) -> str:
        """Return the mean quality that the runs have reached."""
        reached = [ledger.measures[QUALITY][ledger.measures[QUALITY] > 0.0] for ledger in ledgers]
        latest = [quality[-1] for quality in reached if len(quality)]
        return f"NDCG {np.mean(latest):.3f}" if latest else ""

    def ends(self, ledgers: Sequence[Ledger]) -> dict[str, Any]:
        """Return the rankers learned."""
        return {"weights": np.stack([ledger.answer for ledger in ledgers])}


def train_online(
    learners: Named[Any],
    data: RankingData,
    clicks: ClickModel,
    impressions: int,
    *,
    held_out: RankingData | None = None,
    depth: int = 10,
    runs: int = 5,
    seed: int = 0,
    checkpoints: Sequence[int] | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: bool | None = None,
    keep: str | os.PathLike[str] | None = None,
) -> RankingSimulationResult:
    """Let learners of rankings show lists to simulated people, and measure how good they get.

    Every impression is a query drawn from the data, a list the learner shows, and clicks on it by the click
    model, which knows how relevant the documents are; the learner sees the clicks alone.

    Parameters
    ----------
    learners : learner, sequence of learners, or mapping of names to learners
        Such as `PairwiseGradientRanker()`.
    data : RankingData
        The queries to learn from.
    clicks : ClickModel
        Who clicks, such as `problems.clicks.informational(grades=3)`.
    impressions : int
        Lists to show.
    held_out : RankingData, optional
        Queries to measure on; by default those learned from.
    depth : int, default 10
        Lists are judged by the NDCG of their first `depth` places.
    runs, seed, checkpoints, workers, executor, progress, keep
        As in `simulate`; checkpoints are impressions.

    Examples
    --------
    >>> from duelist import DuelingGradientRanker, PairwiseGradientRanker
    >>> from duelist.problems import clicks
    >>> from duelist.ranking import synthetic_ranking_data
    >>> data = synthetic_ranking_data(queries=50, seed=1)
    >>> rivals = [DuelingGradientRanker(), PairwiseGradientRanker()]
    >>> result = train_online(rivals, data, clicks.informational(grades=3), 2_000, runs=2)
    >>> result["PairwiseGradientRanker"].quality.shape == result["DuelingGradientRanker"].quality.shape
    True
    """
    require_sizes("impressions", impressions, runs, seed, workers)
    named = name_learners(learners, Learner, LEARNER_NEEDS)
    measured = data if held_out is None else held_out
    if measured.d != data.d:
        raise ParameterError(
            f"held_out has {counted(measured.d, 'feature')}, but data {data.d}; they must be the same."
        )
    corpus, reference = corpus_of(data, depth), corpus_of(measured, depth)
    for name, part in (("data", corpus), ("held_out", reference)):
        if not part.ideal.any():
            raise ParameterError(f"{name} has no query with a relevant document, so nothing can be measured.")
    user = user_for(clicks, data.grades)
    setting = ListSetting(corpus, reference, user, as_checkpoints(checkpoints, int(impressions)), int(seed))
    with progress_bar(progress) as show:
        results = measure_all(setting, named, runs, workers, executor, show, keep)
    return RankingSimulationResult(results, int(seed), int(depth), held_out is not None)
