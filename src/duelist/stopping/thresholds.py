"""Thresholds of evidence at which a verdict on all arms is wrong with probability at most delta.

**Fixed arms.** The verdict "i beats all others" requires evidence K / delta for i against every j, and
"no arm beats all others" requires that every i has lost to some j with that much evidence. If there is a
winner w, a wrong verdict of either kind requires that the evidence of some other arm against w reaches the
threshold: K - 1 events of probability at most delta / K each. If there is no winner, every i has some j(i)
that it does not beat, and the verdict that i wins requires its evidence against j(i): K events.

**Changing arms.** The winner depends on the set of arms, and arms may be added or retired by someone who has
seen the votes. All ordered pairs of arms that ever existed must therefore hold simultaneously, in addition
to the verdicts before the change. Delta is split: `INITIAL_SHARE` of it is for the initial arms before any
change, the rest for afterwards. Half of the rest is shared by the pairs of initial arms. The pairs of the
m-th added arm with earlier arms share the part 1 / (2 m (m + 1)), which adds up to the other half over
m = 1, 2, ...
"""

from collections.abc import Sequence
from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from duelist.defaults import DELTA
from duelist.duel import FloatArray, IntArray
from duelist.errors import ParameterError, PreferenceError, number_or_nan, require_confidence, require_whole

INITIAL_SHARE = 0.8  # the share of delta for verdicts before any arm is added or retired
WIDEST = 0.25  # the largest difference that may be declared not to matter


def log_thresholds(
    k: int, delta: float, *, within: float = 0.0, initial_arms: int | None = None, changed: bool = False
) -> FloatArray:
    """Return the logarithm of the required evidence for every pair of arms; 0 on the diagonal.

    Parameters
    ----------
    k : int
        The number of arms that ever existed.
    delta : float
        The share of studies in which a verdict may be wrong.
    within : float, default 0.0
        A difference that does not matter. If positive, the verdicts "as good as the best" and "no winner" can
        be wrong separately, and share delta.
    initial_arms : int, optional
        The number of arms at the beginning, which have the lowest numbers; by default all.
    changed : bool, default False
        Whether any arm was ever added or retired.

    Examples
    --------
    >>> round(float(np.exp(log_thresholds(4, 0.05)[0, 1])), 3)
    100.0
    """
    claims = log(2.0 if within > 0.0 else 1.0) - log(delta)
    thresholds = np.full((k, k), claims + log(k / INITIAL_SHARE))
    if changed:
        thresholds = claims + thresholds_after_change(k, k if initial_arms is None else initial_arms)
    np.fill_diagonal(thresholds, 0.0)
    return thresholds


def thresholds_after_change(k: int, initial_arms: int) -> FloatArray:
    """Return the logarithm of the required evidence for delta = 1 after arms were added or retired."""
    later = np.maximum(np.arange(k)[:, None], np.arange(k))  # the arm of each pair that was added later
    added = later - initial_arms + 1.0
    pairs = np.where(added > 0, 2.0 * later, initial_arms * (initial_arms - 1.0))
    parts = np.where(added > 0, 2.0 * added * (added + 1.0), 2.0)
    return np.log(pairs * parts / (1.0 - INITIAL_SHARE))


class Tables(NamedTuple):
    """Votes between the arms that a verdict is about."""

    decisive: FloatArray
    ties: FloatArray
    enough: FloatArray  # the logarithm of the evidence that proves that the row's arm beats the column's
    arms: IntArray  # their numbers


def as_tables(
    decisive: ArrayLike,
    ties: ArrayLike,
    *,
    delta: float,
    within: float,
    active: Sequence[int] | None,
    initial_arms: int | None,
    changed: bool,
) -> Tables:
    """Check the tables, and return the votes between active arms with the required evidence.

    Examples
    --------
    >>> usual = {"delta": 0.05, "within": 0.0, "initial_arms": None, "changed": False}
    >>> tables = as_tables([[0, 3, 1], [2, 0, 4], [1, 1, 0]], np.zeros((3, 3)), active=[0, 2], **usual)
    >>> tables.decisive.tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    require_confidence(delta, "delta", DELTA)
    if not 0.0 <= number_or_nan(within) <= WIDEST:
        raise ParameterError(
            f"within must be a difference of probabilities from 0 to {WIDEST}, such as 0.02; got {within!r}."
        )
    won, even = as_table("decisive", decisive), as_table("ties", ties)
    k = len(won)
    if len(even) != k:
        raise PreferenceError(f"ties must have shape {won.shape}, as decisive has; got {even.shape}.")
    if not np.array_equal(even, even.T):
        raise PreferenceError("ties must be symmetric; give each number of ties in both halves.")
    arms = np.arange(k)
    if active is not None:
        numbers = [number for number in active if isinstance(number, int | np.integer)]
        if len(numbers) != len(active) or not all(0 <= number < k for number in numbers):
            raise ParameterError(f"active must be arm numbers from 0 to {k - 1}; got {list(active)!r:.80}.")
        arms = np.array(numbers, np.int64)
    if len(set(arms.tolist())) < 2 or len(set(arms.tolist())) < len(arms):
        name = "the tables" if active is None else "active"
        raise ParameterError(
            f"{name} must have at least 2 arms, without duplicates; got {arms.tolist()!r:.80}."
        )
    if initial_arms is not None:
        require_whole("initial_arms", initial_arms, 2)
        if initial_arms > k:
            raise ParameterError(
                f"initial_arms must be at most {k}, the number of arms; got {initial_arms!r}."
            )
    enough = log_thresholds(k, delta, within=within, initial_arms=initial_arms, changed=changed)
    some = np.ix_(arms, arms)
    won, even, enough = (np.ascontiguousarray(table[some]) for table in (won, even, enough))
    return Tables(won, even, enough, arms)


def as_table(name: str, given: ArrayLike) -> FloatArray:
    """Check that the input is a square table of nonnegative numbers."""
    try:
        table = np.asarray(given, np.float64)
    except (TypeError, ValueError) as error:
        raise PreferenceError(f"{name} must be a table of numbers; got {given!r:.80}.") from error
    if table.ndim != 2 or table.shape[0] != table.shape[1]:
        raise PreferenceError(f"{name} must have a row and a column for every arm; got shape {table.shape}.")
    if not (np.isfinite(table).all() and (table >= 0.0).all()):
        raise PreferenceError(f"{name} must be counts of votes: finite numbers, 0 or more.")
    return table
