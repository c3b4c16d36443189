"""Files of preferences and of comparisons: what a file holds is read off its first row and its shape.

In CSV files commas, semicolons or tabs separate the fields. Blank lines and lines that begin with `#` are
skipped; a name that begins so must be quoted. Comparisons may be JSON objects too, one on each line.
"""

import csv
import io
import os
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from duelist.duel import FloatArray
from duelist.errors import FileError, PreferenceError
from duelist.files import write_whole
from duelist.preferences import as_labels
from duelist.problems.columns import COLUMNS, as_number, find_columns, has_decimal_commas, is_tie
from duelist.problems.rows import CsvRows, JsonRows, open_rows
from duelist.problems.tallying import Tally, take

REMEDY = (
    "give K rows of K numbers such as 0.5, with or without names above and beside them, or comparisons under "
    "a header with winner and loser, or with a, b and winner (--a, --b and --winner name other columns). "
    "Duels with left, right and outcome are for `duelist fit` and `load_duels`."
)


class MatrixTable(NamedTuple):
    """What a matrix file holds, as it stands there: not yet checked to be preferences or counts of wins."""

    matrix: FloatArray
    labels: tuple[str, ...] | None


class ComparisonTable(NamedTuple):
    """What a file of recorded comparisons holds, tallied: `wins[i, j]` is how often arm i beat arm j."""

    labels: tuple[str, ...]
    wins: FloatArray


def read_table(
    path: str | os.PathLike[str], *, a: str | None = None, b: str | None = None, winner: str | None = None
) -> MatrixTable | ComparisonTable:
    r"""Read a file that holds a K x K matrix, or comparisons under a header.

    A matrix may have a row of names above it, and then a column of the same names beside it. It holds
    preferences, or counts of wins if it has zeros on the diagonal and a number above 1. Comparisons
    have the columns `winner` and `loser`, or two columns of arms and `winner`, which holds the name of an arm
    or of its column, or tie: such as `model_a`, `model_b` and `winner`, where `a`, `b` and `winner` do not
    name others. They may have a `count`; other columns are ignored.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     votes = Path(folder) / "votes.csv"
    ...     _ = votes.write_text("player_a,player_b,winner\ndense,bm25,dense\nbm25,dense,tie\n")
    ...     read_table(votes)
    ComparisonTable(labels=('dense', 'bm25'), wins=array([[0. , 1.5],
           [0.5, 0. ]]))
    """
    rows = open_rows(path)
    batches = rows.batches()
    top = next(batches, None)
    if top is None:
        raise FileError(f"{path}: the file is empty; {REMEDY}")
    names = top[0]
    try:
        columns = find_columns(names, a, b, winner)
    except PreferenceError as error:
        raise FileError(f"{path}, line {rows.line(0)}: {error}") from None
    # A matrix whose arms happen to be called winner and loser repeats these names beside the rows.
    if columns is None or list(names[1:]) == [fields[0] for fields in top[1:]]:
        return _read_matrix(rows, [*top, *chain.from_iterable(batches)])
    if len(top) == 1:
        raise FileError(f"{path}, line {rows.line(0)}: no comparison follows the header; {REMEDY}")
    wins, start = Tally(), 1
    try:
        for batch in chain([top[1:]], batches):
            fields = list(zip(*batch, strict=True))
            wins.add(take(columns, fields.__getitem__, _numbered(rows, start)), strip=True)
            start += len(batch)
        return ComparisonTable(*wins.result())
    except PreferenceError as error:
        raise FileError(f"{path}, {error}") from None


def write_table(path: str | os.PathLike[str], matrix: FloatArray, labels: tuple[str, ...]) -> Path:
    """Write a matrix with its names above and beside it, to be read back to the last bit."""
    rows = ([name, *row] for name, row in zip(labels, matrix.tolist(), strict=True))
    return _write_rows(path, ["", *labels], rows)


def write_comparisons(path: str | os.PathLike[str], wins: FloatArray, labels: tuple[str, ...]) -> Path:
    """Write who beat whom how often, every pair both ways, so that the arms keep their order."""
    for name in filter(is_tie, labels):
        raise PreferenceError(f"an arm is called {name!r}, which would be read as a tie; rename it.")
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


def _numbered(rows: CsvRows | JsonRows, start: int) -> Callable[[int], str]:
    return lambda row: f"line {rows.line(start + row)}"


def _read_matrix(rows: CsvRows | JsonRows, fields: list[Sequence[Any]]) -> MatrixTable | ComparisonTable:
    cells = [[str(field).strip() for field in row] for row in fields]
    names = cells[0]
    named_rows = len(cells) == len(names) and as_number(names[0]) is None
    named_columns = named_rows or len(cells) == len(names) + 1
    top, start = int(named_columns), int(named_rows)
    for row in range(1, len(cells)) if named_rows else ():
        if cells[row][0] != names[row]:
            raise FileError(
                f"{rows.path}, line {rows.line(row)}, column 1: the row is named {cells[row][0]!r} where the "
                f"header has {names[row]!r}; {REMEDY}"
            )
    commas = has_decimal_commas([cell for row in cells[top:] for cell in row[start:]])
    matrix = []
    for row in range(top, len(cells)):
        matrix.append(numbers := [as_number(cell, commas) for cell in cells[row][start:]])
        if None in numbers:
            column = start + numbers.index(None)
            raise FileError(
                f"{rows.path}, line {rows.line(row)}, column {column + 1}: {cells[row][column]!r} is not a "
                f"number; {REMEDY}"
            )
    labels = tuple(names[start:]) if named_columns else None
    table = np.array(matrix, np.float64)
    if len(table) > 1 and table.shape[1] == 2 * len(table):
        raise FileError(
            f"{rows.path}: {len(table)} rows of {table.shape[1]} numbers are no matrix; where commas are "
            "decimal ones, put semicolons or tabs between the numbers."
        )
    # In a matrix of preferences the diagonal is 1/2, so that no slip of the pen makes counts of it.
    square = table.shape == (len(table), len(table)) and len(table) > 0
    if square and not table.diagonal().any() and table.min() >= 0.0 and table.max() > 1.0:
        return ComparisonTable(as_labels(range(len(table)) if labels is None else labels), table)
    return MatrixTable(table, labels)
