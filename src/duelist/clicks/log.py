"""A log of pages: for which query, which documents were shown, which were clicked; read from files."""

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

NOTHING = -1
"""Stands where a page shows no document."""

LoggedPage: TypeAlias = Sequence[Any]
"""Where a page stands, for error messages; its query, its documents, their clicks."""

COLUMNS = ("query", "documents", "clicked")
"""What a file calls its columns, in upper or lower case; others are ignored."""

FLAGS: dict[str, int] = {"0": 0, "1": 1}
REMEDY = 'give columns "query", "documents" and "clicked", such as "svm,a b c,0 1 0".'


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
    query_names, document_names : tuple of str
        What the numbers stand for.

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
        clicked = np.ascontiguousarray(clicked[:, :longest])
        vars(self).update(queries=queries, documents=documents, clicked=clicked)

    @staticmethod
    def from_records(records: Iterable[Sequence[Any]]) -> "ClickLog":
        """Return the log of pages, each given as its query, its documents from the top, and their clicks.

        Clicks are a flag, true or false or 1 or 0, for every document; names are texts or whole numbers.
        """
        return log_of_pages((f"record {number}", *record) for number, record in enumerate(records, start=1))

    def __len__(self) -> int:
        """Return the number of impressions."""
        return len(self.queries)

    def __repr__(self) -> str:
        """Describe the log in a line."""
        return (
            f"{type(self).__name__}({counted(len(self), 'impression')} of "
            f"{counted(len(self.query_names), 'query')}, {counted(len(self.document_names), 'document')}, "
            f"{counted(self.places, 'place')}, {counted(self.clicked.sum(), 'click')})"
        )

    @property
    def places(self) -> int:
        """The length of the longest page."""
        return int(self.documents.shape[1])

    def subset(self, impressions: IntArray) -> "ClickLog":
        """Return these impressions alone, given by their places; numbers keep their meaning."""
        queries, documents = self.queries[impressions], self.documents[impressions]
        return replace(self, queries=queries, documents=documents, clicked=self.clicked[impressions])

    def split(self, share: float, rng: Generator) -> "tuple[ClickLog, ClickLog]":
        """Return a random share of the impressions, and the others: one part to fit, one to evaluate on."""
        require_generator(rng)
        count = round(share * len(self)) if 0.0 < share < 1.0 else 0
        if not 0 < count < len(self):
            raise ParameterError(
                f"share must leave two parts of {counted(len(self), 'impression')}; got {share!r}. Try 0.75."
            )
        order = rng.permutation(len(self))
        return self.subset(np.sort(order[:count])), self.subset(np.sort(order[count:]))


def log_of_pages(pages: Iterable[LoggedPage]) -> ClickLog:
    """Return the log of pages, each with where it stands, its query, its documents and their clicks."""
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
        raise ParameterError(
            f"{where}: clicked must be a flag for each document, {len(documents)}; got {len(clicked)}."
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


def read_click_log(path: str | os.PathLike[str]) -> ClickLog:
    r"""Read a log from a file.

    A CSV file has a header with `query`, `documents` and `clicked`; documents and their flags, 0 or 1, are
    separated by spaces, fields by commas, semicolons or tabs. A file whose name ends in `.jsonl` has an
    object a line with these keys, the last two with lists. Blank lines below the header are skipped.

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
                raise FileError(
                    f"{path}, {where}: the header has {len(names)} fields, this {len(row)}; {REMEDY}"
                )
            query, documents, clicked = (row[column].strip() for column in columns)
            yield where, query, documents.split(), [FLAGS.get(flag, flag) for flag in clicked.split()]
    except csv.Error as error:
        raise FileError(f"{path}, line {rows.line_num + 1}: {error}; check the quotes.") from error


def _json_pages(path: str | os.PathLike[str], lines: Iterator[str]) -> Iterator[LoggedPage]:
    for number, line in enumerate(lines, start=1):
        where = f"line {number}"
        if not line.strip():
            continue
        try:
            page: Any = json.loads(line)
        except json.JSONDecodeError as error:
            raise FileError(
                f"{path}, {where}: {error.msg} at column {error.colno}; give one object a line."
            ) from error
        if not isinstance(page, dict) or not set(COLUMNS) <= page.keys():
            raise FileError(f"{path}, {where}: give an object with the keys {', '.join(COLUMNS)}.")
        query, documents, clicked = (page[name] for name in COLUMNS)
        yield where, query, documents, clicked
