"""One list made of several rankings, as it is shown."""

from collections.abc import Hashable, Iterable
from typing import NamedTuple

import numpy as np

from duelist.duel import IntArray
from duelist.errors import ParameterError, require_whole
from duelist.interleaving.multileave.drafting import END
from duelist.interleaving.page import Page, room_for_page


class ShownMany(NamedTuple):
    """What a person is shown, with all that is needed to read the clicks on it later.

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
