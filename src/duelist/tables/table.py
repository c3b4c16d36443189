"""A table: columns in which every distinct value is kept once, and notes on what was left out."""

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
"""Bad rows and lines that are named; the others are counted."""
MOST_COMPARED = 10_000
"""Distinct values of a column from which on values are no longer compared, if most are new."""


@dataclass
class Notes:
    """What a reader noticed: which columns it used, and every row, value and line that it left out."""

    source: str = ""
    used: dict[str, str] = field(default_factory=dict)
    """The column that was read for each role, such as voter."""
    ignored: tuple[str, ...] = ()
    comments: list[int] = field(default_factory=list)
    """The lines that were taken for comments."""
    skipped: int = 0
    """How many bad rows were left out on request."""
    reasons: list[str] = field(default_factory=list)
    """Of the first of them: where they are, and why."""
    remarks: list[str] = field(default_factory=list)
    """What else there is to know, in sentences."""

    def sentences(self, columns: bool = True) -> list[str]:
        """Return all that was noticed, in sentences; `columns` tells which were read for what, too."""
        told = []
        renamed = [f"{role} from {name!r}" for role, name in self.used.items() if role != fold(name)]
        if columns and renamed:
            told.append(f"Columns: {', '.join(renamed)}.")
        if self.ignored:
            told.append(f"Not used: {counted(len(self.ignored), 'column')} ({enumeration(self.ignored)}).")
        if self.comments:
            lines = enumeration([str(line) for line in self.comments], MOST_SHOWN)
            told.append(f"Left out: {counted(len(self.comments), 'comment line')} (line {lines}).")
        if self.skipped:
            more = (
                f"; and {self.skipped - len(self.reasons):,} more" if self.skipped > len(self.reasons) else ""
            )
            told.append(f"Left out: {counted(self.skipped, 'bad row')} ({'; '.join(self.reasons)}{more}).")
        return told + self.remarks

    def skip(self, reason: Callable[[], str]) -> None:
        """Note a bad row that is left out; where it is takes time to find, and is told of the first few."""
        self.skipped += 1
        if len(self.reasons) < MOST_SHOWN:
            self.reasons.append(reason().removesuffix("."))


class Column(NamedTuple):
    """A column: its distinct values, and which of them each row has.

    Where nearly all values differ, as scores and texts do, some may be there twice.
    """

    values: list[Any]
    codes: IntArray
    """-1 where the value is missing."""

    @classmethod
    def of(cls, fields: Iterable[Any]) -> "Column":
        """Return fields as a column; None, not a number and an empty text are missing."""
        coder, listed = Coder(), list(fields)
        for start in range(0, len(listed), MOST_COMPARED):
            coder.add(listed[start : start + MOST_COMPARED])
        return coder.column()

    def row(self, row: int) -> Any:
        """Return the value of a row; None if it is missing."""
        return None if self.codes[row] < 0 else self.values[self.codes[row]]

    def tolist(self) -> list[Any]:
        """Return the value of every row."""
        values = [*self.values, None]
        return [values[code] for code in self.codes.tolist()]

    def take(self, rows: Any) -> "Column":
        """Return some rows."""
        return Column(self.values, self.codes[rows])

    def map(self, function: Callable[[Any], Any]) -> list[Any]:
        """Return a function of every distinct value."""
        return [function(value) for value in self.values]


class Coder:
    """Gathers a column, batch by batch.

    Parameters
    ----------
    clean : callable, optional
        Makes of a text what it stands for; all fields are texts then.
    """

    def __init__(self, clean: Callable[[str], str] | None = None) -> None:
        self._numbers: dict[Any, int] = {}
        self._values: list[Any] = []
        self._parts: list[NDArray[np.signedinteger]] = []
        self._size = 0
        self._clean = clean
        self._compares = True

    def add(self, fields: Sequence[Any]) -> None:
        """Take some fields."""
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
        # 1, 1.0 and True are one key of a dictionary, lists are none, and long arrays are shown in part
        shown = field.tolist() if isinstance(field, np.ndarray) else field
        key = field if type(field) is str else (type(field), repr(shown))
        known = self._numbers.get(key)
        if known is None:
            value = self._clean(field) if self._clean else field
            known = -1 if is_missing(value) else len(self._values)
            if known >= 0:
                self._values.append(value)
            self._numbers[key] = known
        return known

    def column(self) -> Column:
        """Return the column; texts that are equal after cleaning are one value."""
        codes = np.concatenate(self._parts) if self._parts else np.empty(0, np.int64)
        if self._clean is None or not self._compares:
            return Column(self._values, codes)
        places: dict[str, int] = {}
        merged = [places.setdefault(text, len(places)) for text in self._values]
        return Column(list(places), np.array([*merged, -1])[codes])


def is_missing(field: Any) -> bool:
    """Return whether a field stands for nothing: None, not a number, a frame's missing value, no text."""
    if field is None or (isinstance(field, str) and not field.strip()):
        return True
    if type(field).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(field, float | np.floating) and bool(field != field)


def as_text(field: Any) -> str:
    """Return a value as text; a whole number is written without a point, whatever its type.

    A column of whole numbers with one gap becomes one of floating-point numbers in a data frame: 7.0 is 7.

    Examples
    --------
    >>> as_text(7.0), as_text(np.int64(7)), as_text(" ann "), as_text(True)
    ('7', '7', 'ann', 'true')
    """
    if isinstance(field, str):
        # one way to write é: a study knows names in this form too
        return field.strip() if field.isascii() else unicodedata.normalize("NFC", field.strip())
    if isinstance(field, np.generic):
        field = field.item()
    if isinstance(field, bool):
        return str(field).casefold()
    if isinstance(field, float):
        return str(int(field)) if field.is_integer() else repr(field)
    if isinstance(field, list | tuple | dict | set | bytes | np.ndarray):
        raise PreferenceError(f"{field!r:.60} is not a text or a number")
    return str(field)


def fold(name: Any) -> str:
    """Return a column's name as names are compared: "Model A" is model_a."""
    return str(name).strip().casefold().replace(" ", "_").replace("-", "_")


@dataclass
class Table:
    """Columns by name, and how errors call a row."""

    names: tuple[str, ...]
    """What the source calls all its columns."""
    columns: dict[str, Column]
    """Those that were kept."""
    size: int
    where: Callable[[int], str]
    notes: Notes

    def error(self, fault: str, row: int | None = None, column: str = "") -> FileError | PreferenceError:
        """Return what is wrong with a file or a table in memory, in which row and which column."""
        place = [self.notes.source, "" if row is None else self.where(row), column and f'column "{column}"']
        told = ": ".join(filter(None, [", ".join(filter(None, place)), fault]))
        return FileError(told) if self.notes.source else PreferenceError(told)

    def take(self, rows: IntArray) -> "Table":
        """Return some rows."""
        columns = {name: column.take(rows) for name, column in self.columns.items()}
        where = self.where
        return Table(self.names, columns, len(rows), lambda row: where(int(rows[row])), self.notes)


Keep: TypeAlias = Callable[[str], bool]
"""Says of a column's name whether it is kept; texts that nobody reads are not held in memory."""
