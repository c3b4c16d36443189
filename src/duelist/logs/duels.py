"""Logs of duels in contexts: what policies are learned from and evaluated on."""

import csv
import io
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from duelist.duel import FloatArray, IntArray
from duelist.errors import OutcomeError, ParameterError, require_generator
from duelist.files import drafted, guard
from duelist.preferences import is_name
from duelist.text import counted

ROLES = ("left", "right", "outcome", "propensity")  # the columns that are not part of the context
ROWS_AT_ONCE = 10_000


@dataclass(frozen=True, eq=False, repr=False, init=False)
class DuelLog:
    """Randomised duels, each with its context, two actions, outcome and propensity.

    Parameters
    ----------
    contexts : array of shape (duels, d)
        What was known before each duel.
    left, right : array of shape (duels,)
        The numbers of the two actions.
    outcomes, propensities : array of shape (duels,)
        1 left won, 0 right won, 0.5 a tie; and the chance that exactly these actions were shown like this.
    actions : int or sequence of str
        How many actions there are, or their names.
    columns : sequence of str, optional
        The names of the columns of a context.

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
            raise ParameterError(f"contexts must be a table, a row for each duel; got shape {table.shape}.")
        parts = {
            "left": np.ascontiguousarray(left, np.int64),
            "right": np.ascontiguousarray(right, np.int64),
            "outcomes": np.ascontiguousarray(outcomes, np.float64),
            "propensities": np.ascontiguousarray(propensities, np.float64),
        }
        for name, part in parts.items():
            if part.shape != (len(table),):
                expected = f"{counted(len(table), 'number')}, one a duel"
                raise ParameterError(f"{name} must be {expected}; got {part.shape}.")
        names = tuple(map(str, range(actions) if isinstance(actions, int) else actions))
        heads = tuple(f"x{column}" for column in range(table.shape[1])) if columns is None else tuple(columns)
        if len(names) < 2 or len(set(names)) < len(names):
            raise ParameterError(f"actions must be at least two, no two alike; got {names}.")
        if len(heads) != table.shape[1]:
            given, needed = counted(len(heads), "name"), counted(table.shape[1], "column")
            raise ParameterError(f"columns has {given} for {needed} of contexts.")
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
        """Return the number of duels."""
        return len(self.left)

    def __repr__(self) -> str:
        """Describe the log in a line."""
        held = (counted(len(self), "duel"), counted(self.k, "action"), counted(self.d, "context column"))
        return f"{type(self).__name__}({', '.join(held)})"

    @property
    def k(self) -> int:
        """The number of actions."""
        return len(self.actions)

    @property
    def d(self) -> int:
        """The number of columns of a context."""
        return int(self.contexts.shape[1])

    @property
    def signs(self) -> FloatArray:
        """The outcomes from -1, right won, to 1, left won."""
        return 2.0 * self.outcomes - 1.0

    def subset(self, duels: NDArray[np.integer] | NDArray[np.bool_]) -> "DuelLog":
        """Return some of the duels, by their indices or by flags."""
        by_duel = ("contexts", "left", "right", "outcomes", "propensities")
        return replace(self, **{name: getattr(self, name)[duels] for name in by_duel})

    def split(self, share: float, rng: Generator) -> tuple["DuelLog", "DuelLog"]:
        """Return a random share of the duels, and the rest."""
        require_generator(rng)
        cut = round(share * len(self)) if 0.0 < share < 1.0 else 0
        if not 0 < cut < len(self):
            total = counted(len(self), "duel")
            raise ParameterError(f"share must leave two parts of {total}; got {share!r}.")
        order = rng.permutation(len(self))
        return self.subset(np.sort(order[:cut])), self.subset(np.sort(order[cut:]))

    def to_csv(self, path: str | os.PathLike[str]) -> Path:
        """Write the duels to a file, which `load_duels(path, actions=log.actions)` reads back unchanged."""
        for name in (*self.actions, *self.columns):
            if not is_name(name) or "\0" in name:
                raise ParameterError(f"{name!r} cannot be written; give one line without spaces around it.")
        header = [*self.columns, *ROLES]
        if len(set(header)) < len(header):
            others, found = ", ".join(ROLES), ", ".join(self.columns)
            raise ParameterError(f"columns must be unlike each other and unlike {others}; got {found}.")
        names: NDArray[np.object_] = np.array([guard(name) for name in self.actions], object)
        with drafted(path) as file:
            text = io.TextIOWrapper(file, encoding="utf-8", newline="")
            # Names are quoted, so that one that begins with # is not a comment.
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
