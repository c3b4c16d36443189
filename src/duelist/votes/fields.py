"""Parse the fields of a table of votes (numbers, times, words), and collect bad rows."""

import re
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime
from functools import partial
from math import inf, nan
from typing import Any

import numpy as np

from duelist.duel import BoolArray, FloatArray
from duelist.errors import PreferenceError
from duelist.tables.table import Column, Table, as_text
from duelist.votes.table import EARLIEST, LATEST

MOST_SHOWN = 5
DECIMAL = re.compile(r"\s*[+-]?\d*,\d+\s*")
THOUSANDS = re.compile(r"\s*[+-]?[1-9]\d{0,2}(,\d{3})+\s*")
NUMBER = re.compile(r"[0-9]*[.]?[0-9]+")
DAY = re.compile("[0-9]{8}")
"""A date such as 20261116."""
DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"))


class Faults:
    """Collect the bad rows of a table: the first raises an error, or all are skipped and counted."""

    def __init__(self, table: Table, skip_bad: bool) -> None:
        self._table, self._skip = table, skip_bad
        self._bad = np.zeros(table.size, np.bool_)
        self._messages: dict[int, str] = {}

    def add(self, broken: BoolArray, column: str, fault: Callable[[int], str]) -> None:
        """Add bad rows; `fault` returns the problem and the remedy for a row."""
        for row in np.flatnonzero(broken & ~self._bad)[:MOST_SHOWN].tolist():
            self._messages[row] = f'column "{column:.60}": {fault(row)}'
        self._bad |= broken

    def add_values(self, column: Column, name: str, wrong: dict[int, str]) -> None:
        """Add all rows with certain values; `wrong` maps the code of such a value to its fault."""
        if wrong:
            broken = np.isin(column.codes, list(wrong))
            self.add(broken, name, lambda row: wrong[int(column.codes[row])])

    def good(self) -> BoolArray:
        """Return flags of the good rows, or raise for the first bad row unless bad rows are skipped."""
        if self._bad.any() and not self._skip:
            raise PreferenceError(self._reason(min(self._messages)))
        if self._bad.any() and self._bad.all():
            raise PreferenceError(f"no row is readable; {self._reason(min(self._messages))}")
        notes = self._table.notes
        for row in sorted(self._messages)[:MOST_SHOWN]:
            notes.skip(partial(self._reason, row))
        notes.skipped += int(self._bad.sum()) - min(len(self._messages), MOST_SHOWN)
        return ~self._bad

    def _reason(self, row: int) -> str:
        return f"{self._table.where(row)}, {self._messages[row]}"


def as_word(value: Any) -> str:
    """Return the normalized word by which values are compared: no capitals, spaces or typographic dashes."""
    return "".join(name_of(value).casefold().translate(DASHES).split())


def name_of(value: Any) -> str:
    """Return a value as text, or an empty text if it is neither a text nor a number."""
    try:
        return as_text(value)
    except PreferenceError:
        return ""


def as_number(field: Any, decimal_commas: bool = False) -> float | None:
    """Parse a finite number; return None for anything else, including True and 1_000.

    Examples
    --------
    >>> as_number("2.5"), as_number("2,5"), as_number("2,5", decimal_commas=True), as_number(True)
    (2.5, None, 2.5, None)
    """
    if isinstance(field, bool | np.bool_) or (isinstance(field, str) and "_" in field):
        return None
    try:
        if decimal_commas and isinstance(field, str) and DECIMAL.fullmatch(field):
            field = field.replace(",", ".")
        number = float(field)
    except (OverflowError, TypeError, ValueError):
        return None
    return number if -inf < number < inf else None


def has_decimal_commas(fields: Iterable[Any]) -> bool:
    """Return whether the numbers have decimal commas; 1,500 alone is ambiguous and does not prove it."""
    return any(
        isinstance(field, str) and DECIMAL.fullmatch(field) and not THOUSANDS.fullmatch(field)
        for field in fields
    )


def numbers_of(column: Column, missing: float = nan) -> FloatArray:
    """Return a column as numbers; NaN if a field is not a number."""
    commas = has_decimal_commas(column.values)
    numbers = [nan if one is None else one for one in (as_number(value, commas) for value in column.values)]
    return np.array([*numbers, missing])[column.codes]


def as_seconds(moment: Any) -> float:
    """Return a date, datetime, ISO 8601 text or number of seconds as seconds since 1970.

    Examples
    --------
    >>> as_seconds("1970-01-01T00:01:00"), as_seconds(60), as_seconds("60.5")
    (60.0, 60.0, 60.5)
    """
    if isinstance(moment, np.datetime64):
        moment = moment.astype("datetime64[us]")
    if isinstance(moment, np.generic):
        moment = moment.item()
    if isinstance(moment, str):
        moment = moment.strip()
        if DAY.fullmatch(moment) or NUMBER.fullmatch(moment) is None:
            moment = datetime.fromisoformat(moment)
    if isinstance(moment, date) and not isinstance(moment, datetime):
        moment = datetime(moment.year, moment.month, moment.day)
    if isinstance(moment, datetime):
        moment = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    try:
        seconds = float(moment)
    except (OverflowError, TypeError) as error:
        raise ValueError(f"{moment!r:.60} is not a time") from error
    if isinstance(moment, bool) or not EARLIEST < seconds < LATEST:
        raise ValueError(f"{moment!r:.60} lies outside the range of dates")
    return seconds
