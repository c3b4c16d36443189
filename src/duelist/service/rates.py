"""How often one caller may call."""

from collections import OrderedDict
from time import perf_counter

from duelist.service.failures import Refused

MOST_CALLERS = 10_000
AHEAD = 2.0
"""Seconds by which a caller may be ahead of the rate."""


class Rates:
    """Counts the requests of callers: keys that are known, or addresses.

    Parameters
    ----------
    rate : float
        Requests a second that each may make; 0 for no limit.
    """

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._callers: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def count(self, caller: str) -> None:
        """Refuse a caller who calls too often."""
        if self._rate == 0.0:
            return
        now, most = perf_counter(), AHEAD * self._rate
        left, before = self._callers.pop(caller, (most, now))
        left = min(left + (now - before) * self._rate, most) - 1.0
        self._callers[caller] = (max(left, 0.0), now)
        if len(self._callers) > MOST_CALLERS:
            self._callers.popitem(last=False)
        if left < 0.0:
            raise Refused(
                429, "RateError", f"more than {self._rate:g} requests a second; wait, then try again."
            )
