"""Votes as files have them: lines of JSON, or CSV under a header."""

import csv
import io
from collections.abc import Iterable, Iterator
from datetime import datetime

import msgspec

from duelist.files import guard
from duelist.study.votes import Vote


def as_lines(rows: Iterable[Vote]) -> Iterator[bytes]:
    """Yield votes as lines of JSON."""
    for row in rows:
        yield msgspec.json.encode(row._asdict()) + b"\n"


def as_csv(rows: Iterable[Vote]) -> Iterator[bytes]:
    """Yield votes as CSV under a header; settings of knobs as JSON, and nothing that spreadsheets compute."""
    line = io.StringIO()
    writer = csv.writer(line)
    for row in (Vote._fields, *rows):
        writer.writerow([plain(field) for field in row])
        yield line.getvalue().encode()
        line.seek(0)
        line.truncate()


def plain(field: object) -> object:
    """Return a field as a table has it."""
    if isinstance(field, datetime):
        return field.isoformat()
    if isinstance(field, str):
        return guard(field)
    return msgspec.json.encode(field).decode() if isinstance(field, dict) else field
