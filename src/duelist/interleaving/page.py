"""The page of documents, numbered from 0, that interleaving kernels fill and read.

A method is a NamedTuple of rules with an overload of `draft` and one of `settle`. Rankings are rows of
numbers; the rows of rankings that are shorter than others are filled up with `END`.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.errors import ParameterError
from duelist.kernels.compile import NO_BODY, OVERLOADS, borrowing, compiled, jitable, overloaded

NOBODY = -1
"""Instead of the number of a ranking: a shown document is credited to none."""
END = -1
"""Instead of the number of a document: the ranking has no more."""

ALL, FIRST, UNSHARED = 0, 1, 2
COUNTING = ("all", "first", "unshared")
"""Which clicks count: all; only the topmost clicked place; all but those on the prefix that all rankings
have in common, which say nothing about any."""


class Page(NamedTuple):
    """The documents that are shown, and room for more."""

    documents: IntArray
    teams: IntArray  # the ranking that each document is credited to
    propensities: FloatArray  # the chance that a place shows its document, given the documents above it
    shown: IntArray  # one number: how many documents there are so far
    taken: BoolArray  # for each document, whether it is on the page


def page_buffer(length: int, documents: int) -> Page:
    """Return an empty page of a length, for documents numbered below `documents`."""
    shown, taken = np.zeros(1, np.int64), np.zeros(documents, np.bool_)
    return Page(np.zeros(length, np.int64), np.zeros(length, np.int64), np.zeros(length), shown, taken)


@borrowing
def wipe(page: Page) -> None:
    """Empty a page."""
    for place in range(page.shown[0]):
        page.taken[page.documents[place]] = False
    page.shown[0] = 0


@borrowing
def put(document: int, team: int, propensity: float, page: Page) -> None:
    """Show a document at the next place of a page."""
    place = page.shown[0]
    page.documents[place] = document
    page.teams[place] = team
    page.propensities[place] = propensity
    page.taken[document] = True
    page.shown[0] = place + 1


@overloaded
def draft(rules: Any, rankings: IntArray, page: Page, rng: Generator) -> None:
    """Fill the rest of a page from rankings, one in each row, as far as they go."""
    raise TypeError(NO_BODY)


@overloaded
def settle(rules: Any, rankings: IntArray, page: Page, clicked: BoolArray, credits: FloatArray) -> None:
    """Write each ranking's credit for the clicks on a page."""
    raise TypeError(NO_BODY)


@compiled
def draft_page(rules: Any, rankings: IntArray, page: Page, rng: Generator) -> None:
    """Fill the rest of a page: `draft`, compiled for calls from Python."""
    draft(rules, rankings, page, rng)


@compiled
def settle_page(rules: Any, rankings: IntArray, page: Page, clicked: BoolArray, credits: FloatArray) -> None:
    """Write each ranking's credit: `settle`, compiled for calls from Python."""
    settle(rules, rankings, page, clicked, credits)


@jitable
def outcome_of(first: float, second: float) -> float:
    """Return who wins of two rankings, by their credits: 1 the first, 0 the second, 0.5 a tie.

    A lead of a whole click wins; of less, as much is won as the lead is likely to be one.
    """
    return min(1.0, max(0.0, 0.5 + 0.5 * (first - second)))


def is_compiled(method: Any) -> bool:
    """Return whether a method has kernels that other kernels can call."""
    rules = getattr(method, "rules", None)
    return rules is not None and type(rules()) in OVERLOADS[draft]


def require_compiled(name: str, method: Any, rankings: int) -> None:
    """Refuse a method without kernels that other kernels can call, or for other numbers of rankings."""
    if not is_compiled(method):
        raise ParameterError(f"{name} must be a method with compiled kernels; got {method!r}.")
    method.require_number(rankings)


@borrowing
def length_of(ranking: IntArray) -> int:
    """Return how many documents a row holds."""
    length = len(ranking)
    while length > 0 and ranking[length - 1] == END:
        length -= 1
    return length


@borrowing
def shortest_length(rankings: IntArray) -> int:
    """Return how many documents the shortest ranking holds: any ranking can fill that many places."""
    shortest: int = rankings.shape[1]
    for ranking in range(len(rankings)):
        shortest = min(shortest, length_of(rankings[ranking]))
    return shortest


@borrowing
def shared_prefix(rankings: IntArray) -> int:
    """Return how many documents all rankings have in common before they first differ."""
    depth, most = 0, shortest_length(rankings)
    while depth < most:
        for ranking in range(1, len(rankings)):
            if rankings[ranking, depth] != rankings[0, depth]:
                return depth
        depth += 1
    return depth


@borrowing
def best_left(rankings: IntArray, ranking: int, heads: IntArray, taken: BoolArray) -> int:
    """Return a ranking's best document not on the page, or `END`; `heads` is how far each was read."""
    while heads[ranking] < rankings.shape[1]:
        document = int(rankings[ranking, heads[ranking]])
        if document == END or not taken[document]:
            return document
        heads[ranking] += 1
    return END


@borrowing
def all_that_can(rankings: IntArray, heads: IntArray, taken: BoolArray, asked: IntArray) -> int:
    """Write which rankings have documents left; return their number."""
    left = 0
    for ranking in range(len(rankings)):
        if best_left(rankings, ranking, heads, taken) != END:
            asked[left] = ranking
            left += 1
    return left


@borrowing
def draw_place(left: int, many: int, rng: Generator) -> int:
    """Return which of the rankings that are left is next; of two, the only one left is not drawn."""
    return 0 if left == 1 and many == 2 else int(rng.random() * left)


@borrowing
def place_of(document: int, page: Page) -> int:
    """Return where a document stands on a page."""
    place = 0
    while page.documents[place] != document:
        place += 1
    return place
