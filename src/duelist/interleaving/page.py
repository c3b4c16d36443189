"""The page of documents, numbered from 0, that interleaving kernels fill and read.

A method is a NamedTuple of rules with an overload of `draft` and one of `settle`. Rankings are rows of
document numbers; shorter rankings are padded with `END`.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.errors import ParameterError
from duelist.kernels.compile import NO_BODY, OVERLOADS, borrowing, compiled, jitable, overloaded

NOBODY = -1
"""In place of a ranking's number: the document is credited to no ranking."""
END = -1
"""In place of a document's number: the ranking has ended."""

ALL, FIRST, UNSHARED = 0, 1, 2
COUNTING = ("all", "first", "unshared")
"""Which clicks count: all; only the topmost clicked place; all but those on the common prefix of all
rankings."""


class Page(NamedTuple):
    """A buffer for the documents that are shown."""

    documents: IntArray
    teams: IntArray  # the ranking that each document is credited to
    propensities: FloatArray  # the probability of each place's document, given the documents above it
    shown: IntArray  # one number: the documents so far
    taken: BoolArray  # for each document, whether it is on the page


def page_buffer(length: int, documents: int) -> Page:
    """Allocate an empty page for `length` out of `documents` documents."""
    shown, taken = np.zeros(1, np.int64), np.zeros(documents, np.bool_)
    return Page(np.zeros(length, np.int64), np.zeros(length, np.int64), np.zeros(length), shown, taken)


@borrowing
def wipe(page: Page) -> None:
    for place in range(page.shown[0]):
        page.taken[page.documents[place]] = False
    page.shown[0] = 0


@borrowing
def put(document: int, team: int, propensity: float, page: Page) -> None:
    place = page.shown[0]
    page.documents[place] = document
    page.teams[place] = team
    page.propensities[place] = propensity
    page.taken[document] = True
    page.shown[0] = place + 1


@overloaded
def draft(rules: Any, rankings: IntArray, page: Page, rng: Generator) -> None:
    """Fill the rest of a page from rankings, one per row, until it is full or they are exhausted."""
    raise TypeError(NO_BODY)


@overloaded
def settle(rules: Any, rankings: IntArray, page: Page, clicked: BoolArray, credits: FloatArray) -> None:
    raise TypeError(NO_BODY)


@compiled
def draft_page(rules: Any, rankings: IntArray, page: Page, rng: Generator) -> None:
    """Call `draft` from Python."""
    draft(rules, rankings, page, rng)


@compiled
def settle_page(rules: Any, rankings: IntArray, page: Page, clicked: BoolArray, credits: FloatArray) -> None:
    """Call `settle` from Python."""
    settle(rules, rankings, page, clicked, credits)


@jitable
def outcome_of(first: float, second: float) -> float:
    """Return the outcome of two rankings' credits: 1 the first wins, 0 the second, 0.5 a tie.

    A lead of a whole click wins; a smaller lead counts as the probability of such a lead.
    """
    return min(1.0, max(0.0, 0.5 + 0.5 * (first - second)))


def is_compiled(method: Any) -> bool:
    rules = getattr(method, "rules", None)
    return rules is not None and type(rules()) in OVERLOADS[draft]


def require_compiled(name: str, method: Any, rankings: int) -> None:
    """Raise ParameterError if the method has no compiled kernels, or takes another number of rankings."""
    if not is_compiled(method):
        raise ParameterError(f"{name} must be a method with compiled kernels; got {method!r}.")
    method.require_number(rankings)


@borrowing
def length_of(ranking: IntArray) -> int:
    length = len(ranking)
    while length > 0 and ranking[length - 1] == END:
        length -= 1
    return length


@borrowing
def shortest_length(rankings: IntArray) -> int:
    """Return the length of the shortest ranking: any ranking can fill that many places."""
    shortest: int = rankings.shape[1]
    for ranking in range(len(rankings)):
        shortest = min(shortest, length_of(rankings[ranking]))
    return shortest


@borrowing
def shared_prefix(rankings: IntArray) -> int:
    """Return the length of the common prefix of all rankings."""
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
    """Write which rankings have documents left and return their number."""
    left = 0
    for ranking in range(len(rankings)):
        if best_left(rankings, ranking, heads, taken) != END:
            asked[left] = ranking
            left += 1
    return left


@borrowing
def draw_ranking(left: int, many: int, rng: Generator) -> int:
    """Draw which of the remaining rankings is next; if one of two remains, no random number is used."""
    return 0 if left == 1 and many == 2 else int(rng.random() * left)


@borrowing
def place_of(document: int, page: Page) -> int:
    place = 0
    while page.documents[place] != document:
        place += 1
    return place
