"""Structured logs: one line of JSON a request, without keys and tickets, which are secrets."""

import sys
from time import time
from typing import Any

import msgspec

_encode = msgspec.json.Encoder().encode


def write_line(**fields: Any) -> None:
    """Write a line to standard error; what is None is left out."""
    said = {name: value for name, value in fields.items() if value is not None}
    # one write, so that lines of several workers do not mix; who logs to a full disk still serves
    try:
        sys.stderr.buffer.write(_encode({"time": round(time(), 3), **said}) + b"\n")
        sys.stderr.buffer.flush()
    except (OSError, ValueError):
        return
