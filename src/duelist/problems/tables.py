"""CSV files of preferences: what a file holds is read off its first row and its shape.

Commas, semicolons or tabs separate the fields. Blank lines and lines that begin with `#` are skipped;
a name that begins so must be quoted.
"""

import csv
import io
import os
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from duelist.duel import FloatArray
from duelist.errors import FileError, PreferenceError
from duelist.files import find_delimiter, read_text, without_comments, write_whole
from duelist.problems.comparisons import COLUMNS, Comparison, as_comparison, comparison_columns

REMEDY = (
    "give K rows of K numbers such as 0.5, with or without names above and beside them, "
    "or comparisons under a header with winner and loser. Duels with left, right and outcome are for "
    "`duelist fit` and `load_duels`."
)

Row: TypeAlias = tuple[int, tuple[str, ...]]
"""The line that a row ends on, and its fields: plain tuples, which the garbage collector passes over."""


class MatrixTable(NamedTuple):
    """What a matrix file holds, as it stands there: not yet checked to be preferences."""

    matrix: FloatArray
    labels: tuple[str, ...] | None


class ComparisonTable(NamedTuple):
    """What a file of recorded comparisons holds, each line checked."""

    records: tuple[Comparison, ...]


def read_table(path: str | os.PathLike[str]) -> MatrixTable | ComparisonTable:
    r"""Read a file that holds a K x K matrix, or comparisons under a header with `winner` and `loser`.

    A matrix may have a row of names above it, and then a column of the same names beside it. Comparisons
    may have a `count`; other columns are ignored, except those that record ties, which are refused.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     votes = Path(folder) / "votes.csv"
    ...     _ = votes.write_text("winner,loser,count\ndense,bm25,3\n")
    ...     read_table(votes)
    ComparisonTable(records=(Comparison(winner='dense', loser='bm25', times=3.0),))
    """
    (first, names), *body = rows = _read_rows(path)
    try:
        columns = comparison_columns(names)
    except PreferenceError as error:
        raise FileError(f"{path}, line {first}: {error}") from None
    # A matrix whose arms happen to be called winner and loser repeats these names beside the rows.
    if columns is None or names[1:] == tuple(fields[0] for _, fields in body):
        return _read_matrix(path, rows)
    if not body:
        raise FileError(f"{path}, line {first}: no comparison follows the header; {REMEDY}")
    records = []
    for line, fields in body:
        try:
            records.append(as_comparison(*[fields[column] for column in columns]))
        except PreferenceError as error:
            raise FileError(f"{path}, line {line}, {error}") from None
    return ComparisonTable(tuple(records))


def write_table(path: str | os.PathLike[str], matrix: FloatArray, labels: tuple[str, ...]) -> Path:
    """Write a matrix with its names above and beside it, to be read back to the last bit."""
    rows = ([name, *row] for name, row in zip(labels, matrix.tolist(), strict=True))
    return _write_rows(path, ["", *labels], rows)


def write_comparisons(path: str | os.PathLike[str], wins: FloatArray, labels: tuple[str, ...]) -> Path:
    """Write who beat whom how often, every pair both ways, so that the arms keep their order."""
    rows = (
        [labels[winner], labels[loser], float(wins[winner, loser])]
        for pair in combinations(range(len(labels)), 2)
        for winner, loser in (pair, pair[::-1])
    )
    return _write_rows(path, list(COLUMNS), rows)


def _write_rows(path: str | os.PathLike[str], header: list[str], rows: Iterable[list[Any]]) -> Path:
    text = io.StringIO()
    # Names are quoted, so that one which begins with # is no comment.
    writer = csv.writer(text, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return write_whole(path, text.getvalue().encode())


def _read_rows(path: str | os.PathLike[str]) -> list[Row]:
    try:
        text = read_text(path)
    except OSError as error:
        raise FileError(f"{path}: {error.strerror}; give the path of a CSV file.") from error
    lines = list(without_comments(text.split("\n")))
    top = next((line for line in lines if line.strip()), "")
    reader = csv.reader(lines, delimiter=find_delimiter(top), skipinitialspace=True, strict=True)
    rows = []
    try:
        for record in reader:
            fields = tuple([field.strip() for field in record])
            if any(fields):
                rows.append((reader.line_num, fields))
    except csv.Error as error:
        raise FileError(f"{path}, line {reader.line_num}: {error}; check the quotes.") from error
    if not rows:
        raise FileError(f"{path}: the file is empty; {REMEDY}")
    first, names = rows[0]
    for line, fields in rows:
        if len(fields) != len(names):
            raise FileError(
                f"{path}, line {line}: {len(fields)} fields where line {first} has {len(names)}; give every "
                "line as many."
            )
    return rows


def _read_matrix(path: str | os.PathLike[str], rows: list[Row]) -> MatrixTable:
    (_, names), *body = rows
    named_rows = len(rows) == len(names) and _number(names[0]) is None
    if named_rows:
        for name, (line, fields) in zip(names[1:], body, strict=True):
            if fields[0] != name:
                raise FileError(
                    f"{path}, line {line}, column 1: the row is named {fields[0]!r} where the header has "
                    f"{name!r}; {REMEDY}"
                )
    named_columns = named_rows or len(rows) == len(names) + 1
    start = 1 if named_rows else 0
    matrix = []
    for line, fields in body if named_columns else rows:
        matrix.append(numbers := [_number(field) for field in fields[start:]])
        if None in numbers:
            column = start + numbers.index(None)
            raise FileError(
                f"{path}, line {line}, column {column + 1}: {fields[column]!r} is not a number; {REMEDY}"
            )
    return MatrixTable(np.array(matrix, np.float64), names[start:] if named_columns else None)


def _number(field: str) -> float | None:
    try:
        return float(field)
    except ValueError:
        return None
