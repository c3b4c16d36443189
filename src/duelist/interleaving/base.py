"""The base of all methods of interleaving: n rankings shown as one list, clicks on it credited to them.

Documents may be of any kind; at the door they get numbers, which is all that kernels know of them.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Iterable
from itertools import chain
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.random import Generator

from duelist.constraints import check_fields
from duelist.duel import FloatArray, IntArray
from duelist.errors import OutcomeError, ParameterError, UnknownNameError, require_generator, require_whole
from duelist.interleaving.page import COUNTING, END, Page, draft_page, outcome_of, page_buffer, settle_page
from duelist.kernels.compile import run_typed
from duelist.shown import Shown

CLOSE = 1e-9  # credits that differ by less, relative to the largest, differ by rounding

Rankings: TypeAlias = tuple[tuple[Hashable, ...], ...]


class Interleaving(ABC):
    """Base class of the methods of interleaving: frozen dataclasses of their hyperparameters."""

    fewest: ClassVar[int] = 2
    most: ClassVar[int | None] = None
    """How many rankings a method takes."""
    fair: ClassVar[tuple[str, ...]] = ()
    """The countings with which no ranking wins more often if clicks do not depend on documents."""
    drafts: ClassVar[Callable[..., None]] = staticmethod(draft_page)
    settles: ClassVar[Callable[..., None]] = staticmethod(settle_page)
    _rules: Any

    def __post_init__(self) -> None:
        """Check the hyperparameters."""
        check_fields(self)
        vars(self)["_rules"] = self.rules()

    @abstractmethod
    def rules(self) -> Any:
        """Return the parameters of the kernels, or refuse hyperparameters that cannot work."""

    def counting_rule(self, no_unshared: str = "") -> int:
        """Return the number of the counting; `no_unshared` says why "unshared" is not possible."""
        counting: object = getattr(self, "counting", None)
        if counting not in COUNTING:
            raise UnknownNameError("counting", counting, COUNTING)
        if counting == "unshared" and no_unshared:
            fault = f"counting 'unshared' makes no sense for {type(self).__name__}: {no_unshared}"
            raise ParameterError(f"{fault}. Use one of 'all', 'first'.")
        return COUNTING.index(str(counting))

    @classmethod
    def require_number(cls, rankings: int) -> None:
        """Refuse a number of rankings that the method does not take."""
        if rankings < cls.fewest or (cls.most is not None and rankings > cls.most):
            takes = f"{cls.fewest} rankings" if cls.fewest == cls.most else f"{cls.fewest} rankings or more"
            raise ParameterError(f"{cls.__name__} takes {takes}; got {rankings}.")

    def interleave(
        self,
        rankings: Iterable[Iterable[Hashable]],
        rng: Generator,
        length: int | None = None,
        after: Shown | None = None,
    ) -> Shown:
        """Return one list made from two or more rankings.

        Parameters
        ----------
        rankings : iterable of iterables
            Each with the best document first; they may differ in length and in documents.
        rng : numpy.random.Generator
            The source of randomness.
        length : int, optional
            How many documents to show in all; by default all there are.
        after : Shown, optional
            A list of the same rankings to continue, as if both had been made at once.
        """
        require_generator(rng)
        distinct = as_rankings(rankings)
        self.require_number(len(distinct))
        if after is not None:
            require_shown("after", after)
            if after.rankings != distinct:
                raise ParameterError("after must be a list of the same rankings; begin others without it.")
        rows, numbers = number_documents(distinct)
        capacity = len(numbers)
        if length is not None:
            require_whole("length", length, 0 if after is None else len(after.documents))
            capacity = min(int(length), capacity)
        page = page_buffer(capacity, len(numbers))
        if after is not None:
            begun = len(after.documents)
            page.shown[0] = begun
            page.documents[:begun] = [numbers[document] for document in after.documents]
            page.teams[:begun] = after.teams
            page.propensities[:begun] = after.propensities
            page.taken[page.documents[:begun]] = True
        run_typed(self.drafts, self._rules, rows, page, rng)
        names, shown = list(numbers), page.shown[0]
        documents = tuple([names[number] for number in page.documents[:shown].tolist()])
        teams, propensities = page.teams[:shown].tolist(), page.propensities[:shown].tolist()
        return Shown(documents, tuple(teams), tuple(propensities), distinct)

    def credit(self, shown: Shown, clicked: Iterable[Hashable]) -> FloatArray:
        """Return each ranking's credit for clicks on documents; more is better.

        Parameters
        ----------
        shown : Shown
            The list, as this method made it.
        clicked : iterable
            The documents that were clicked, in any order; each counts once.
        """
        require_shown("shown", shown)
        self.require_number(len(shown.rankings))
        flags = np.zeros(len(shown.documents), np.bool_)
        flags[find_clicked(shown.documents, clicked)] = True
        rows, numbers = number_documents(shown.rankings)
        documents = np.array([numbers[document] for document in shown.documents], np.int64)
        taken = np.zeros(len(numbers), np.bool_)
        taken[documents] = True
        teams, propensities = np.array(shown.teams, np.int64), np.array(shown.propensities, np.float64)
        page = Page(documents, teams, propensities, np.full(1, len(flags), np.int64), taken)
        credits = np.zeros(len(rows))
        run_typed(self.settles, self._rules, rows, page, flags, credits)
        return credits

    def outcome(self, shown: Shown, clicked: Iterable[Hashable]) -> float:
        """Return who wins of two rankings, by their credits: 1 the first, 0 the second, 0.5 a tie."""
        credits = self.credit(shown, clicked).tolist()
        if len(credits) != 2:
            raise ParameterError(f"an outcome is of two rankings; see preferences() for {len(credits)}.")
        return outcome_of(*credits)

    def preferences(self, shown: Shown, clicked: Iterable[Hashable]) -> FloatArray:
        """Return preferences: in row i, column j, 1 if i has more credit than j, 0 if less, 0.5 for a tie.

        Of two rankings they are the outcome.
        """
        credits = self.credit(shown, clicked)
        leads = credits[:, None] - credits[None, :]
        if len(credits) > 2:
            leads[np.abs(leads) <= CLOSE * np.abs(credits).max()] = 0.0
            leads = np.sign(leads)
        return np.asarray(0.5 + 0.5 * np.clip(leads, -1.0, 1.0))


def as_rankings(rankings: Iterable[Iterable[Hashable]]) -> Rankings:
    """Return rankings without repeated documents."""
    try:
        return tuple([tuple(dict.fromkeys(ranking)) for ranking in rankings])
    except TypeError as error:
        fault = "rankings must be lists of documents that can be told apart by their hash"
        raise ParameterError(f"{fault}: {error}.") from error


def number_documents(rankings: Rankings) -> tuple[IntArray, dict[Hashable, int]]:
    """Return rankings by number, one in each row, filled up with `END`, and the documents' numbers."""
    together = list(chain.from_iterable(rankings))
    numbers = {document: number for number, document in enumerate(dict.fromkeys(together))}
    flat = [numbers[document] for document in together]
    depth = max(map(len, rankings))
    many = len(rankings)
    if len(flat) == many * depth:
        return np.array(flat, np.int64).reshape(many, depth), numbers
    rows = np.full((many, depth), END)
    start = 0
    for row, ranking in zip(rows, rankings, strict=True):
        row[: len(ranking)] = flat[start : start + len(ranking)]
        start += len(ranking)
    return rows, numbers


def require_shown(name: str, shown: object) -> None:
    """Refuse what is not a list that `interleave` returned."""
    if not isinstance(shown, Shown):
        raise ParameterError(f"{name} must be a list that interleave() returned; got {shown!r:.80}.")


def find_clicked(documents: tuple[Hashable, ...], clicked: Iterable[Hashable]) -> list[int]:
    """Return the places whose document was clicked, each once, from the top."""
    try:
        distinct = set(clicked)
    except TypeError as error:
        raise wrong_clicks(documents, clicked) from error
    places = [place for place, document in enumerate(documents) if document in distinct]
    if len(places) < len(distinct):
        raise wrong_clicks(documents, distinct)
    return places


def wrong_clicks(documents: tuple[Hashable, ...], clicked: Iterable[Hashable]) -> OutcomeError:
    """Return the error for clicks that are not all on documents that were shown."""
    known = clicked if isinstance(clicked, Collection) else ()
    stray = min((document for document in known if document not in documents), key=repr, default=None)
    if stray is None:
        return OutcomeError(f"clicked must be a list of documents that were shown; got {clicked!r}.")
    return OutcomeError(f"{stray!r} was clicked but not shown; clicked must be documents of the list.")
