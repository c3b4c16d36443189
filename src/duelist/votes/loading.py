"""Votes and matrices, read from a file or from memory."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias, get_args, runtime_checkable

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from duelist.duel import FloatArray
from duelist.errors import DuelistError, FileError, ParameterError, PreferenceError
from duelist.files import decoded
from duelist.preferences import as_labels
from duelist.tables.files import read_binary, read_bytes
from duelist.tables.memory import Frame, fields_of, read_memory
from duelist.tables.table import Notes, Table, fold
from duelist.tables.text import CsvText, read_json
from duelist.text import enumeration
from duelist.votes import formats
from duelist.votes.building import build
from duelist.votes.documents import is_preflib, is_promptfoo, read_preflib, read_promptfoo
from duelist.votes.fields import as_number, has_decimal_commas
from duelist.votes.formats import Header, find_format
from duelist.votes.rankings import Unranked
from duelist.votes.table import Votes

PAIR = ("winner", "loser", "count")
KNOWN = frozenset(
    {
        *(name for pair in (*formats.SIDES, *formats.DECIDED, *formats.SCORES) for name in pair),
        *(name for flags in formats.FLAGS for name in flags),
        *(name for names in formats.ALSO.values() for name in names),
        *(formats.WINNER, *formats.OUTCOMES, formats.RANKING),
    }
)
"""Column names with a meaning in tables of votes."""
NO_OUTCOME = "and none of them holds the outcome"
REMEDY = (
    "name the columns of the two arms and of the outcome, --columns left=COLUMN,right=COLUMN,outcome=COLUMN, "
    "or give K rows of K numbers"
)
EMPTY = "the file is empty; give a header, such as left,right,outcome, and one line per vote."


class Matrix(NamedTuple):
    """K rows of K probabilities, not validated as preferences, and the arms' names if the file has them."""

    matrix: FloatArray
    labels: tuple[str, ...] | None
    notes: Notes


@runtime_checkable
class CountedProblem(Protocol):
    """A problem that was estimated from votes."""

    @property
    def matrix(self) -> FloatArray:
        """`matrix[i, j]`: the share of the votes between i and j that i won."""

    @property
    def counts(self) -> FloatArray | None:
        """`counts[i, j]`: the number of votes between i and j."""

    @property
    def labels(self) -> tuple[str, ...]: ...


Rows: TypeAlias = Iterable[Any]
"""Rows (winner, loser) or (winner, loser, count), or rows with named fields, such as the votes of a study."""
Source: TypeAlias = (
    Votes | str | os.PathLike[str] | Frame | Mapping[str, Iterable[Any]] | CountedProblem | ArrayLike
)
"""Sources of votes; an array holds at row i and column j how often arm i beat arm j."""


def load_votes(
    source: str | os.PathLike[str] | Frame | Mapping[str, Iterable[Any]] | Rows,
    *,
    columns: Mapping[str, str] | None = None,
    extras: Iterable[str] = (),
    arms: Sequence[str] | None = None,
    unranked: Unranked = "unknown",
    skip_bad: bool = False,
    encoding: str | None = None,
    sheet: str | None = None,
) -> Votes:
    r"""Read recorded votes from a file, a data frame, columns or rows.

    Parameters
    ----------
    source : path, data frame, mapping of columns, or rows
        A file: CSV (separated by commas, semicolons, tabs or vertical bars), JSON (an array of objects, JSON
        Lines, or an object of columns), Parquet, Arrow, Excel, PrefLib ballots, or promptfoo results. Or a
        pandas or polars data frame, an Arrow table, a mapping from names to columns, or rows such as
        `Study.votes()` returns. The columns must follow one of these conventions:

        - `left`, `right` and `outcome`: left, right, tie, or a number from 0 (right won) to 1 (left won);
        - two columns of arms, such as `model_a` and `model_b`, and `winner`: an arm, its column, or tie;
        - two columns of arms and `result`, such as `H/D/A`, `1-0` or `A>B`, or two columns of scores.
          Ambiguous values, such as 0 and 1 in a column named choice, raise an error;
        - `winner` and `loser`, or `chosen` and `rejected`; a tie is a count of half a win each way;
        - `ranking`, several arms from best to worst: `a > b = c > d`, where b and c are equal, or `a, b, c`;
          in columns of objects also a list, `["a", ["b", "c"], "d"]`; or a column `rank:NAME` for each arm.

        Optional columns are `count`, `voter`, `item`, `time`, `category` and `weight`. A file may instead
        hold a table of counts: K rows of K numbers, how often the arm of the row beat the arm of the column.
    columns : mapping of str to str, optional
        Columns with unusual names, by role: `{"left": "home", "outcome": "result"}`. The roles are left,
        right, outcome, winner, loser, ranking, voter, item, count, time, category, weight, ticket, status
        and ranking_id.
    extras : iterable of str
        Extra columns to keep: categories, covariates, clusters. NAME also stands for a pair of columns, one
        for each side: NAME_left and NAME_right, or NAME_a and NAME_b.
    arms : sequence of str, optional
        All arms in order, including arms without votes. By default the arms of the votes, sorted by name.
    unranked : {"unknown", "last"}, default "unknown"
        How to treat arms that a ranking omits: as not compared, or as ranked last.
    skip_bad : bool, default False
        Skip unreadable rows and count them in `votes.notes`. By default the first one raises an error.
    encoding : str, optional
        The encoding of a text file; by default UTF-8.
    sheet : str, optional
        The sheet of a workbook; by default the first.

    Returns
    -------
    Votes
        The votes; `votes.notes` lists what was read and what was left out.

    Raises
    ------
    FileError
        If a file cannot be read; the message names the file, the line and the column.
    PreferenceError
        If the data in memory does not hold valid votes.
    ParameterError
        If `columns`, `extras` or `unranked` is invalid.

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
    """
    if isinstance(source, Votes):
        return source
    options: dict[str, Any] = {"skip_bad": skip_bad, "unranked": unranked, "arms": arms}
    _check_options(columns, extras, unranked)
    if isinstance(source, str | os.PathLike):
        found = read_source(source, columns=columns, extras=extras, encoding=encoding, sheet=sheet, **options)
        if isinstance(found, Matrix):
            raise FileError(
                f"{source}: this is a matrix of probabilities, not votes; give votes under a header, such as "
                "left, right and outcome, or K rows of K counts with zeros on the diagonal."
            )
        return found
    if is_matrix(source):
        raise PreferenceError(
            "this is a table of numbers, not rows of votes; for a table of counts, use "
            "Votes.from_counts(table, arms=names)."
        )
    wanted = tuple(extras)
    table = table_of(source, _keep(columns, wanted), skip_bad)
    return _build(table, columns, wanted, **options)


def read_source(
    path: str | os.PathLike[str],
    *,
    columns: Mapping[str, str] | None = None,
    extras: Iterable[str] = (),
    encoding: str | None = None,
    sheet: str | None = None,
    skip_bad: bool = False,
    **options: Any,
) -> Votes | Matrix:
    """Read a file of votes or of a K x K matrix; errors name the file, the line and the column."""
    wanted = tuple(extras)
    try:
        found = _read_file(path, columns, wanted, encoding, sheet, skip_bad)
        return (
            _build(found, columns, wanted, skip_bad=skip_bad, **options)
            if isinstance(found, Table)
            else found
        )
    except (PreferenceError, ParameterError) as error:
        joined = ", " if str(error).startswith(("line ", "row ", "record ", "test case ")) else ": "
        raise FileError(f"{path}{joined}{error}") from None


def _read_file(
    path: str | os.PathLike[str],
    columns: Mapping[str, str] | None,
    extras: tuple[str, ...],
    encoding: str | None,
    sheet: str | None,
    skip_bad: bool,
) -> Table | Votes | Matrix:
    """Return the table of a file of votes, or its matrix, without keeping its text in memory."""
    content, keep = read_bytes(path), _keep(columns, extras)
    table = read_binary(path, content, keep, sheet)
    if table is not None:
        return table
    text = decoded(path, content, encoding)
    first = text.lstrip()[:1]
    if not first:
        raise FileError(f"{path}: {EMPTY}")
    if first == "<":
        raise FileError(f"{path}: this is an HTML or XML page, not a table; save the votes as CSV or JSON.")
    if is_preflib(path, text):
        return read_preflib(path, text)
    if first in ("{", "["):
        return _read_json(path, text, keep, skip_bad)
    # the first line of a file for Excel may name the delimiter, which is detected from the header anyway
    text = text[text.find("\n") :] if re.match("sep=.\n", text) else text
    rows = CsvText(path, text, skip_bad, hint=", or skip bad rows: --skip-bad")
    if not rows.header:
        raise FileError(f"{path}: {EMPTY}")
    if not columns and _names_rows(rows):
        return _read_matrix(rows)
    format = find_format(rows.header, columns, extras)
    if format is None or (format.ranking and _holds_numbers(rows)):
        return _read_matrix(rows)
    del content  # a large file and its rows need not be in memory at the same time
    return rows.table(lambda name: name in format.columns)


def _check_options(columns: Any, extras: Any, unranked: Any) -> None:
    if columns is not None and not isinstance(columns, Mapping):
        raise ParameterError(f'columns must be a mapping such as {{"left": "home"}}; got {columns!r:.60}.')
    if isinstance(extras, str) or not isinstance(extras, Iterable):
        raise ParameterError(f"extras must be a list of names; got {extras!r:.60}.")
    if unranked not in get_args(Unranked):
        raise ParameterError(
            f"unranked must be one of {enumeration(get_args(Unranked))}; got {unranked!r:.60}."
        )


def _read_json(path: str | os.PathLike[str], text: str, keep: Any, skip_bad: bool) -> Table:
    if '"provider"' in text and '"results"' in text:
        try:
            content = msgspec.json.decode(text)
        except (msgspec.DecodeError, ValueError, RecursionError):
            content = None
        if is_promptfoo(content):
            return read_promptfoo(path, content)
    return read_json(path, text, keep, skip_bad)


def table_of(source: Any, keep: Any, skip_bad: bool = False) -> Table:
    """Return the table of a data frame, a mapping of columns, or rows."""
    if hasattr(source, "collect") and hasattr(source, "lazy"):
        raise PreferenceError("this is a lazy frame; collect it first: frame.collect().")
    if not isinstance(source, Iterable) or isinstance(source, str | bytes | Mapping | Frame):
        return read_memory(source, keep, skip_bad)
    rows = list(source)
    if not rows:
        raise PreferenceError("there are no votes; give at least one vote as a row.")
    if fields_of(rows[0]) is not None:
        return read_memory(rows, keep, skip_bad)
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, list | tuple) or not 2 <= len(row) <= 3:
            raise PreferenceError(
                f"record {number} is {row!r:.80}; give (winner, loser) or (winner, loser, count)."
            )
    counts = [as_number(row[2]) for row in rows if len(row) == 3]
    if 0.0 in counts and {0.0, 0.5, 1.0}.issuperset(counts):
        raise PreferenceError(
            "rows of two arms and 0 or 1 are ambiguous: (winner, loser, count) or (left, right, outcome); "
            'omit rows with a count of 0, or name the fields: {"left": ..., "right": ..., "outcome": ...}.'
        )
    same = len({len(row) for row in rows}) == 1
    fields = zip(*(rows if same else ((*row, None)[:3] for row in rows)), strict=True)
    return read_memory(dict(zip(PAIR, fields, strict=False)), lambda name: True)


def _keep(columns: Mapping[str, str] | None, extras: Iterable[str]) -> Any:
    named = {fold(name) for name in (*dict(columns or {}).values(), *extras)}
    named |= {fold(name + side) for name in extras for sides in formats.PAIRED for side in sides}
    return lambda name: fold(name) in KNOWN or fold(name) in named or fold(name).startswith(formats.RANK)


def _build(table: Table, columns: Mapping[str, str] | None, extras: tuple[str, ...], **options: Any) -> Votes:
    if not table.names:
        raise PreferenceError("there are no votes; give at least one vote as a row.")
    format = find_format(table.names, columns, extras)
    if format is None:
        raise PreferenceError(f"the columns are {Header(table.names)}, {NO_OUTCOME}; {REMEDY}.")
    return build(table, format, **options)


def _names_rows(rows: CsvText) -> bool:
    """Return whether the first column repeats the header: arms of a matrix may be named winner and loser."""
    width = len(rows.header)
    top = rows.top(width)
    return width > 2 and rows.header[1:] == [row[0] for row in top]


def _holds_numbers(rows: CsvText) -> bool:
    """Return whether the header is followed by numbers: an arm of a matrix may be named ranking."""
    top = rows.top(1)
    return bool(top) and all(as_number(cell, True) is not None for cell in top[0])


def _read_matrix(rows: CsvText) -> Votes | Matrix:
    header = Header(rows.header)
    try:
        cells, where = rows.grid()
    except FileError as error:
        raise FileError(f"{error} The columns are {header}, {NO_OUTCOME}; {REMEDY}.") from None
    names = cells[0]
    named_rows = len(cells) == len(names) and as_number(names[0], True) is None
    named_columns = named_rows or len(cells) == len(names) + 1
    top, start = int(named_columns), int(named_rows)
    if not any(as_number(cell, True) is not None for row in cells for cell in row):
        raise PreferenceError(f"the columns are {header}, {NO_OUTCOME}; {REMEDY}.")
    for row in range(1, len(cells)) if named_rows else ():
        if cells[row][0] != names[row]:
            raise PreferenceError(
                f"{where(row)}, column 1: the row is named {cells[row][0]!r:.60}, but the header has "
                f"{names[row]!r:.60}; the columns are {header}; {REMEDY}."
            )
    commas = has_decimal_commas([cell for row in cells[top:] for cell in row[start:]])
    matrix = []
    for row in range(top, len(cells)):
        matrix.append(numbers := [as_number(cell, commas) for cell in cells[row][start:]])
        if None in numbers:
            column = start + numbers.index(None)
            raise PreferenceError(
                f"{where(row)}, column {column + 1}: {cells[row][column]!r:.60} is not a number; the columns "
                f"are {header}, {NO_OUTCOME}; {REMEDY}."
            )
    labels = tuple(names[start:]) if named_columns else None
    table = np.array(matrix, np.float64)
    if len(table) > 1 and table.shape[1] == 2 * len(table):
        raise PreferenceError(
            f"{len(table)} rows of {table.shape[1]} numbers are not a square matrix; if the commas are "
            "decimal commas, separate the numbers with semicolons or tabs."
        )
    # the diagonal of a matrix of preferences is 1/2, so a typing error cannot turn it into counts
    square = table.shape == (len(table), len(table)) and len(table) > 0
    if square and not table.diagonal().any() and table.min() >= 0.0 and table.max() > 1.0:
        arms = as_labels(range(len(table)) if labels is None else labels)
        votes = Votes.from_counts(table, arms=arms)
        vars(votes)["notes"] = rows.notes
        return votes
    return Matrix(table, labels, rows.notes)


def is_matrix(source: object) -> bool:
    """Return whether an object is a 2D array of numbers, or K lists of K numbers with a zero diagonal."""
    if isinstance(source, np.ndarray):
        return source.ndim == 2 and source.dtype.kind in "iuf"
    if not isinstance(source, list) or not all(isinstance(row, list) for row in source):
        return False
    square = all(len(row) == len(source) for row in source) and len(source) > 1
    numbers = all(isinstance(value, int | float) for row in source for value in row)
    return square and numbers and all(row[index] == 0 for index, row in enumerate(source))


def as_votes(source: Source) -> Votes:
    """Return votes unchanged, or read them from a file, a data frame, a table of counts, or a problem."""
    if isinstance(source, Votes):
        return source
    if isinstance(source, str | os.PathLike | Mapping | Frame):
        return load_votes(source)
    if isinstance(source, CountedProblem):
        if source.counts is None:
            raise PreferenceError(
                "the problem holds probabilities without counts; create it from votes or from wins."
            )
        return Votes.from_counts(source.matrix * source.counts, arms=source.labels)
    try:
        return Votes.from_counts(source)
    except DuelistError as error:
        rows = source if isinstance(source, list | tuple) else []
        if not rows or not all(isinstance(row, list | tuple) and len(row) in (2, 3) for row in rows):
            raise
        raise PreferenceError(
            f"not a table of counts: {error} If each row is a vote, (winner, loser) or (winner, loser, "
            "count), read the votes first: load_votes(rows)."
        ) from None
