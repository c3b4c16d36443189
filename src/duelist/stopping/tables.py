"""Tables of votes, checked: a verdict on numbers that cannot be counts would mean nothing."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from duelist.duel import FloatArray, IntArray
from duelist.errors import (
    DELTA,
    ParameterError,
    PreferenceError,
    number_or_nan,
    require_confidence,
    require_whole,
)
from duelist.stopping.thresholds import log_thresholds

WIDEST = 0.25  # arms that differ by more than this are not "as good as equal"


class Tables(NamedTuple):
    """Votes between the arms that a verdict is about."""

    decisive: FloatArray
    ties: FloatArray
    enough: FloatArray  # the logarithm of the evidence that proves that the arm of a row beats the other
    arms: IntArray  # their numbers


def as_tables(
    decisive: ArrayLike,
    ties: ArrayLike,
    *,
    delta: float,
    within: float,
    active: Sequence[int] | None,
    founders: int | None,
    changed: bool,
) -> Tables:
    """Return the votes between active arms and what is enough evidence, or say what is wrong with them.

    Examples
    --------
    >>> usual = {"delta": 0.05, "within": 0.0, "founders": None, "changed": False}
    >>> tables = as_tables([[0, 3, 1], [2, 0, 4], [1, 1, 0]], np.zeros((3, 3)), active=[0, 2], **usual)
    >>> tables.decisive.tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    require_confidence(delta, "delta", DELTA)
    if not 0.0 <= number_or_nan(within) <= WIDEST:
        raise ParameterError(
            f"within must be a difference of chances from 0 to {WIDEST}, such as 0.02; got {within!r}."
        )
    won, even = as_table("decisive", decisive), as_table("ties", ties)
    k = len(won)
    if len(even) != k:
        raise PreferenceError(f"ties must be a table of {k} by {k}, as decisive is; got {even.shape}.")
    if not np.array_equal(even, even.T):
        raise PreferenceError("ties must be symmetric: both halves say how often two arms tied.")
    arms = np.arange(k)
    if active is not None:
        numbers = [number for number in active if isinstance(number, int | np.integer)]
        if len(numbers) != len(active) or not all(0 <= number < k for number in numbers):
            raise ParameterError(f"active must hold numbers of arms, 0 to {k - 1}; got {list(active)!r:.80}.")
        arms = np.array(numbers, np.int64)
    if len(set(arms.tolist())) < 2 or len(set(arms.tolist())) < len(arms):
        raise ParameterError("a verdict is about at least 2 arms, each of them once.")
    if founders is not None:
        require_whole("founders", founders, 2)
        if founders > k:
            raise ParameterError(f"founders are among all {k} arms; got {founders!r}.")
    enough = log_thresholds(k, delta, within=within, founders=founders, changed=changed)
    some = np.ix_(arms, arms)
    won, even, enough = (np.ascontiguousarray(table[some]) for table in (won, even, enough))
    return Tables(won, even, enough, arms)


def as_table(name: str, given: ArrayLike) -> FloatArray:
    """Return a table of counts, or say why it is none."""
    try:
        table = np.asarray(given, np.float64)
    except (TypeError, ValueError) as error:
        raise PreferenceError(f"{name} must be a table of numbers; got {given!r:.80}.") from error
    if table.ndim != 2 or table.shape[0] != table.shape[1]:
        raise PreferenceError(
            f"{name} must have a row and a column for every arm; got the shape {table.shape}."
        )
    if not (np.isfinite(table).all() and (table >= 0.0).all()):
        raise PreferenceError(f"{name} counts votes: its numbers must be finite and not negative.")
    return table
