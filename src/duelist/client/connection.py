"""How a call reaches a service: what is sent, when it is sent again, and what an answer means."""

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
"""The environment variable that holds the key, where none is given."""
AGAIN = (429, 503)
"""The statuses of a service that is asked too much, or that cannot write now."""
FIRST = 0.2
"""Seconds before the first retry; each further one waits twice as long, or up to half of that less."""
LONGEST = 60.0
"""Seconds that a service may ask to wait; one that asks for more is not waited for."""
ACCEPTED = (200, 201, 204)
"""The statuses of answers; all others are errors."""
MISSING_KEY = 401
KINDS = {
    name: kind
    for name, kind in vars(errors).items()
    if isinstance(kind, type) and issubclass(kind, DuelistError) and kind is not ServiceError
}
"""The errors that a service raises as the package does, by the name it gives them."""


class ServiceConnection:
    """Sends calls to a service, from any number of tasks or threads.

    Parameters
    ----------
    http : httpx.Client or httpx.AsyncClient
        Keeps the connections.
    request, sleep : coroutine functions
        Send a request, and wait for a number of seconds.
    retrying : Retrying
        When a call is sent again.
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
        """Return what a path answers."""
        return await self.send("GET", path, reader_of(kind), query=query, accepted=accepted)

    async def post(self, path: str, body: Sent, kind: type[T]) -> T:
        """Send a body, and return what is answered."""
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
        """Send a request, again where that may help; return its answer, or raise the service's error."""
        import httpx

        if self.http.is_closed:
            raise ParameterError("the client is closed; make another one, and close it after its last call.")
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
    """What is used without `await`: the same methods, over a connection whose coroutines never pause."""

    def __init__(self, awaited: C) -> None:
        self._awaited = awaited


def finished(coroutine: Coroutine[Any, Any, T]) -> T:
    """Return what a coroutine returns that never pauses, because what it awaits is done at once."""
    try:
        coroutine.send(None)
    except StopIteration as stop:
        result: T = stop.value
        return result
    raise RuntimeError("a coroutine paused where there is no event loop")


def in_place(function: Callable[P, T]) -> Callable[P, Coroutine[Any, Any, T]]:
    """Return a function as a coroutine function that never pauses."""

    async def call(*given: P.args, **named: P.kwargs) -> T:
        return function(*given, **named)

    return call


def waited(
    method: Callable[Concatenate[C, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[Waiting[C], P], T]:
    """Return the method that waits for what another one answers, with its name, arguments and docstring."""

    @wraps(method)
    def wait(self: Waiting[C], /, *given: P.args, **named: P.kwargs) -> T:
        return finished(method(self._awaited, *given, **named))

    return wait


class Retrying:
    """When calls to a service are sent again.

    Parameters
    ----------
    url : str
        Where the service is.
    retries : int
        How often a call is sent again.
    jitter : callable
        Returns random numbers from 0 to 1, by which clients that failed together do not come back together.

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
    """How often one call has been sent."""

    def __init__(self, retrying: Retrying) -> None:
        self._retrying, self._retried = retrying, 0

    def after_failure(self, error: "httpx.RequestError") -> float:
        """Return the seconds to wait after no answer came, or say that the service cannot be reached."""
        wait = self._wait(0.0)
        if wait is None:
            reason = str(error) or type(error).__name__
            raise StorageError(
                f"the service at {self._retrying.url} cannot be reached ({reason}, after {self._retried + 1} "
                "attempts); is it running?"
            ) from error
        return wait

    def after_answer(self, answer: "httpx.Response", accepted: tuple[int, ...] = ACCEPTED) -> float | None:
        """Return the seconds to wait after an answer that is not the last; None if it is."""
        if answer.status_code not in AGAIN or answer.status_code in accepted:
            return None
        return self._wait(wait_asked(answer.headers.get("retry-after", ""), datetime.now(UTC)))

    def _wait(self, least: float) -> float | None:
        if self._retried == self._retrying.retries or least > LONGEST:
            return None
        own = FIRST * 2.0**self._retried * (0.5 + 0.5 * self._retrying.jitter())
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


def encoded(body: Sent) -> bytes:
    """Return a body as JSON; fields that are as usual are left out.

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
            f"{', '.join(body.__struct_fields__)} cannot be sent as JSON ({error}); give plain texts and "
            "numbers."
        ) from error


def plain(value: Any) -> Any:
    """Return numbers of NumPy and times of other packages as JSON knows them."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} is not known")


def reader_of(kind: type[T]) -> Callable[[bytes], T]:
    """Return what reads an answer."""
    return lambda body: msgspec.json.decode(body, type=kind)


def read_answer(
    status: int, body: bytes, read: Callable[[bytes], T], accepted: tuple[int, ...] = ACCEPTED
) -> T:
    """Return what an answer says, or raise the error that the service raised.

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
    """Return the error that a service answered: as the package raises it, or what its gate refused."""
    try:
        said = msgspec.json.decode(body, type=ErrorAnswer)
    except msgspec.MsgspecError:
        return unreadable(status, body)
    kind = KINDS.get(said.error)
    if kind is not None:
        # some kinds make their text themselves, and here it is made
        return kind.__new__(kind, said.detail)
    remedy = " Give one: Client(url, key=...), or DUELIST_KEY." if status == MISSING_KEY else ""
    return ServiceError(f"{said.error}: {said.detail}{remedy}", status)


def unreadable(status: int, body: bytes) -> ServiceError:
    """Return the error of an answer that no service of this version gives."""
    said = " ".join(body[:200].decode("utf-8", "replace").split())
    return ServiceError(
        f"the answer, of status {status}, is not one of a duelist service of this version; is the URL right? "
        f"It begins: {said!r}.",
        status,
    )


def as_options(url: str, key: str | None, timeout: float) -> dict[str, Any]:
    """Return how httpx connects to a service, or say what is wrong with its URL or key."""
    with needing_extra("duelist.client", "client"):
        import httpx
    require_positive("timeout", timeout)
    try:
        base = httpx.URL(url)
    except (TypeError, httpx.InvalidURL) as error:
        raise ParameterError(f"{url!r} is not a URL ({error}); give http://127.0.0.1:8321.") from error
    if base.scheme not in ("http", "https") or not base.host:
        raise ParameterError(f"url must begin with http:// or https:// and name a host; got {url!r}.")
    if base.userinfo or base.query or base.fragment:
        raise ParameterError("url must have no user, no query and no fragment; give a key by key=.")
    headers = {"content-type": "application/json", "user-agent": f"duelist/{__version__}"}
    secret = os.environ.get(VARIABLE) if key is None else key
    if secret:
        if not (isinstance(secret, str) and secret.isascii() and secret.isprintable()):
            raise ParameterError("a key is a text such as duelist_...; got one with other characters.")
        headers["authorization"] = f"Bearer {secret}"
    return {"base_url": base, "headers": headers, "timeout": float(timeout)}
