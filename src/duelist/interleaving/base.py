"""The base class of interleaving methods: n rankings are merged into one list, and clicks on it are credited.

Documents may be any hashable objects; kernels only see their indices.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
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

CLOSE = 1e-9  # smaller differences of credits, relative to the largest, are rounding errors

Rankings: TypeAlias = tuple[tuple[Hashable, ...], ...]


class Interleaving(ABC):
    """The base class of interleaving methods: frozen dataclasses of their hyperparameters.

    Examples
    --------
    >>> from duelist.interleaving import SampleOnly, TeamDraft
    >>> isinstance(TeamDraft(), Interleaving), SampleOnly.fewest
    (True, 3)
    """

    fewest: ClassVar[int] = 2
    """The minimum number of rankings."""
    most: ClassVar[int | None] = None
    """The maximum number of rankings; None if there is no limit."""
    fair: ClassVar[tuple[str, ...]] = ()
    """The countings for which no ranking wins more often if clicks are independent of the documents."""
    _draft: ClassVar[Callable[..., None]] = staticmethod(draft_page)
    _settle: ClassVar[Callable[..., None]] = staticmethod(settle_page)
    _rules: Any

    def __post_init__(self) -> None:
        check_fields(self)
        vars(self)["_rules"] = self.rules()

    @abstractmethod
    def rules(self) -> Any:
        """Return the hyperparameters in the kernels' form.

        Returns
        -------
        NamedTuple
            The rules; their type selects the kernels.

        Raises
        ------
        UnknownNameError, ParameterError
            If a hyperparameter is invalid.

        Examples
        --------
        >>> from duelist.interleaving import SampleOnly
        >>> SampleOnly(tau=2.0).rules()
        SampleOnlyRules(tau=2.0)
        """

    def counting_rule(self, no_unshared: str = "") -> int:
        """Return the index of the counting; the hook of methods with a hyperparameter `counting`.

        Parameters
        ----------
        no_unshared : str, default ""
            If the method cannot count "unshared": why not.

        Returns
        -------
        int
            The index in `COUNTING`.

        Raises
        ------
        UnknownNameError
            If there is no such counting.
        ParameterError
            If `counting` is "unshared" and `no_unshared` is given.

        Examples
        --------
        >>> from duelist.interleaving import TeamDraft
        >>> TeamDraft(counting="first").counting_rule()
        1
        """
        counting: object = getattr(self, "counting", None)
        if counting not in COUNTING:
            raise UnknownNameError("counting", counting, COUNTING)
        if counting == "unshared" and no_unshared:
            fault = f"counting 'unshared' is not available for {type(self).__name__}: {no_unshared}"
            raise ParameterError(f"{fault}. Use 'all' or 'first'.")
        return COUNTING.index(str(counting))

    @classmethod
    def require_number(cls, rankings: int) -> None:
        """Check that the method takes this number of rankings.

        Parameters
        ----------
        rankings : int
            The number of rankings.

        Raises
        ------
        ParameterError
            If it does not.

        Examples
        --------
        >>> from duelist.interleaving import TeamDraft
        >>> TeamDraft.require_number(2)
        """
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
        """Merge rankings into one list.

        Parameters
        ----------
        rankings : iterable of iterables
            The rankings, best document first; they may differ in length and in documents.
        rng : numpy.random.Generator
            Draws the list.
        length : int, optional
            The total number of documents to show; all by default.
        after : Shown, optional
            A list of the same rankings to continue, as if both had been drawn at once.

        Returns
        -------
        Shown
            The list, and what `credit` needs later.

        Raises
        ------
        ParameterError
            If the number of rankings, a document, `length` or `after` is invalid.

        Examples
        --------
        >>> from duelist.interleaving import TeamDraft
        >>> shown = TeamDraft().interleave([["a", "b", "c"], ["b", "d"]], np.random.default_rng(5), length=2)
        >>> shown.documents, shown.teams
        (('b', 'a'), (1, 0))
        """
        require_generator(rng)
        distinct = as_rankings(rankings)
        self.require_number(len(distinct))
        if after is not None:
            require_shown("after", after)
            if after.rankings != distinct:
                raise ParameterError("after must be a list of the same rankings; omit it for other rankings.")
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
        run_typed(self._draft, self._rules, rows, page, rng)
        names, shown = list(numbers), page.shown[0]
        documents = tuple([names[number] for number in page.documents[:shown].tolist()])
        teams, propensities = page.teams[:shown].tolist(), page.propensities[:shown].tolist()
        return Shown(documents, tuple(teams), tuple(propensities), distinct)

    def credit(self, shown: Shown, clicked: Iterable[Hashable]) -> FloatArray:
        """Return each ranking's credit for clicks on documents; more is better.

        Parameters
        ----------
        shown : Shown
            A list that this method drew.
        clicked : iterable
            The clicked documents, in any order; each counts once.

        Returns
        -------
        array of float
            A number for each ranking.

        Raises
        ------
        OutcomeError
            If a clicked document is not on the list.
        ParameterError
            If `shown` is not a list of as many rankings as the method takes.

        Examples
        --------
        >>> from duelist.interleaving import TeamDraft
        >>> shown = TeamDraft().interleave([["a", "b", "c"], ["b", "d"]], np.random.default_rng(5))
        >>> TeamDraft().credit(shown, clicked=["b"])
        array([0., 1.])
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
        run_typed(self._settle, self._rules, rows, page, flags, credits)
        return credits

    def outcome(self, shown: Shown, clicked: Iterable[Hashable]) -> float:
        """Return which of two rankings wins by its credit.

        Parameters
        ----------
        shown : Shown
            A list that this method drew from two rankings.
        clicked : iterable
            The clicked documents, in any order; each counts once.

        Returns
        -------
        float
            1 if the first ranking wins, 0 if the second does, 0.5 for a tie; between for a lead of less than
            a click.

        Raises
        ------
        OutcomeError
            If a clicked document is not on the list.
        ParameterError
            If the list has more than two rankings.

        Examples
        --------
        >>> from duelist.interleaving import TeamDraft
        >>> shown = TeamDraft().interleave([["a", "b", "c"], ["b", "d"]], np.random.default_rng(5))
        >>> TeamDraft().outcome(shown, clicked=["b"])
        0.0
        """
        credits = self.credit(shown, clicked).tolist()
        if len(credits) != 2:
            raise ParameterError(
                f"shown has {len(credits)} rankings; outcome() takes 2, use preferences() for more."
            )
        return outcome_of(*credits)

    def preferences(self, shown: Shown, clicked: Iterable[Hashable]) -> FloatArray:
        """Return the preferences between all pairs of rankings; of two rankings, the outcome.

        Parameters
        ----------
        shown : Shown
            A list that this method drew.
        clicked : iterable
            The clicked documents, in any order; each counts once.

        Returns
        -------
        array of shape (rankings, rankings)
            In row i, column j: 1 if i has more credit than j, 0 if less, 0.5 for a tie.

        Raises
        ------
        OutcomeError
            If a clicked document is not on the list.

        Examples
        --------
        >>> from duelist.interleaving import TeamDraft
        >>> shown = TeamDraft().interleave(["abc", "bcd", "cda"], np.random.default_rng(1), length=3)
        >>> TeamDraft().preferences(shown, clicked=["b"])
        array([[0.5, 0. , 0.5],
               [1. , 0.5, 1. ],
               [0.5, 0. , 0.5]])
        """
        credits = self.credit(shown, clicked)
        leads = credits[:, None] - credits[None, :]
        if len(credits) > 2:
            leads[np.abs(leads) <= CLOSE * np.abs(credits).max()] = 0.0
            leads = np.sign(leads)
        return np.asarray(0.5 + 0.5 * np.clip(leads, -1.0, 1.0))


def as_rankings(rankings: Iterable[Iterable[Hashable]]) -> Rankings:
    """Return the rankings without repeated documents."""
    if isinstance(rankings, str | Mapping):
        raise ParameterError(f"rankings must be a list of lists of documents; got {rankings!r:.80}.")
    try:
        return tuple([tuple(dict.fromkeys(ranking)) for ranking in rankings])
    except TypeError as error:
        raise ParameterError(f"rankings must be lists of hashable documents: {error}.") from error


def number_documents(rankings: Rankings) -> tuple[IntArray, dict[Hashable, int]]:
    """Return the rankings as rows of indices, padded with `END`, and the index of each document."""
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
    if not isinstance(shown, Shown):
        raise ParameterError(f"{name} must be a list that interleave() returned; got {shown!r:.80}.")


def find_clicked(documents: tuple[Hashable, ...], clicked: Iterable[Hashable]) -> list[int]:
    """Return the places of the clicked documents, from the top."""
    try:
        distinct = set(clicked)
    except TypeError as error:
        raise wrong_clicks(documents, clicked) from error
    places = [place for place, document in enumerate(documents) if document in distinct]
    if len(places) < len(distinct):
        raise wrong_clicks(documents, distinct)
    return places


def wrong_clicks(documents: tuple[Hashable, ...], clicked: Iterable[Hashable]) -> OutcomeError:
    known = clicked if isinstance(clicked, Collection) else ()
    stray = min((document for document in known if document not in documents), key=repr, default=None)
    if stray is None:
        return OutcomeError(f"clicked must be an iterable of documents on the list; got {clicked!r}.")
    return OutcomeError(f"clicked has {stray!r}, which was not shown; give only documents on the list.")
