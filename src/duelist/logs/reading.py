"""Duels in contexts, read from a file or from memory; errors name the line and the column."""

import os
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import nan, nextafter
from typing import Any, NamedTuple

import numpy as np

from duelist.duel import LEFT_WINS, RIGHT_WINS, TIE, FloatArray, IntArray
from duelist.errors import ParameterError, PreferenceError, UnknownNameError, require_whole
from duelist.logs.duels import ROLES, DuelLog
from duelist.tables import Table, read_table
from duelist.tables.memory import Frame
from duelist.tables.table import as_text
from duelist.text import in_reading_order


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


def load_duels(
    source: str | os.PathLike[str] | Frame | Mapping[str, Iterable[Any]] | Iterable[Any],
    actions: int | Sequence[str] | None = None,
    *,
    encoding: str | None = None,
    sheet: str | None = None,
) -> DuelLog:
    r"""Read a log of duels from a file or from memory.

    The columns `left` and `right` name the actions, `outcome` says who won (a number from 0, right, to 1,
    left, or one of the words left, right and tie) and `propensity` is the chance that exactly this pair was
    shown on these sides. All others are the context: numbers, or true and false. A wrong field is an error
    that names the line and the column.

    Parameters
    ----------
    source : path, data frame, columns by name, or rows
        A file: CSV with commas, semicolons, tabs or bars; JSON, Parquet, Arrow or Excel; gzipped or not. Or a
        frame of pandas or polars, an Arrow table, a mapping from names to columns, or rows with fields by
        name. Of CSV, blank lines and comments that begin with `#` are passed over.
    actions : int or sequence of str, optional
        How many actions there are (named 0, 1, 2 and so on), or their names in order; by default those of
        the file, sorted. Give those of the training log when you read the log to evaluate on.
    encoding, sheet : str, optional
        Of a text that is not UTF-8, and of a workbook.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     votes = Path(folder) / "votes.csv"
    ...     _ = votes.write_text("age,left,right,outcome,propensity\n31,b,a,left,0.25\n54,a,c,0.5,0.25\n")
    ...     log = load_duels(votes)
    >>> log, log.actions, log.left.tolist(), log.outcomes.tolist()
    (DuelLog(2 duels, 3 actions, 1 context column), ('a', 'b', 'c'), [1, 0], [1.0, 0.5])
    """
    given = None if actions is None else listed(actions)
    table = read_table(source, encoding=encoding, sheet=sheet)
    columns = context_columns(table)
    if not table.size:
        raise table.error("no duel follows the header; give at least one.")
    contexts = np.empty((table.size, len(columns)))
    for place, column in enumerate(columns):
        contexts[:, place] = read_numbers(table, column, CONTEXT)
    names, left, right = read_actions(table, given)
    outcomes, chances = read_numbers(table, "outcome", OUTCOME), read_numbers(table, "propensity", PROPENSITY)
    if len(names) < 2:
        raise table.error(f"{names[0]!r} is the only action; give all their names as actions=.")
    return DuelLog(contexts, left, right, outcomes, chances, names, columns)


def context_columns(table: Table) -> list[str]:
    """Return the columns of the context, or refuse a header with a column missing, unnamed or twice."""
    found = ", ".join(map(ascii, table.names))
    if missing := [role for role in ROLES if role not in table.names]:
        raise table.error(f"no column is named {' or '.join(missing)}; the header is {found}.")
    if doubtful := [name for name, times in Counter(table.names).items() if times > 1 or not name]:
        raise table.error(f"column {doubtful[0]!r} has no name of its own; the header is {found}.")
    return [name for name in table.names if name not in ROLES]


def read_numbers(table: Table, column: str, kind: Kind) -> FloatArray:
    """Return a column's numbers, or refuse the first wrong field."""
    values, codes = table.columns[column]
    try:
        known = np.fromiter(map(float, values), np.float64, len(values))
    except (TypeError, ValueError, OverflowError):
        known = np.array([as_number(value, kind.words) for value in values])
    numbers = np.append(known, nan)[codes]
    wrong = ~((numbers >= kind.least) & (numbers <= kind.most))
    if wrong.any():
        row = int(np.argmax(wrong))
        value = table.columns[column].row(row)
        found = "the value is missing" if value is None else f"{value!r:.60} will not do"
        raise table.error(f"{found}; {kind.remedy}", row, column)
    return numbers


def as_number(value: Any, words: Mapping[str, float]) -> float:
    """Return a value as a number, by a word for it if it is one, else nan."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return words.get(value.strip().casefold(), nan) if isinstance(value, str) else nan


def read_actions(table: Table, given: Sequence[str] | None) -> tuple[list[str], IntArray, IntArray]:
    """Return the names of the actions, as given or else sorted, and the actions on both sides."""
    names = {side: [as_action(value) for value in table.columns[side].values] for side in ("left", "right")}
    met = {name for side in names.values() for name in side if name}
    known = in_reading_order(met) if given is None else list(given)
    places = {name: place for place, name in enumerate(known)}
    sides = []
    for side, said in names.items():
        column = table.columns[side]
        actions = np.array([*(places.get(name, -1) for name in said), -1])[column.codes]
        for row in np.flatnonzero(actions < 0)[:1].tolist():
            name = as_action(column.row(row))
            fault = (
                str(UnknownNameError("action", name, known)) if name else "the action is missing; name it."
            )
            raise table.error(fault, row, side)
        sides.append(actions)
    return known, sides[0], sides[1]


def as_action(value: Any) -> str:
    """Return a value as the name of an action; empty if it is none."""
    try:
        return "" if value is None else as_text(value)
    except PreferenceError:
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
