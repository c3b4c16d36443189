"""How often a ranker wins, exactly, by what the slide says of lists, clicks and who is preferred.

Nothing here is shared with the simulation but the users' chances of a click: lists, clicks and credit are
written down anew, so that a mistake in either shows.
"""

import numpy as np

from duelist.clicks.user import User
from duelist.duel import FloatArray, IntArray
from duelist.kernels.compile import compiled


@compiled
def depth_of(document: int, ranking: IntArray) -> int:
    """Return where a ranking has a document, from 0."""
    depth = 0
    while ranking[depth] != document:
        depth += 1
    return depth


@compiled
def merge(first: IntArray, second: IntArray, page: IntArray) -> None:
    """Fill a page: the first of both rankings, the second of both and so on, each document once."""
    shown, turn = 0, 0
    while shown < len(page):
        document = first[turn // 2] if turn % 2 == 0 else second[turn // 2]
        if document not in page[:shown]:
            page[shown] = document
            shown += 1
        turn += 1


@compiled
def click_chance(user: User, grades: IntArray, clicks: int) -> float:
    """Return the chance of a set of clicks, its bits, for people who may leave after any of them."""
    there, gone = 1.0, 0.0
    for place, grade in enumerate(grades):
        attraction = user.attraction[grade]
        if clicks >> place & 1:
            click = there * attraction
            there, gone = click * (1.0 - user.stop[0, grade]), click * user.stop[0, grade]
        else:
            there *= 1.0 - attraction
    return there + gone


@compiled
def lead_of(clicks: int, in_left: IntArray, in_right: IntArray) -> int:
    """Return clicks(top k of left) - clicks(top k of right).

    The place of each shown document in either ranking is given; k is the smallest for which one of the top k
    holds the lowest click.
    """
    cut = -1
    for place in range(len(in_left)):
        if clicks >> place & 1:
            cut = min(in_left[place], in_right[place])
    lead = 0
    for place in range(len(in_left)):
        if clicks >> place & 1:
            lead += int(in_left[place] <= cut) - int(in_right[place] <= cut)
    return lead


@compiled
def outcome_chances(
    user: User, labels: IntArray, offsets: IntArray, left: IntArray, right: IntArray, length: int
) -> FloatArray:
    """Return the chances that left wins, and that right does, over queries, the coin and the clicks.

    The user must be a cascade, who looks at every place until leaving, and every query must have at least
    `length` documents.

    Examples
    --------
    >>> from duelist.problems import clicks
    >>> user = clicks.perfect(2).user()
    >>> left, right = np.array([0, 1, 2]), np.array([2, 1, 0])
    >>> outcome_chances(user, np.array([1, 0, 0]), np.array([0, 3]), left, right, 3)
    array([1., 0.])
    """
    chances = np.zeros(2)
    page, grades = np.empty(length, np.int64), np.empty(length, np.int64)
    in_left, in_right = np.empty(length, np.int64), np.empty(length, np.int64)
    for query in range(len(offsets) - 1):
        start, stop = offsets[query], offsets[query + 1]
        one, other = left[start:stop], right[start:stop]
        for coin in range(2):
            if coin == 0:
                merge(one, other, page)
            else:
                merge(other, one, page)
            for place, document in enumerate(page):
                grades[place] = labels[start + document]
                in_left[place] = depth_of(int(document), one)
                in_right[place] = depth_of(int(document), other)
            for clicks in range(1 << length):
                lead = lead_of(clicks, in_left, in_right)
                if lead != 0:
                    chances[0 if lead > 0 else 1] += click_chance(user, grades, clicks)
    return chances / (2.0 * (len(offsets) - 1))
