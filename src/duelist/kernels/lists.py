"""Queries and lists as kernels see them: what a learner of rankings chooses from and shows."""

from typing import Any, NamedTuple

from duelist.duel import IntArray


class QueryMenu(NamedTuple):
    """The documents of a query."""

    corpus: Any  # all documents, query by query
    query: IntArray  # one number


class ListBuffer(NamedTuple):
    """Room for a list to show; carries all that `tell` needs besides the clicks."""

    corpus: Any
    query: IntArray  # one number
    page: Any  # the documents shown, in order
    scratch: Any  # what the learner remembers from a list to its clicks
