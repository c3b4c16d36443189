"""The linear program of optimized interleaving: which lists to show, and how often.

The documents of the left ranking are numbered 0, 1, 2 and so on, then those that only the right one has.
Pairs of rankings with equal numbers share a plan.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from duelist.duel import FloatArray, IntArray

CREDITS = ("linear", "inverse", "binary")  # what a click is worth: see `Optimized`
NEGLIGIBLE = 1e-9  # chances and leads below this are rounding errors


class Plan(NamedTuple):
    """Lists to show, and the chance of each."""

    lists: tuple[tuple[int, ...], ...]
    chances: tuple[float, ...]
    credited: int  # the number of places, from the top, at which a random click is worth nothing on average


@lru_cache(maxsize=1024)
def credits_of(left: int, right: tuple[int, ...], credit: str) -> tuple[float, ...]:
    """Return what a click on each document is worth to left, negative where right has it higher."""
    documents = max(left, max(right, default=-1) + 1)
    ranks = np.full((2, documents), max(left, len(right)) + 1.0)
    ranks[0, :left] = np.arange(1, left + 1)
    ranks[1, np.array(right, np.int64)] = np.arange(1, len(right) + 1)
    in_left, in_right = 1.0 / ranks if credit == "inverse" else -ranks
    worth = np.sign(in_left - in_right) if credit == "binary" else in_left - in_right
    return tuple(worth.tolist())


def allowed_lists(left: int, right: tuple[int, ...], length: int) -> IntArray:
    """Return all lists, one in each row, that take the best remaining document of either ranking next."""
    found: list[tuple[tuple[int, ...], int, int]] = [((), 0, 0)]
    for _ in range(length):
        longer = []
        for documents, i, j in found:
            while i < left and i in documents:
                i += 1
            while j < len(right) and right[j] in documents:
                j += 1
            if i < left:
                longer.append(((*documents, i), i, j))
            if j < len(right) and not (i < left and right[j] == i):
                longer.append(((*documents, right[j]), i, j))
        found = longer
    return np.array([documents for documents, _, _ in found], np.int64)


def sensitivity(credits: FloatArray) -> FloatArray:
    """Return how informative a click on each list is, given the credit of its places: an entropy, in bits."""
    looks = 1.0 / np.arange(1, credits.shape[1] + 1)
    looks /= looks.sum()
    to_left, to_right = (credits > 0) @ looks, (credits < 0) @ looks
    either = to_left + to_right
    bits = np.zeros(len(credits))
    for share in (to_left, to_right):
        some = share > 0
        bits[some] -= share[some] * np.log2(share[some] / either[some])
    return bits


@lru_cache(maxsize=1024)
def plan(left: int, right: tuple[int, ...], credit: str, length: int) -> Plan:
    """Return the most sensitive distribution over lists that is fair at as many places as possible."""
    lists = allowed_lists(left, right, length)
    credits = np.array(credits_of(left, right, credit))[lists]
    # bisection: credits that can be zero down to a place can be zero down to any place above it
    credited, impossible = 0, length + 1
    chances = np.full(len(lists), 1.0 / len(lists))
    tried = length
    while impossible - credited > 1:
        found = most_sensitive(credits[:, :tried])
        if found is None:
            impossible = tried
        else:
            credited, chances = tried, found
        tried = (credited + impossible) // 2
    kept = chances > NEGLIGIBLE
    shares = chances[kept] / chances[kept].sum()
    return Plan(tuple(map(tuple, lists[kept].tolist())), tuple(shares.tolist()), credited)


def most_sensitive(credits: FloatArray) -> FloatArray | None:
    """Return a chance for each list, or None if the expected credit cannot be zero at every place."""
    from scipy.optimize import linprog

    equal = np.vstack([credits.T, np.ones(len(credits))])
    zeros_and_one = np.append(np.zeros(credits.shape[1]), 1.0)
    worth = -sensitivity(credits)
    # presolving takes longer than the rest
    solution = linprog(worth, A_eq=equal, b_eq=zeros_and_one, method="highs", options={"presolve": False})
    return solution.x if solution.status == 0 else None
