"""Plain policies, which consist of arrays only and can be saved without pickle."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from duelist.duel import FloatArray, IntArray
from duelist.errors import ParameterError
from duelist.protocols import Policy

Plain = dict[str, Any]  # the name of a kind with its arrays, numbers and strings, possibly nested


@runtime_checkable
class PlainPolicy(Policy, Protocol):
    """A policy that can be saved and described."""

    @property
    def needs(self) -> tuple[int, int]:
        """The smallest numbers of actions and of context columns with which the policy works."""

    def plain(self) -> Plain:
        """Return its kind and its arrays."""

    def lines(self, actions: Sequence[str], columns: Sequence[str]) -> list[str]:
        """Describe the policy in lines of text."""


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
    """Return a hashable key that is equal for plain values that are equal to the last bit."""
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
