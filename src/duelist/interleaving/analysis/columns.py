"""Columns of a log, checked: outcomes, and who or what each impression belongs to."""

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from duelist.duel import FloatArray, IntArray
from duelist.errors import OutcomeError, ParameterError


def as_outcomes(outcomes: ArrayLike) -> FloatArray:
    """Return a checked array of outcomes, numbers from 0 to 1.

    Examples
    --------
    >>> as_outcomes([1, 0, 0.5]).tolist()
    [1.0, 0.0, 0.5]
    """
    try:
        column = np.ascontiguousarray(outcomes, np.float64)
    except (TypeError, ValueError) as error:
        raise OutcomeError(f"outcomes must be numbers from 0 to 1: {error}.") from error
    if np.ndim(outcomes) != 1 or len(column) == 0:
        raise OutcomeError(
            f"outcomes must be a column with a row for each impression; got shape {np.shape(outcomes)}."
        )
    wrong = ~((column >= 0.0) & (column <= 1.0))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise OutcomeError(
            f"outcomes must lie between 0 and 1, but row {row} is {column[row]}; give 1 where left won, 0 "
            "where right won and 0.5 for a tie."
        )
    return column


def as_groups(name: str, labels: Iterable[Hashable], impressions: int) -> IntArray:
    """Return the number, from 0, of the group each impression belongs to.

    Examples
    --------
    >>> as_groups("users", ["ann", "bob", "ann"], 3).tolist()
    [0, 1, 0]
    """
    column: list[Any] = labels.tolist() if hasattr(labels, "tolist") else list(labels)
    if len(column) != impressions:
        raise ParameterError(
            f"{name} must have a row for each of the {impressions} impressions; got {len(column)}."
        )
    numbers: dict[Any, int] = {}
    groups = np.fromiter((numbers.setdefault(label, len(numbers)) for label in column), np.int64, impressions)
    # a missing label of a table is not even equal to itself
    missing = [number for label, number in numbers.items() if label is None or label != label]
    if missing:
        row = int(np.argmax(np.isin(groups, missing)))
        raise ParameterError(f"{name}, row {row}, is missing; leave out impressions of unknown {name}.")
    return groups
