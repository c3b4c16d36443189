"""Simulated logs of clicks, to test what is fitted to logs."""

from collections import Counter
from collections.abc import Mapping

import numpy as np
from numpy.random import Generator

from duelist.clicks.log import NOTHING, ClickLog
from duelist.clicks.model import ClickModel, unknown_grade
from duelist.clicks.user import User, click_through
from duelist.duel import BoolArray, IntArray
from duelist.errors import ParameterError, require_generator, require_whole
from duelist.kernels.compile import compiled
from duelist.kernels.random import below


@compiled
def fill(
    user: User, grades: IntArray, offsets: IntArray, pages: IntArray, clicked: BoolArray, rng: Generator
) -> IntArray:
    """Write pages of random queries' documents in random order, and the clicks; return the queries."""
    queries = np.empty(len(pages), np.int64)
    order = np.arange(len(grades))
    seen = np.empty(pages.shape[1], np.int64)
    for i in range(len(pages)):
        query = below(len(offsets) - 1, rng)
        queries[i] = query
        first, end = offsets[query], offsets[query + 1]
        shown = min(end - first, pages.shape[1])
        # shuffling what is shuffled already is as random
        for place in range(shown):
            here = first + place
            there = here + below(end - here, rng)
            order[here], order[there] = order[there], order[here]
            pages[i, place] = order[here]
            seen[place] = grades[order[here]]
        click_through(user, seen, shown, clicked[i], rng)
    return queries


def simulate_log(
    model: ClickModel, grades: Mapping[tuple[str, str], int], impressions: int, places: int, rng: Generator
) -> ClickLog:
    """Return the log of a simulated user, who is shown random queries' documents in random order.

    Parameters
    ----------
    model, rng : ClickModel, numpy.random.Generator
        The user, and the source of randomness.
    grades : mapping of (query, document) to int
        All documents and their grades.
    impressions, places : int
        The number of pages, and of documents on a page; fewer where a query has fewer.

    Examples
    --------
    >>> from duelist.clicks import perfect
    >>> grades = {("svm", "a"): 1, ("svm", "b"): 0, ("bandit", "a"): 0}
    >>> simulate_log(perfect(), grades, impressions=100, places=2, rng=np.random.default_rng(0))
    ClickLog(100 impressions of 2 queries, 2 documents, 2 places, 57 clicks)
    """
    require_generator(rng)
    require_whole("impressions", impressions, 1)
    require_whole("places", places, 1)
    if not grades:
        raise ParameterError("grades must not be empty; give the documents there are.")
    for pair, grade in grades.items():
        require_whole(f"grades[{pair!r}]", grade, 0)
        if grade >= model.grades:
            raise unknown_grade(model, f"grades[{pair!r}]", grade)
    ordered = sorted(grades)
    sizes = Counter(query for query, _ in ordered)
    document_names = sorted({document for _, document in ordered})
    codes = {document: code for code, document in enumerate(document_names)}
    documents = np.array([*(codes[document] for _, document in ordered), NOTHING], np.int64)
    pages = np.full((impressions, places), NOTHING, np.int64)
    clicked = np.zeros((impressions, places), np.bool_)
    labels = np.array([grades[pair] for pair in ordered], np.int64)
    offsets = np.cumsum([0, *sizes.values()], dtype=np.int64)
    queries = fill(model.user(), labels, offsets, pages, clicked, rng)
    return ClickLog(queries, documents[pages], clicked, tuple(sizes), tuple(document_names))
