"""A learner's time: rounds counted up to e^28, and kept as -ln t where a study passes over more than that.

A study shows no arm against itself. Rounds in which a learner would do so are passed over, and there may be
more of them than numbers can count; of them only ln t matters.
"""

from math import ceil, exp, inf, log
from typing import Any

from duelist.errors import OutcomeError
from duelist.kernels.compile import borrowing

COUNTED, LOG_COUNTED = 2.0**53, 28.0
"""A learner's time counts rounds, at most as many as floats hold; in a study it is -ln t beyond e^28, where
rounds could only be found again by their logarithm to a few rounds."""

LOG_LAST = 36.0  # no simulation is longer than e^36 rounds, which floats still hold

BEYOND = 1.0 + 1e-14  # a factor that makes ln t later by more than rounding can make it earlier


@borrowing
def log_round(time: float) -> float:
    """Return ln t, for the round t that comes next."""
    return log(time + 1.0) if time >= 0.0 else -time


@borrowing
def later(one: float, other: float) -> float:
    return min(one, other) if min(one, other) < 0.0 else max(one, other)


@borrowing
def next_time(time: float) -> float:
    return time + 1.0 if time >= 0.0 else time * BEYOND


@borrowing
def time_before(log_t: float, time: float, log_counted: float) -> float:
    """Return the time right before the first round t with ln t >= log_t >= 0, but not before `time`.

    Rounding may only make it earlier. Where log_t exceeds `log_counted`, rounds are no longer counted.
    """
    if log_t > log_counted:
        return later(time, -log_t * BEYOND)
    return later(time, ceil(exp(log_t) * (1.0 - 1e-12)) - 1.0)


def is_time(time: Any) -> Any:
    """Return whether a number, or each of several, is a time that a learner may have written into a duel."""
    return ((time >= 0.0) & (time <= COUNTED)) | ((time > -inf) & (time < -LOG_COUNTED))


def require_time(time: object) -> float:
    """Return a learner's time, or refuse what no learner wrote into a duel."""
    if type(time) is float and 0.0 <= time <= COUNTED:
        return time
    if not isinstance(time, float | int) or not is_time(time):
        raise OutcomeError(f"duel.round must be what ask() wrote there, or None; got {time!r}.")
    return float(time)
