"""Duels in contexts, read from CSV or Parquet; errors name the line and the column."""

import csv
import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from math import nan, nextafter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from duelist.duel import LEFT_WINS, RIGHT_WINS, TIE, FloatArray, IntArray
from duelist.errors import FileError, ParameterError, UnknownNameError, needing_extra, require_whole
from duelist.files import find_delimiter, without_comments
from duelist.logs.duels import ROLES, DuelLog
from duelist.text import counted, in_reading_order

ROWS_AT_ONCE = 1000  # few enough to stay in the processor's cache


class Batch(NamedTuple):
    """Some rows of a file, by column, and their line or row numbers."""

    path: str
    unit: str
    numbers: Sequence[int]
    columns: Mapping[str, Sequence[Any]]

    def error(self, row: int, column: str, reason: str) -> FileError:
        """Return the error for a wrong field."""
        return FileError(f"{self.path}, {self.unit} {self.numbers[row]}, column {column!r}: {reason}")


class Kind(NamedTuple):
    """The range of a column's numbers, and the words that stand for some of them."""

    words: Mapping[str, float]
    least: float
    most: float
    remedy: str


LARGEST = sys.float_info.max
CONTEXT = Kind({"true": 1.0, "false": 0.0}, -LARGEST, LARGEST, "give a finite number, or true or false.")
WHO_WON = "give left, right or tie, or a number from 0 (right won) to 1 (left won)."
OUTCOME = Kind({"left": LEFT_WINS, "right": RIGHT_WINS, "tie": TIE}, 0.0, 1.0, WHO_WON)
CHANCE = "give the chance of exactly this pair on these sides, above 0 and up to 1."
PROPENSITY = Kind({}, nextafter(0.0, 1.0), 1.0, CHANCE)


def read_numbers(batch: Batch, column: str, kind: Kind) -> FloatArray:
    """Return a column's numbers, or refuse the first wrong field."""
    fields = batch.columns[column]
    try:
        numbers = np.fromiter(map(float, fields), np.float64, len(fields))
    except (TypeError, ValueError, OverflowError):
        numbers = np.fromiter((as_number(field, kind.words) for field in fields), np.float64, len(fields))
    wrong = ~((numbers >= kind.least) & (numbers <= kind.most))
    if wrong.any():
        row = int(np.argmax(wrong))
        found = f"{fields[row]!r} will not do" if as_name(fields[row]) else "the value is missing"
        raise batch.error(row, column, f"{found}; {kind.remedy}")
    return numbers


def as_number(field: Any, words: Mapping[str, float]) -> float:
    """Return a field as a number, by a word for it if it is one, else nan."""
    try:
        return float(field)
    except (TypeError, ValueError, OverflowError):
        return words.get(as_name(field).casefold(), nan)


def as_name(field: Any) -> str:
    """Return a field as text, without spaces around it; empty if it is missing, which is nan."""
    return "" if field != field else str(field).strip()


class ActionNames:
    """Numbers the actions of a file: by the given names, or in the order of the file."""

    def __init__(self, actions: int | Sequence[str] | None) -> None:
        self.given = actions is not None
        self.known = {name: number for number, name in enumerate(() if actions is None else listed(actions))}
        self.numbers: dict[Any, int] = {}

    def read(self, batch: Batch, column: str) -> IntArray:
        """Return the numbers of the actions in a column, or refuse the first that is none."""
        fields = batch.columns[column]
        for field in dict.fromkeys(fields):
            if field not in self.numbers and (fault := self._learn(field)):
                raise batch.error(list(fields).index(field), column, fault)
        return np.fromiter(map(self.numbers.__getitem__, fields), np.int64, len(fields))

    def in_order(self) -> tuple[tuple[str, ...], IntArray]:
        """Return the names, as given or else sorted, and the index there of each number so far."""
        names = list(self.known) if self.given else in_reading_order(self.known)
        places = {name: place for place, name in enumerate(names)}
        return tuple(names), np.array([places[name] for name in self.known], np.int64)

    def _learn(self, field: Any) -> str:
        name = as_name(field)
        if not name:
            return "the action is missing; give its name."
        if not is_text(name):
            return f"{name!r} is not UTF-8; save the file as UTF-8 text."
        if self.given and name not in self.known:
            return str(UnknownNameError("action", name, self.known))
        self.numbers[field] = self.known.setdefault(name, len(self.known))
        return ""


def listed(actions: int | Sequence[str]) -> list[str]:
    """Return the checked names of actions."""
    if isinstance(actions, int):
        require_whole("actions", actions, 2)
        return [str(number) for number in range(actions)]
    names = [str(name).strip() for name in actions]
    if len(names) < 2 or len(set(names)) < len(names) or not all(names):
        raise ParameterError(f"actions must be at least two names, no two alike; got {list(actions)}.")
    return names


def is_text(name: str) -> bool:
    """Return whether a name that was read from a file is UTF-8."""
    return not any("\ud800" <= letter <= "\udfff" for letter in name)


def load_duels(path: str | os.PathLike[str], actions: int | Sequence[str] | None = None) -> DuelLog:
    r"""Read a log of duels from a CSV or Parquet file.

    The columns `left` and `right` name the actions, `outcome` says who won (a number from 0, right, to 1,
    left, or one of the words left, right and tie) and `propensity` is the chance that exactly this pair was
    shown on these sides. All others are the context: numbers, or true and false. A file with a wrong field is
    refused; the error names the line (in Parquet: the row, from 0) and the column.

    Parameters
    ----------
    path : path
        A CSV file has a header, is UTF-8, and separates its fields by commas, semicolons or tabs; blank lines
        and lines that begin with `#` are skipped. Reading Parquet needs the extra `frame`.
    actions : int or sequence of str, optional
        How many actions there are (named 0, 1, 2 and so on), or their names in order; by default those of
        the file, sorted. Give those of the training log when you read the log to evaluate on.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     votes = Path(folder) / "votes.csv"
    ...     _ = votes.write_text("age,left,right,outcome,propensity\n31,b,a,left,0.25\n54,a,c,0.5,0.25\n")
    ...     log = load_duels(votes)
    >>> log, log.actions, log.left.tolist(), log.outcomes.tolist()
    (DuelLog(2 duels, 3 actions, 1 context column), ('a', 'b', 'c'), [1, 0], [1.0, 0.5])
    """
    names = ActionNames(actions)
    columns: list[str] = []
    parts: list[tuple[FloatArray, IntArray, IntArray, FloatArray, FloatArray]] = []
    try:
        for batch in read_parquet(path) if is_parquet(path) else read_csv(path):
            columns = [column for column in batch.columns if column not in ROLES]
            contexts = np.empty((len(batch.numbers), len(columns)))
            for place, column in enumerate(columns):
                contexts[:, place] = read_numbers(batch, column, CONTEXT)
            left, right = (names.read(batch, side) for side in ("left", "right"))
            outcomes = read_numbers(batch, "outcome", OUTCOME)
            propensities = read_numbers(batch, "propensity", PROPENSITY)
            parts.append((contexts, left, right, outcomes, propensities))
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}; give the path of a file of duels.") from error
    if not parts:
        raise FileError(f"{path}: no duel follows the header.")
    known, order = names.in_order()
    if len(known) < 2:
        raise FileError(f"{path}: {known[0]!r} is the only action; give all their names as actions=.")
    contexts, left, right, outcomes, propensities = map(np.concatenate, zip(*parts, strict=True))
    return DuelLog(contexts, order[left], order[right], outcomes, propensities, known, columns)


def is_parquet(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is Parquet, by its name or by its first bytes."""
    with Path(path).open("rb") as file:
        return Path(path).suffix == ".parquet" or file.read(4) == b"PAR1"


def read_parquet(path: str | os.PathLike[str]) -> Iterator[Batch]:
    """Yield all rows of a Parquet file."""
    try:
        with needing_extra("reading Parquet", "frame"):
            import pandas as pd

            frame = pd.read_parquet(path)
    except ValueError as error:
        raise FileError(f"{path}: this is no Parquet file: {error}") from error
    header = check_header(path, [str(column) for column in frame.columns])
    if len(frame):
        # nan for all that is missing, whatever the column's type
        fields = [frame[column].to_numpy(object, na_value=nan).tolist() for column in frame.columns]
        yield Batch(str(path), "row", range(len(frame)), dict(zip(header, fields, strict=True)))


def read_csv(path: str | os.PathLike[str]) -> Iterator[Batch]:
    """Yield the rows of a CSV file in batches."""
    # Bytes that are not UTF-8 are let through here, and refused by line and column.
    with Path(path).open(encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        first = next((line for line in without_comments(file) if line.strip()), "")
        file.seek(0)
        lines, delimiter = without_comments(file), find_delimiter(first)
        reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True)
        numbered = ((reader.line_num, row) for row in reader if any(row))
        try:
            header = next((check_header(path, row) for _, row in numbered), None)
            if header is None:
                raise FileError(f"{path}: the file is empty; give a header and a line for every duel.")
            while some := list(islice(numbered, ROWS_AT_ONCE)):
                numbers, rows = zip(*some, strict=True)
                if set(map(len, rows)) != {len(header)}:
                    line, width = next((line, len(row)) for line, row in some if len(row) != len(header))
                    found = f"{counted(width, 'field')} where the header has {len(header)}"
                    raise FileError(f"{path}, line {line}: {found}; give each as many.")
                columns = zip(header, zip(*rows, strict=True), strict=True)
                yield Batch(str(path), "line", numbers, dict(columns))
        except csv.Error as error:
            raise FileError(f"{path}, line {reader.line_num}: {error}; check the quotes.") from error


def check_header(path: str | os.PathLike[str], fields: Sequence[str]) -> list[str]:
    """Return the names of the columns, or refuse those that are missing, unnamed or there twice."""
    names = [as_name(field) for field in fields]
    found = ", ".join(map(ascii, names))
    if not all(map(is_text, names)):
        raise FileError(f"{path}: the header is not UTF-8: {found}; save the file as UTF-8 text.")
    if missing := [role for role in ROLES if role not in names]:
        raise FileError(f"{path}: no column is named {' or '.join(missing)}; the header is {found}.")
    if doubtful := [name for name, times in Counter(names).items() if times > 1 or not name]:
        raise FileError(f"{path}: column {doubtful[0]!r} has no name of its own; the header is {found}.")
    return names
