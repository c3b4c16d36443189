"""Tables in text: CSV with commas, semicolons, tabs or bars, and JSON."""

import csv
import io
import os
import sys
from array import array
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import Any

import msgspec

from duelist.errors import FileError
from duelist.files import find_delimiter, unguard
from duelist.tables.memory import read_columns, read_records
from duelist.tables.table import Coder, Keep, Notes, Table
from duelist.text import counted

ROWS_AT_ONCE = 500
"""Few enough that they are gone before the garbage collector is called for, which doubles the time."""
csv.field_size_limit(sys.maxsize)  # a cell may hold a whole conversation


class Layout(csv.excel):
    """How fields are quoted."""

    skipinitialspace = True
    strict = True


class CsvText:
    """The text of a CSV file: a header, and rows with as many fields.

    A line that begins with `#` above the header is a comment. Below it, only where it cannot be a row: if
    it has one field where the header has more, or begins with `# ` under a header of two.
    """

    def __init__(self, path: str | os.PathLike[str], text: str, skip_bad: bool = False) -> None:
        self.path, self.skip_bad, self.text = path, skip_bad, text
        self.notes = Notes(str(path))
        lines = text.split("\n")
        top = next((line for line in lines if line.strip() and not line.startswith("#")), "")
        self.delimiter = find_delimiter(top)
        self.header: list[str] = []
        self.start = 0
        """How many rows of the text come before the first below the header."""
        for number, row in enumerate(self._reader()):
            if any(row):
                if row[0].startswith("#") and top:
                    continue
                self.header, self.start = [clean(name) for name in row], number + 1
                break

    def _reader(self) -> Any:
        return csv.reader(io.StringIO(self.text, newline=""), Layout, delimiter=self.delimiter)

    def line(self, number: int) -> int:
        """Return the line on which a row of the text ends; only errors ask, and it is counted again."""
        reader = self._reader()
        next(islice(reader, number, None), None)
        return int(reader.line_num)

    def batches(self) -> Iterator[tuple[list[int], list[list[str]]]]:
        """Yield rows below the header and their numbers in the text, some at a time; all are of one width."""
        reader, width, number = self._reader(), len(self.header), self.start
        try:
            for _ in islice(reader, self.start):
                pass
            self._note_comments_above()
            while some := list(islice(reader, ROWS_AT_ONCE)):
                numbers = list(range(number, number + len(some)))
                number += len(some)
                if set(map(len, some)) != {width} or (width < 3 and any(one[0][:1] == "#" for one in some)):
                    kept = [place for place, row in enumerate(some) if self._is_row(numbers[place], row)]
                    numbers, some = [numbers[place] for place in kept], [some[place] for place in kept]
                if some:
                    yield numbers, some
        except csv.Error as error:
            raise FileError(f"{self.path}, line {reader.line_num}: {error}; check the quotes.") from error

    def _note_comments_above(self) -> None:
        for number, row in enumerate(islice(self._reader(), self.start - 1)):
            if any(row):
                self.notes.comments.append(self.line(number))

    def _is_row(self, number: int, row: list[str]) -> bool:
        if not any(row):
            return False
        width = len(self.header)
        if row[0].startswith("#") and width > 1 and (len(row) == 1 or (width == 2 and row[0][:2] == "# ")):
            self.notes.comments.append(self.line(number))
            return False
        if len(row) == width:
            return True
        fault = f"{counted(len(row), 'field')} where the header has {width}"
        if not self.skip_bad:
            hint = " If it is a comment, remove it." if row[0].startswith("#") else ""
            raise FileError(
                f"{self.path}, line {self.line(number)}: {fault}; put quotes around fields with "
                f"{'tabs' if self.delimiter == chr(9) else repr(self.delimiter)} in them, or leave out bad "
                f"rows: --skip-bad.{hint}"
            )
        self.notes.skip(lambda: f"line {self.line(number)}: {fault}")
        return False

    def table(self, keep: Keep) -> Table:
        """Return the columns that are kept."""
        names = tuple(self.header)
        if not names:
            raise FileError(f"{self.path}: the file is empty; give a header and a line for every row.")
        places = {place: Coder(clean) for place, name in enumerate(names) if keep(name)}
        rows = array("q")
        for numbers, some in self.batches():
            rows.extend(numbers)
            fields = list(zip(*some, strict=True))
            for place, coder in places.items():
                coder.add(fields[place])

        def where(row: int) -> str:
            return f"line {self.line(rows[row])}"

        columns = {names[place]: coder.column() for place, coder in places.items()}
        return Table(names, columns, len(rows), where, self.notes)

    def top(self, many: int) -> list[list[str]]:
        """Return the first rows below the header, as they are."""
        return [[clean(field) for field in row] for row in islice(self._reader(), self.start, self.start + many)]

    def grid(self) -> tuple[list[list[str]], Callable[[int], str]]:
        """Return all rows, the header first, and how errors call them."""
        numbers, rows = [self.start - 1], [self.header]
        for some, fields in self.batches():
            numbers += some
            rows += [[clean(field) for field in row] for row in fields]
        return rows, lambda row: f"line {self.line(numbers[row])}"


def clean(field: str) -> str:
    """Return a field of CSV without the spaces around it, or exactly as it was guarded."""
    return unguard(field) if field.startswith("'") else field.strip()


def read_json(path: str | os.PathLike[str], text: str, keep: Keep, skip_bad: bool = False) -> Table:
    """Return a table of JSON: an array of objects, an object of columns, or an object on each line."""
    notes = Notes(str(path))
    try:
        whole = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, ValueError):
        return _read_lines(path, text, keep, skip_bad)
    if isinstance(whole, dict) and not (whole and all(isinstance(one, list) for one in whole.values())):
        whole = [whole]
    if isinstance(whole, dict):
        return read_columns(whole, keep, notes, path)
    if not isinstance(whole, list):
        raise FileError(f"{path}: this is no table; give an array of JSON objects, or one on each line.")
    return read_records(whole, keep, notes, skip_bad, str(path))


def _read_lines(path: str | os.PathLike[str], text: str, keep: Keep, skip_bad: bool) -> Table:
    records, lines, notes = [], [], Notes(str(path))
    decode = msgspec.json.Decoder().decode
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        fault, content = "", None
        try:
            content = decode(line)
        except (msgspec.DecodeError, RecursionError, ValueError) as error:
            fault = f"this is not JSON ({error}); give one object on each line"
        if not fault and not isinstance(content, dict):
            fault = "this is not a JSON object; give one on each line"
        if fault and not skip_bad:
            raise FileError(f"{path}, line {number}: {fault}.")
        if fault:
            notes.skip(partial("line {}: {}".format, number, fault))
        else:
            records.append(content)
            lines.append(number)
    table = read_records(records, keep, notes, skip_bad, str(path))
    table.where = lambda row: f"line {lines[row]}"
    return table
