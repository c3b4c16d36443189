"""When a call is sent again, and after how long."""

from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx

from duelist.client.call import Call
from duelist.errors import ParameterError, StorageError, require_whole

AGAIN = (429, 503)
"""The statuses of a service that is asked too much, or that cannot write now."""
FIRST = 0.2
"""Seconds before the first retry; each further one waits twice as long, or up to half of that less."""
LONGEST = 60.0
"""Seconds that a service may ask to wait; one that asks for more is not waited for."""


class Retrying:
    """What both clients know of their service, and when they send a call to it again.

    Parameters
    ----------
    url : str
        Where the service is.
    retries : int
        How often a call is sent again.
    luck : callable
        Returns random numbers from 0 to 1, by which clients that failed together do not come back together.

    Examples
    --------
    >>> tries = Tries(Retrying("http://127.0.0.1:8321", retries=2, luck=lambda: 1.0))
    >>> tries.after_failure(httpx.ConnectError("refused")), tries.after_failure(httpx.ReadTimeout("late"))
    (0.2, 0.4)
    """

    def __init__(self, url: str, retries: int, luck: Callable[[], float]) -> None:
        require_whole("retries", retries, 0)
        self.url, self.retries, self.luck = url, int(retries), luck

    def begin(self, http: httpx.Client | httpx.AsyncClient) -> "Tries":
        """Return the tries of a call that has not been sent yet, or say that it cannot be."""
        if http.is_closed:
            raise ParameterError("the client is closed; make another one, and close it after its last call.")
        return Tries(self)


class Tries:
    """How often one call has been sent."""

    def __init__(self, retrying: Retrying) -> None:
        self._retrying, self._retried = retrying, 0

    def after_failure(self, error: httpx.RequestError) -> float:
        """Return the seconds to wait after no answer came, or say that the service cannot be reached."""
        wait = self._wait(0.0)
        if wait is None:
            reason = str(error) or type(error).__name__
            raise StorageError(
                f"the service at {self._retrying.url} cannot be reached ({reason}, after {self._retried + 1} "
                "attempts); is it running?"
            ) from error
        return wait

    def after_answer(self, call: Call[Any], answer: httpx.Response) -> float | None:
        """Return the seconds to wait after an answer that is not the last; None if it is."""
        if answer.status_code not in AGAIN or answer.status_code in call.answers:
            return None
        return self._wait(wait_asked(answer.headers.get("retry-after", ""), datetime.now(UTC)))

    def _wait(self, least: float) -> float | None:
        if self._retried == self._retrying.retries or least > LONGEST:
            return None
        own = FIRST * 2.0**self._retried * (0.5 + 0.5 * self._retrying.luck())
        self._retried += 1
        return max(own, least)


def wait_asked(said: str, now: datetime) -> float:
    """Return the seconds that a service asks to wait, which says them or a date; 0 if it says neither.

    Examples
    --------
    >>> wait_asked("3", datetime(2026, 11, 16, 10, 0, 0, tzinfo=UTC))
    3.0
    >>> wait_asked("Mon, 16 Nov 2026 10:00:05 GMT", datetime(2026, 11, 16, 10, 0, 0, tzinfo=UTC))
    5.0
    """
    if said.isdecimal():
        return float(said)
    try:
        return (parsedate_to_datetime(said) - now).total_seconds()
    except (ValueError, TypeError):
        return 0.0
