"""Clicks of many impressions, checked, and what each impression's clicks amount to."""

from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from duelist.duel import BoolArray, FloatArray, IntArray
from duelist.errors import ParameterError

Clicks: TypeAlias = BoolArray | Sequence[Sequence[int]] | Sequence[IntArray]
"""A boolean array (impressions, places), or of each impression the clicked places, 0 being the top."""


class ClickedPlaces(NamedTuple):
    """Clicked places: of each click its impression and its place, every place once."""

    impressions: int
    rows: IntArray
    places: IntArray

    @property
    def counts(self) -> IntArray:
        """How many places were clicked, of each impression."""
        return np.bincount(self.rows, minlength=self.impressions)


def as_clicked_places(name: str, clicks: Clicks) -> ClickedPlaces:
    """Return checked clicks in one form.

    Examples
    --------
    >>> as_clicked_places("clicks", [[0, 2], [], [4, 4]]).counts.tolist()
    [2, 0, 1]
    """
    if isinstance(clicks, np.ndarray) and clicks.ndim == 2:
        return read_flags(name, clicks)
    try:
        sizes = np.fromiter((len(places) for places in clicks), np.int64)
        flat: NDArray[Any] = np.array(list(chain.from_iterable(clicks)))
    except TypeError as error:
        raise ParameterError(f"{name} must hold a sequence of clicked places for each impression.") from error
    if len(sizes) == 0:
        raise ParameterError(f"{name} must not be empty; give a row for each impression, [] if not clicked.")
    if len(flat) == 0:
        return ClickedPlaces(len(sizes), np.empty(0, np.int64), np.empty(0, np.int64))
    if flat.dtype == np.bool_:
        raise ParameterError(f"{name} must be places, or an array of truth values: np.array(clicks, bool).")
    rows = np.repeat(np.arange(len(sizes)), sizes)
    numeric = flat.dtype.kind in "iuf"
    wrong = (flat < 0) | (flat != np.floor(flat)) if numeric else np.ones(len(flat), np.bool_)
    if wrong.any():
        first = int(np.argmax(wrong))
        raise ParameterError(
            f"{name} must be whole places from 0, the top; row {rows[first]} has {flat[first]!s}."
        )
    pairs = np.unique(np.stack([rows, flat.astype(np.int64)], axis=1), axis=0)
    return ClickedPlaces(len(sizes), pairs[:, 0], pairs[:, 1])


def read_flags(name: str, clicked: NDArray[Any]) -> ClickedPlaces:
    """Return clicks given as a truth value for each impression and place."""
    if clicked.dtype != np.bool_:
        raise ParameterError(
            f"{name} must be an array of truth values, or lists of places; got {clicked.dtype}. Write "
            f"{name}.astype(bool) if it has 1 where a place was clicked."
        )
    if len(clicked) == 0:
        raise ParameterError(f"{name} must not be empty; give a row for each impression.")
    rows, places = np.nonzero(clicked)
    return ClickedPlaces(len(clicked), rows, places)


def measure_clicks(log: ClickedPlaces) -> dict[str, FloatArray]:
    """Return each absolute metric's values, one for every impression that has one.

    An impression without clicks has no reciprocal rank; the abandonment rate counts it.

    Examples
    --------
    >>> measures = measure_clicks(as_clicked_places("clicks", [[0, 3], [], [1]]))
    >>> {metric: values.tolist() for metric, values in measures.items()}
    {'clicks per query': [2.0, 0.0, 1.0],
     'abandonment rate': [0.0, 1.0, 0.0],
     'reciprocal rank of first click': [1.0, 0.5],
     'mean reciprocal rank of clicks': [0.625, 0.5]}
    """
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
