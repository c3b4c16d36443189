"""Files of preferences and of comparisons: what a file holds is read off its first row and its shape.

In CSV files commas, semicolons or tabs separate the fields. Blank lines and lines that begin with `#` are
skipped; a name that begins so must be quoted. Comparisons may be JSON objects too, one on each line.
"""

import os
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from duelist.duel import LEFT_WINS, FloatArray
from duelist.errors import FileError, PreferenceError
from duelist.preferences import as_labels
from duelist.votes.columns import Columns, as_number, find_columns, has_decimal_commas
from duelist.votes.gathering import Gathering, take
from duelist.votes.rankings import MOST_VOTES, RankingColumns, find_rankings, take_rankings
from duelist.votes.records import Records
from duelist.votes.rows import CsvRows, JsonRows, open_rows

REMEDY = (
    "give K rows of K numbers such as 0.5, with or without names above and beside them, or comparisons under "
    "a header with winner and loser, with left, right and outcome, or with a, b and winner (--a, --b and "
    "--winner name other columns), or rankings such as a > b = c under ranking."
)


class MatrixTable(NamedTuple):
    """What a matrix file holds, as it stands there: not yet checked to be preferences or counts of wins."""

    matrix: FloatArray
    labels: tuple[str, ...] | None


def read_records(path: str | os.PathLike[str], **named: str | None) -> MatrixTable | Records:
    """Read a file that holds a K x K matrix, or comparisons or rankings under a header.

    A matrix may have a row of names above it, and then a column of the same names beside it. It holds
    preferences, or counts of wins if it has zeros on the diagonal and a number above 1; then it is returned
    as comparisons. `named` gives the names of columns, as `find_columns` takes them.
    """
    rows = open_rows(path)
    batches = rows.batches()
    top = next(batches, None)
    if top is None:
        raise FileError(f"{path}: the file is empty; {REMEDY}")
    names = top[0]
    try:
        columns = find_columns(names, **named) or find_rankings(names, named.get("voter"), named.get("item"))
        if isinstance(columns, RankingColumns) and columns.ranks and isinstance(rows, JsonRows):
            raise PreferenceError('in JSON lines, give each ranking as a list: {"ranking": ["a", "b", "c"]}.')
    except PreferenceError as error:
        raise FileError(f"{path}, line {rows.line(0)}: {error}") from None
    if columns is None or _is_matrix(top, columns):
        return _read_matrix(rows, [*top, *chain.from_iterable(batches)])
    if len(top) == 1:
        raise FileError(f"{path}, line {rows.line(0)}: no comparison follows the header; {REMEDY}")
    gathering, start = Gathering(), 1
    try:
        for batch in chain([top[1:]], batches):
            fields, where = list(zip(*batch, strict=True)), _numbered(rows, start)
            if isinstance(columns, Columns):
                taken = take(columns, fields.__getitem__, where)
            else:
                room = MOST_VOTES - gathering.size
                taken = take_rankings(columns, fields.__getitem__, where, start, room)
            gathering.add(taken, strip=True)
            start += len(batch)
        return gathering.result()
    except PreferenceError as error:
        raise FileError(f"{path}, {error}") from None


def _is_matrix(top: list[Sequence[Any]], columns: Columns | RankingColumns) -> bool:
    """Return whether columns that are called like those of comparisons are the arms of a matrix.

    Arms called winner and loser are repeated beside the rows; below one called ranking stand numbers.
    """
    if len(top) == 1:
        return False
    if list(top[0][1:]) == [fields[0] for fields in top[1:]]:
        return True
    numbers = all(as_number(field) is not None for field in top[1])
    return numbers and isinstance(columns, RankingColumns) and not columns.ranks


def _numbered(rows: CsvRows | JsonRows, start: int) -> Callable[[int], str]:
    return lambda row: f"line {rows.line(start + row)}"


def _read_matrix(rows: CsvRows | JsonRows, fields: list[Sequence[Any]]) -> MatrixTable | Records:
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
        arms = as_labels(range(len(table)) if labels is None else labels)
        winners, losers = np.nonzero(table)
        counts = table[winners, losers]
        return Records(arms, winners, losers, np.full(len(counts), LEFT_WINS), counts)
    return MatrixTable(table, labels)
