"""Logs of contextual duels, from which policies are learned and evaluated."""

import csv
import io
import os
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan, nextafter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from duelist.duel import LEFT_WINS, RIGHT_WINS, TIE, FloatArray, IntArray
from duelist.errors import (
    OutcomeError,
    ParameterError,
    PreferenceError,
    UnknownNameError,
    require_generator,
    require_whole,
)
from duelist.files import atomic_writer, guard
from duelist.preferences import is_name
from duelist.tables import Table, read_table
from duelist.tables.memory import Frame
from duelist.tables.table import as_text
from duelist.text import counted, in_reading_order

ROLES = ("left", "right", "outcome", "propensity")  # the columns that are not part of the context
ROWS_AT_ONCE = 10_000


@dataclass(frozen=True, eq=False, repr=False, init=False)
class DuelLog:
    """A log of randomised duels, each with a context, two actions, an outcome and a propensity.

    Parameters
    ----------
    contexts : array of shape (duels, d)
        The context of each duel: what was known before it.
    left, right : array of shape (duels,)
        The numbers of the two actions.
    outcomes : array of shape (duels,)
        1 if left won, 0 if right won, 0.5 for a tie; numbers in between are degrees of preference.
    propensities : array of shape (duels,)
        The probability with which exactly these two actions were presented on these sides.
    actions : int or sequence of str
        The number of actions, or their names.
    columns : sequence of str, optional
        The names of the context columns; by default x0, x1 and so on.

    Raises
    ------
    ParameterError
        If the arrays differ in length, or names are missing or not unique.
    OutcomeError
        If a duel has an invalid action, outcome, propensity or context.

    Examples
    --------
    >>> log = DuelLog([[0.1], [0.9]], [0, 1], [1, 2], [1.0, 0.5], [1 / 9, 1 / 9], actions=3)
    >>> log
    DuelLog(2 duels, 3 actions, 1 context column)
    >>> log.signs
    array([1., 0.])
    """

    contexts: FloatArray
    left: IntArray
    right: IntArray
    outcomes: FloatArray
    propensities: FloatArray
    actions: tuple[str, ...]
    columns: tuple[str, ...]

    def __init__(
        self,
        contexts: ArrayLike,
        left: ArrayLike,
        right: ArrayLike,
        outcomes: ArrayLike,
        propensities: ArrayLike,
        actions: int | Sequence[str],
        columns: Sequence[str] | None = None,
    ) -> None:
        table = np.ascontiguousarray(contexts, np.float64)
        if table.ndim != 2:
            raise ParameterError(f"contexts must be a table with one row per duel; got shape {table.shape}.")
        parts = {
            "left": np.ascontiguousarray(left, np.int64),
            "right": np.ascontiguousarray(right, np.int64),
            "outcomes": np.ascontiguousarray(outcomes, np.float64),
            "propensities": np.ascontiguousarray(propensities, np.float64),
        }
        for name, part in parts.items():
            if part.shape != (len(table),):
                expected = f"{counted(len(table), 'number')}, one per duel"
                raise ParameterError(f"{name} must have {expected}; got shape {part.shape}.")
        names = tuple(map(str, range(actions) if isinstance(actions, int) else actions))
        heads = tuple(f"x{column}" for column in range(table.shape[1])) if columns is None else tuple(columns)
        if len(names) < 2 or len(set(names)) < len(names):
            raise ParameterError(f"actions must be at least two unique names; got {names}.")
        if len(heads) != table.shape[1]:
            given, needed = counted(len(heads), "name"), counted(table.shape[1], "column")
            raise ParameterError(f"columns has {given} for {needed} of contexts; give one name per column.")
        vars(self).update(parts, contexts=table, actions=names, columns=heads)
        faults = {
            "contexts must be finite": ~np.isfinite(self.contexts).all(axis=1),
            f"left must be an action from 0 to {self.k - 1}": ~np.isin(self.left, range(self.k)),
            f"right must be an action from 0 to {self.k - 1}": ~np.isin(self.right, range(self.k)),
            "the outcome must lie in [0, 1]": ~((self.outcomes >= 0.0) & (self.outcomes <= 1.0)),
            "the propensity must lie in (0, 1]": ~((self.propensities > 0.0) & (self.propensities <= 1.0)),
        }
        for rule, broken in faults.items():
            for row in np.flatnonzero(broken)[:1]:
                sides = f"left {self.left[row]}, right {self.right[row]}"
                numbers = f"outcome {self.outcomes[row]}, propensity {self.propensities[row]}"
                raise OutcomeError(f"duel {row}: {rule}; got {sides}, {numbers}.")

    def __len__(self) -> int:
        return len(self.left)

    def __repr__(self) -> str:
        """Return a summary: the numbers of duels, actions and context columns."""
        held = (counted(len(self), "duel"), counted(self.k, "action"), counted(self.d, "context column"))
        return f"{type(self).__name__}({', '.join(held)})"

    @property
    def k(self) -> int:
        """The number of actions."""
        return len(self.actions)

    @property
    def d(self) -> int:
        """The number of context columns."""
        return int(self.contexts.shape[1])

    @property
    def signs(self) -> FloatArray:
        """The outcomes rescaled to [-1, 1]: -1 if right won, 1 if left won."""
        return 2.0 * self.outcomes - 1.0

    def subset(self, duels: NDArray[np.integer] | NDArray[np.bool_]) -> "DuelLog":
        """Return some of the duels.

        Parameters
        ----------
        duels : array
            Indices or Boolean flags.

        Returns
        -------
        DuelLog
            The chosen duels.

        Examples
        --------
        >>> log = DuelLog([[0.1], [0.9]], [0, 1], [1, 0], [1.0, 0.5], [0.5, 0.5], actions=2)
        >>> len(log.subset(log.outcomes == 1.0))
        1
        """
        by_duel = ("contexts", "left", "right", "outcomes", "propensities")
        return replace(self, **{name: getattr(self, name)[duels] for name in by_duel})

    def split(self, share: float, rng: Generator) -> tuple["DuelLog", "DuelLog"]:
        """Split the duels at random into two parts.

        Parameters
        ----------
        share : float
            The share of duels in the first part.
        rng : Generator
            The random numbers.

        Returns
        -------
        first, second : DuelLog
            The two parts, each in the original order.

        Raises
        ------
        ParameterError
            If a part would be empty.

        Examples
        --------
        >>> log = DuelLog([[0.1], [0.9]], [0, 1], [1, 0], [1.0, 0.5], [0.5, 0.5], actions=2)
        >>> [len(part) for part in log.split(0.5, np.random.default_rng(0))]
        [1, 1]
        """
        require_generator(rng)
        cut = round(share * len(self)) if 0.0 < share < 1.0 else 0
        if not 0 < cut < len(self):
            total = counted(len(self), "duel")
            raise ParameterError(
                f"share must split {total} into two non-empty parts; got {share!r}. Add duels, or try 0.5."
            )
        order = rng.permutation(len(self))
        return self.subset(np.sort(order[:cut])), self.subset(np.sort(order[cut:]))

    def to_csv(self, path: str | os.PathLike[str]) -> Path:
        """Write the duels to a CSV file, which `load_duels(path, actions=log.actions)` reads back unchanged.

        Parameters
        ----------
        path : path
            The file to write.

        Returns
        -------
        Path
            The path of the file.

        Raises
        ------
        ParameterError
            If a name cannot be written to CSV, or the columns are not unique.

        Examples
        --------
        >>> import tempfile
        >>> log = DuelLog([[0.1], [0.9]], [0, 1], [1, 0], [1.0, 0.5], [0.5, 0.5], actions=2)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     log.to_csv(Path(folder) / "duels.csv").read_text().splitlines()[0]
        '"x0","left","right","outcome","propensity"'
        """
        for name in (*self.actions, *self.columns):
            if not is_name(name) or "\0" in name:
                raise ParameterError(
                    f"the name {name!r} cannot be written to CSV; use one line without surrounding spaces."
                )
        header = [*self.columns, *ROLES]
        if len(set(header)) < len(header):
            others, found = ", ".join(ROLES), ", ".join(self.columns)
            raise ParameterError(f"columns must be unique and differ from {others}; got {found}.")
        names: NDArray[np.object_] = np.array([guard(name) for name in self.actions], object)
        with atomic_writer(path) as file:
            text = io.TextIOWrapper(file, encoding="utf-8", newline="")
            # names are quoted: an unquoted name that begins with # would be read as a comment
            writer = csv.writer(text, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
            writer.writerow([guard(name) for name in header])
            for start in range(0, len(self), ROWS_AT_ONCE):
                rows = slice(start, start + ROWS_AT_ONCE)
                sides = (names[side[rows]] for side in (self.left, self.right))
                fields = (*self.contexts[rows].T, *sides, self.outcomes[rows], self.propensities[rows])
                writer.writerows(zip(*(column.tolist() for column in fields), strict=True))
            text.flush()
            text.detach()
        return Path(path)


class Kind(NamedTuple):
    """The allowed range of a column's numbers, and the words that stand for numbers."""

    words: Mapping[str, float]
    least: float
    most: float
    remedy: str


LARGEST = sys.float_info.max
CONTEXT = Kind({"true": 1.0, "false": 0.0}, -LARGEST, LARGEST, "give a finite number, or true or false.")
OUTCOME = Kind(
    {"left": LEFT_WINS, "right": RIGHT_WINS, "tie": TIE},
    0.0,
    1.0,
    "give left, right or tie, or a number from 0 (right won) to 1 (left won).",
)
PROPENSITY = Kind(
    {},
    nextafter(0.0, 1.0),
    1.0,
    "give the probability of exactly this pair on these sides, above 0 and at most 1.",
)


def load_duels(
    source: str | os.PathLike[str] | Frame | Mapping[str, Iterable[Any]] | Iterable[Any],
    actions: int | Sequence[str] | None = None,
    *,
    encoding: str | None = None,
    sheet: str | None = None,
) -> DuelLog:
    r"""Read a log of contextual duels from a file or from memory.

    The columns `left` and `right` hold the names of the actions. `outcome` holds left, right, tie, or a
    number from 0 (right won) to 1 (left won). `propensity` holds the probability with which exactly this pair
    was presented on these sides. All other columns are the context: numbers, or true and false.

    Parameters
    ----------
    source : path, data frame, mapping of columns, or rows
        A CSV (separated by commas, semicolons, tabs or vertical bars), JSON, Parquet, Arrow or Excel file,
        optionally gzipped; or a pandas or polars data frame, an Arrow table, a mapping from names to columns,
        or rows with named fields. In CSV, blank lines and comments that begin with `#` are skipped.
    actions : int or sequence of str, optional
        The number of actions (named 0, 1, 2 and so on), or their names in order; by default those of the
        source, sorted. Give those of the training log when you read an evaluation log.
    encoding : str, optional
        The encoding of a text file; by default UTF-8.
    sheet : str, optional
        The sheet of a workbook; by default the first.

    Returns
    -------
    DuelLog
        The duels.

    Raises
    ------
    FileError
        If a file is invalid; the message names the line and the column.
    PreferenceError
        If the data in memory is invalid.
    ParameterError
        If `actions` is invalid.

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
        raise table.error("there are no rows below the header; give at least one duel.")
    contexts = np.empty((table.size, len(columns)))
    for index, column in enumerate(columns):
        contexts[:, index] = read_numbers(table, column, CONTEXT)
    names, left, right = read_actions(table, given)
    outcomes, chances = read_numbers(table, "outcome", OUTCOME), read_numbers(table, "propensity", PROPENSITY)
    if len(names) < 2:
        raise table.error(f"{names[0]!r} is the only action; give the names of all actions: actions=[...].")
    return DuelLog(contexts, left, right, outcomes, chances, names, columns)


def context_columns(table: Table) -> list[str]:
    """Return the context columns, after checking that no column is missing, unnamed or duplicated."""
    found = ", ".join(map(ascii, table.names))
    if missing := [role for role in ROLES if role not in table.names]:
        raise table.error(f"no column is named {' or '.join(missing)}; the header is {found}. Rename them.")
    if doubtful := [name for name, times in Counter(table.names).items() if times > 1 or not name]:
        raise table.error(
            f"column {doubtful[0]!r} is unnamed or duplicated; give each column a unique name. The header is "
            f"{found}."
        )
    return [name for name in table.names if name not in ROLES]


def read_numbers(table: Table, column: str, kind: Kind) -> FloatArray:
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
        found = "the value is missing" if value is None else f"invalid value {value!r:.60}"
        raise table.error(f"{found}; {kind.remedy}", row, column)
    return numbers


def as_number(value: Any, words: Mapping[str, float]) -> float:
    """Return a value, or the word for it, as a number; NaN for anything else."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return words.get(value.strip().casefold(), nan) if isinstance(value, str) else nan


def read_actions(table: Table, given: Sequence[str] | None) -> tuple[list[str], IntArray, IntArray]:
    """Return the names of the actions, as given or else sorted, and each duel's left and right action."""
    names = {side: [as_action(value) for value in table.columns[side].values] for side in ("left", "right")}
    met = {name for side in names.values() for name in side if name}
    known = in_reading_order(met) if given is None else list(given)
    numbers = {name: number for number, name in enumerate(known)}
    sides = []
    for side, found in names.items():
        column = table.columns[side]
        actions = np.array([*(numbers.get(name, -1) for name in found), -1])[column.codes]
        for row in np.flatnonzero(actions < 0)[:1].tolist():
            name = as_action(column.row(row))
            fault = (
                str(UnknownNameError("action", name, known))
                if name
                else "the action is missing; give its name."
            )
            raise table.error(fault, row, side)
        sides.append(actions)
    return known, sides[0], sides[1]


def as_action(value: Any) -> str:
    """Return a value as the name of an action; empty if it is not a valid name."""
    try:
        return "" if value is None else as_text(value)
    except PreferenceError:
        return ""


def listed(actions: int | Sequence[str]) -> list[str]:
    if isinstance(actions, int):
        require_whole("actions", actions, 2)
        return [str(number) for number in range(actions)]
    names = [str(name).strip() for name in actions]
    if len(names) < 2 or len(set(names)) < len(names) or not all(names):
        raise ParameterError(f"actions must be at least two unique names; got {list(actions)}.")
    return names
