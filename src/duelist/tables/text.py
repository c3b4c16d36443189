"""Read tables from text: CSV with any delimiter, JSON, JSON Lines, and columns without a header."""

import csv
import io
import json
import os
import re
import sys
from collections.abc import Callable, Collection, Iterator
from functools import cached_property, partial
from itertools import chain, islice
from typing import Any

import msgspec
import numpy as np

from duelist.duel import IntArray
from duelist.errors import FileError
from duelist.files import unguard
from duelist.tables.memory import ROWS_AT_ONCE, read_columns, read_records
from duelist.tables.table import Coder, Column, Keep, Notes, Table
from duelist.text import counted

CHUNK = 1 << 20
"""Number of characters that are split into lines at a time."""
DELIMITERS = ("\t", ";", "|", ",")
csv.field_size_limit(sys.maxsize)  # a cell may hold a whole conversation


class Layout(csv.excel):
    skipinitialspace = True
    strict = True


class CsvText:
    """The text of a CSV file: a header, and rows with the same number of fields.

    A line that begins with `#` is a comment if it stands above the header. Below the header it is a comment
    only if it cannot be a row: it has one field and the header has more, or it begins with `# ` and the
    header has two. A quoted field is never a comment.

    Parameters
    ----------
    path : path
        The file, for error messages.
    text : str
        Its content.
    skip_bad : bool, default False
        Skip unreadable rows and note them; by default the first one raises `FileError`.
    hint : str, optional
        A further remedy, appended to the error message.
    """

    def __init__(
        self, path: str | os.PathLike[str], text: str, skip_bad: bool = False, hint: str = ""
    ) -> None:
        self.path, self.skip_bad, self.text, self.hint = path, skip_bad, text, hint
        self.notes = Notes(str(path))
        self.delimiter = ","
        self.header: list[str] = []
        self._start, self._line = 0, 1
        """Where the rows begin: offset into the text, and line number."""
        while self._start < len(text) and not self.header:
            end = text.find("\n", self._start) + 1 or len(text)
            top = text[self._start : end].strip(" \n")
            if top.startswith("#") and top[1:2] not in DELIMITERS:
                self.notes.comments.append(self._line)
            elif top.strip(f" {''.join(DELIMITERS)}"):
                self.delimiter = find_delimiter(top)
                end = self._read_header()
            self._start, self._line = end, self._line + 1

    def _read_header(self) -> int:
        """Read the header row at the current offset, and return the offset where it ends."""
        reader = self._reader(self._start)
        try:
            self.header = [clean(name) for name in next(reader)]
        except csv.Error as error:
            raise FileError(f"{self.path}, line {self._line}: {error}; check the quotes.") from error
        self._line += reader.line_num - 1
        return self._after(self._start, reader.line_num)

    def _reader(self, start: int) -> Any:
        return csv.reader(chain.from_iterable(self._chunks(start)), Layout, delimiter=self.delimiter)

    def _chunks(self, start: int) -> Iterator[io.StringIO]:
        """Yield the text in chunks of whole lines: a full copy would take four bytes per character."""
        while start < len(self.text):
            end = self.text.find("\n", start + CHUNK) + 1 or len(self.text)
            yield io.StringIO(self.text[start:end], newline="")
            start = end

    def _after(self, start: int, lines: int) -> int:
        """Return the offset `lines` lines further on."""
        for _ in range(lines):
            start = self.text.find("\n", start) + 1 or len(self.text)
        return start

    def batches(self) -> Iterator[tuple[IntArray, list[list[str]]]]:
        """Yield batches of rows of equal width, with the line number of each row."""
        start, line, width = self._start, self._line, len(self.header)
        blank, hashes = [""] * width, width == 2 and "#" in self.text
        reader, begun, fault = self._reader(start), line, ""
        while True:
            some, before = list[list[str]](), reader.line_num
            try:
                some.extend(islice(reader, ROWS_AT_ONCE))
            except csv.Error as error:
                fault = str(error)
            if not some and not fault:
                return
            if fault or reader.line_num - before != len(some):
                heights = [1 + sum(field.count("\n") for field in row) for row in some]
                lines = line + np.cumsum([0, *heights])
            else:
                lines = np.arange(line, line + len(some) + 1)
            line = int(lines[-1])
            if hashes or blank in some or set(map(len, some)) != {width}:
                kept = [index for index, row in enumerate(some) if self._is_row(int(lines[index]), row)]
                if kept:
                    yield lines[kept], [some[index] for index in kept]
            else:
                yield lines[:-1], some
            if fault:
                self._leave_out(line, fault, "check the quotes")
                # a stray quote may have swallowed many lines; continue below the first of them
                line += 1
                start, begun, fault = self._after(start, line - begun), line, ""
                reader = self._reader(start)

    def _is_row(self, line: int, row: list[str]) -> bool:
        width = len(self.header)
        if not any(row if len(row) == width else map(str.strip, row)):
            return False
        hashed = row[0].startswith("#") and line in self._hash_lines
        if hashed and (len(row) == 1 < width or (width == 2 and row[0].startswith("# "))):
            self.notes.comments.append(line)
            return False
        if len(row) != width:
            self._leave_out(
                line,
                f"{counted(len(row), 'field')} where the header has {width}",
                "put quotes around fields with "
                f"{'tabs' if self.delimiter == chr(9) else repr(self.delimiter)} in them"
                f"{', or delete the line if it is a comment' if hashed else ''}",
            )
        return len(row) == width

    @cached_property
    def _hash_lines(self) -> frozenset[int]:
        lines = enumerate(self.text.split("\n"), start=1)
        return frozenset(number for number, line in lines if line.lstrip(" ").startswith("#"))

    def _leave_out(self, line: int, fault: str, remedy: str) -> None:
        if not self.skip_bad:
            raise FileError(f"{self.path}, line {line}: {fault}; {remedy}{self.hint}.")
        self.notes.skip(lambda: f"line {line}: {fault}")

    def table(self, keep: Keep, verbatim: bool = False) -> Table:
        """Return the columns to keep; fields are stripped unless `verbatim`."""
        names = tuple(self.header)
        if not names:
            raise FileError(f"{self.path}: the file is empty; give a header and one line per row.")
        usual = clean if "'" in self.text else str.strip
        coders = {index: Coder(None if verbatim else usual) for index, name in enumerate(names) if keep(name)}
        parts = [np.empty(0, np.int64)]
        for lines, some in self.batches():
            parts.append(lines)
            fields = list(zip(*some, strict=True))
            for index, coder in coders.items():
                coder.add(fields[index])
        begins = np.concatenate(parts)
        columns = {names[index]: coder.column() for index, coder in coders.items()}
        return Table(names, columns, len(begins), lambda row: f"line {begins[row]}", self.notes)

    def top(self, many: int) -> list[list[str]]:
        """Return the first readable rows below the header."""
        given, self.skip_bad, self.notes = (self.skip_bad, self.notes), True, Notes()
        try:
            rows = (row for _, some in self.batches() for row in some)
            return [[clean(field) for field in row] for row in islice(rows, many)]
        finally:
            self.skip_bad, self.notes = given

    def grid(self) -> tuple[list[list[str]], Callable[[int], str]]:
        """Return all rows, the header first, and a function that names the line of a row."""
        numbers, rows = [self._line - 1], [self.header]
        for lines, some in self.batches():
            numbers += lines.tolist()
            rows += [[clean(field) for field in row] for row in some]
        return rows, lambda row: f"line {numbers[row]}"


def find_delimiter(header: str) -> str:
    """Return the delimiter of a header: tab, semicolon, vertical bar, or else comma."""
    # commas come last: they also occur in texts and, in some countries, in numbers
    unquoted = re.sub(r'"[^"]*"', "", header)
    if "|" in unquoted and unquoted.count("|") < unquoted.count(","):
        unquoted = unquoted.replace("|", "")
    return next((delimiter for delimiter in DELIMITERS if delimiter in unquoted), ",")


def clean(field: str) -> str:
    """Return a CSV field stripped, or unescaped if it was guarded against spreadsheet formulas."""
    return unguard(field) if field.startswith("'") else field.strip()


def read_json(path: str | os.PathLike[str], text: str, keep: Keep, skip_bad: bool = False) -> Table:
    """Return the table of a JSON text: an array of objects, an object of columns, or JSON Lines."""
    notes = Notes(str(path))
    try:
        whole = _decoded(text)
    except (ValueError, RecursionError) as error:
        if text.lstrip().startswith("["):
            raise FileError(f"{path}: invalid JSON ({error}); give an array of objects.") from error
        return _read_json_lines(text, keep, notes, skip_bad)
    if not isinstance(whole, dict | list):
        raise FileError(f"{path}: not a table; give an array of JSON objects, or one object per line.")
    if isinstance(whole, dict):
        kinds = set(map(type, whole.values()))
        if kinds == {dict}:  # as pandas writes columns: {"left": {"0": "a", "1": "b"}}
            rows = next(iter(whole.values()))
            for name in (name for name, column in whole.items() if column.keys() != rows.keys()):
                raise FileError(
                    f"{path}: column {name!r:.60} has different row names than {next(iter(whole))!r:.60}; "
                    "give every column the same row names."
                )
            whole = {name: [column[row] for row in rows] for name, column in whole.items()}
            kinds = {list}
        if kinds == {list}:
            return read_columns(whole, keep, notes)
        table, above = read_records([whole], keep, notes), len(text) - len(text.lstrip())
        table.where = lambda row: f"line {text.count(chr(10), 0, above) + 1}"
        return table
    return read_records(whole, keep, notes, skip_bad)


def _decoded(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return json.loads(text)  # accepts NaN, as Python writes it


def _read_json_lines(text: str, keep: Keep, notes: Notes, skip_bad: bool) -> Table:
    records, lines = [], []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        fault, content = "not a JSON object", None
        try:
            content = _decoded(line)
        except (ValueError, RecursionError) as error:
            fault = f"invalid JSON ({error})"
        if isinstance(content, dict):
            records.append(content)
            lines.append(number)
        elif skip_bad:
            notes.skip(partial("line {}: {}".format, number, fault))
        else:
            raise FileError(f"{notes.source}, line {number}: {fault}; give one object per line.")
    table = read_records(records, keep, notes)
    table.where = lambda row: f"line {lines[row]}"
    return table


def read_headless(path: str | os.PathLike[str], text: str, forms: Collection[str]) -> Table:
    r"""Return a table without a header; the number of columns on its first line decides their names.

    Columns are separated by tabs or else by spaces. Blank lines and lines that begin with `#` are skipped.

    Parameters
    ----------
    path : path
        The file, for error messages.
    text : str
        Its content.
    forms : collection of str
        Alternative lists of column names, separated by spaces; no two of equal length.

    Examples
    --------
    >>> table = read_headless("run.txt", "# best first\nq1 a\nq1 b\n", ["document", "query document"])
    >>> table.names, table.columns["document"].tolist(), table.where(1)
    (('query', 'document'), ['a', 'b'], 'line 3')
    """
    widths = {len(form.split()): tuple(form.split()) for form in forms}
    rows, lines, names, notes = list[list[str]](), list[int](), tuple[str, ...](), Notes(str(path))
    for number, whole in enumerate(text.split("\n"), start=1):
        line = whole.strip(" \t")
        if not line or line.startswith("#"):
            continue
        if "\t" in line:
            fields = [field.strip(" ") for field in line.split("\t")]
        else:
            fields = [field for field in line.split(" ") if field]
        names = names or widths.get(len(fields), ())
        if len(fields) != len(names):
            found, expected = counted(len(fields), "column"), " or ".join(f"`{form}`" for form in forms)
            raise FileError(f"{path}, line {number}: {found}; give {expected}, the same on every line.")
        if not all(map(str.strip, fields)):
            empty = next(number for number, field in enumerate(fields, start=1) if not field.strip())
            raise FileError(f"{path}, line {number}: column {empty} is empty; fill it.")
        rows.append(fields)
        lines.append(number)
    columns = {name: Column.of(fields) for name, fields in zip(names, zip(*rows, strict=True), strict=True)}
    return Table(names, columns, len(rows), lambda row: f"line {lines[row]}", notes)
