"""A log of pages with their queries, documents and clicks, also read from files."""

import csv
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.random import Generator

from duelist.duel import BoolArray, IntArray
from duelist.errors import FileError, ParameterError, PreferenceError, require_generator
from duelist.files import find_delimiter
from duelist.preferences import as_name
from duelist.text import counted

NOTHING = -1  # stands where a page shows no document
LoggedPage: TypeAlias = Sequence[Any]  # where it stands, for errors; its query, its documents, their clicks
COLUMNS = ("query", "documents", "clicked")  # of a file, in upper or lower case; others are ignored
FLAGS: dict[str, int] = {"0": 0, "1": 1}
REMEDY = 'give columns "query", "documents" and "clicked", such as "svm,a b c,0 1 0".'


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


def read_click_log(path: str | os.PathLike[str]) -> ClickLog:
    r"""Read a log from a file.

    A CSV file has a header with `query`, `documents` and `clicked`; documents and their flags, 0 or 1, are
    separated by spaces, fields by commas, semicolons or tabs. A `.jsonl` file has an object with these keys
    on each line, the last two with lists. Blank lines below the header are skipped.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "log.csv"
    ...     _ = file.write_text("query,documents,clicked\nsvm,a b c,0 1 0\nsvm,b a,1 0\n")
    ...     read_click_log(file)
    ClickLog(2 impressions of 1 query, 3 documents, 3 places, 2 clicks)
    """
    read = _json_pages if Path(path).suffix.casefold() == ".jsonl" else _csv_pages
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            return log_of_pages(read(path, file))
    except OSError as error:
        raise FileError(f"{path}: {error.strerror}; give the path of a CSV or JSON lines file.") from error
    except UnicodeDecodeError as error:
        raise FileError(f"{path}: the text is not UTF-8 ({error.reason}); save it as UTF-8.") from error
    except ParameterError as error:
        raise FileError(f"{path}, {error}") from None


def _csv_pages(path: str | os.PathLike[str], lines: Iterator[str]) -> Iterator[LoggedPage]:
    header = next(lines, "")
    delimiter = find_delimiter(header)
    names = [name.strip().casefold() for name in next(csv.reader([header], delimiter=delimiter), [])]
    if not set(COLUMNS) <= set(names):
        raise FileError(f"{path}, line 1: the columns are {names}; {REMEDY}")
    columns = [names.index(name) for name in COLUMNS]
    rows = csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True)
    try:
        for row in rows:
            where = f"line {rows.line_num + 1}"
            if not any(field.strip() for field in row):
                continue
            if len(row) != len(names):
                fault = f"the header has {len(names)} fields, this {len(row)}"
                raise FileError(f"{path}, {where}: {fault}; {REMEDY}")
            query, documents, clicked = (row[column].strip() for column in columns)
            yield where, query, documents.split(), [FLAGS.get(flag, flag) for flag in clicked.split()]
    except csv.Error as error:
        raise FileError(f"{path}, line {rows.line_num + 1}: {error}; check the quotes.") from error


def _json_pages(path: str | os.PathLike[str], lines: Iterator[str]) -> Iterator[LoggedPage]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        where = f"line {number}"
        try:
            page: Any = json.loads(line)
        except json.JSONDecodeError as error:
            fault = f"{error.msg} at column {error.colno}"
            raise FileError(f"{path}, {where}: {fault}; give one object a line.") from error
        if not isinstance(page, dict) or not set(COLUMNS) <= page.keys():
            raise FileError(f"{path}, {where}: give an object with the keys {', '.join(COLUMNS)}.")
        yield where, *(page[name] for name in COLUMNS)
