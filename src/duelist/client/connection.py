"""HTTP calls to a service: requests, retries, and conversion of answers and errors."""

import os
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar

import msgspec
import numpy as np

from duelist import __version__, errors
from duelist.errors import (
    DuelistError,
    ParameterError,
    ServiceError,
    StorageError,
    needing_extra,
    require_positive,
    require_whole,
)
from duelist.wire import ErrorAnswer, Sent

if TYPE_CHECKING:
    import httpx

C = TypeVar("C", covariant=True)
P = ParamSpec("P")
T = TypeVar("T")
VARIABLE = "DUELIST_KEY"
"""Environment variable with the key, used if none is given."""
RETRIED = (429, 503)
"""Statuses that are retried: too many requests, or the database cannot be written."""
FIRST_WAIT = 0.2
"""Seconds before the first retry; each further wait doubles, and jitter shortens it by up to half."""
LONGEST_WAIT = 60.0
"""Longest wait in seconds that a service may ask for; a call that must wait longer fails at once."""
ACCEPTED = (200, 201, 204)
"""Statuses of success; all others are errors."""
MISSING_KEY = 401
KINDS = {
    name: kind
    for name, kind in vars(errors).items()
    if isinstance(kind, type) and issubclass(kind, DuelistError) and kind is not ServiceError
}
"""Error classes of the package by the name that the service sends."""


class ServiceConnection:
    """Send calls to a service; safe to share between tasks and threads.

    Parameters
    ----------
    http : httpx.Client or httpx.AsyncClient
        The HTTP client, which keeps the connections.
    request, sleep : coroutine functions
        Send a request; wait for a number of seconds.
    retrying : Retrying
        The retry policy.
    """

    def __init__(
        self,
        http: "httpx.Client | httpx.AsyncClient",
        request: "Callable[..., Awaitable[httpx.Response]]",
        sleep: Callable[[float], Awaitable[None]],
        retrying: "Retrying",
    ) -> None:
        self.http, self.retrying = http, retrying
        self._request, self._sleep = request, sleep

    async def get(
        self, path: str, kind: type[T], accepted: tuple[int, ...] = ACCEPTED, **query: float | bool
    ) -> T:
        return await self.send("GET", path, reader_of(kind), query=query, accepted=accepted)

    async def post(self, path: str, body: Sent, kind: type[T]) -> T:
        return await self.send("POST", path, reader_of(kind), encoded(body))

    async def send(
        self,
        method: str,
        path: str,
        read: Callable[[bytes], T],
        body: bytes | None = None,
        query: Mapping[str, float | bool] | None = None,
        accepted: tuple[int, ...] = ACCEPTED,
    ) -> T:
        """Send a request, retry it if that may help, and return the answer or raise the service's error."""
        import httpx

        if self.http.is_closed:
            raise ParameterError("the client is closed; create a new one, and close it after its last call.")
        tries = Tries(self.retrying)
        while True:
            try:
                answer = await self._request(method, path, content=body, params=query)
            except httpx.RequestError as error:
                wait: float | None = tries.after_failure(error)
            else:
                wait = tries.after_answer(answer, accepted)
            if wait is None:
                return read_answer(answer.status_code, answer.content, read, accepted)
            await self._sleep(wait)


class Waiting(Generic[C]):
    """Blocking counterpart of an asynchronous class, over a connection whose coroutines never suspend."""

    def __init__(self, awaited: C) -> None:
        self._awaited = awaited


def finished(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine that never suspends (all it awaits is done at once), and return its result."""
    try:
        coroutine.send(None)
    except StopIteration as stop:
        result: T = stop.value
        return result
    raise RuntimeError("a coroutine suspended although there is no event loop")


def in_place(function: Callable[P, T]) -> Callable[P, Coroutine[Any, Any, T]]:
    """Wrap a function as a coroutine function that never suspends."""

    async def call(*given: P.args, **named: P.kwargs) -> T:
        return function(*given, **named)

    return call


def waited(
    method: Callable[Concatenate[C, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[Waiting[C], P], T]:
    """Return the blocking version of an asynchronous method, with its name, signature and docstring."""

    @wraps(method)
    def wait(self: Waiting[C], /, *given: P.args, **named: P.kwargs) -> T:
        return finished(method(self._awaited, *given, **named))

    return wait


class Retrying:
    """Retry policy of a client.

    Parameters
    ----------
    url : str
        Address of the service.
    retries : int
        Maximum number of retries of a call.
    jitter : callable
        Source of random numbers in [0, 1] for the retry jitter.

    Examples
    --------
    >>> import httpx
    >>> tries = Tries(Retrying("http://127.0.0.1:8321", retries=2, jitter=lambda: 1.0))
    >>> tries.after_failure(httpx.ConnectError("refused")), tries.after_failure(httpx.ReadTimeout("late"))
    (0.2, 0.4)
    """

    def __init__(self, url: str, retries: int, jitter: Callable[[], float]) -> None:
        require_whole("retries", retries, 0)
        self.url, self.retries, self.jitter = url, int(retries), jitter


class Tries:
    """Attempts of one call."""

    def __init__(self, retrying: Retrying) -> None:
        self._retrying, self._retried = retrying, 0

    def after_failure(self, error: "httpx.RequestError") -> float:
        """Return the seconds to wait before the next attempt; raise StorageError after the last."""
        wait = self._wait(0.0)
        if wait is None:
            reason = str(error) or type(error).__name__
            raise StorageError(
                f"the service at {self._retrying.url} cannot be reached ({reason}, after {self._retried + 1} "
                "attempts); check that it is running."
            ) from error
        return wait

    def after_answer(self, answer: "httpx.Response", accepted: tuple[int, ...] = ACCEPTED) -> float | None:
        """Return the seconds to wait before a retry; None if the answer is final."""
        if answer.status_code not in RETRIED or answer.status_code in accepted:
            return None
        return self._wait(wait_asked(answer.headers.get("retry-after", ""), datetime.now(UTC)))

    def _wait(self, least: float) -> float | None:
        if self._retried == self._retrying.retries or least > LONGEST_WAIT:
            return None
        own = FIRST_WAIT * 2.0**self._retried * (0.5 + 0.5 * self._retrying.jitter())
        self._retried += 1
        return max(own, least)


def wait_asked(header: str, now: datetime) -> float:
    """Return the seconds that a Retry-After header asks to wait, given as seconds or a date; else 0.

    Examples
    --------
    >>> wait_asked("3", datetime(2026, 11, 16, 10, 0, 0, tzinfo=UTC))
    3.0
    >>> wait_asked("Mon, 16 Nov 2026 10:00:05 GMT", datetime(2026, 11, 16, 10, 0, 0, tzinfo=UTC))
    5.0
    """
    if header.isdecimal():
        return float(header)
    try:
        return (parsedate_to_datetime(header) - now).total_seconds()
    except (ValueError, TypeError):
        return 0.0


def encoded(body: Sent) -> bytes:
    """Encode a body as JSON; fields that have their default are left out.

    Examples
    --------
    >>> from duelist.wire import TicketSent
    >>> encoded(TicketSent(ticket="q1Zb"))
    b'{"ticket":"q1Zb"}'
    """
    try:
        return msgspec.json.encode(body, enc_hook=plain)
    except (TypeError, ValueError, OverflowError, msgspec.MsgspecError) as error:
        raise ParameterError(
            f"{', '.join(body.__struct_fields__)} cannot be sent as JSON ({error}); give strings and numbers."
        ) from error


def plain(value: Any) -> Any:
    """Convert NumPy numbers and times of other packages to types that JSON supports."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} is not supported")


def reader_of(kind: type[T]) -> Callable[[bytes], T]:
    return lambda body: msgspec.json.decode(body, type=kind)


def read_answer(
    status: int, body: bytes, read: Callable[[bytes], T], accepted: tuple[int, ...] = ACCEPTED
) -> T:
    """Decode an answer, or raise the error that it reports.

    Examples
    --------
    >>> read_answer(200, b'["home"]', reader_of(list[str]))
    ['home']
    >>> read_answer(404, b'{"error": "RemovedError", "detail": "the study was removed."}', bytes)
    Traceback (most recent call last):
    duelist.errors.RemovedError: the study was removed.
    """
    if status not in accepted:
        raise error_of(status, body)
    try:
        return read(body)
    except msgspec.MsgspecError as error:
        raise unreadable(status, body) from error


def error_of(status: int, body: bytes) -> DuelistError:
    """Return the error in an answer: an error class of the package, or ServiceError."""
    try:
        answer = msgspec.json.decode(body, type=ErrorAnswer)
    except msgspec.MsgspecError:
        return unreadable(status, body)
    kind = KINDS.get(answer.error)
    if kind is not None:
        # not kind(...): some classes compose their message, and this one is complete
        return kind.__new__(kind, answer.detail)
    remedy = " Pass a key: Client(url, key=...), or set DUELIST_KEY." if status == MISSING_KEY else ""
    return ServiceError(f"{answer.error}: {answer.detail}{remedy}", status)


def unreadable(status: int, body: bytes) -> ServiceError:
    """Return the error for an answer that does not come from a compatible service."""
    excerpt = " ".join(body[:200].decode("utf-8", "replace").split())
    return ServiceError(
        f"the answer with status {status} does not come from a compatible duelist service; check the URL and "
        f"the version. It begins: {excerpt!r}.",
        status,
    )


def as_options(url: str, key: str | None, timeout: float) -> dict[str, Any]:
    """Return the options of the httpx client; raise ParameterError if the URL or the key is invalid."""
    with needing_extra("duelist.client", "client"):
        import httpx
    require_positive("timeout", timeout)
    try:
        base = httpx.URL(url)
    except (TypeError, httpx.InvalidURL) as error:
        raise ParameterError(
            f"{url!r} is not a URL ({error}); give an address such as http://127.0.0.1:8321."
        ) from error
    if base.scheme not in ("http", "https") or not base.host:
        raise ParameterError(f"url must begin with http:// or https:// and name a host; got {url!r}.")
    if base.userinfo or base.query or base.fragment:
        raise ParameterError("url must have no user, query or fragment; pass the key as key=.")
    headers = {"content-type": "application/json", "user-agent": f"duelist/{__version__}"}
    secret = os.environ.get(VARIABLE) if key is None else key
    if secret:
        if not (isinstance(secret, str) and secret.isascii() and secret.isprintable()):
            raise ParameterError(
                "key must be printable ASCII text such as duelist_...; got other characters."
            )
        headers["authorization"] = f"Bearer {secret}"
    return {"base_url": base, "headers": headers, "timeout": float(timeout)}
