"""Errors as HTTP answers: status, error class, one plain sentence, and headers."""

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
"""Statuses of error classes; the first class in an error's method resolution order that is listed counts."""
RETRY = {"retry-after": "1"}


class Refused(HTTPException):
    """A rejected request: status, error class, and a sentence."""

    def __init__(self, status: int, error: str, detail: str) -> None:
        super().__init__(status, detail)
        self.error = error


class Failure(NamedTuple):
    """An error as an HTTP answer."""

    status: int
    kind: str
    detail: str
    headers: Mapping[str, str] = {}
    is_expected: bool = True
    """False for an unforeseen error, whose details stay in the log."""


FAULT = Failure(500, "InternalError", "internal server error; see the service's log.", is_expected=False)


def failure_of(error: Exception) -> Failure:
    """Return the HTTP answer for an error.

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
            status, kind, detail = 400, "RequestError", "the client disconnected before sending all."
        case _:
            return FAULT
    plain = detail.encode("utf-8", "replace").decode()
    return Failure(status, kind, plain, {**headers, **RETRY} if status in (429, 503) else headers)


async def answer_to(request: Request, error: Exception) -> Response:
    """Answer an error as the API does; unforeseen errors are left to the gate, which logs their traceback."""
    failure = failure_of(error)
    if failure.status >= 500 and isinstance(error, errors.DuelistError):
        write_line(level="error", error=failure.kind, detail=failure.detail)
    return error_response(failure)


def error_response(failure: Failure) -> Response:
    content = msgspec.json.encode(ErrorAnswer(error=failure.kind, detail=failure.detail))
    return Response(content, failure.status, failure.headers, "application/json")


HANDLED = (errors.DuelistError, HTTPException, ClientDisconnect)
"""Error classes that the framework handles; the gate handles all others."""
