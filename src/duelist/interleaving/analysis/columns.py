"""Validation of the columns of an impression log (outcomes, groups, clicks), and click metrics."""

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
    """Clicks as distinct pairs of an impression and a place."""

    impressions: int
    rows: IntArray
    places: IntArray

    @property
    def counts(self) -> IntArray:
        """The number of clicked places of each impression."""
        return np.bincount(self.rows, minlength=self.impressions)


def as_outcomes(outcomes: ArrayLike) -> FloatArray:
    """Return a validated array of outcomes from 0 to 1."""
    try:
        column = np.ascontiguousarray(outcomes, np.float64)
    except (TypeError, ValueError) as error:
        raise OutcomeError(f"outcomes must be numbers from 0 to 1: {error}.") from error
    if np.ndim(outcomes) != 1 or len(column) == 0:
        raise OutcomeError(f"outcomes must have one row per impression; got shape {np.shape(outcomes)}.")
    wrong = ~((column >= 0.0) & (column <= 1.0))
    if wrong.any():
        row = int(np.argmax(wrong))
        remedy = "give 1 if left won, 0 if right won and 0.5 for a tie"
        raise OutcomeError(f"outcomes must lie between 0 and 1, but row {row} is {column[row]}; {remedy}.")
    return column


def as_groups(name: str, labels: Iterable[Hashable], impressions: int) -> IntArray:
    """Return the index of each impression's group."""
    column: list[Any] = labels.tolist() if hasattr(labels, "tolist") else list(labels)
    require_rows(name, len(column), impressions)
    numbers: dict[Any, int] = {}
    groups = np.fromiter((numbers.setdefault(label, len(numbers)) for label in column), np.int64, impressions)
    # NaN is a missing label, and not equal to itself
    if missing := [number for label, number in numbers.items() if label is None or label != label]:
        row = int(np.argmax(np.isin(groups, missing)))
        raise ParameterError(f"{name}, row {row}, is missing; omit impressions of unknown {name}.")
    return groups


def require_rows(name: str, rows: int, impressions: int) -> None:
    if rows != impressions:
        expected = counted(impressions, "impression")
        raise ParameterError(f"{name} must have one row for each of {expected}; got {rows}.")


def as_clicked_places(name: str, clicks: Clicks) -> ClickedPlaces:
    empty = f"{name} is empty; give one row per impression, [] if it has no clicks."
    if isinstance(clicks, np.ndarray) and clicks.ndim == 2:
        if clicks.dtype != np.bool_:
            raise ParameterError(
                f"{name} must be a boolean array or lists of places; got {clicks.dtype}. Use "
                f"{name}.astype(bool)."
            )
        if len(clicks) == 0:
            raise ParameterError(empty)
        return ClickedPlaces(len(clicks), *np.nonzero(clicks))
    try:
        sizes = np.fromiter((len(places) for places in clicks), np.int64)
        flat: NDArray[Any] = np.array(list(chain.from_iterable(clicks)))
    except TypeError as error:
        raise ParameterError(
            f"{name} must have a sequence of clicked places per impression: {error}."
        ) from error
    if len(sizes) == 0:
        raise ParameterError(empty)
    if flat.dtype == np.bool_:
        raise ParameterError(
            f"{name} must be places or a boolean array; got lists of bool. Use np.array({name})."
        )
    rows = np.repeat(np.arange(len(sizes)), sizes)
    numbers = flat if flat.dtype.kind in "iuf" else np.full(len(flat), np.nan)
    wrong = ~(np.isfinite(numbers) & (numbers >= 0) & (numbers == np.floor(numbers)))
    if wrong.any():
        first = int(np.argmax(wrong))
        found = f"row {rows[first]} has {flat[first]!s}"
        raise ParameterError(f"{name} must be places, whole numbers from 0, the top; {found}.")
    pairs = np.unique(np.stack([rows, flat.astype(np.int64)], axis=1), axis=0)
    return ClickedPlaces(len(sizes), pairs[:, 0], pairs[:, 1])


def measure_clicks(log: ClickedPlaces) -> dict[str, FloatArray]:
    """Return the values of each absolute metric; reciprocal ranks are undefined without clicks."""
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
