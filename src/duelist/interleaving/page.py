"""The page of documents that interleaving kernels fill and read, and the rules of crediting clicks on it.

Kernels know documents by number, from 0. A method is a NamedTuple of rules with two overloads.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.errors import ParameterError
from duelist.kernels.compile import NO_BODY, OVERLOADS, borrowing, compiled, jitable, overloaded

LEFT, RIGHT, NOBODY = 0, 1, -1
"""Whose a shown document is; of several rankings, it is the number of one of them."""

END = -1
"""What stands in a row of rankings behind the last document of one that is shorter than others."""

ALL, FIRST, UNSHARED = 0, 1, 2

COUNTING = ("all", "first", "unshared")
"""The names of these rules: every clicked place counts; only the topmost clicked one; all but documents of
the prefix that both rankings have in common, of which no click can tell anything."""


class Page(NamedTuple):
    """Room for what is shown."""

    documents: IntArray
    teams: IntArray  # the ranking that each document is credited to
    propensities: FloatArray  # the chance that a place shows its document, given the documents above it
    shown: IntArray  # one number: how many documents there are so far
    taken: BoolArray  # one flag a document, whether it is on the page


def room_for_page(length: int, documents: int) -> Page:
    """Return an empty page of a length, for documents numbered below `documents`."""
    return Page(
        documents=np.empty(length, np.int64),
        teams=np.empty(length, np.int64),
        propensities=np.empty(length),
        shown=np.zeros(1, np.int64),
        taken=np.zeros(documents, np.bool_),
    )


def begun_page(
    numbers: dict[Hashable, int],
    room: int,
    documents: Sequence[Hashable],
    teams: Sequence[int],
    propensities: Sequence[float],
) -> Page:
    """Return a page with room for a list, which starts with what was shown before."""
    page = room_for_page(room, len(numbers))
    page.shown[0] = count = len(documents)
    page.documents[:count] = [numbers[document] for document in documents]
    page.teams[:count] = teams
    page.propensities[:count] = propensities
    page.taken[page.documents[:count]] = True
    return page


def number_documents(rankings: Sequence[Sequence[Hashable]]) -> tuple[IntArray, dict[Hashable, int]]:
    """Return rankings of numbers from 0, one a row, filled up with `END`, and the documents' numbers."""
    numbers: dict[Hashable, int] = {}
    rows = np.full((len(rankings), max(map(len, rankings))), END)
    for row, ranking in zip(rows, rankings, strict=True):
        row[: len(ranking)] = [numbers.setdefault(document, len(numbers)) for document in ranking]
    return rows, numbers


@borrowing
def wipe(page: Page) -> None:
    """Make room for another list."""
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
    """Fill a page from two rankings, from where it stands to its end or theirs."""
    raise TypeError(NO_BODY)


@overloaded
def settle(rules: Any, left: IntArray, right: IntArray, page: Page, clicked: BoolArray) -> float:
    """Return an outcome, 1 left wins, 0 right wins, 0.5 a tie, from the clicks on each place of a page."""
    raise TypeError(NO_BODY)


@overloaded
def draft_many(rules: Any, rankings: IntArray, page: Page, rng: Generator) -> None:
    """Fill a page from several rankings, one a row."""
    raise TypeError(NO_BODY)


@overloaded
def settle_many(rules: Any, rankings: IntArray, page: Page, clicked: BoolArray, credits: FloatArray) -> None:
    """Write each ranking's credit, from the clicks on each place of a page."""
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


@jitable
def settle_by_teams(counting: int, left: IntArray, right: IntArray, page: Page, clicked: BoolArray) -> float:
    """Return whose team has more of the clicks that count, on a list that shows a common prefix first."""
    _, teams, _, shown, _ = page
    first = shared_prefix(left, right) if counting == UNSHARED else 0
    lead = 0
    for place in range(first, shown[0]):
        if clicked[place]:
            team = teams[place]
            if team == LEFT:
                lead += 1
            elif team == RIGHT:
                lead -= 1
            if counting == FIRST:
                break
    return verdict(lead)
