"""Plain policies: those that are made of arrays alone, so that a file can keep them without pickle."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from duelist.duel import FloatArray, IntArray
from duelist.errors import ParameterError
from duelist.protocols import Policy

Plain = dict[str, Any]  # a kind, by name, with its arrays, numbers and words, or more of the same inside


@runtime_checkable
class PlainPolicy(Policy, Protocol):
    """A policy that can be kept in a file, and told in words."""

    @property
    def needs(self) -> tuple[int, int]:
        """The fewest actions and columns of a context that it works with."""

    def plain(self) -> Plain:
        """Return its kind and its arrays."""

    def lines(self, actions: Sequence[str], columns: Sequence[str]) -> list[str]:
        """Return what it does, as lines of text."""


def whole_numbers(name: str, value: object, ndim: int = 1) -> IntArray:
    array = _array(name, value, ndim)
    if array.size and array.dtype.kind not in "iu":
        raise ParameterError(f"{name} must be whole numbers; got {_short(value)}.")
    return np.ascontiguousarray(array, np.int64)


def finite_numbers(name: str, value: object, ndim: int = 1) -> FloatArray:
    array = _array(name, value, ndim)
    if array.size and (array.dtype.kind not in "iuf" or not np.isfinite(array).all()):
        raise ParameterError(f"{name} must be finite numbers; got {_short(value)}.")
    return np.ascontiguousarray(array, np.float64)


def fingerprint(value: object) -> object:
    """Return what is equal, and hashes alike, for plain values that are equal to the last bit."""
    if isinstance(value, Mapping):
        return tuple((key, fingerprint(part)) for key, part in value.items())
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    return repr(value)


def _array(name: str, value: object, ndim: int) -> NDArray[Any]:
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ParameterError(f"{name} must be a table; its rows differ in length.") from error
    if array.ndim != ndim:
        raise ParameterError(f"{name} must have {ndim} dimensions; got {_short(value)}.")
    return array


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:60]}..."
