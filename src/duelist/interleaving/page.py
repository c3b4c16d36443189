"""The page of documents, numbered from 0, that interleaving kernels fill and read.

A method is a NamedTuple of rules with two overloads.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.errors import ParameterError
from duelist.kernels.compile import NO_BODY, OVERLOADS, borrowing, compiled, jitable, overloaded

LEFT, RIGHT, NOBODY = 0, 1, -1
"""The ranking that a shown document is credited to; of several rankings, its number."""
END = -1  # fills the rows of rankings that are shorter than others

ALL, FIRST, UNSHARED = 0, 1, 2
COUNTING = ("all", "first", "unshared")
"""Which clicks count: all; only the topmost clicked place; all but those on the prefix that both rankings
have in common, which say nothing about either."""


class Page(NamedTuple):
    """The documents that are shown, and room for more."""

    documents: IntArray
    teams: IntArray  # the ranking that each document is credited to
    propensities: FloatArray  # the chance that a place shows its document, given the documents above it
    shown: IntArray  # one number: how many documents there are so far
    taken: BoolArray  # for each document, whether it is on the page


def room_for_page(length: int, documents: int) -> Page:
    """Return an empty page of a length, for documents numbered below `documents`."""
    shown, taken = np.zeros(1, np.int64), np.zeros(documents, np.bool_)
    return Page(np.empty(length, np.int64), np.empty(length, np.int64), np.empty(length), shown, taken)


def begun_page(numbers: dict[Hashable, int], room: int, begun: Sequence[Sequence[Any]]) -> Page:
    """Return a page that begins with the documents, teams and propensities that were shown before."""
    page = room_for_page(room, len(numbers))
    documents, teams, propensities = begun
    page.shown[0] = count = len(documents)
    page.documents[:count] = [numbers[document] for document in documents]
    page.teams[:count] = teams
    page.propensities[:count] = propensities
    page.taken[page.documents[:count]] = True
    return page


def number_documents(rankings: Sequence[Sequence[Hashable]]) -> tuple[IntArray, dict[Hashable, int]]:
    """Return rankings by number, one in each row, filled up with `END`, and the documents' numbers."""
    numbers: dict[Hashable, int] = {}
    rows = np.full((len(rankings), max(map(len, rankings))), END)
    for row, ranking in zip(rows, rankings, strict=True):
        row[: len(ranking)] = [numbers.setdefault(document, len(numbers)) for document in ranking]
    return rows, numbers


@borrowing
def wipe(page: Page) -> None:
    """Empty a page."""
    for place in range(page.shown[0]):
        page.taken[page.documents[place]] = False
    page.shown[0] = 0


@compiled
def put(document: int, team: int, propensity: float, page: Page) -> None:
    """Show a document at the next place of a page."""
    place = page.shown[0]
    page.documents[place] = document
    page.teams[place] = team
    page.propensities[place] = propensity
    page.taken[document] = True
    page.shown[0] = place + 1


@overloaded
def draft(rules: Any, left: IntArray, right: IntArray, page: Page, rng: Generator) -> None:
    """Fill the rest of a page from two rankings, as far as they go."""
    raise TypeError(NO_BODY)


@overloaded
def settle(rules: Any, left: IntArray, right: IntArray, page: Page, clicked: BoolArray) -> float:
    """Return the outcome of the clicks on a page: 1 left wins, 0 right wins, 0.5 a tie."""
    raise TypeError(NO_BODY)


@overloaded
def draft_many(rules: Any, rankings: IntArray, page: Page, rng: Generator) -> None:
    """Fill the rest of a page from several rankings, one in each row."""
    raise TypeError(NO_BODY)


@overloaded
def settle_many(rules: Any, rankings: IntArray, page: Page, clicked: BoolArray, credits: FloatArray) -> None:
    """Write each ranking's credit for the clicks on a page."""
    raise TypeError(NO_BODY)


def is_compiled(method: Any, kernel: Callable[..., Any]) -> bool:
    """Return whether a method has an overload of a kernel, such as `draft`."""
    rules = getattr(method, "rules", None)
    return rules is not None and type(rules()) in OVERLOADS[kernel]


def require_compiled(name: str, method: Any, kernel: Callable[..., Any]) -> None:
    """Refuse a method that has no overload of a kernel."""
    if not is_compiled(method, kernel):
        raise ParameterError(f"{name} must be a method with compiled kernels; got {method!r}.")


@jitable
def verdict(lead: float) -> float:
    """Return the outcome of a lead of the left ranking: 1 left wins, 0 right wins, 0.5 a tie."""
    return 1.0 if lead > 0 else 0.0 if lead < 0 else 0.5


@jitable
def shared_prefix(left: IntArray, right: IntArray) -> int:
    """Return how many documents two rankings have in common before they first differ."""
    depth = 0
    while depth < len(left) and depth < len(right) and left[depth] == right[depth]:
        depth += 1
    return depth
