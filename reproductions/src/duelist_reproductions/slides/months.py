"""Simulated months of two interleaved rankers: lists, clicks and quality."""

from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from duelist.duel import FloatArray, IntArray
from duelist.kernels.compile import compiled
from duelist.problems.contests import Contest, compare_lists
from duelist.ranking.corpus import Corpus, list_quality


class Month(NamedTuple):
    """Measurements of two interleaved rankers."""

    outcomes: FloatArray  # per impression: 1 if left wins, 0 if right wins, 0.5 for a tie
    quality: FloatArray  # three sums of NDCG: of the lists shown, of the left and of the right ranker's lists
    judged: IntArray  # one number: impressions of queries with a relevant document
    without: IntArray  # one number: lists without a relevant document although a ranker had one on top
    uneven: IntArray  # one number: lists that do not draw evenly from the tops of both rankers


def new_month(impressions: int) -> Month:
    """Return empty arrays for n impressions."""
    judged, without, uneven = (np.zeros(1, np.int64) for _ in range(3))
    return Month(np.empty(impressions), np.zeros(3), judged, without, uneven)


@compiled
def highest_grade(labels: IntArray, first: int, documents: IntArray, count: int) -> int:
    """Return the highest grade among the first documents of a list."""
    highest = 0
    for place in range(count):
        highest = max(highest, labels[first + documents[place]])
    return highest


@compiled
def reach_of(ranking: IntArray, documents: IntArray, reach: int) -> int:
    """Return the length of a ranking's prefix that is among `documents`, extending a known length."""
    while reach < len(ranking) and ranking[reach] in documents:
        reach += 1
    return reach


@compiled
def is_even(documents: IntArray, one: IntArray, other: IntArray) -> bool:
    """Return whether the slide's invariant holds of a list.

    For all k, its top k are the top k1 of one ranking and the top k2 of the other, and nothing else, where k1
    and k2 differ by one at most.
    """
    whole_one, whole_other = 0, 0
    for k in range(1, len(documents) + 1):
        whole_one = reach_of(one, documents[:k], whole_one)
        whole_other = reach_of(other, documents[:k], whole_other)
        from_one = one[: min(whole_one, whole_other + 1)]
        from_other = other[: min(whole_other, whole_one + 1)]
        for document in documents[:k]:
            if document not in from_one and document not in from_other:
                return False
    return True


@compiled
def watch(
    contest: Contest, corpus: Corpus, left: int, right: int, top: int, month: Month, world_rng: Generator
) -> None:
    """Interleave two rankers for random queries; lists must contain the `top` of each evenly."""
    page = contest.display.page
    for impression in range(len(month.outcomes)):
        query = int(world_rng.random() * (len(contest.offsets) - 1))
        first, stop = contest.offsets[query], contest.offsets[query + 1]
        rankings = contest.orders[left :: right - left][:2, first:stop]
        one, other = rankings[0], rankings[1]
        month.outcomes[impression] = compare_lists(
            contest.display, contest.labels, first, rankings, world_rng
        )
        shown = page.shown[0]
        if corpus.ideal[query] > 0.0:
            month.judged[0] += 1
            month.quality[0] += list_quality(corpus, query, page.documents, shown)
            month.quality[1] += list_quality(corpus, query, one, shown)
            month.quality[2] += list_quality(corpus, query, other, shown)
        promised = max(
            highest_grade(contest.labels, first, one, top), highest_grade(contest.labels, first, other, top)
        )
        if promised > 0 and highest_grade(contest.labels, first, page.documents, shown) == 0:
            month.without[0] += 1
        if not is_even(page.documents[:shown], one, other):
            month.uneven[0] += 1
