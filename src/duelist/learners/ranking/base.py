"""What every learner of rankings shares: the public face over its kernels."""

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.random import Generator

from duelist.constraints import check_fields
from duelist.duel import FloatArray
from duelist.errors import OutcomeError, ParameterError, require_generator
from duelist.interleaving.page import END, NOBODY, Page, page_buffer
from duelist.kernels.duels import ListBuffer, QueryMenu
from duelist.kernels.loop import Kernels
from duelist.menus import Documents, Impression
from duelist.ranking.corpus import Corpus, largest_query
from duelist.ranking.linear import LinearRanker
from duelist.text import counted

State = TypeVar("State", bound=NamedTuple)


class RankingLearner(Generic[State]):
    """A frozen dataclass of hyperparameters derives from this and names its kernels.

    The first field of every state is the weights.
    """

    kernels: ClassVar[Kernels]
    length: int

    @property
    def rankings(self) -> int:
        """How many rankings a list is made of: the teams of its page are numbered below."""
        return 0

    def __post_init__(self) -> None:
        """Check hyperparameters against their declarations."""
        check_fields(self)

    def rules(self) -> Any:
        """Return the numbers the kernels need."""
        raise TypeError(f"{type(self).__name__} must define rules()")

    def rules_for(self, state: State) -> Any:
        """Return the numbers the kernels need."""
        return self.rules()

    def workspace(self, d: int, documents: int) -> Any:
        """Return room to remember a list, for queries of at most n documents."""
        raise TypeError(f"{type(self).__name__} must define workspace()")

    def start(self, d: int, rng: Generator) -> State:
        """Return the state before the first impression, for documents of `d` features."""
        raise TypeError(f"{type(self).__name__} must define start(d, rng)")

    def init(self, menu: Documents, rng: Generator) -> State:
        """Return the state before the first impression; of the menu only the number of features counts."""
        require_documents(self, menu)
        require_generator(rng)
        return self.start(menu.d, rng)

    def ask(self, state: State, menu: Documents, rng: Generator) -> Impression:
        """Return the list to show for a query; the state stays as it is."""
        require_generator(rng)
        require_documents(self, menu)
        query = self._query(state, menu)
        buffer = self.list_buffer(state, query)
        self.kernels.ask(self.rules(), state, query, buffer, rng)
        shown = tuple(buffer.page.documents[: buffer.page.shown[0]].tolist())
        return Impression(shown, menu, buffer.page, buffer.workspace)

    def list_buffer(self, state: State, menu: QueryMenu) -> ListBuffer:
        """Return room for a list to show, for any query of a menu's documents."""
        documents = largest_query(menu.corpus)
        workspace = self.workspace(self.d(state), documents)
        return ListBuffer(menu.corpus, menu.query, page_buffer(self.length, documents), workspace)

    def tell(self, state: State, impression: Impression, clicked: Iterable[int]) -> State:
        """Return the state after the clicks on a list, given by the documents' rows.

        The list's page and note may also be plain tuples or lists of arrays, as they come out of storage.
        """
        buffer = self._kept_buffer(state, impression)
        places = {document: place for place, document in enumerate(impression.documents)}
        clicks = np.zeros(len(buffer.page.documents), np.bool_)
        for document in clicked:
            if isinstance(document, bool | np.bool_):
                raise OutcomeError("clicked must be documents, not flags; give the rows that were clicked.")
            if document not in places:
                raise OutcomeError(
                    f"document {document!r} was clicked but not shown; shown are {impression.documents}."
                )
            clicks[places[document]] = True
        told: State = type(state)(*[part.copy() for part in state])
        self.kernels.tell(self.rules(), told, buffer, clicks)
        return told

    def _query(self, state: State, menu: Documents) -> QueryMenu:
        if menu.d != self.d(state):
            raise ParameterError(
                f"documents must have {counted(self.d(state), 'feature')}, as those before; got {menu!r}."
            )
        return one_query(menu)

    def _kept_buffer(self, state: State, impression: Impression) -> ListBuffer:
        """Return a list with its page and note as kernels take them: others would read wrong memory."""
        query = self._query(state, impression.menu)
        if impression.page is None or impression.note is None:
            raise OutcomeError(
                f"the list was not made by this {type(self).__name__}, which learns from its own lists alone."
            )
        if isinstance(impression.page, Page):
            return ListBuffer(query.corpus, query.query, impression.page, impression.note)
        buffer = self.list_buffer(state, query)
        page, note = restored(buffer.page, impression.page), restored(buffer.workspace, impression.note)
        self._check_page(page, impression)
        for array in arrays_in(note):
            # whole numbers are those of documents; one alone may also count them
            last = len(impression.menu) - (array.size > 1)
            if array.dtype.kind == "i" and array.size and not END <= array.min() <= array.max() <= last:
                raise OutcomeError(f"the note of the list is not of {impression.menu!r}.")
        return ListBuffer(query.corpus, query.query, page, note)

    def _check_page(self, page: Page, impression: Impression) -> None:
        """Raise OutcomeError if a page is not that of a list."""
        shown = len(impression.documents)
        if (
            page.shown[0] != shown
            or tuple(page.documents[:shown].tolist()) != impression.documents
            or not {*impression.documents} <= {*range(len(impression.menu))}
            or not {*page.teams[:shown].tolist()} <= {*range(NOBODY, self.rankings)}
        ):
            raise OutcomeError(f"the page of the list does not have the documents {impression.documents}.")

    def best(self, state: State, menu: Documents) -> LinearRanker:
        """Return the ranker learned so far, which is the same for every query."""
        return LinearRanker(self.weights(state))

    def d(self, state: State) -> int:
        """Return the number of features."""
        return len(state[0])

    def weights(self, state: State) -> FloatArray:
        """Return a copy of the weights learned so far."""
        return np.array(state[0], np.float64)


def require_documents(learner: object, menu: object) -> None:
    """Refuse a menu without documents to rank."""
    if not isinstance(menu, Documents):
        raise ParameterError(f"{type(learner).__name__} ranks Documents; it cannot play on {menu!r:.80}.")


def arrays_in(note: Any) -> Iterator[Any]:
    """Yield the arrays of a note."""
    if isinstance(note, tuple):
        for part in note:
            yield from arrays_in(part)
    else:
        yield note


def restored(blank: Any, kept: Any) -> Any:
    """Return what was kept of a list in the types of a blank one; OutcomeError if it does not fit."""
    if isinstance(blank, tuple):
        if not isinstance(kept, tuple | list) or len(kept) != len(blank):
            raise OutcomeError(f"the list was made by another learner; {type(blank).__name__} does not fit.")
        parts = zip(blank, kept, strict=True)
        return type(blank)(*[restored(part, kept_part) for part, kept_part in parts])
    if not isinstance(kept, np.ndarray) or kept.dtype != blank.dtype or kept.shape != blank.shape:
        raise OutcomeError(
            f"the list was made by another learner: an array of {blank.dtype} {blank.shape} is needed; got "
            f"{kept!r:.80}."
        )
    return kept


def one_query(menu: Documents) -> QueryMenu:
    """Return a query's documents as kernels see them; nothing is known of how good they are."""
    count = len(menu)
    corpus = Corpus(menu.features, np.zeros(count, np.int64), np.array([0, count]), np.zeros(1), 1)
    return QueryMenu(corpus, np.zeros(1, np.int64))
