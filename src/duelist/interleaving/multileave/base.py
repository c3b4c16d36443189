"""The base of all multileaving methods, and the kernels they share."""

from collections.abc import Hashable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.errors import ParameterError, require_generator, require_whole
from duelist.interleaving.base import Method, flag_clicked, require_shown
from duelist.interleaving.page import END, Page, begun_page, draft_many, number_documents, settle_many
from duelist.kernels.compile import compiled

CLOSE = 1e-9  # credits that differ by less, relative to the largest, differ by rounding


@compiled
def length_of(ranking: IntArray) -> int:
    """Return how many documents a row holds."""
    length = len(ranking)
    while length > 0 and ranking[length - 1] == END:
        length -= 1
    return length


@compiled
def shortest_length(rankings: IntArray) -> int:
    """Return how many documents the shortest ranking holds: any ranking can fill that many places."""
    shortest: int = rankings.shape[1]
    for ranking in range(len(rankings)):
        shortest = min(shortest, length_of(rankings[ranking]))
    return shortest


@compiled
def best_left(rankings: IntArray, ranking: int, heads: IntArray, taken: BoolArray) -> int:
    """Return a ranking's best document not on the page, or `END`; `heads` is how far each was read."""
    while heads[ranking] < rankings.shape[1]:
        document = int(rankings[ranking, heads[ranking]])
        if document == END or not taken[document]:
            return document
        heads[ranking] += 1
    return END


@compiled
def all_that_can(rankings: IntArray, heads: IntArray, taken: BoolArray, asked: IntArray) -> int:
    """Write which rankings have documents left; return their number."""
    left = 0
    for ranking in range(len(rankings)):
        if best_left(rankings, ranking, heads, taken) != END:
            asked[left] = ranking
            left += 1
    return left


@compiled
def place_of(document: int, page: Page) -> int:
    """Return where a document stands on a page."""
    place = 0
    while page.documents[place] != document:
        place += 1
    return place


class ShownMany(NamedTuple):
    """A multileaved list, with everything needed to credit the clicks on it later.

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
    """The number of the ranking that each place is credited to, -1 for nobody."""
    propensities: tuple[float, ...]
    """The chance of each place to show its document, given the list above it."""
    rankings: tuple[tuple[Hashable, ...], ...]
    """Without repeated documents."""


@compiled
def fill_page(rules: Any, rankings: IntArray, page: Page, rng: Generator) -> None:
    """Fill the rest of a page: `draft_many`, compiled for calls from Python."""
    draft_many(rules, rankings, page, rng)


@compiled
def count_credits(
    rules: Any, rankings: IntArray, page: Page, clicked: BoolArray, credits: FloatArray
) -> None:
    """Write each ranking's credit: `settle_many`, compiled for calls from Python."""
    settle_many(rules, rankings, page, clicked, credits)


class Multileaving(Method):
    """Base class of the multileaving methods."""

    def interleave(
        self,
        rankings: Iterable[Iterable[Hashable]],
        rng: Generator,
        length: int | None = None,
        after: ShownMany | None = None,
    ) -> ShownMany:
        """Return one list made from several rankings; parameters are those of `Interleaving.interleave`."""
        require_generator(rng)
        try:
            distinct = tuple(tuple(dict.fromkeys(ranking)) for ranking in rankings)
        except TypeError as error:
            fault = "rankings must be lists of documents that can be told apart by their hash"
            raise ParameterError(f"{fault}: {error}.") from error
        if not distinct:
            raise ParameterError("rankings must hold at least one ranking; got none.")
        if after is not None:
            require_shown("after", after, ShownMany)
            if after.rankings != distinct:
                raise ParameterError("after must be a list of the same rankings; else leave it out.")
        rows, numbers = number_documents(distinct)
        begun = ((), (), ()) if after is None else after[:3]
        room = len(numbers)
        if length is not None:
            require_whole("length", length, len(begun[0]))
            room = min(int(length), room)
        page = begun_page(numbers, room, begun)
        fill_page(self.rules(), rows, page, rng)
        shown = page.shown[0]
        names = list(numbers)
        documents = tuple(names[number] for number in page.documents[:shown])
        teams, propensities = page.teams[:shown].tolist(), page.propensities[:shown].tolist()
        return ShownMany(documents, tuple(teams), tuple(propensities), distinct)

    def credit(self, shown: ShownMany, clicked: Iterable[Hashable]) -> FloatArray:
        """Return each ranking's credit for clicks on documents; more is better."""
        require_shown("shown", shown, ShownMany)
        flags = flag_clicked(shown.documents, clicked)
        rows, numbers = number_documents(shown.rankings)
        page = begun_page(numbers, len(flags), shown[:3])
        credits = np.zeros(len(shown.rankings))
        count_credits(self.rules(), rows, page, np.array(flags, np.bool_), credits)
        return credits

    def preferences(self, shown: ShownMany, clicked: Iterable[Hashable]) -> FloatArray:
        """Return preferences: in row i, column j, 1 if i has more credit than j, 0 if less, 0.5 for a tie."""
        credits = self.credit(shown, clicked)
        leads = credits[:, None] - credits[None, :]
        leads[np.abs(leads) <= CLOSE * np.abs(credits).max()] = 0.0
        return np.asarray(0.5 + 0.5 * np.sign(leads))
