"""The loop over impressions, compiled: it plays any learner that shows lists and is told clicks.

An impression is a query, a list of its documents that the learner shows, and the clicks on it.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.random import Generator

from duelist.clicks.user import User, click_through
from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.errors import ParameterError
from duelist.interleaving.page import Page, room_for_page, wipe
from duelist.kernels.compile import OVERLOADS, compiled, inlined
from duelist.ranking.corpus import Corpus, largest_query, list_quality, mean_quality

Rules = TypeVar("Rules")
State = TypeVar("State")
Scratch = TypeVar("Scratch")


@runtime_checkable
class Clicking(Protocol):
    """Simulated people who click."""

    @property
    def grades(self) -> int:
        """Return how many grades of relevance they tell apart."""
        ...

    def user(self) -> Any:
        """Return what they do, as kernels see it."""
        ...


class RankingLedger(NamedTuple):
    """What is written down about one run; its size does not depend on the number of impressions."""

    checkpoints: IntArray
    quality: FloatArray  # at each checkpoint: the learned ranker's NDCG on the queries held out
    shown_quality: FloatArray  # at each checkpoint: the mean NDCG of the lists shown so far
    weights: FloatArray  # the learned ranker at the end
    total: FloatArray  # one number: the sum of NDCG of the lists shown so far
    judged: IntArray  # one number: the lists shown so far for queries with a relevant document
    played: IntArray  # one number: impressions so far
    halt: BoolArray  # one flag, raised from outside to end the run


class RankingRun(NamedTuple):
    """All that a run needs besides the learner."""

    corpus: Corpus
    held_out: Corpus
    user: User
    ledger: RankingLedger
    page: Page
    grades: IntArray  # of the documents on the page
    clicked: BoolArray
    rng: Generator  # the learner's luck
    world_rng: Generator  # the queries' and the clicks' luck


class RankingKernels(NamedTuple):
    """A learner's compiled functions; its scratch holds what it must remember from a list to its clicks."""

    show: Callable[[Any, Any, Corpus, int, Any, Page, Generator], None]
    tell: Callable[[Any, Any, Corpus, int, Any, Page, BoolArray], None]
    best: Callable[[Any, Any], FloatArray]
    play: Callable[[Any, Any, Any, RankingRun], None]


@runtime_checkable
class CompiledRankingLearner(Protocol):
    """A learner of rankings that the compiled loop can play."""

    @property
    def ranking_kernels(self) -> RankingKernels:
        """Return the compiled functions."""
        ...

    @property
    def length(self) -> int:
        """Return how many documents a list shows."""
        ...

    def rules(self) -> Any:
        """Return the numbers its kernels need."""
        ...

    def init(self, d: int, rng: Generator) -> Any:
        """Return the state before the first impression, for documents of `d` features."""
        ...

    def scratch(self, d: int, documents: int) -> Any:
        """Return room to remember a list, for queries of at most so many documents."""
        ...


def user_for(clicks: Clicking, grades: int) -> Any:
    """Return what people do with documents of so many grades, or say that they do not know them all."""
    if not isinstance(clicks, Clicking):
        raise ParameterError(f"clicks must be a click model, such as clicks.perfect(); got {clicks!r}.")
    if clicks.grades < grades:
        raise ParameterError(
            f"clicks tells {clicks.grades} grades apart, but the data has {grades}; use grades={grades}."
        )
    return clicks.user()


def is_compiled(method: Any, kernel: Callable[..., Any]) -> bool:
    """Return whether a compiled loop knows a way of interleaving."""
    rules = getattr(method, "rules", None)
    return rules is not None and type(rules()) in OVERLOADS[kernel]


def require_drafts(name: str, method: Any, kernel: Callable[..., Any]) -> None:
    """Refuse a way of interleaving that the compiled loop does not know."""
    if not is_compiled(method, kernel):
        raise ParameterError(f"{name} must be a method with compiled kernels; got {method!r}.")


def open_ranking_ledger(checkpoints: IntArray, d: int, halt: BoolArray) -> RankingLedger:
    """Return an empty ledger for one run."""
    size = len(checkpoints)
    return RankingLedger(
        checkpoints=checkpoints,
        quality=np.zeros(size),
        shown_quality=np.zeros(size),
        weights=np.zeros(d),
        total=np.zeros(1),
        judged=np.zeros(1, np.int64),
        played=np.zeros(1, np.int64),
        halt=halt,
    )


def open_ranking_run(
    corpus: Corpus,
    held_out: Corpus,
    user: User,
    ledger: RankingLedger,
    length: int,
    rng: Generator,
    world_rng: Generator,
) -> RankingRun:
    """Return a run with room for lists of a length."""
    page = room_for_page(length, largest_query(corpus))
    grades, clicked = np.zeros(length, np.int64), np.zeros(length, np.bool_)
    return RankingRun(corpus, held_out, user, ledger, page, grades, clicked, rng, world_rng)


@compiled
def read_page(run: RankingRun, query: int) -> None:
    """Let the user read the page and click, and write down how good it was."""
    corpus, page, ledger = run.corpus, run.page, run.ledger
    first, shown = corpus.offsets[query], page.shown[0]
    for place in range(shown):
        run.grades[place] = corpus.labels[first + page.documents[place]]
    click_through(run.user, run.grades, shown, run.clicked, run.world_rng)
    ledger.played[0] += 1
    if corpus.ideal[query] > 0.0:
        ledger.total[0] += list_quality(corpus, query, page.documents, shown)
        ledger.judged[0] += 1


@compiled
def close_impressions(run: RankingRun, mark: int, weights: FloatArray) -> None:
    """Write down where the run stands at a checkpoint."""
    ledger = run.ledger
    ledger.weights[:] = weights
    ledger.quality[mark] = mean_quality(run.held_out, weights)
    ledger.shown_quality[mark] = ledger.total[0] / max(ledger.judged[0], 1)


@inlined
def play(
    show: Callable[[Rules, State, Corpus, int, Scratch, Page, Generator], None],
    tell: Callable[[Rules, State, Corpus, int, Scratch, Page, BoolArray], None],
    best: Callable[[Rules, State], FloatArray],
    rules: Rules,
    state: State,
    scratch: Scratch,
    run: RankingRun,
) -> None:
    """Play one run to the last checkpoint."""
    corpus, ledger, page = run.corpus, run.ledger, run.page
    for mark in range(len(ledger.checkpoints)):
        while ledger.played[0] < ledger.checkpoints[mark]:
            if ledger.halt[0]:
                return
            query = int(run.world_rng.random() * len(corpus.ideal))
            wipe(page)
            show(rules, state, corpus, query, scratch, page, run.rng)
            read_page(run, query)
            tell(rules, state, corpus, query, scratch, page, run.clicked)
        close_impressions(run, mark, best(rules, state))
