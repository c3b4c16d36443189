"""Exact chances that a ranker wins, by the slide's definition of lists, clicks and preference.

Nothing here is shared with the simulation but the users' chances of a click: lists, clicks and credit are
written independently, so a mistake in either is detected.
"""

from itertools import chain

import numpy as np

from duelist.clicks.user import User
from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.problems import RankerDuel


def all_clicks(length: int) -> BoolArray:
    """Return all sets of clicks on a list: one row per set, one column per place."""
    return np.asarray((np.arange(1 << length)[:, np.newaxis] >> np.arange(length)) % 2 == 1)


def merge(first: IntArray, second: IntArray, length: int) -> IntArray:
    """Return the balanced list: the first of both rankings, the second of both and so on, deduplicated."""
    turns = chain.from_iterable(zip(first.tolist(), second.tolist(), strict=True))
    return np.array(list(dict.fromkeys(turns))[:length])


def click_chances(user: User, grades: IntArray) -> FloatArray:
    """Return the chance of every set of clicks, as in `all_clicks`, for users who may leave after a click."""
    there, gone = np.ones(1), np.zeros(1)
    for grade in grades:
        click, leave = there * user.attraction[grade], user.stop[0, grade]
        # all sets without a click on this place, then the same with one
        there = np.concatenate([there - click, click * (1.0 - leave)])
        gone = np.concatenate([gone, click * leave])
    return there + gone


def leads(clicks: BoolArray, in_left: IntArray, in_right: IntArray) -> IntArray:
    """Return clicks(top k of left) - clicks(top k of right) for every set of clicks.

    The place of each shown document in either ranking is given; k is the smallest for which one of the top k
    holds the lowest click.
    """
    lowest = clicks.shape[1] - 1 - clicks[:, ::-1].argmax(axis=1)
    k = np.minimum(in_left, in_right)[:, np.newaxis]
    # one row per place of the lowest click: the value of a click on each place
    worth = (in_left <= k).astype(np.int64) - (in_right <= k)
    return np.asarray(np.einsum("cp,cp->c", clicks, worth[lowest]))


def outcome_chances(problem: RankerDuel, left: int, right: int, length: int) -> FloatArray:
    """Return the chances that left wins, and that right does, over queries, the coin and the clicks.

    The user must be a cascade, who looks at every place until leaving, and every query must have at least
    `length` documents.
    """
    data, clicks, wins = problem.data, all_clicks(length), np.zeros(2)
    for query in range(len(data)):
        rows = data.rows(query)
        one, other = problem.orders[left, rows], problem.orders[right, rows]
        for pair in ((one, other), (other, one)):
            page = merge(*pair, length)
            lead = leads(clicks, one.argsort()[page], other.argsort()[page])
            chances = click_chances(problem.user, data.labels[rows][page])
            wins += chances[lead > 0].sum(), chances[lead < 0].sum()
    return wins / (2.0 * len(data))
