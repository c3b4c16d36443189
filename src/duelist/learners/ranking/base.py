"""What every learner of rankings shares: the public face over its kernels."""

from collections.abc import Iterable
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from duelist.duel import FeatureArray, FloatArray
from duelist.errors import OutcomeError, ParameterError, require_generator
from duelist.interleaving.page import Page, room_for_page
from duelist.kernels.duels import ListBuffer, QueryMenu
from duelist.kernels.loop import Kernels
from duelist.ranking.corpus import Corpus, largest_query
from duelist.ranking.linear import LinearRanker
from duelist.text import counted

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
    """A frozen dataclass of hyperparameters derives from this and names its kernels.

    The first field of every state is the weights.
    """

    kernels: ClassVar[Kernels]
    length: int

    def rules(self) -> Any:
        """Return the numbers the kernels need."""
        raise TypeError(f"{type(self).__name__} must define rules()")

    def rules_for(self, state: State) -> Any:
        """Return the numbers the kernels need."""
        return self.rules()

    def scratch(self, d: int, documents: int) -> Any:
        """Return room to remember a list, for queries of at most n documents."""
        raise TypeError(f"{type(self).__name__} must define scratch()")

    def ask(self, state: State, features: ArrayLike, rng: Generator) -> Impression:
        """Return the list to show for a query, given its documents' features; the state stays as it is."""
        require_generator(rng)
        documents = as_documents(features, self.d(state))
        menu = one_query(documents)
        room = self.room(state, menu)
        self.kernels.ask(self.rules(), state, menu, room, rng)
        shown = tuple(room.page.documents[: room.page.shown[0]].tolist())
        return Impression(shown, documents, room.page, room.scratch)

    def room(self, state: State, menu: QueryMenu) -> ListBuffer:
        """Return room for a list to show, for any query of a menu's documents."""
        documents = largest_query(menu.corpus)
        scratch = self.scratch(self.d(state), documents)
        return ListBuffer(menu.corpus, menu.query, room_for_page(self.length, documents), scratch)

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
        menu = one_query(impression.features)
        room = ListBuffer(menu.corpus, menu.query, impression.page, impression.note)
        self.kernels.tell(self.rules(), told, room, clicks)
        return told

    def best(self, state: State) -> LinearRanker:
        """Return the ranker learned so far."""
        return LinearRanker(self.weights(state))

    def d(self, state: State) -> int:
        """Return the number of features."""
        return len(state[0])

    def weights(self, state: State) -> FloatArray:
        """Return a copy of the weights learned so far."""
        return np.array(state[0], np.float64)


def as_documents(features: ArrayLike, d: int) -> FeatureArray:
    """Return the features of a query's documents, or say what is wrong with them."""
    try:
        documents = np.ascontiguousarray(features, np.float32)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"features must be numbers, a row for each document: {error}.") from error
    if documents.ndim != 2 or documents.shape[1] != d or len(documents) == 0:
        raise ParameterError(
            f"features must be a table with a row for each document and {counted(d, 'column')}; got "
            f"{documents.shape}."
        )
    if not np.isfinite(documents).all():
        raise ParameterError("features must be finite numbers.")
    return documents


def one_query(documents: FeatureArray) -> QueryMenu:
    """Return a query's documents as kernels see them; nothing is known of how good they are."""
    count = len(documents)
    corpus = Corpus(documents, np.zeros(count, np.int64), np.array([0, count]), np.zeros(1), 1)
    return QueryMenu(corpus, np.zeros(1, np.int64))
