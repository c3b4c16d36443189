"""Files of preferences and of comparisons, read and written."""

import csv
import io
import os
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from duelist.duel import FloatArray
from duelist.errors import PreferenceError
from duelist.files import guard, write_whole
from duelist.votes.columns import COLUMNS, is_tie
from duelist.votes.records import Records
from duelist.votes.tables import MatrixTable, read_records


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
    have the columns `winner` and `loser`, or `left`, `right` and `outcome`, or two columns of arms and
    `winner`, which holds the name of an arm or of its column, or tie: such as `model_a`, `model_b` and
    `winner`, where `a`, `b` and `winner` do not name others. They may have a `count`; other columns are
    ignored.

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
    table = read_records(path, a=a, b=b, winner=winner)
    return ComparisonTable(table.arms, table.wins()) if isinstance(table, Records) else table


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
    for row in (header, *rows):
        writer.writerow([guard(cell) if isinstance(cell, str) else cell for cell in row])
    return write_whole(path, text.getvalue().encode())
