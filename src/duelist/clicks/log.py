"""Click logs: pages with their queries, documents and clicks; read from files, or simulated."""

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

NOTHING = -1  # fills a page below its last document
COLUMNS = ("query", "documents", "clicked")
FLAGS = {"0": 0, "1": 1, "false": 0, "true": 1}
REMEDY = 'give columns "query", "documents" and "clicked", such as "svm,a b c,0 1 0".'


LoggedPage: TypeAlias = Sequence[Any]  # the location for error messages, the query, documents, click flags


@dataclass(frozen=True, eq=False, repr=False)
class ClickLog:
    """A log of pages and their clicks, stored as indices; create one with `from_records`.

    Parameters
    ----------
    queries : array of shape (impressions,)
        The query of each page, as an index into `query_names`.
    documents : array of shape (impressions, places)
        The documents of each page from the top, as indices into `document_names`; -1 below the end of a page.
    clicked : array of shape (impressions, places)
        Whether each document was clicked.
    query_names, document_names : tuple of str
        The names of queries and documents.

    Raises
    ------
    ParameterError
        If the log is empty, the shapes do not fit, an index is out of range, or a page has gaps.

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
        """Validate the arrays and drop the columns below the longest page."""
        queries = np.ascontiguousarray(self.queries, np.int64)
        documents = np.ascontiguousarray(self.documents, np.int64)
        clicked = np.ascontiguousarray(self.clicked, np.bool_)
        if documents.ndim != 2 or clicked.shape != documents.shape or queries.shape != documents.shape[:1]:
            shapes = f"{queries.shape}, {documents.shape} and {clicked.shape}"
            raise ParameterError(
                f"queries, documents and clicked must have one row per impression; got shapes {shapes}."
            )
        if documents.size == 0:
            raise ParameterError("the log has no impressions; give at least one page with a document.")
        last_query, last_document = len(self.query_names) - 1, len(self.document_names) - 1
        if queries.min() < 0 or queries.max() > last_query:
            raise ParameterError(
                f"queries must be indices from 0 to {last_query}; got {queries.min()} to {queries.max()}."
            )
        if documents.min() < NOTHING or documents.max() > last_document:
            raise ParameterError(
                f"documents must be indices from {NOTHING} to {last_document}; got {documents.min()} to "
                f"{documents.max()}."
            )
        empty = documents == NOTHING
        if empty[:, 0].any() or (empty[:, :-1] & ~empty[:, 1:]).any():
            raise ParameterError(
                "documents has a gap or an empty page; -1 may only follow the last document."
            )
        if (clicked & empty).any():
            raise ParameterError(
                "clicked is True where documents is -1; only shown documents can be clicked."
            )
        longest = int((~empty).sum(1).max())
        documents = np.ascontiguousarray(documents[:, :longest])
        clicked = np.ascontiguousarray(clicked[:, :longest])
        vars(self).update(queries=queries, documents=documents, clicked=clicked)

    @staticmethod
    def from_records(records: Iterable[Sequence[Any]]) -> "ClickLog":
        """Return the log of an iterable of pages.

        Parameters
        ----------
        records : iterable of (query, documents, clicked)
            For each page the query, the documents from the top, and a click flag for each document.

        Returns
        -------
        ClickLog
            The log.

        Raises
        ------
        ParameterError
            If a record is malformed; the message gives its number, from 1.

        Examples
        --------
        >>> ClickLog.from_records([("svm", ["a", "b"], [0, 1])])
        ClickLog(1 impression of 1 query, 2 documents, 2 places, 1 click)
        """
        return log_of_pages((f"record {number}", *record) for number, record in enumerate(records, start=1))

    def __len__(self) -> int:
        return len(self.queries)

    def __repr__(self) -> str:
        pages = f"{counted(len(self), 'impression')} of {counted(len(self.query_names), 'query')}"
        documents, places = counted(len(self.document_names), "document"), counted(self.places, "place")
        clicks = counted(self.clicked.sum(), "click")
        return f"{type(self).__name__}({pages}, {documents}, {places}, {clicks})"

    @property
    def places(self) -> int:
        """The length of the longest page."""
        return int(self.documents.shape[1])

    def subset(self, impressions: IntArray) -> "ClickLog":
        """Return some of the impressions; queries and documents keep their indices.

        Parameters
        ----------
        impressions : array of int
            The indices of the impressions.

        Returns
        -------
        ClickLog
            The smaller log.

        Raises
        ------
        ParameterError
            If no impression is selected.

        Examples
        --------
        >>> log = ClickLog.from_records([("svm", ["a", "b"], [0, 1]), ("bandit", ["b"], [0])])
        >>> log.subset(np.array([1]))
        ClickLog(1 impression of 2 queries, 2 documents, 1 place, 0 clicks)
        """
        queries, documents = self.queries[impressions], self.documents[impressions]
        return replace(self, queries=queries, documents=documents, clicked=self.clicked[impressions])

    def split(self, share: float, rng: Generator) -> "tuple[ClickLog, ClickLog]":
        """Split the impressions at random, into a part to fit and a part to evaluate on.

        Parameters
        ----------
        share : float
            The share of the first part, between 0 and 1.
        rng : numpy.random.Generator
            Draws the split.

        Returns
        -------
        tuple of ClickLog
            The two parts.

        Raises
        ------
        ParameterError
            If a part would be empty.

        Examples
        --------
        >>> log = ClickLog.from_records([("svm", ["a"], [1])] * 4)
        >>> [len(part) for part in log.split(0.75, np.random.default_rng(0))]
        [3, 1]
        """
        require_generator(rng)
        count = round(share * len(self)) if 0.0 < share < 1.0 else 0
        if not 0 < count < len(self):
            total = counted(len(self), "impression")
            raise ParameterError(
                f"share must split {total} into two non-empty parts; got {share!r}. Try 0.75."
            )
        order = rng.permutation(len(self))
        return self.subset(np.sort(order[:count])), self.subset(np.sort(order[count:]))


def log_of_pages(pages: Iterable[LoggedPage]) -> ClickLog:
    """Return the log of pages; error messages name the location of the page."""
    queries: dict[str, int] = {}
    documents: dict[str, int] = {}
    asked, shown, clicks = [], [], []
    for where, *page in pages:
        if len(page) != 3:
            raise ParameterError(f"{where} must be (query, documents, clicked); got {len(page)} entries.")
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
            raise ParameterError(f"{where}, {name}: {given!r} is not a list; give one entry per document.")
    if len(documents) == 0:
        raise ParameterError(f"{where}: documents is empty; omit pages without documents.")
    if len(clicked) != len(documents):
        raise ParameterError(
            f"{where}: clicked must have one flag per document, {len(documents)}; got {len(clicked)}."
        )
    for flag in clicked:
        if flag not in (0, 1):
            raise ParameterError(f"{where}: clicked has {flag!r}; give true or false, or 1 or 0.")


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
    r"""Read a click log from a file or from memory.

    The columns are `query`, `documents` and `clicked`, in upper or lower case; other columns are ignored.
    Documents and their flags, 0 or 1, are lists, as in JSON and Parquet, or text separated by spaces.

    Parameters
    ----------
    source : path, data frame, columns by name, or rows
        A CSV, JSON, Parquet, Arrow or Excel file, or a table in memory.
    encoding : str, optional
        The encoding of a text file, if it is not UTF-8.
    sheet : str, optional
        The sheet of a workbook.

    Returns
    -------
    ClickLog
        The log.

    Raises
    ------
    FileError
        If the file cannot be read, lacks a column, or has a malformed row; the message gives the line.
    PreferenceError, ParameterError
        The same for a table in memory.

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
    return as_text(cell) if isinstance(cell, str | Real | np.generic) else cell


def _entries(cell: Any) -> Any:
    plain = cell.tolist() if isinstance(cell, np.ndarray) else _plain(cell)
    return plain.split() if isinstance(plain, str) else plain


def _flags(cell: Any) -> Any:
    entries = _entries(cell)
    if not isinstance(entries, Sequence):
        return entries
    return [FLAGS.get(one.casefold(), one) if isinstance(one, str) else one for one in entries]


@compiled
def fill(
    user: User, grades: IntArray, offsets: IntArray, pages: IntArray, clicked: BoolArray, rng: Generator
) -> IntArray:
    """Write pages of random queries' documents in random order, and their clicks; return the queries."""
    queries = np.empty(len(pages), np.int64)
    order = np.arange(len(grades))
    seen = np.empty(pages.shape[1], np.int64)
    for i in range(len(pages)):
        query = below(len(offsets) - 1, rng)
        queries[i] = query
        first, end = offsets[query], offsets[query + 1]
        shown = min(end - first, pages.shape[1])
        # shuffling an already shuffled order keeps it uniform
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
    """Simulate a log in which a user sees the documents of random queries in random order.

    Parameters
    ----------
    model : TableClickModel
        The simulated user.
    grades : mapping of (query, document) to int
        All documents and their grades.
    impressions : int
        The number of pages.
    places : int
        The maximum number of documents on a page.
    rng : numpy.random.Generator
        Draws queries, orders and clicks.

    Returns
    -------
    ClickLog
        The log.

    Raises
    ------
    ParameterError
        If `grades` is empty or has a grade that the model does not know, or a number is out of range.

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
        raise ParameterError("grades is empty; give at least one document with its grade.")
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
