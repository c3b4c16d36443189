"""Columns of a file of duels as numbers; errors name the line and the column."""

import sys
from collections.abc import Mapping, Sequence
from math import nan, nextafter
from typing import Any, NamedTuple

import numpy as np

from duelist.duel import LEFT_WINS, RIGHT_WINS, TIE, FloatArray, IntArray
from duelist.errors import FileError, ParameterError, UnknownNameError, require_whole
from duelist.text import in_reading_order


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
