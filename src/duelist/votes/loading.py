"""Recorded votes, read from a file or from memory."""

import os
from collections.abc import Iterable, Mapping
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from duelist.duel import FloatArray, IntArray
from duelist.errors import FileError, PreferenceError
from duelist.text import in_reading_order
from duelist.votes.frames import Frame, Rows, gather
from duelist.votes.records import Records
from duelist.votes.tables import MatrixTable, read_records
from duelist.votes.table import Votes


@runtime_checkable
class CountedProblem(Protocol):
    """What is needed of a problem that was estimated from comparisons."""

    @property
    def matrix(self) -> FloatArray:
        """Return the share of its votes that the arm of a row won against the arm of a column."""

    @property
    def counts(self) -> FloatArray | None:
        """Return how many votes each pair has."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the arms' names."""


Source: TypeAlias = (
    Votes | str | os.PathLike[str] | Frame | Mapping[str, Iterable[Any]] | CountedProblem | ArrayLike
)
"""What votes can be read from; of an array, row i and column j say how often arm i beat arm j."""


def load_votes(
    source: str | os.PathLike[str] | Frame | Mapping[str, Iterable[Any]] | Rows,
    *,
    a: str | None = None,
    b: str | None = None,
    winner: str | None = None,
    voter: str | None = None,
    item: str | None = None,
) -> Votes:
    r"""Read recorded votes; arms are sorted by name, so that the order of votes changes nothing.

    Parameters
    ----------
    source : path, data frame, columns by name, or rows
        A CSV file under a header, with commas, semicolons or tabs, or JSON objects, one on each line, gzipped
        or not; a frame of pandas or polars; a mapping from names to columns; or rows, such as
        `Study.votes()` returns. The columns are one of

        - `left`, `right` and `outcome`: left, right or tie, or 1, 0 or 0.5. Rows whose `status` is retracted
          or skipped, as in the record of a study, are left out;
        - two columns of arms and `winner`, such as `model_a` and `model_b`, `player_a` and `player_b`, or `a`
          and `b`: the winner is the name of an arm or of its column, or a word such as tie or tie (bothbad);
        - `winner` and `loser`, where a tie is a count of half a win each way;
        - `ranking`, several arms best first: `a > b = c > d`, where b and c are equal, or `a, b, c`; where
          columns hold objects, as in JSON lines, also a list, `["a", ["b", "c"], "d"]`;
        - `rank:` and the name of an arm, a column for each arm: 1 for the best, equal numbers for equal arms,
          nothing for an arm that was not ranked. Not in JSON lines.

        All may have `count`, how many votes or rankings a row stands for, `voter`, `item`, `time` and, except
        for rankings, `ticket`, by which a study knows a vote again; other columns are ignored. A ranking is
        a vote for every two of its arms.
        A file may hold a table of counts instead: K rows of K numbers, how often the arm of the row beat that
        of the column.
    a, b, winner, voter, item : str, optional
        The names of the columns, where they are called otherwise.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "votes.csv"
    ...     _ = path.write_text("voter,left,right,outcome\nann,dense,bm25,left\nbob,bm25,dense,tie\n")
    ...     votes = load_votes(path)
    >>> votes, votes.arms
    (Votes(2 votes, 1 tie, 2 arms, 2 voters), ('bm25', 'dense'))
    >>> votes.wins()
    array([[0. , 0.5],
           [1.5, 0. ]])
    """
    named = {"a": a, "b": b, "winner": winner, "voter": voter, "item": item}
    if not isinstance(source, str | os.PathLike):
        if is_table(source):
            raise PreferenceError(
                "this is a table of numbers, not rows of votes; for a table of counts there is "
                "Votes.from_counts(table, arms=names)."
            )
        return from_records(gather(source, **named))
    table = read_records(source, **named)
    if isinstance(table, MatrixTable):
        raise FileError(
            f"{source}: these are chances, not votes; give votes under a header, such as left, right and "
            "outcome, or K rows of K counts with zeros on the diagonal."
        )
    try:
        return from_records(table)
    except PreferenceError as error:
        raise FileError(f"{source}: {error}") from None


def is_table(source: object) -> bool:
    """Return whether something is an array of numbers, or as many lists of as many numbers, zeros across."""
    if isinstance(source, np.ndarray):
        return source.ndim == 2 and source.dtype.kind in "iuf"
    if not isinstance(source, list) or not all(isinstance(row, list) for row in source):
        return False
    square = all(len(row) == len(source) for row in source) and len(source) > 1
    numbers = all(isinstance(value, int | float) for row in source for value in row)
    return square and numbers and all(row[place] == 0 for place, row in enumerate(source))


def are_rows(source: object) -> bool:
    """Return whether something may be rows of votes: lists or tuples of two or three fields."""
    return (
        isinstance(source, list | tuple)
        and len(source) > 0
        and all(isinstance(row, list | tuple) and len(row) in (2, 3) for row in source)
    )


def as_votes(source: Source) -> Votes:
    """Return votes as they are, or from a file, a frame, a table of counts, or a problem that has counts."""
    if isinstance(source, Votes):
        return source
    if isinstance(source, str | os.PathLike | Mapping | Frame):
        return load_votes(source)
    if not isinstance(source, CountedProblem):
        try:
            return Votes.from_counts(source)
        except PreferenceError as error:
            if not are_rows(source):
                raise
            raise PreferenceError(
                f"no table of counts: {error} If each row is a vote, (winner, loser) or (winner, loser, "
                "count), read them first: load_votes(rows)."
            ) from None
    if source.counts is None:
        raise PreferenceError("the problem holds chances without counts; make it from comparisons or wins.")
    return Votes.from_counts(source.matrix * source.counts, arms=source.labels)


def from_records(records: Records) -> Votes:
    """Return comparisons as votes, the arms sorted; counts must be whole, or halves that are ties."""
    arms = in_reading_order(records.arms)
    places = {name: place for place, name in enumerate(arms)}
    order: IntArray = np.array([places[name] for name in records.arms])
    told = records.counts > 0.0
    if (records.counts % 1.0).any():
        if any(column is not None for column in records[5:]):
            raise PreferenceError("counts of voters or items must be whole numbers; write each tie as a row.")
        inverse = np.argsort(order)
        return Votes.from_counts(records.wins()[np.ix_(inverse, inverse)], arms=arms)
    voters, items, tickets, _, rankings = (None if column is None else column[told] for column in records[5:])
    left, right = order[records.left[told]], order[records.right[told]]
    return Votes(
        arms, left, right, records.outcomes[told], records.counts[told], voters, items, tickets, None, rankings
    )
