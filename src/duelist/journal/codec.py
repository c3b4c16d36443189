"""Encode an event as one line of JSON, and decode it.

An event that would not be read back equal, floats to the last bit, is rejected before it is written.
"""

from functools import reduce
from operator import or_
from typing import Any

import msgspec

from duelist.errors import FileError, ParameterError
from duelist.journal import clicks, events
from duelist.journal.events import FORMAT, Answered, Event
from duelist.text import shortened

LEVELS = 64
"""The largest depth of nested lists and objects: that of readers depends on their caller's stack."""
KINDS = tuple(
    kind
    for module in (events, clicks)
    for kind in vars(module).values()
    if isinstance(kind, type) and issubclass(kind, Event) and kind.__module__ == module.__name__
    if kind is not Event
)
"""All kinds of events."""
NAMES = [str(kind.__struct_config__.tag) for kind in KINDS]
UNREADABLE = (msgspec.MsgspecError, UnicodeError, RecursionError)

_encode = msgspec.json.Encoder().encode
_decoder: msgspec.json.Decoder[Event] = msgspec.json.Decoder(reduce(or_, KINDS))


def encode(event: Event) -> bytes:
    r"""Return an event as a line of JSON, with a newline.

    Raises
    ------
    ParameterError
        If the event would not be read back equal, such as a note with nan, an array or a NumPy number.

    Examples
    --------
    >>> from duelist.journal.events import Retracted
    >>> encode(Retracted(ticket="dB1", time=1789000000.125))
    b'{"event":"retracted","time":1789000000.125,"ticket":"dB1"}\n'
    """
    try:
        line = _encode(event)
        same = is_plain(event) or _decoder.decode(line) == event
    except (*UNREADABLE, TypeError, ValueError, OverflowError) as error:
        raise ParameterError(f"{name_of(event)} cannot be written as JSON: {error}.") from error
    if not same:
        raise ParameterError(
            f"{name_of(event)} would not be read back equal: {shortened(event)}. Use plain lists, objects "
            "with string keys, strings, finite numbers, true, false and None."
        )
    if is_plain(event):
        return line + b"\n"
    # every level opens with a bracket, so few lines need a full check
    if line.count(b"[") + line.count(b"{") > LEVELS and is_deeper(msgspec.json.decode(line), LEVELS):
        raise ParameterError(f"{name_of(event)} has lists and objects nested deeper than {LEVELS} levels.")
    return line + b"\n"


def is_plain(event: Event) -> bool:
    """Return whether an event is an answer on arms whose fields were all checked when it was made.

    Such an event is read back equal. Whole numbers in place of floats, and fields that can hold any value,
    need a real read.
    """
    return (
        type(event) is Answered
        and event.note is None
        and event.context is None
        and type(event.time) is float
        and type(event.outcome) is float
        and type(event.left) is int
        and (event.round is None or type(event.round) is float)
        and event.propensity is None
        and event.clicked is None
        and type(event.flipped) is bool
        and type(event.late) is bool
    )


def decode(line: bytes) -> Event:
    r"""Return the event of a line.

    Raises
    ------
    FileError
        If the line is not that of a journal; the message says why.

    Examples
    --------
    >>> decode(b'{"event":"closed"}\n')
    Closed(time=0.0)
    >>> decode(b'{"event":"renamed"}\n')
    Traceback (most recent call last):
    duelist.errors.FileError: unknown event 'renamed': this version of duelist reads created, arm_added,
    arm_retired, learner_changed, answered, skipped, retracted, closed, clicked, documents_clicked; a newer
    version may have written it
    """
    try:
        return _decoder.decode(line)
    except UNREADABLE as error:
        raise FileError(reason_of(line, error)) from error


def reason_of(line: bytes, error: Exception) -> str:
    """Return why a line cannot be decoded."""
    if not line.strip():
        return "the line is empty"
    if line.startswith(b"\xef\xbb\xbf"):
        return "the file begins with a byte order mark; save it as UTF-8 without a mark"
    if isinstance(error, UnicodeError):
        return "not UTF-8"
    if isinstance(error, RecursionError):
        return "lists or objects are nested too deeply"
    try:
        content = msgspec.json.decode(line)
    except UNREADABLE:
        return f"not JSON ({error})"
    if not isinstance(content, dict) or not isinstance(content.get("event"), str):
        return 'not an event: an event is an object with a string under "event"'
    if content["event"] not in NAMES:
        return (
            f"unknown event {shortened(content['event'])}: this version of duelist reads {', '.join(NAMES)}; "
            "a newer version may have written it"
        )
    if content["event"] == "created" and content.get("format", FORMAT) != FORMAT:
        return (
            f"unknown format {shortened(content['format'])}: this version of duelist reads format {FORMAT}; "
            "a newer version may have written it"
        )
    return f"incomplete or invalid {content['event']!r} event: {str(error).rstrip('.')}"


def is_deeper(value: Any, levels: int) -> bool:
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return inside is not None and (levels == 0 or any(is_deeper(one, levels - 1) for one in inside))


def name_of(event: Event) -> str:
    return type(event).__name__
