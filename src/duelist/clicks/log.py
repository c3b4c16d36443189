"""A log of pages with their queries, documents and clicks: read from files, or simulated."""

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
from numpy.random import Generator

from duelist.clicks.model import TableClickModel, unknown_grade
from duelist.clicks.user import User, click_through
from duelist.duel import BoolArray, IntArray
from duelist.errors import FileError, ParameterError, PreferenceError, require_generator, require_whole
from duelist.kernels.compile import compiled
from duelist.kernels.random import below
from duelist.preferences import as_name
from duelist.tables import Column, read_table
from duelist.tables.memory import Frame
from duelist.tables.table import as_text, fold
from duelist.text import counted, enumeration

NOTHING = -1  # stands where a page shows no document
COLUMNS = ("query", "documents", "clicked")
FLAGS = {"0": 0, "1": 1, "false": 0, "true": 1}
REMEDY = 'give columns "query", "documents" and "clicked", such as "svm,a b c,0 1 0".'


LoggedPage: TypeAlias = Sequence[Any]  # where it stands, for errors; its query, its documents, their clicks


@dataclass(frozen=True, eq=False, repr=False)
class ClickLog:
    """Pages that were shown and what was clicked, as numbers; make one with `from_records`.

    Parameters
    ----------
    queries : array of shape (impressions,)
        The query of each page, as its index in `query_names`.
    documents : array of shape (impressions, places)
        What was shown from the top down, as indices in `document_names`, -1 below the end of a page.
    clicked : array of shape (impressions, places)
        What was clicked.
    query_names, document_names : tuple of str
        The names of queries and documents.

    Examples
    --------
    >>> log = ClickLog.from_records([("svm", ["a", "b"], [0, 1]), ("bandit", ["b"], [0])])
    >>> log
    ClickLog(2 impressions of 2 queries, 2 documents, 2 places, 1 click)
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
        """Check that the parts fit together, and cut off the places below the longest page."""
        queries = np.ascontiguousarray(self.queries, np.int64)
        documents = np.ascontiguousarray(self.documents, np.int64)
        clicked = np.ascontiguousarray(self.clicked, np.bool_)
        if documents.ndim != 2 or clicked.shape != documents.shape or queries.shape != documents.shape[:1]:
            shapes = f"{queries.shape}, {documents.shape} and {clicked.shape}"
            raise ParameterError(f"each impression must have a row in every array; got shapes {shapes}.")
        if documents.size == 0:
            raise ParameterError("the log holds no impression; give at least one page with a document.")
        last_query, last_document = len(self.query_names) - 1, len(self.document_names) - 1
        if queries.min() < 0 or queries.max() > last_query:
            raise ParameterError(f"queries must lie from 0 to {last_query}, the last name.")
        if documents.min() < NOTHING or documents.max() > last_document:
            raise ParameterError(f"documents must lie from {NOTHING} to {last_document}, the last name.")
        empty = documents == NOTHING
        if empty[:, 0].any() or (empty[:, :-1] & ~empty[:, 1:]).any():
            raise ParameterError("documents must be shown from the top down without a gap; -1 is the end.")
        if (clicked & empty).any():
            raise ParameterError("clicked must be False where no document is shown.")
        longest = int((~empty).sum(1).max())
        documents = np.ascontiguousarray(documents[:, :longest])
        clicked = np.ascontiguousarray(clicked[:, :longest])
        vars(self).update(queries=queries, documents=documents, clicked=clicked)

    @staticmethod
    def from_records(records: Iterable[Sequence[Any]]) -> "ClickLog":
        """Return the log of pages: query, documents from the top, and a click flag for each document."""
        return log_of_pages((f"record {number}", *record) for number, record in enumerate(records, start=1))

    def __len__(self) -> int:
        """Return the number of impressions."""
        return len(self.queries)

    def __repr__(self) -> str:
        """Describe the log in a line."""
        pages = f"{counted(len(self), 'impression')} of {counted(len(self.query_names), 'query')}"
        documents, places = counted(len(self.document_names), "document"), counted(self.places, "place")
        clicks = counted(self.clicked.sum(), "click")
        return f"{type(self).__name__}({pages}, {documents}, {places}, {clicks})"

    @property
    def places(self) -> int:
        """The length of the longest page."""
        return int(self.documents.shape[1])

    def subset(self, impressions: IntArray) -> "ClickLog":
        """Return some of the impressions, given by their indices; numbers keep their meaning."""
        queries, documents = self.queries[impressions], self.documents[impressions]
        return replace(self, queries=queries, documents=documents, clicked=self.clicked[impressions])

    def split(self, share: float, rng: Generator) -> "tuple[ClickLog, ClickLog]":
        """Return a random share of the impressions, and the others: one part to fit, one to evaluate on."""
        require_generator(rng)
        count = round(share * len(self)) if 0.0 < share < 1.0 else 0
        if not 0 < count < len(self):
            total = counted(len(self), "impression")
            raise ParameterError(f"share must leave two parts of {total}; got {share!r}. Try 0.75.")
        order = rng.permutation(len(self))
        return self.subset(np.sort(order[:count])), self.subset(np.sort(order[count:]))


def log_of_pages(pages: Iterable[LoggedPage]) -> ClickLog:
    """Return the log of pages, and name the page in error messages."""
    queries: dict[str, int] = {}
    documents: dict[str, int] = {}
    asked, shown, clicks = [], [], []
    for where, *page in pages:
        if len(page) != 3:
            raise ParameterError(f"{where} must be (query, documents, clicked); got {len(page)} of them.")
        query, names, flags = page
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


def _check(where: str, documents: Any, clicked: Any) -> None:
    for name, given in (("documents", documents), ("clicked", clicked)):
        if isinstance(given, str) or not isinstance(given, Sequence | np.ndarray):
            raise ParameterError(f"{where}, {name}: {given!r} is not a list; give one entry for each place.")
    if len(documents) == 0:
        raise ParameterError(f"{where}: no document was shown; leave the page out.")
    if len(clicked) != len(documents):
        expected = f"a flag for each document, {len(documents)}"
        raise ParameterError(f"{where}: clicked must be {expected}; got {len(clicked)}.")
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


def read_click_log(
    source: str | os.PathLike[str] | Frame | Mapping[str, Iterable[Any]] | Iterable[Any],
    *,
    encoding: str | None = None,
    sheet: str | None = None,
) -> ClickLog:
    r"""Read a log from a file or from memory.

    The columns are `query`, `documents` and `clicked`, in upper or lower case; others are ignored. Documents
    and their flags, 0 or 1, are lists, as in JSON and Parquet, or texts with spaces between them.

    Parameters
    ----------
    source : path, data frame, columns by name, or rows
        A file: CSV, JSON, Parquet, Arrow or Excel; or a table in memory.
    encoding, sheet : str, optional
        Of a text that is not UTF-8, and of a workbook.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "log.csv"
    ...     _ = file.write_text("query,documents,clicked\nsvm,a b c,0 1 0\nsvm,b a,1 0\n")
    ...     read_click_log(file)
    ClickLog(2 impressions of 1 query, 3 documents, 3 places, 2 clicks)
    """
    table = read_table(source, lambda name: fold(name) in COLUMNS, encoding=encoding, sheet=sheet)
    columns = {fold(name): column for name, column in table.columns.items()}
    if not columns.keys() >= set(COLUMNS):
        raise table.error(f"the columns are {enumeration(list(map(repr, table.names))) or 'none'}; {REMEDY}")
    queries, documents, clicked = (columns[name] for name in COLUMNS)
    queries = Column([_plain(cell) for cell in queries.values], queries.codes)
    documents = Column([_entries(cell) for cell in documents.values], documents.codes)
    clicked = Column([_flags(cell) for cell in clicked.values], clicked.codes)
    rows = zip(queries.tolist(), documents.tolist(), clicked.tolist(), strict=True)
    try:
        return log_of_pages(
            (table.where(row), query or "", shown or [], clicks or [])
            for row, (query, shown, clicks) in enumerate(rows)
        )
    except ParameterError as error:
        raise FileError(f"{table.notes.source}, {error}") if table.notes.source else error from None


def _plain(cell: Any) -> Any:
    """Return a text or a number as text."""
    return as_text(cell) if isinstance(cell, str | Real | np.generic) else cell


def _entries(cell: Any) -> Any:
    """Return the entries of a list, or of a text with spaces between them."""
    plain = cell.tolist() if isinstance(cell, np.ndarray) else _plain(cell)
    return plain.split() if isinstance(plain, str) else plain


def _flags(cell: Any) -> Any:
    """Return flags as numbers where they are texts."""
    entries = _entries(cell)
    if not isinstance(entries, Sequence):
        return entries
    return [FLAGS.get(one.casefold(), one) if isinstance(one, str) else one for one in entries]


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
    model: TableClickModel,
    grades: Mapping[tuple[str, str], int],
    impressions: int,
    places: int,
    rng: Generator,
) -> ClickLog:
    """Return the log of a simulated user, who is shown random queries' documents in random order.

    Parameters
    ----------
    model, rng : TableClickModel, numpy.random.Generator
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
