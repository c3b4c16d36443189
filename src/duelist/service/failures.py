"""Errors as answers of API, pages and gate: a status, a kind, one plain sentence and headers."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from duelist import errors
from duelist.service.answers import ErrorAnswer
from duelist.service.logs import write_line

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
MEANINGS = {
    400: "The request cannot be read: it is not JSON, or not HTTP as it should be.",
    401: "There is no key, or it is not known.",
    403: "The key may not do this, or the request comes from another site.",
    404: "There is no such study, or the ticket is not one of it.",
    409: "It contradicts what is on record, or the study is closed.",
    413: "The body is too long.",
    415: "The body is not said to be JSON.",
    422: "A field is missing, is not known, or has a value that cannot work.",
    429: "Too many requests; try again after the seconds that Retry-After says.",
    500: "A fault of the service, or a damaged database.",
    503: "The database cannot be reached or written to now; try again.",
}


def at_the_gate(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the errors with which every path may answer, and others, for the description of a route."""
    found = sorted({400, 403, 413, 429, 500, *statuses})
    return {status: {"model": ErrorAnswer, "description": MEANINGS[status]} for status in found}


def responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the errors with which a route of studies may answer, for its description."""
    return at_the_gate(401, 415, 422, 503, *statuses)


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
        case RequestValidationError():
            status, kind, detail = 422, "ParameterError", faults_in(error)
        case HTTPException():
            status, kind, detail = error.status_code, "RequestError", str(error.detail)
            headers = error.headers or {}
        case ClientDisconnect():
            status, kind, detail = 400, "RequestError", "the request was not sent to its end."
        case _:
            return FAULT
    plain = detail.encode("utf-8", "replace").decode()
    return Failure(status, kind, plain, {**headers, **RETRY} if status in (429, 503) else headers)


def faults_in(error: RequestValidationError) -> str:
    """Return the fields of a request that are not what they should be, and why."""
    faults = [
        f"{'.'.join(str(part) for part in fault['loc'] if part != 'body') or 'body'}: {fault['msg']}"
        for fault in error.errors()[:5]
    ]
    return "; ".join(faults)[:2000]


async def answer_to(request: Request, error: Exception) -> JSONResponse:
    """Answer an error as the API does; the gate writes down where one came from that nobody foresaw."""
    failure = failure_of(error)
    if failure.status >= 500 and isinstance(error, errors.DuelistError):
        write_line(level="error", error=failure.kind, detail=failure.detail)
    content = {"error": failure.kind, "detail": failure.detail}
    return JSONResponse(content, failure.status, headers=dict(failure.headers))


HANDLED = (errors.DuelistError, RequestValidationError, HTTPException, Exception)
"""The kinds of errors that the framework asks for an answer to; it raises the last again."""
