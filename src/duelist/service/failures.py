"""Errors as answers of API, pages and gate: a status, a kind, one plain sentence and headers."""

from collections.abc import Mapping
from typing import NamedTuple

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from duelist import errors
from duelist.service.metrics import write_line
from duelist.wire import ErrorAnswer

STATUSES: dict[type[Exception], int] = {
    errors.ClosedError: 409,
    errors.ConflictError: 409,
    errors.TicketError: 404,
    errors.UnknownNameError: 422,
    errors.RemovedError: 404,
    errors.StorageError: 503,
    errors.FileError: 500,
    errors.DuelistError: 422,
}
"""The first of an error's classes that stands here decides."""
RETRY = {"retry-after": "1"}


class Refused(HTTPException):
    """A request that goes no further: a status, a kind of error and a sentence."""

    def __init__(self, status: int, error: str, detail: str) -> None:
        super().__init__(status, detail)
        self.error = error


class Failure(NamedTuple):
    """How an error is answered."""

    status: int
    kind: str
    detail: str
    headers: Mapping[str, str] = {}
    is_expected: bool = True
    """False for an error that nobody foresaw; what went wrong inside is not in the answer."""


FAULT = Failure(500, "InternalError", "a fault of the service; its log says where.", is_expected=False)


def failure_of(error: Exception) -> Failure:
    """Return how an error is answered.

    Examples
    --------
    >>> failure_of(errors.ConflictError("answered before."))[:3]
    (409, 'ConflictError', 'answered before.')
    >>> failure_of(Refused(429, "RateError", "too many requests.")).headers
    {'retry-after': '1'}
    >>> failure_of(ZeroDivisionError()) == FAULT
    True
    """
    headers: Mapping[str, str] = {}
    match error:
        case errors.DuelistError():
            status = STATUSES[next(kind for kind in type(error).__mro__ if kind in STATUSES)]
            kind, detail = type(error).__name__, str(error)
        case Refused():
            status, kind, detail = error.status_code, error.error, error.detail
        case HTTPException():
            status, kind, detail = error.status_code, "RequestError", str(error.detail)
            headers = error.headers or {}
        case ClientDisconnect():
            status, kind, detail = 400, "RequestError", "the request was not sent to its end."
        case _:
            return FAULT
    plain = detail.encode("utf-8", "replace").decode()
    return Failure(status, kind, plain, {**headers, **RETRY} if status in (429, 503) else headers)


async def answer_to(request: Request, error: Exception) -> Response:
    """Answer an error as the API does; the gate writes down where one came from that nobody foresaw."""
    failure = failure_of(error)
    if failure.status >= 500 and isinstance(error, errors.DuelistError):
        write_line(level="error", error=failure.kind, detail=failure.detail)
    return said(failure)


def said(failure: Failure) -> Response:
    """Return a failure as the API answers it."""
    content = msgspec.json.encode(ErrorAnswer(error=failure.kind, detail=failure.detail))
    return Response(content, failure.status, failure.headers, "application/json")


HANDLED = (errors.DuelistError, HTTPException, ClientDisconnect)
"""The kinds of errors that the framework has answered; the gate answers all others."""
