"""The rows of a text file, CSV or JSON lines, some at a time."""

import csv
import json
import os
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any

from duelist.errors import FileError
from duelist.files import find_delimiter, read_text, unguard, without_comments
from duelist.text import counted

ROWS_AT_ONCE = 500
"""Few enough that they are gone before the garbage collector is called for, which doubles the time."""


class Layout(csv.excel):
    """How fields are quoted."""

    skipinitialspace = True
    strict = True


class CsvRows:
    """The rows of a CSV file that are not blank, the header first; all have as many fields."""

    def __init__(self, path: str | os.PathLike[str], text: str) -> None:
        self.path = path
        self.lines = text.split("\n")
        if "#" in text:
            self.lines = list(without_comments(self.lines))
        self.guarded = "'" in text
        top = next((line for line in self.lines if line.strip()), "")
        self.delimiter = find_delimiter(top)

    def batches(self) -> Iterator[list[Sequence[Any]]]:
        """Yield the rows, some at a time."""
        reader, start, width = csv.reader(self.lines, Layout, delimiter=self.delimiter), 0, 0
        rows = filter(any, reader)
        try:
            while some := list[Sequence[Any]](islice(rows, ROWS_AT_ONCE)):
                width = width or len(some[0])
                if set(map(len, some)) != {width}:
                    row = next(row for row, fields in enumerate(some) if len(fields) != width)
                    raise FileError(
                        f"{self.path}, line {self.line(start + row)}: {counted(len(some[row]), 'field')} "
                        f"where line {self.line(0)} has {width}; give every line as many."
                    )
                yield [list(map(unguard, fields)) for fields in some] if self.guarded else some
                start += len(some)
        except csv.Error as error:
            raise FileError(f"{self.path}, line {reader.line_num}: {error}; check the quotes.") from error

    def line(self, row: int) -> int:
        """Return the line that a row ends on; only errors ask, so that it is not kept but counted again."""
        reader = csv.reader(self.lines, Layout, delimiter=self.delimiter)
        next(islice(filter(any, reader), row, None), None)
        return reader.line_num


class JsonRows:
    """The names in the first object of a file of JSON lines, and then the values of every object."""

    def __init__(self, path: str | os.PathLike[str], text: str) -> None:
        self.path = path
        self.lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]

    def batches(self) -> Iterator[list[Sequence[Any]]]:
        """Yield the rows, some at a time."""
        objects = (as_object(self.path, number, line) for number, line in self.lines)
        names = tuple(first := next(objects))
        rows = chain([names], (list(map(one.get, names)) for one in chain([first], objects)))
        while some := list[Sequence[Any]](islice(rows, ROWS_AT_ONCE)):
            yield some

    def line(self, row: int) -> int:
        """Return the line of a row; the names and the values of the first object are both on its line."""
        return self.lines[max(row - 1, 0)][0]


def as_object(path: str | os.PathLike[str], number: int, line: str) -> dict[str, Any]:
    """Return the JSON object on a line of a file, or say what is there instead."""
    try:
        content = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise FileError(
            f"{path}, line {number}: this is not JSON ({error}); give one object on each line."
        ) from error
    if not isinstance(content, dict):
        raise FileError(f"{path}, line {number}: this is not a JSON object; give one on each line.")
    return content


def open_rows(path: str | os.PathLike[str]) -> CsvRows | JsonRows:
    """Return the rows of a file, by its first character."""
    try:
        text = read_text(path)
    except OSError as error:
        raise FileError(f"{path}: {error.strerror}; give the path of a CSV file.") from error
    first = text.lstrip()[:1]
    if first == "[":
        raise FileError(
            f"{path}: this is one JSON array; write its objects one on each line, as `jq -c '.[]'` does."
        )
    return (JsonRows if first == "{" else CsvRows)(path, text)
