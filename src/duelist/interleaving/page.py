"""The page of documents that interleaving kernels fill and read, and the rules of crediting clicks on it.

Kernels know documents by number, from 0. A method is a NamedTuple of rules with two overloads: `draft` fills
a page from two rankings, and `settle` turns the clicks on it into an outcome.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.errors import ParameterError, UnknownNameError
from duelist.kernels.compile import NO_BODY, OVERLOADS, compiled, jitable, overloaded

LEFT, RIGHT, NOBODY = 0, 1, -1
"""Whose a shown document is; of several rankings, it is the number of one of them."""

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


@compiled
def wipe(page: Page) -> None:
    """Make room for another list."""
    for place in range(page.shown[0]):
        page.taken[page.documents[place]] = False
    page.shown[0] = 0


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
    """Fill a page from several rankings, one a row; a row shorter than the others ends with the first -1."""
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


def counting_rule(method: str, counting: str, refused: dict[str, str]) -> int:
    """Return the number of a rule, unless there is none of that name or the method refuses it."""
    if counting not in COUNTING:
        raise UnknownNameError("counting", counting, COUNTING)
    if counting in refused:
        usable = ", ".join(repr(name) for name in COUNTING if name not in refused)
        raise ParameterError(
            f"counting {counting!r} makes no sense for {method}: {refused[counting]}. Use one of {usable}."
        )
    return COUNTING.index(counting)


@jitable
def verdict(lead: float) -> float:
    """Return the outcome of a lead of the left ranking: 1 left wins, 0 right wins, 0.5 a tie."""
    if lead > 0:
        return 1.0
    return 0.0 if lead < 0 else 0.5


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
