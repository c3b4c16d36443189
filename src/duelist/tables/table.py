"""A table: dictionary-encoded columns, and notes on what was left out."""

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from duelist.duel import IntArray
from duelist.errors import FileError, PreferenceError
from duelist.text import counted, enumeration

MOST_SHOWN = 5
"""Maximum number of bad rows and lines that are listed; the others are counted."""
MOST_COMPARED = 10_000
"""Number of distinct values after which values are no longer deduplicated if most are new."""


@dataclass
class Notes:
    """What a reader used and what it left out: columns, rows, values and lines."""

    source: str = ""
    used: dict[str, str] = field(default_factory=dict)
    """The column that was read for each role, such as "voter"."""
    ignored: tuple[str, ...] = ()
    comments: list[int] = field(default_factory=list)
    """The numbers of the lines that were treated as comments."""
    skipped: int = 0
    """The number of bad rows that were skipped on request."""
    reasons: list[str] = field(default_factory=list)
    """Location and reason for the first of the skipped rows."""
    remarks: list[str] = field(default_factory=list)
    """Further remarks, in sentences."""

    def sentences(self, columns: bool = True) -> list[str]:
        """Return all notes as sentences, with the mapping of columns to roles if `columns`."""
        lines = []
        renamed = [f"{role} from {name!r}" for role, name in self.used.items() if role != fold(name)]
        if columns and renamed:
            lines.append(f"Columns: {', '.join(renamed)}.")
        if self.ignored:
            lines.append(f"Not used: {counted(len(self.ignored), 'column')} ({enumeration(self.ignored)}).")
        if self.comments:
            numbers = enumeration([str(number) for number in self.comments], MOST_SHOWN)
            lines.append(f"Left out: {counted(len(self.comments), 'comment line')} (line {numbers}).")
        if self.skipped:
            more = (
                f"; and {self.skipped - len(self.reasons):,} more" if self.skipped > len(self.reasons) else ""
            )
            lines.append(f"Left out: {counted(self.skipped, 'bad row')} ({'; '.join(self.reasons)}{more}).")
        return lines + self.remarks

    def skip(self, reason: Callable[[], str]) -> None:
        """Note a skipped row; `reason` is slow and called for the first few rows only."""
        self.skipped += 1
        if len(self.reasons) < MOST_SHOWN:
            self.reasons.append(reason().removesuffix("."))


class Column(NamedTuple):
    """A dictionary-encoded column: distinct values, and the code of each row's value.

    `values` may hold duplicates where nearly all values differ, as scores and texts do.
    """

    values: list[Any]
    codes: IntArray
    """Each row's index into `values`, or -1 if its value is missing."""

    @classmethod
    def of(cls, fields: Iterable[Any]) -> "Column":
        """Return fields as a column; None, NaN and empty texts are missing."""
        coder, listed = Coder(), list(fields)
        for start in range(0, len(listed), MOST_COMPARED):
            coder.add(listed[start : start + MOST_COMPARED])
        return coder.column()

    def row(self, row: int) -> Any:
        return None if self.codes[row] < 0 else self.values[self.codes[row]]

    def tolist(self) -> list[Any]:
        values = [*self.values, None]
        return [values[code] for code in self.codes.tolist()]

    def take(self, rows: Any) -> "Column":
        return Column(self.values, self.codes[rows])

    def map(self, function: Callable[[Any], Any]) -> list[Any]:
        return [function(value) for value in self.values]


class Coder:
    """Encode a column batch by batch.

    Parameters
    ----------
    clean : callable, optional
        Applied to every distinct field; all fields must then be texts.
    """

    def __init__(self, clean: Callable[[str], str] | None = None) -> None:
        self._numbers: dict[Any, int] = {}
        self._values: list[Any] = []
        self._parts: list[NDArray[np.signedinteger]] = []
        self._size = 0
        self._clean = clean
        self._compares = True

    def add(self, fields: Sequence[Any]) -> None:
        self._size += len(fields)
        if not self._compares:
            self._parts.append(self._appended(fields))
            return
        try:
            codes = np.fromiter(map(self._numbers.__getitem__, fields), np.int32, len(fields))
        except (KeyError, TypeError):
            codes = np.fromiter(map(self._code, fields), np.int32, len(fields))
            self._compares = len(self._values) < max(MOST_COMPARED, self._size / 2)
        self._parts.append(codes)

    def _appended(self, fields: Sequence[Any]) -> IntArray:
        values = list(map(self._clean, fields) if self._clean else fields)
        codes = np.arange(len(self._values), len(self._values) + len(values))
        if self._clean is None or "" in values:
            codes[[is_missing(value) for value in values]] = -1
        self._values += values
        return codes

    def _code(self, field: Any) -> int:
        # 1, 1.0 and True are the same dictionary key, lists are unhashable, and repr abbreviates long arrays
        printed = field.tolist() if isinstance(field, np.ndarray) else field
        key = field if type(field) is str else (type(field), repr(printed))
        known = self._numbers.get(key)
        if known is None:
            value = self._clean(field) if self._clean else field
            known = -1 if is_missing(value) else len(self._values)
            if known >= 0:
                self._values.append(value)
            self._numbers[key] = known
        return known

    def column(self) -> Column:
        """Return the column; texts that are equal after cleaning become one value."""
        codes = np.concatenate(self._parts) if self._parts else np.empty(0, np.int64)
        if self._clean is None or not self._compares:
            return Column(self._values, codes)
        distinct: dict[str, int] = {}
        merged = [distinct.setdefault(text, len(distinct)) for text in self._values]
        return Column(list(distinct), np.array([*merged, -1])[codes])


def is_missing(field: Any) -> bool:
    """Return whether a field is None, NaN, a data frame's missing value, or blank text."""
    if field is None or (isinstance(field, str) and not field.strip()):
        return True
    if type(field).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(field, float | np.floating) and bool(field != field)


def as_text(field: Any) -> str:
    """Return a value as text; integral numbers are written without a decimal point, whatever their type.

    Data frames turn a column of integers with a gap into floats: 7.0 must read as 7.

    Examples
    --------
    >>> as_text(7.0), as_text(np.int64(7)), as_text(" ann "), as_text(True)
    ('7', '7', 'ann', 'true')
    """
    if isinstance(field, str):
        # one encoding of é: studies normalize names in the same way
        return field.strip() if field.isascii() else unicodedata.normalize("NFC", field.strip())
    if isinstance(field, np.generic):
        field = field.item()
    if isinstance(field, bool):
        return str(field).casefold()
    if isinstance(field, float):
        return str(int(field)) if field.is_integer() else repr(field)
    if isinstance(field, list | tuple | dict | set | bytes | np.ndarray):
        raise PreferenceError(f"{field!r:.60} is not a string or a number")
    return str(field)


def fold(name: Any) -> str:
    """Return the normalized name by which columns are compared: "Model A" becomes model_a."""
    return str(name).strip().casefold().replace(" ", "_").replace("-", "_")


@dataclass
class Table:
    """Named columns, and the location of every row for error messages."""

    names: tuple[str, ...]
    """The names of all columns of the source."""
    columns: dict[str, Column]
    """The columns that were kept."""
    size: int
    where: Callable[[int], str]
    """Returns the location of a row, such as "line 3"."""
    notes: Notes

    def error(self, fault: str, row: int | None = None, column: str = "") -> FileError | PreferenceError:
        """Return an error that names the source, the row and the column."""
        parts = [self.notes.source, "" if row is None else self.where(row), column and f'column "{column}"']
        message = ": ".join(filter(None, [", ".join(filter(None, parts)), fault]))
        return FileError(message) if self.notes.source else PreferenceError(message)

    def take(self, rows: IntArray) -> "Table":
        columns = {name: column.take(rows) for name, column in self.columns.items()}
        where = self.where
        return Table(self.names, columns, len(rows), lambda row: where(int(rows[row])), self.notes)


Keep: TypeAlias = Callable[[str], bool]
"""Predicate on a column's name: columns that nobody reads are not held in memory."""
