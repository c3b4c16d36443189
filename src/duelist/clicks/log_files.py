"""Files of logs: a page a row, as CSV or as JSON lines."""

import csv
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from duelist.clicks.log import ClickLog, LoggedPage, log_of_pages
from duelist.errors import FileError, ParameterError
from duelist.files import find_delimiter

COLUMNS = ("query", "documents", "clicked")
"""What a file calls its columns, in upper or lower case; others are ignored."""

FLAGS: dict[str, int] = {"0": 0, "1": 1}
REMEDY = 'give columns "query", "documents" and "clicked", such as "svm,a b c,0 1 0".'


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
    ClickLog(2 impressions of 1 queries, 3 documents, 3 places, 2 clicks)
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
                    f"{path}, {where}: {len(row)} fields where the header has {len(names)}; {REMEDY}"
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
