"""Operations of the API, each declared once next to its handler: path, role, body, answer and errors."""

from collections import Counter
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from json import JSONDecodeError, JSONDecoder
from types import NoneType
from typing import Any, TypeVar, get_args, get_type_hints

import msgspec
from msgspec import Struct, ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from duelist.errors import ParameterError, UnknownNameError
from duelist.journal.protocol import require_study_name
from duelist.service.access import Role, authorize
from duelist.service.failures import Refused
from duelist.service.live import LiveStudy, live_studies

JSON = "application/json"
LONGEST_NUMBER = 19
"""Maximum number of digits of an integer; longer ones fit no field."""
LONGEST_FAULT = 2_000
"""Maximum number of characters of a validation error."""
Handler = Callable[..., Awaitable[Any]]
H = TypeVar("H", bound=Handler)

encode = msgspec.json.Encoder().encode


class Operation(Route):
    """A route whose handler takes the request and its decoded body, and returns the struct of the answer.

    The struct of the second argument is the body, or the query of a GET. A handler may also return a
    `Response`, for other content or another status.

    Parameters
    ----------
    handler : coroutine function
        The handler.
    method, path : str
        Its HTTP method and path.
    role : str, optional
        Role that the key needs; None if no key is needed.
    tag : str
        Tag in the OpenAPI document.
    status : int
        Status of the answer.
    answers : mapping
        Answers by status, if the annotation does not tell: a struct, or texts by media type.
    errors : sequence of int
        Error statuses besides those that follow from path and role.
    """

    def __init__(
        self,
        handler: Handler,
        method: str,
        path: str,
        *,
        role: Role | None,
        tag: str,
        status: int,
        answers: dict[int, Any],
        errors: tuple[int, ...],
    ) -> None:
        *given, (_, returned) = get_type_hints(handler).items()
        sent: Any = given[1][1] if len(given) > 1 else None
        self.handler, self.method, self.role, self.tag = handler, method, role, tag
        self.status, self.errors = status, errors
        self.is_optional = NoneType in get_args(sent)
        self.sent: type[Struct] | None = get_args(sent)[0] if self.is_optional else sent
        self.answers = answers or {status: None if returned is NoneType else returned}
        super().__init__(path, self.respond, methods=[method])
        self.methods = {method}  # without HEAD

    async def respond(self, request: Request) -> Response:
        """Answer a request; authorize it before reading its body, which may be anything."""
        if self.role is not None:
            await authorize(request, self.role)
        if self.sent is None:
            answer = await self.handler(request)
        elif self.method == "GET":
            answer = await self.handler(request, as_sent(dict(request.query_params), self.sent, strict=False))
        else:
            body = await request.body()
            is_empty = self.is_optional and not body
            answer = await self.handler(request, None if is_empty else as_sent(read_json(body), self.sent))
        return answer if isinstance(answer, Response) else written(answer, self.status)


class Operations(list[Operation]):
    """The operations of one subject, in matching order.

    Parameters
    ----------
    tag : str
        Tag of the subject.
    prefix : str
        Common prefix of the paths.
    """

    def __init__(self, tag: str, prefix: str = "") -> None:
        super().__init__()
        self._tag, self._prefix = tag, prefix

    def declare(
        self,
        method: str,
        path: str,
        role: Role | None,
        *,
        status: int = HTTPStatus.OK,
        answers: dict[int, Any] | None = None,
        errors: tuple[int, ...] = (),
    ) -> Callable[[H], H]:
        """Return a decorator that registers a handler as an operation; its docstring is the description."""

        def add(handler: H) -> H:
            self.append(
                Operation(
                    handler,
                    method,
                    self._prefix + path,
                    role=role,
                    tag=self._tag,
                    status=status,
                    answers=answers or {},
                    errors=errors,
                )
            )
            return handler

        return add


def written(answer: Struct | None, status: int = HTTPStatus.OK) -> Response:
    """Return an answer as an HTTP response."""
    if answer is None:
        return Response(status_code=status)
    return Response(encode(answer), status, media_type=JSON)


def as_sent(content: Any, kind: type[Struct], strict: bool = True) -> Struct:
    """Decode a body or query as a struct; raise ParameterError naming the field that is invalid."""
    try:
        return msgspec.convert(content, kind, strict=strict)
    except ValidationError as error:
        fault, _, path = str(error).partition(" - at `$")
        field = path.strip("`.") or "body"
        raise ParameterError(f"{field}: {fault}"[:LONGEST_FAULT]) from error
    except UnicodeEncodeError as error:
        raise ParameterError("body: a field name contains a lone surrogate.") from error


async def named(request: Request) -> LiveStudy:
    """Return the study named in the path; raise Refused with status 404 if there is none."""
    name, live = request.path_params["name"], live_studies(request)
    if name not in live:
        require_study_name(name)
    try:
        return await live.find(name)
    except UnknownNameError as error:
        raise no_study(name) from error


def no_study(name: str) -> Refused:
    return Refused(404, "UnknownNameError", f"there is no study named {name!r}.")


def read_json(body: bytes) -> Any:
    """Decode JSON, and raise Refused if other readers might decode it differently.

    Examples
    --------
    >>> read_json(b'{"n": 5}')
    {'n': 5}
    >>> read_json(b'{"n": 5, "n": 6}')
    Traceback (most recent call last):
    duelist.service.failures.Refused: 400: the body has a duplicate field 'n'; send each field once.
    """
    try:
        return DECODER.decode(body.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise unread(f"is not UTF-8 (byte {error.start})") from error
    except JSONDecodeError as error:
        raise unread(f"is not JSON: {error.msg}, line {error.lineno}, column {error.colno}") from error
    except RecursionError as error:
        raise unread("is nested too deeply") from error


def once_each(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the fields of an object without duplicates: JSON readers differ in which one they use."""
    content = dict(fields)
    if len(content) < len(fields):
        twice, _ = Counter(name for name, _ in fields).most_common(1)[0]
        raise Refused(
            400, "JsonError", f"the body has a duplicate field {twice!r:.80}; send each field once."
        )
    return content


def whole(digits: str) -> int:
    if len(digits.lstrip("-")) > LONGEST_NUMBER:
        raise unread(f"has an integer with more than {LONGEST_NUMBER} digits")
    return int(digits)


def finite(digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise unread(f"has the number {digits:.80}, which is too large")
    return number


def no_number(name: str) -> float:
    """Reject NaN and Infinity, which are not JSON."""
    raise unread(f"has {name}, which is not a JSON number")


def unread(fault: str) -> Refused:
    return Refused(400, "JsonError", f"the body {fault}; send JSON in UTF-8.")


DECODER = JSONDecoder(
    object_pairs_hook=once_each, parse_int=whole, parse_float=finite, parse_constant=no_number
)
