"""Errors of the package as answers of the service: a status, a kind and one plain sentence."""

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from duelist import errors
from duelist.service.answers import ErrorAnswer
from duelist.service.gate import FAULT, Refused
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
RETRY = {"Retry-After": "1"}


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


def status_of(error: errors.DuelistError) -> int:
    """Return the status with which an error of the package is answered."""
    return STATUSES[next(kind for kind in type(error).__mro__ if kind in STATUSES)]


async def on_error(request: Request, error: errors.DuelistError) -> JSONResponse:
    """Answer an error that the package raised on purpose."""
    status = status_of(error)
    if status >= 500:
        write_line(level="error", error=type(error).__name__, detail=str(error))
    return said(status, type(error).__name__, str(error))


async def on_refusal(request: Request, error: Refused) -> JSONResponse:
    """Answer a request that may not do this."""
    return said(error.status_code, error.error, error.detail)


async def on_invalid(request: Request, error: RequestValidationError) -> JSONResponse:
    """Answer a request whose fields are not what they should be."""
    faults = [
        f"{'.'.join(str(part) for part in fault['loc'] if part != 'body') or 'body'}: {fault['msg']}"
        for fault in error.errors()[:5]
    ]
    return said(422, "ParameterError", "; ".join(faults)[:2000])


async def on_http(request: Request, error: HTTPException) -> JSONResponse:
    """Answer what the framework refuses: an unknown path, a method that a path does not have."""
    response = said(error.status_code, "RequestError", str(error.detail))
    response.headers.update(error.headers or {})
    return response


async def on_fault(request: Request, error: Exception) -> JSONResponse:
    """Answer what nobody expected; it is raised again, and the gate writes down where it was."""
    return said(FAULT.status_code, FAULT.error, FAULT.detail)


async def answer_to(request: Request, error: Exception) -> Response:
    """Return the answer to an error; raise one that nobody expected."""
    for kind in type(error).__mro__:
        if kind in HANDLERS:
            return await HANDLERS[kind](request, error)
    raise error


def said(status: int, error: str, detail: str) -> JSONResponse:
    """Return an answer that says what was wrong."""
    content = {"error": error, "detail": detail.encode("utf-8", "replace").decode()}
    return JSONResponse(content, status, headers=RETRY if status in (429, 503) else None)


HANDLERS: dict[int | type[Exception], Callable[[Request, Any], Coroutine[Any, Any, Response]]] = {
    errors.DuelistError: on_error,
    Refused: on_refusal,
    RequestValidationError: on_invalid,
    HTTPException: on_http,
}
"""What answers an error: the first of its classes that stands here decides."""
