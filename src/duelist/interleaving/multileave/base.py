"""The base of all multileaving methods, and the kernels they share.

A kernel's rankings are the rows of one array. A row that is shorter than the others ends with the first -1.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.errors import ParameterError, require_whole
from duelist.interleaving.base import places_clicked
from duelist.interleaving.page import Page, draft_many, room_for_page, settle_many
from duelist.kernels.compile import compiled

END = -1
"""What stands in a row behind the last document of its ranking."""

CLOSE = 1e-9
"""Credits that differ by less, relative to the largest, differ by rounding."""


@compiled
def length_of(ranking: IntArray) -> int:
    """Return how many documents a row holds."""
    length = len(ranking)
    while length > 0 and ranking[length - 1] == END:
        length -= 1
    return length


@compiled
def shortest_length(rankings: IntArray) -> int:
    """Return how many documents the shortest ranking holds: that many places can be filled by any one."""
    shortest: int = rankings.shape[1]
    for ranking in range(len(rankings)):
        shortest = min(shortest, length_of(rankings[ranking]))
    return shortest


@compiled
def best_left(rankings: IntArray, ranking: int, heads: IntArray, taken: BoolArray) -> int:
    """Return a ranking's best document not on the page, or `END`; `heads` keeps how far each was read."""
    depth = rankings.shape[1]
    head = heads[ranking]
    document = rankings[ranking, head] if head < depth else END
    while document != END and taken[document]:
        head += 1
        document = rankings[ranking, head] if head < depth else END
    heads[ranking] = head
    return int(document)


@compiled
def all_that_can(rankings: IntArray, heads: IntArray, taken: BoolArray, asked: IntArray) -> int:
    """Write which rankings have documents left; return how many they are."""
    left = 0
    for ranking in range(len(rankings)):
        if best_left(rankings, ranking, heads, taken) != END:
            asked[left] = ranking
            left += 1
    return left


@compiled
def put(document: int, team: int, propensity: float, page: Page) -> None:
    """Show a document at the next place of a page."""
    place = page.shown[0]
    page.documents[place] = document
    page.teams[place] = team
    page.propensities[place] = propensity
    page.taken[document] = True
    page.shown[0] = place + 1


@compiled
def place_of(document: int, page: Page) -> int:
    """Return where a document stands on a page."""
    place = 0
    while page.documents[place] != document:
        place += 1
    return place


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
        """Return one list of several rankings; parameters are those of `Interleaving.interleave`."""
        try:
            distinct = tuple(tuple(dict.fromkeys(ranking)) for ranking in rankings)
        except TypeError as error:
            raise ParameterError(
                "rankings must be lists of documents that can be told apart by their hash, as str, int and "
                f"tuple can: {error}."
            ) from error
        if not distinct:
            raise ParameterError("rankings must hold at least one ranking; got none.")
        if after is not None and after.rankings != distinct:
            raise ParameterError(
                "after must be a list made of the same rankings; interleave other rankings from their top."
            )
        rows, numbers = number_documents(distinct)
        page = lay_out_many(numbers, length, after)
        fill_page(self.rules(), rows, page, rng)
        shown = page.shown[0]
        names = list(numbers)
        return ShownMany(
            documents=tuple(names[number] for number in page.documents[:shown]),
            teams=tuple(page.teams[:shown].tolist()),
            propensities=tuple(page.propensities[:shown].tolist()),
            rankings=distinct,
        )

    def credit(self, shown: ShownMany, clicked: Iterable[Hashable]) -> FloatArray:
        """Return each ranking's credit for clicks on documents; the more the better."""
        flags = places_clicked(shown.documents, clicked)
        rows, numbers = number_documents(shown.rankings)
        page = lay_out_many(numbers, len(flags), shown)
        credits = np.zeros(len(shown.rankings))
        count_credits(self.rules(), rows, page, np.array(flags, np.bool_), credits)
        return credits

    def preferences(self, shown: ShownMany, clicked: Iterable[Hashable]) -> FloatArray:
        """Return who beats whom: in row i, column j, 1 if i has more credit than j, 0 if less, 0.5 a tie."""
        credits = self.credit(shown, clicked)
        leads = credits[:, None] - credits[None, :]
        leads[np.abs(leads) <= CLOSE * np.abs(credits).max()] = 0.0
        return np.asarray(0.5 + 0.5 * np.sign(leads), dtype=np.float64)


def number_documents(rankings: tuple[tuple[Hashable, ...], ...]) -> tuple[IntArray, dict[Hashable, int]]:
    """Return rankings of numbers from 0, one a row, filled up with `END`, and the documents' numbers."""
    numbers: dict[Hashable, int] = {}
    rows = np.full((len(rankings), max(map(len, rankings))), END)
    for row, ranking in zip(rows, rankings, strict=True):
        for rank, document in enumerate(ranking):
            row[rank] = numbers.setdefault(document, len(numbers))
    return rows, numbers


def lay_out_many(numbers: dict[Hashable, int], length: int | None, after: ShownMany | None) -> Page:
    """Return a page with room for a list of a length, which starts with what was shown before."""
    shown = 0 if after is None else len(after.documents)
    room = documents = len(numbers)
    if length is not None:
        require_whole("length", length, shown)
        room = min(int(length), documents)
    page = room_for_page(room, documents)
    if after is not None:
        page.documents[:shown] = [numbers[document] for document in after.documents]
        page.teams[:shown] = after.teams
        page.propensities[:shown] = after.propensities
        page.taken[page.documents[:shown]] = True
        page.shown[0] = shown
    return page
