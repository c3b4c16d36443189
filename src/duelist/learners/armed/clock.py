"""A learner's time: a count of rounds up to e^28, and -ln t beyond.

A study never shows an arm against itself. It skips the rounds in which a learner would do so, and there may
be more of them than a float can count. Learners only need ln t, so later times are stored as -ln t.
"""

from math import ceil, exp, inf, log
from typing import Any

from duelist.errors import OutcomeError
from duelist.kernels.compile import borrowing

COUNTED, LOG_COUNTED = 2.0**53, 28.0
"""The largest count of rounds that a float holds, and the ln t beyond which a study stores -ln t: from there
on, a round can be recovered from its logarithm only to within a few rounds."""

LOG_LAST = 36.0  # no simulation is longer than e^36 rounds, which a float still holds

BEYOND = 1.0 + 1e-14  # increases ln t by more than rounding can decrease it


@borrowing
def log_round(time: float) -> float:
    """Return ln t for the next round t."""
    return log(time + 1.0) if time >= 0.0 else -time


@borrowing
def later(one: float, other: float) -> float:
    return min(one, other) if min(one, other) < 0.0 else max(one, other)


@borrowing
def next_time(time: float) -> float:
    return time + 1.0 if time >= 0.0 else time * BEYOND


@borrowing
def time_before(log_t: float, time: float, log_counted: float) -> float:
    """Return the time just before the first round t with ln t >= log_t >= 0, but not before `time`.

    Rounding can only make it earlier. If log_t exceeds `log_counted`, rounds are no longer counted.
    """
    if log_t > log_counted:
        return later(time, -log_t * BEYOND)
    return later(time, ceil(exp(log_t) * (1.0 - 1e-12)) - 1.0)


def is_time(time: Any) -> Any:
    """Return whether a number, or each number of an array, is a valid time of a learner."""
    return ((time >= 0.0) & (time <= COUNTED)) | ((time > -inf) & (time < -LOG_COUNTED))


def require_time(time: object) -> float:
    if type(time) is float and 0.0 <= time <= COUNTED:
        return time
    if not isinstance(time, float | int) or not is_time(time):
        raise OutcomeError(f"duel.round must be the value that ask() set, or None; got {time!r}.")
    return float(time)
