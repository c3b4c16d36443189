"""A log of pages: for which query, which documents were shown, which were clicked."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.random import Generator

from duelist.duel import BoolArray, IntArray
from duelist.errors import ParameterError, PreferenceError
from duelist.preferences import as_name

NOTHING = -1
"""Stands where a page shows no document."""

LoggedPage: TypeAlias = tuple[str, Any, Any, Any]
"""Where a page stands, for error messages; its query, its documents, their clicks."""


@dataclass(frozen=True, eq=False, repr=False)
class ClickLog:
    """Pages that were shown and what was clicked, in numbers; make one with `from_records`.

    Parameters
    ----------
    queries : array of shape (impressions,)
        The query of each page, as its place in `query_names`.
    documents : array of shape (impressions, places)
        What was shown from the top down, as places in `document_names`; -1 where a page has ended. Places
        below the longest page are cut off.
    clicked : array of shape (impressions, places)
        What was clicked.
    query_names : tuple of str
        The queries.
    document_names : tuple of str
        The documents.

    Examples
    --------
    >>> log = ClickLog.from_records([("svm", ["a", "b"], [0, 1]), ("bandit", ["b"], [0])])
    >>> log
    ClickLog(2 impressions of 2 queries, 2 documents, 2 places, 1 clicks)
    >>> log.documents
    array([[ 0,  1],
           [ 1, -1]])
    """

    queries: IntArray
    documents: IntArray
    clicked: BoolArray
    query_names: tuple[str, ...]
    document_names: tuple[str, ...]

    def __post_init__(self) -> None:
        """Refuse parts that do not fit together."""
        queries = np.ascontiguousarray(self.queries, np.int64)
        documents = np.ascontiguousarray(self.documents, np.int64)
        clicked = np.ascontiguousarray(self.clicked, np.bool_)
        if documents.ndim != 2 or clicked.shape != documents.shape or queries.shape != documents.shape[:1]:
            raise ParameterError(
                "queries, documents and clicked must have a row an impression, the last two of one shape; "
                f"got shapes {queries.shape}, {documents.shape} and {clicked.shape}."
            )
        if documents.size == 0:
            raise ParameterError("the log holds no impression; give at least one page with a document.")
        for name, codes, least, known in (
            ("queries", queries, 0, self.query_names),
            ("documents", documents, NOTHING, self.document_names),
        ):
            if codes.min() < least or codes.max() >= len(known):
                raise ParameterError(
                    f"{name} must lie from {least} to {len(known) - 1}, the last one's name."
                )
        empty = documents == NOTHING
        if empty[:, 0].any() or (empty[:, :-1] & ~empty[:, 1:]).any():
            raise ParameterError(
                "documents must be shown from the top down without a gap; only the end is -1."
            )
        if (clicked & empty).any():
            raise ParameterError("clicked must be False where no document is shown.")
        longest = int((~empty).sum(1).max())
        documents = np.ascontiguousarray(documents[:, :longest])
        vars(self).update(
            queries=queries, documents=documents, clicked=np.ascontiguousarray(clicked[:, :longest])
        )

    @staticmethod
    def from_records(records: Iterable[Sequence[Any]]) -> "ClickLog":
        """Return the log of pages, each given as its query, its documents from the top, and their clicks.

        Clicks are a flag, true or false or 1 or 0, for every document; names are texts or whole numbers.
        """
        return log_of_pages(_numbered(records))

    def __len__(self) -> int:
        """Return the number of impressions."""
        return len(self.queries)

    def __repr__(self) -> str:
        """Describe the log in a line."""
        return (
            f"{type(self).__name__}({len(self)} impressions of {len(self.query_names)} queries, "
            f"{len(self.document_names)} documents, {self.places} places, {self.clicked.sum()} clicks)"
        )

    @property
    def places(self) -> int:
        """The length of the longest page."""
        return int(self.documents.shape[1])

    def subset(self, impressions: IntArray) -> "ClickLog":
        """Return these impressions alone, given by their places; numbers keep their meaning."""
        return ClickLog(
            self.queries[impressions],
            self.documents[impressions],
            self.clicked[impressions],
            self.query_names,
            self.document_names,
        )

    def split(self, share: float, rng: Generator) -> "tuple[ClickLog, ClickLog]":
        """Return a random share of the impressions, and the others: one part to fit, one to evaluate on."""
        count = round(share * len(self)) if 0.0 < share < 1.0 else 0
        if not 0 < count < len(self):
            raise ParameterError(
                f"share must leave each part one of the {len(self)} impressions at least; got {share!r}. "
                "Try 0.75."
            )
        order = rng.permutation(len(self))
        return self.subset(np.sort(order[:count])), self.subset(np.sort(order[count:]))


def log_of_pages(pages: Iterable[LoggedPage]) -> ClickLog:
    """Return the log of pages, each with where it stands, its query, its documents and their clicks."""
    queries: dict[str, int] = {}
    documents: dict[str, int] = {}
    asked, shown, clicks = [], [], []
    for where, query, names, flags in pages:
        _check(where, names, flags)
        asked.append(_code(queries, f"{where}, query", query))
        shown.append([_code(documents, f"{where}, documents", name) for name in names])
        clicks.append(flags)
    places = max(map(len, shown), default=0)
    table = np.full((len(shown), places), NOTHING, np.int64)
    clicked = np.zeros((len(shown), places), np.bool_)
    for i, (codes, flags) in enumerate(zip(shown, clicks, strict=True)):
        table[i, : len(codes)] = codes
        clicked[i, : len(codes)] = flags
    return ClickLog(np.array(asked, np.int64), table, clicked, tuple(queries), tuple(documents))


def _numbered(records: Iterable[Sequence[Any]]) -> Iterator[LoggedPage]:
    for number, record in enumerate(records, start=1):
        if len(record) != 3:
            raise ParameterError(
                f"record {number} has {len(record)} fields; give (query, documents, clicked)."
            )
        query, documents, clicked = record
        yield f"record {number}", query, documents, clicked


def _check(where: str, documents: Any, clicked: Any) -> None:
    for name, given in (("documents", documents), ("clicked", clicked)):
        if isinstance(given, str) or not isinstance(given, Sequence | np.ndarray):
            raise ParameterError(f"{where}, {name}: {given!r} is not a list; give one entry for each place.")
    if len(documents) == 0:
        raise ParameterError(f"{where}: no document was shown; leave the page out.")
    if len(clicked) != len(documents):
        raise ParameterError(
            f"{where}: {len(clicked)} clicked flags for {len(documents)} documents; give one for each."
        )
    for flag in clicked:
        if flag not in (0, 1):
            raise ParameterError(f"{where}: {flag!r} is not a clicked flag; give true or false, or 1 or 0.")


def _code(codes: dict[str, int], where: str, name: Any) -> int:
    known = codes.get(name) if isinstance(name, str) else None
    if known is not None:
        return known
    try:
        return codes.setdefault(as_name(where, name), len(codes))
    except PreferenceError as error:
        raise ParameterError(str(error)) from None
