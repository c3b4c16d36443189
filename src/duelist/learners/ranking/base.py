"""Base class of learners of rankings."""

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
    """Base class of learners of rankings: a frozen dataclass of hyperparameters.

    A subclass sets `kernels` and defines `rules`, `start` and `workspace`. The first field of its state is
    the weights.
    """

    kernels: ClassVar[Kernels]
    length: int

    @property
    def rankings(self) -> int:
        """The number of rankings that a list is made of; the teams of its page are smaller numbers."""
        return 0

    def __post_init__(self) -> None:
        check_fields(self)

    def rules(self) -> Any:
        """Return the hyperparameters as a NamedTuple for the kernels.

        Returns
        -------
        Rules
            The first argument of every kernel.
        """
        raise TypeError(f"{type(self).__name__} must define rules()")

    def rules_for(self, state: State) -> Any:
        """Return `rules`, which do not depend on the state.

        Parameters
        ----------
        state : State
            Not used.

        Returns
        -------
        Rules
            The first argument of every kernel.
        """
        return self.rules()

    def workspace(self, d: int, documents: int) -> Any:
        """Return the learner's workspace for one list.

        Parameters
        ----------
        d : int
            The number of features.
        documents : int
            The largest number of documents of a query.

        Returns
        -------
        Workspace
            Buffers that keep data from a list to its clicks.
        """
        raise TypeError(f"{type(self).__name__} must define workspace()")

    def start(self, d: int, rng: Generator) -> State:
        """Return the state before the first impression.

        Parameters
        ----------
        d : int
            The number of features.
        rng : numpy.random.Generator
            Random number generator for the initial state.

        Returns
        -------
        State
            A NamedTuple of arrays, of which the first is the weights.
        """
        raise TypeError(f"{type(self).__name__} must define start(d, rng)")

    def init(self, menu: Documents, rng: Generator) -> State:
        """Return the state before the first impression.

        Parameters
        ----------
        menu : Documents
            The documents of any query; only the number of features matters.
        rng : numpy.random.Generator
            Random number generator for the initial state.

        Returns
        -------
        State
            A NamedTuple of arrays.

        Raises
        ------
        ParameterError
            If the menu is not `Documents`, or `rng` is not a generator.
        """
        require_documents(self, menu)
        require_generator(rng)
        return self.start(menu.d, rng)

    def ask(self, state: State, menu: Documents, rng: Generator) -> Impression:
        """Return the list to show for a query; the state does not change.

        Parameters
        ----------
        state : State
            What the learner knows.
        menu : Documents
            The documents of the query.
        rng : numpy.random.Generator
            Random number generator for this list.

        Returns
        -------
        Impression
            The documents to show, best first, with everything that `tell` needs.

        Raises
        ------
        ParameterError
            If the documents have another number of features than before.
        """
        require_generator(rng)
        require_documents(self, menu)
        query = self._query(state, menu)
        buffer = self.list_buffer(state, query)
        self.kernels.ask(self.rules(), state, query, buffer, rng)
        shown = tuple(buffer.page.documents[: buffer.page.shown[0]].tolist())
        return Impression(shown, menu, buffer.page, buffer.workspace)

    def list_buffer(self, state: State, menu: QueryMenu) -> ListBuffer:
        """Return a buffer for one list, large enough for any query of the corpus.

        Parameters
        ----------
        state : State
            What the learner knows.
        menu : QueryMenu
            The queries.

        Returns
        -------
        ListBuffer
            Arrays that kernels fill and read.
        """
        documents = largest_query(menu.corpus)
        workspace = self.workspace(self.d(state), documents)
        return ListBuffer(menu.corpus, menu.query, page_buffer(self.length, documents), workspace)

    def tell(self, state: State, impression: Impression, clicked: Iterable[int]) -> State:
        """Return the state after the clicks on a list; the old state does not change.

        Parameters
        ----------
        state : State
            What the learner knows.
        impression : Impression
            The list, as returned by `ask`; its page and note may be restored from storage, as plain tuples
            or lists of arrays.
        clicked : iterable of int
            The clicked documents, as row numbers of the menu's features.

        Returns
        -------
        State
            The new state.

        Raises
        ------
        OutcomeError
            If a clicked document was not shown, or the list was not made by this learner.
        """
        buffer = self._kept_buffer(state, impression)
        places = {document: place for place, document in enumerate(impression.documents)}
        clicks = np.zeros(len(buffer.page.documents), np.bool_)
        for document in clicked:
            if isinstance(document, bool | np.bool_):
                raise OutcomeError(
                    f"clicked must be row numbers of documents, not flags; got {document!r}. Give the rows "
                    "that were clicked."
                )
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
                f"documents must have {counted(self.d(state), 'feature')}, as before; got {menu!r}."
            )
        return one_query(menu)

    def _kept_buffer(self, state: State, impression: Impression) -> ListBuffer:
        """Return the list for kernels, after checking it: with wrong shapes, they would read wrong memory."""
        query = self._query(state, impression.menu)
        if impression.page is None or impression.note is None:
            raise OutcomeError(
                f"impression has no page or note; {type(self).__name__} only learns from lists that its "
                "ask() returned."
            )
        if isinstance(impression.page, Page):
            return ListBuffer(query.corpus, query.query, impression.page, impression.note)
        buffer = self.list_buffer(state, query)
        page, note = restored(buffer.page, impression.page), restored(buffer.workspace, impression.note)
        self._check_page(page, impression)
        for array in arrays_in(note):
            # whole numbers refer to documents; a single number may also be their count
            last = len(impression.menu) - (array.size > 1)
            if array.dtype.kind == "i" and array.size and not END <= array.min() <= array.max() <= last:
                raise OutcomeError(f"impression.note does not belong to {impression.menu!r}.")
        return ListBuffer(query.corpus, query.query, page, note)

    def _check_page(self, page: Page, impression: Impression) -> None:
        """Raise OutcomeError unless the page belongs to the list."""
        shown = len(impression.documents)
        if (
            page.shown[0] != shown
            or tuple(page.documents[:shown].tolist()) != impression.documents
            or not {*impression.documents} <= {*range(len(impression.menu))}
            or not {*page.teams[:shown].tolist()} <= {*range(NOBODY, self.rankings)}
        ):
            raise OutcomeError(f"impression.page does not have the documents {impression.documents}.")

    def best(self, state: State, menu: Documents) -> LinearRanker:
        """Return the ranker learned so far, which is the same for every query.

        Parameters
        ----------
        state : State
            What the learner knows.
        menu : Documents
            Not used.

        Returns
        -------
        LinearRanker
            The ranker with the current weights.
        """
        return LinearRanker(self.weights(state))

    def d(self, state: State) -> int:
        """Return the number of features.

        Parameters
        ----------
        state : State
            What the learner knows.

        Returns
        -------
        int
            The length of the weights.
        """
        return len(state[0])

    def weights(self, state: State) -> FloatArray:
        """Return a copy of the weights learned so far.

        Parameters
        ----------
        state : State
            What the learner knows.

        Returns
        -------
        array of shape (d,)
            One weight per feature.
        """
        return np.array(state[0], np.float64)


def require_documents(learner: object, menu: object) -> None:
    if not isinstance(menu, Documents):
        raise ParameterError(f"{type(learner).__name__} needs a menu of Documents; got {menu!r:.80}.")


def arrays_in(note: Any) -> Iterator[Any]:
    """Yield the arrays of a note, which may be nested."""
    if isinstance(note, tuple):
        for part in note:
            yield from arrays_in(part)
    else:
        yield note


def restored(blank: Any, kept: Any) -> Any:
    """Return the stored part of a list in the types of a blank one, after checking that it fits."""
    if isinstance(blank, tuple):
        if not isinstance(kept, tuple | list) or len(kept) != len(blank):
            raise OutcomeError(
                f"the list was made by another learner: it does not match {type(blank).__name__}. Use the "
                "learner that made it."
            )
        parts = zip(blank, kept, strict=True)
        return type(blank)(*[restored(part, kept_part) for part, kept_part in parts])
    if not isinstance(kept, np.ndarray) or kept.dtype != blank.dtype or kept.shape != blank.shape:
        raise OutcomeError(
            f"the list was made by another learner: an array of {blank.dtype} {blank.shape} is needed; got "
            f"{kept!r:.80}."
        )
    return kept


def one_query(menu: Documents) -> QueryMenu:
    """Return the documents of one query for the kernels, with all relevance grades set to 0."""
    count = len(menu)
    corpus = Corpus(menu.features, np.zeros(count, np.int64), np.array([0, count]), np.zeros(1), 1)
    return QueryMenu(corpus, np.zeros(1, np.int64))
