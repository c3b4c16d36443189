"""What every learner of rankings shares: the public face over its kernels."""

from collections.abc import Iterable
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from duelist.duel import FeatureArray, FloatArray
from duelist.errors import OutcomeError, ParameterError
from duelist.interleaving.page import Page, room_for_page
from duelist.lists import RankingKernels
from duelist.ranking.corpus import Corpus
from duelist.ranking.linear import LinearRanker

State = TypeVar("State", bound=NamedTuple)


class Impression(NamedTuple):
    """A list to show for a query; carries all that `tell` will ever need."""

    documents: tuple[int, ...]
    """Rows of the features that were given, best first."""
    features: FeatureArray
    """The query's documents."""
    page: Page
    note: Any
    """What the learner wants to be reminded of when it is told the clicks."""


class RankingLearner(Generic[State]):
    """A frozen dataclass of hyperparameters derives from this and names its kernels."""

    ranking_kernels: ClassVar[RankingKernels]
    length: int

    def rules(self) -> Any:
        """Return the numbers the kernels need."""
        raise TypeError(f"{type(self).__name__} must define rules()")

    def scratch(self, d: int, documents: int) -> Any:
        """Return room to remember a list, for queries of at most so many documents."""
        raise TypeError(f"{type(self).__name__} must define scratch()")

    def ask(self, state: State, features: ArrayLike, rng: Generator) -> Impression:
        """Return the list to show for a query, given its documents' features; the state stays as it is."""
        documents = as_documents(features, self.d(state))
        page = room_for_page(self.length, len(documents))
        scratch = self.scratch(documents.shape[1], len(documents))
        self.ranking_kernels.show(self.rules(), state, one_query(documents), 0, scratch, page, rng)
        shown = tuple(page.documents[: page.shown[0]].tolist())
        return Impression(shown, documents, page, scratch)

    def tell(self, state: State, impression: Impression, clicked: Iterable[int]) -> State:
        """Return the state after the clicks on a list, given by the documents' rows."""
        places = {document: place for place, document in enumerate(impression.documents)}
        clicks = np.zeros(len(impression.page.documents), np.bool_)
        for document in clicked:
            if isinstance(document, bool | np.bool_):
                raise OutcomeError("clicked must be documents, not flags; give the rows that were clicked.")
            if document not in places:
                raise OutcomeError(
                    f"document {document!r} was clicked but not shown; shown are {impression.documents}."
                )
            clicks[places[document]] = True
        told: State = type(state)(*[part.copy() for part in state])
        corpus = one_query(impression.features)
        self.ranking_kernels.tell(self.rules(), told, corpus, 0, impression.note, impression.page, clicks)
        return told

    def best(self, state: State) -> LinearRanker:
        """Return the ranker learned so far."""
        return LinearRanker(self.ranking_kernels.best(self.rules(), state))

    def d(self, state: State) -> int:
        """Return the number of features."""
        return len(self.weights(state))

    def weights(self, state: State) -> FloatArray:
        """Return a copy of the weights learned so far."""
        return self.ranking_kernels.best(self.rules(), state).copy()


def as_documents(features: ArrayLike, d: int) -> FeatureArray:
    """Return the features of a query's documents, or say what is wrong with them."""
    documents = np.ascontiguousarray(features, np.float32)
    if documents.ndim != 2 or documents.shape[1] != d or len(documents) == 0:
        raise ParameterError(
            f"features must be a table with a row for each document and {d} columns; got {documents.shape}."
        )
    if not np.isfinite(documents).all():
        raise ParameterError("features must be finite numbers.")
    return documents


def one_query(documents: FeatureArray) -> Corpus:
    """Return a query's documents as kernels see them; nothing is known of how good they are."""
    count = len(documents)
    return Corpus(documents, np.zeros(count, np.int64), np.array([0, count]), np.zeros(1), 1)
