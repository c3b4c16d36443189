"""Bodies of requests: JSON as its standard has it, read so that one text means one thing."""

from collections import Counter
from json import JSONDecodeError, JSONDecoder
from typing import Any

from fastapi import Request

from duelist.service.failures import Refused

LONGEST_NUMBER = 19
"""Digits of a whole number; longer ones fit into no field."""


class JsonRequest(Request):
    """A request whose body is JSON, or is refused with a sentence that says why it is not."""

    async def json(self) -> Any:
        """Return what the body says."""
        return read_json(await self.body())


def read_json(body: bytes) -> Any:
    """Return what a text of JSON says, or refuse what others might read otherwise.

    Examples
    --------
    >>> read_json(b'{"n": 5}')
    {'n': 5}
    >>> read_json(b'{"n": 5, "n": 6}')
    Traceback (most recent call last):
    duelist.service.gate.Refused: 400: the body has the field 'n' twice; send each field once.
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
    """Return the fields of an object, none of which stands twice: readers differ in which of them counts."""
    content = dict(fields)
    if len(content) < len(fields):
        twice, _ = Counter(name for name, _ in fields).most_common(1)[0]
        raise Refused(400, "JsonError", f"the body has the field {twice!r:.80} twice; send each field once.")
    return content


def whole(digits: str) -> int:
    """Return a whole number that is not too long."""
    if len(digits.lstrip("-")) > LONGEST_NUMBER:
        raise unread(f"has a whole number of more than {LONGEST_NUMBER} digits")
    return int(digits)


def no_number(name: str) -> float:
    """Refuse NaN and Infinity, which JSON does not know."""
    raise unread(f"has {name}, which is no number of JSON")


def unread(fault: str) -> Refused:
    """Return the refusal of a body that cannot be read."""
    return Refused(400, "JsonError", f"the body {fault}; send JSON in UTF-8.")


DECODER = JSONDecoder(object_pairs_hook=once_each, parse_int=whole, parse_constant=no_number)
