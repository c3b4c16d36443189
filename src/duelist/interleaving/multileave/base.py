"""The base of all multileaving methods."""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.errors import ParameterError, require_whole
from duelist.interleaving.base import places_clicked
from duelist.interleaving.multileave.drafting import END
from duelist.interleaving.page import Page, draft_many, room_for_page, settle_many
from duelist.kernels.compile import compiled

CLOSE = 1e-9
"""Credits that differ by less, relative to the largest, differ by rounding."""


class ShownMany(NamedTuple):
    """A multileaved list, with all that is needed to credit the clicks on it later.

    Examples
    --------
    >>> from duelist.interleaving.multileave import TeamDraftMultileaving
    >>> shown = TeamDraftMultileaving().interleave([[1, 2], [2, 1], [3]], np.random.default_rng(1))
    >>> shown.documents, shown.teams
    ((2, 3, 1), (1, -1, -1))
    """

    documents: tuple[Hashable, ...]
    """From the top of the list to its end."""
    teams: tuple[int, ...]
    """Of each place, the number of the ranking whose it is, -1 nobody's."""
    propensities: tuple[float, ...]
    """Of each place, the chance that it shows its document, given the list above it."""
    rankings: tuple[tuple[Hashable, ...], ...]
    """The rankings; of a document that was in one more than once, the first place only."""


class Numbered(NamedTuple):
    """Rankings as the kernels read them."""

    rows: IntArray
    numbers: dict[Hashable, int]


@compiled
def fill_page(rules: Any, rankings: IntArray, page: Page, rng: Generator) -> None:
    """Fill a page from where it stands to its end."""
    draft_many(rules, rankings, page, rng)


@compiled
def count_credits(
    rules: Any, rankings: IntArray, page: Page, clicked: BoolArray, credits: FloatArray
) -> None:
    """Write each ranking's credit."""
    settle_many(rules, rankings, page, clicked, credits)


class Multileaving(ABC):
    """Base class of the multileaving methods."""

    @abstractmethod
    def rules(self) -> Any:
        """Return the parameters of the kernels."""

    def interleave(
        self,
        rankings: Iterable[Iterable[Hashable]],
        rng: Generator,
        length: int | None = None,
        after: ShownMany | None = None,
    ) -> ShownMany:
        """Return one list of several rankings.

        Parameters
        ----------
        rankings : iterable of iterables
            The rankings, best document first; they may differ in length and in documents.
        rng : numpy.random.Generator
            Where the draws come from.
        length : int, optional
            How many documents to show in all; by default all there are.
        after : ShownMany, optional
            What was shown of the same rankings before: the result starts with it and continues it.
        """
        distinct = as_rankings(rankings)
        if after is not None and after.rankings != distinct:
            raise ParameterError(
                "after must be a list made of the same rankings; interleave other rankings from their top."
            )
        numbered = number_documents(distinct)
        page = lay_out_many(numbered, length, after)
        fill_page(self.rules(), numbered.rows, page, rng)
        return read_page(page, numbered, distinct)

    def credit(self, shown: ShownMany, clicked: Iterable[Hashable]) -> FloatArray:
        """Return each ranking's credit for clicks on documents; the more the better."""
        flags = places_clicked(shown.documents, clicked)
        numbered = number_documents(shown.rankings)
        page = lay_out_many(numbered, len(flags), shown)
        credits = np.zeros(len(shown.rankings))
        count_credits(self.rules(), numbered.rows, page, np.array(flags, np.bool_), credits)
        return credits

    def preferences(self, shown: ShownMany, clicked: Iterable[Hashable]) -> FloatArray:
        """Return who beats whom: in row i, column j, 1 if i has more credit than j, 0 if less, 0.5 a tie."""
        credits = self.credit(shown, clicked)
        leads = credits[:, None] - credits[None, :]
        leads[np.abs(leads) <= CLOSE * np.abs(credits).max()] = 0.0
        return np.asarray(0.5 + 0.5 * np.sign(leads), dtype=np.float64)


def as_rankings(rankings: Iterable[Iterable[Hashable]]) -> tuple[tuple[Hashable, ...], ...]:
    """Return rankings without repetitions, at least one."""
    try:
        distinct = tuple(tuple(dict.fromkeys(ranking)) for ranking in rankings)
    except TypeError as error:
        raise ParameterError(
            "rankings must be lists of documents that can be told apart by their hash, as str, int and tuple "
            f"can: {error}."
        ) from error
    if not distinct:
        raise ParameterError("rankings must hold at least one ranking; got none.")
    return distinct


def number_documents(rankings: tuple[tuple[Hashable, ...], ...]) -> Numbered:
    """Return rankings of numbers from 0, one a row, filled up with `END`."""
    numbers: dict[Hashable, int] = {}
    rows = np.full((len(rankings), max(map(len, rankings))), END)
    for row, ranking in zip(rows, rankings, strict=True):
        for rank, document in enumerate(ranking):
            row[rank] = numbers.setdefault(document, len(numbers))
    return Numbered(rows, numbers)


def lay_out_many(numbered: Numbered, length: int | None, after: ShownMany | None) -> Page:
    """Return a page with room for a list of a length, which starts with what was shown before."""
    shown = 0 if after is None else len(after.documents)
    room = documents = len(numbered.numbers)
    if length is not None:
        require_whole("length", length, shown)
        room = min(int(length), documents)
    page = room_for_page(room, documents)
    if after is not None:
        page.documents[:shown] = [numbered.numbers[document] for document in after.documents]
        page.teams[:shown] = after.teams
        page.propensities[:shown] = after.propensities
        page.taken[page.documents[:shown]] = True
        page.shown[0] = shown
    return page


def read_page(page: Page, numbered: Numbered, rankings: tuple[tuple[Hashable, ...], ...]) -> ShownMany:
    """Return what a page shows."""
    shown = page.shown[0]
    names = list(numbered.numbers)
    return ShownMany(
        documents=tuple(names[number] for number in page.documents[:shown]),
        teams=tuple(page.teams[:shown].tolist()),
        propensities=tuple(page.propensities[:shown].tolist()),
        rankings=rankings,
    )
