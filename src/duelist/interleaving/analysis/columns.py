"""The columns of a log of impressions, checked: outcomes, groups and clicks, and metrics of the clicks."""

from collections.abc import Hashable, Iterable, Sequence
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.errors import OutcomeError, ParameterError
from duelist.text import counted

Clicks: TypeAlias = BoolArray | Sequence[Sequence[int]] | Sequence[IntArray]
"""A boolean array (impressions, places), or the clicked places of each impression, from 0, the top."""


class ClickedPlaces(NamedTuple):
    """Clicks as pairs of an impression and a place, each pair once."""

    impressions: int
    rows: IntArray
    places: IntArray

    @property
    def counts(self) -> IntArray:
        """The number of clicked places of each impression."""
        return np.bincount(self.rows, minlength=self.impressions)


def as_outcomes(outcomes: ArrayLike) -> FloatArray:
    """Return a checked array of outcomes, numbers from 0 to 1."""
    try:
        column = np.ascontiguousarray(outcomes, np.float64)
    except (TypeError, ValueError) as error:
        raise OutcomeError(f"outcomes must be numbers from 0 to 1: {error}.") from error
    if np.ndim(outcomes) != 1 or len(column) == 0:
        raise OutcomeError(f"outcomes must have one row per impression; got shape {np.shape(outcomes)}.")
    wrong = ~((column >= 0.0) & (column <= 1.0))
    if wrong.any():
        row = int(np.argmax(wrong))
        remedy = "give 1 where left won, 0 where right won and 0.5 for a tie"
        raise OutcomeError(f"outcomes must lie between 0 and 1, but row {row} is {column[row]}; {remedy}.")
    return column


def as_groups(name: str, labels: Iterable[Hashable], impressions: int) -> IntArray:
    """Return the number, from 0, of the group each impression belongs to."""
    column: list[Any] = labels.tolist() if hasattr(labels, "tolist") else list(labels)
    require_rows(name, len(column), impressions)
    numbers: dict[Any, int] = {}
    groups = np.fromiter((numbers.setdefault(label, len(numbers)) for label in column), np.int64, impressions)
    # nan stands for a missing label, and is not equal to itself
    if missing := [number for label, number in numbers.items() if label is None or label != label]:
        row = int(np.argmax(np.isin(groups, missing)))
        raise ParameterError(f"{name}, row {row}, is missing; leave out impressions of unknown {name}.")
    return groups


def require_rows(name: str, rows: int, impressions: int) -> None:
    """Refuse a column that does not have a row for each impression."""
    if rows != impressions:
        expected = counted(impressions, "impression")
        raise ParameterError(f"{name} must have a row for each of the {expected}; got {rows}.")


def as_clicked_places(name: str, clicks: Clicks) -> ClickedPlaces:
    """Return checked clicks in one form."""
    empty = f"{name} must not be empty; give a row for each impression, [] if not clicked."
    if isinstance(clicks, np.ndarray) and clicks.ndim == 2:
        if clicks.dtype != np.bool_:
            raise ParameterError(f"{name} must be truth values or lists of places: {name}.astype(bool).")
        if len(clicks) == 0:
            raise ParameterError(empty)
        return ClickedPlaces(len(clicks), *np.nonzero(clicks))
    try:
        sizes = np.fromiter((len(places) for places in clicks), np.int64)
        flat: NDArray[Any] = np.array(list(chain.from_iterable(clicks)))
    except TypeError as error:
        raise ParameterError(f"{name} must hold a sequence of clicked places for each impression.") from error
    if len(sizes) == 0:
        raise ParameterError(empty)
    if flat.dtype == np.bool_:
        raise ParameterError(f"{name} must be places, or an array of truth values: np.array(clicks, bool).")
    rows = np.repeat(np.arange(len(sizes)), sizes)
    numbers = flat if flat.dtype.kind in "iuf" else np.full(len(flat), np.nan)
    wrong = ~(np.isfinite(numbers) & (numbers >= 0) & (numbers == np.floor(numbers)))
    if wrong.any():
        first = int(np.argmax(wrong))
        found = f"row {rows[first]} has {flat[first]!s}"
        raise ParameterError(f"{name} must be whole places from 0, the top; {found}.")
    pairs = np.unique(np.stack([rows, flat.astype(np.int64)], axis=1), axis=0)
    return ClickedPlaces(len(sizes), pairs[:, 0], pairs[:, 1])


def measure_clicks(log: ClickedPlaces) -> dict[str, FloatArray]:
    """Return each absolute metric's values; an impression without clicks has no reciprocal rank."""
    counts = log.counts
    clicked = counts > 0
    reciprocals = 1.0 / (1.0 + log.places)
    highest = np.zeros(log.impressions)
    np.maximum.at(highest, log.rows, reciprocals)
    total = np.bincount(log.rows, weights=reciprocals, minlength=log.impressions)
    return {
        "clicks per query": counts.astype(np.float64),
        "abandonment rate": (~clicked).astype(np.float64),
        "reciprocal rank of first click": highest[clicked],
        "mean reciprocal rank of clicks": total[clicked] / counts[clicked],
    }
