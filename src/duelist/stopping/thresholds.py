"""How much evidence is enough, so that a verdict on all arms is wrong at most a share delta of the time.

**Arms that stay.** "i beats all others" is said when the evidence for i against every j reaches K / delta,
and "nobody beats all others" when every i has lost to some j by as much. If there is a winner w, a wrong
verdict of either kind needs the evidence of some other arm against w to get there: K - 1 events of chance
delta / K. If there is none, every i has some j(i) that it does not beat, and to call i the winner needs its
evidence against j(i): K events.

**Arms that come and go.** Who is the winner changes with the arms, and someone who has seen the votes decides
what changes. So all ordered pairs of arms that ever were must hold at once, and this in addition to verdicts
before the change: delta is divided, `INITIAL_SHARE` of it for the initial arms while nothing changes, the
rest for afterwards. Of the rest half is shared by the pairs of initial arms, and the pairs that the
m-th added arm makes with those before it share the part 1 / (2 m (m + 1)); for m = 1, 2, ... these add up to
the other half.
"""

from collections.abc import Sequence
from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from duelist.defaults import DELTA
from duelist.duel import FloatArray, IntArray
from duelist.errors import ParameterError, PreferenceError, number_or_nan, require_confidence, require_whole

INITIAL_SHARE = 0.8  # the part of delta for verdicts before any arm is added or retired
WIDEST = 0.25  # arms that differ by more than this are not "as good as equal"


def log_thresholds(
    k: int, delta: float, *, within: float = 0.0, initial_arms: int | None = None, changed: bool = False
) -> FloatArray:
    """Return, for every pair of arms, the logarithm of the evidence that is enough; 0 on the diagonal.

    Parameters
    ----------
    k : int
        How many arms there ever were.
    delta : float
        The share of studies in which a verdict may be wrong.
    within : float, default 0.0
        A difference that does not matter. With one, "as good as the best" and "no winner" can each be wrong
        in ways of their own, and share delta.
    initial_arms : int, optional
        How many there were at the beginning: those with the lowest numbers. By default all.
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
    """Return the logarithm of the evidence that is enough for delta = 1, once arms have come or gone."""
    later = np.maximum(np.arange(k)[:, None], np.arange(k))  # of each pair, the arm that came later
    added = later - initial_arms + 1.0
    pairs = np.where(added > 0, 2.0 * later, initial_arms * (initial_arms - 1.0))
    parts = np.where(added > 0, 2.0 * added * (added + 1.0), 2.0)
    return np.log(pairs * parts / (1.0 - INITIAL_SHARE))


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
    initial_arms: int | None,
    changed: bool,
) -> Tables:
    """Return the votes between active arms and what is enough evidence, or say what is wrong with them.

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
    if initial_arms is not None:
        require_whole("initial_arms", initial_arms, 2)
        if initial_arms > k:
            raise ParameterError(f"initial_arms are among all {k} arms; got {initial_arms!r}.")
    enough = log_thresholds(k, delta, within=within, initial_arms=initial_arms, changed=changed)
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
