"""Kernels called from Python with documents of any kind: interpreted as they are, or compiled on numbers.

A single call on a few documents is over before a generator and ten arrays have been handed to compiled code:
a light kernel is faster interpreted, on lists. It then keeps to what arrays, lists and dictionaries have in
common: it unpacks its page, reads and writes by index, and copies with `.copy()`. There is one
implementation, and a test compares its two ways. Heavy kernels are called with numbers for documents.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import Generator

from duelist.duel import IntArray
from duelist.interleaving.page import Page, room_for_page


def as_numbers(left: Any, right: Any, page: Any) -> tuple[IntArray, IntArray, Page]:
    """Return two rankings and a page of lists as arrays, with numbers for documents."""
    documents, teams, propensities, shown, taken = page
    numbers = dict(zip(taken, range(len(taken)), strict=True))
    room = room_for_page(len(documents), len(numbers))
    room.shown[0] = count = shown[0]
    room.documents[:count] = [numbers[document] for document in documents[:count]]
    room.teams[:count] = teams[:count]
    room.propensities[:count] = propensities[:count]
    room.taken[room.documents[:count]] = True
    left_numbers = np.array([numbers[document] for document in left], np.int64)
    right_numbers = np.array([numbers[document] for document in right], np.int64)
    return left_numbers, right_numbers, room


def drafting_numbers(kernel: Callable[..., None]) -> Callable[..., None]:
    """Return a compiled kernel that drafts, for any documents."""

    def draft(rules: Any, left: Any, right: Any, page: Any, rng: Generator) -> None:
        left_numbers, right_numbers, room = as_numbers(left, right, page)
        kernel(rules, left_numbers, right_numbers, room, rng)
        documents, teams, propensities, shown, taken = page
        names = tuple(taken)
        documents[:] = [names[number] for number in room.documents.tolist()]
        teams[:] = room.teams.tolist()
        propensities[:] = room.propensities.tolist()
        shown[0] = len(documents)

    return draft


def settling_numbers(kernel: Callable[..., float]) -> Callable[..., float]:
    """Return a compiled kernel that settles, for any documents."""

    def settle(rules: Any, left: Any, right: Any, page: Any, clicked: list[bool]) -> float:
        left_numbers, right_numbers, room = as_numbers(left, right, page)
        return kernel(rules, left_numbers, right_numbers, room, np.array(clicked, np.bool_))

    return settle
