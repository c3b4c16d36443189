"""A call of the service as data: what is sent, and how the answer is read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, TypeVar

import msgspec
import numpy as np

from duelist import errors
from duelist.errors import DuelistError, ParameterError, ServiceError

T = TypeVar("T")
A = TypeVar("A", covariant=True)
U = TypeVar("U")
MISSING_KEY = 401
KINDS = {
    name: kind
    for name, kind in vars(errors).items()
    if isinstance(kind, type) and issubclass(kind, DuelistError) and kind is not ServiceError
}
"""The errors that a service raises as the package does, by the name it gives them."""


class ErrorAnswer(msgspec.Struct):
    """What was wrong, as a service answers it."""

    error: str
    detail: str


@dataclass(frozen=True)
class Call(Generic[A]):
    """One call; the same one may be sent several times.

    Examples
    --------
    >>> call = Call("GET", "/api/studies", msgspec.json.decode)
    >>> call.answer(200, b'["home"]')
    ['home']
    >>> call.answer(404, b'{"error": "RemovedError", "detail": "the study was removed."}')
    Traceback (most recent call last):
    duelist.errors.RemovedError: the study was removed.
    """

    method: str
    path: str
    read: Callable[[bytes], A]
    """Returns the answer that a body holds."""
    body: bytes | None = None
    query: Mapping[str, Any] = field(default_factory=dict)
    answers: tuple[int, ...] = (200, 201, 204)
    """The statuses whose body is the answer; all others are errors."""

    def answer(self, status: int, body: bytes) -> A:
        """Return the answer, or raise the error that the service raised."""
        if status not in self.answers:
            raise error_of(status, body)
        try:
            return self.read(body)
        except msgspec.MsgspecError as error:
            raise unreadable(status, body) from error

    def then(self, further: Callable[[A], U]) -> "Call[U]":
        """Return the call whose answer is a function of this one's."""
        return Call(
            self.method, self.path, lambda body: further(self.read(body)), self.body, self.query, self.answers
        )


def post(path: str, read: Callable[[bytes], T], **fields: Any) -> Call[T]:
    """Return a call that sends fields as JSON; those that are None are left out."""
    given = {name: value for name, value in fields.items() if value is not None}
    try:
        return Call("POST", path, read, msgspec.json.encode(given, enc_hook=plain))
    except (TypeError, ValueError, OverflowError, msgspec.MsgspecError) as error:
        raise ParameterError(
            f"{', '.join(given)} cannot be sent as JSON ({error}); give plain texts and numbers."
        ) from error


def plain(value: Any) -> Any:
    """Return numbers of NumPy and times of other packages as JSON knows them."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} is not known")


def confirm(path: str, read: Callable[[bytes], object], **fields: Any) -> Call[None]:
    """Return a call that sends fields, and whose answer is read only to be sure that it is a service's."""
    return post(path, read, **fields).then(lambda _: None)


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
