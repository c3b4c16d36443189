"""Read tables from files; the format is detected from the content, not from the file name."""

import io
import os
import stat
import zlib
from collections.abc import Collection
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from duelist.errors import FileError, needing_extra
from duelist.files import decoded, inflated
from duelist.tables.memory import read_frame, read_memory
from duelist.tables.table import Column, Keep, Notes, Table, as_text, is_missing
from duelist.tables.text import CsvText, read_headless, read_json
from duelist.text import counted, enumeration

STREAM = b"\xff\xff\xff\xff"
"""The first bytes of an Arrow stream, the format of Hugging Face data sets."""
DAMAGED = (
    *(
        AttributeError,
        BadZipFile,
        EOFError,
        IndexError,
        KeyError,
        OSError,
        RuntimeError,
        SyntaxError,
        TypeError,
    ),
    *(ValueError, zlib.error),
)
"""What openpyxl raises for a damaged workbook."""


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Return the content of a file, decompressed if it is gzipped."""
    try:
        if stat.S_ISCHR(os.stat(path).st_mode):
            raise FileError(f"{path} is a device, not a regular file; give the path of a file.")
        return inflated(path, Path(path).read_bytes())
    except OSError as error:
        raise FileError(f"{path}: {error.strerror}; give the path of a readable file.") from error
    except ValueError as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"{path!r:.80}: {error}; give the path of a file.") from error


def read_table(
    source: Any,
    keep: Keep = lambda name: True,
    *,
    encoding: str | None = None,
    sheet: str | None = None,
    skip_bad: bool = False,
    verbatim: bool = False,
) -> Table:
    r"""Read a table from a file or from memory.

    The format of a file is detected from its content, not from its name.

    Parameters
    ----------
    source : path, data frame, mapping or iterable
        A CSV, JSON (array of objects, JSON Lines, or object of columns), Parquet, Arrow or Excel file,
        optionally gzipped; or a pandas or polars data frame, an Arrow table, a mapping of columns, or an
        iterable of mappings.
    keep : callable, optional
        Predicate on the column name; by default all columns are kept.
    encoding : str, optional
        Text encoding; by default UTF-8 or the encoding of the byte order mark.
    sheet : str, optional
        Sheet of a workbook; by default the first.
    skip_bad : bool, default False
        Skip unreadable rows and note them.
    verbatim : bool, default False
        Keep the spaces around CSV fields.

    Returns
    -------
    Table
        The columns that were kept, with notes on what was left out.

    Raises
    ------
    FileError
        If the file cannot be read, or a row is malformed and `skip_bad` is off.
    PreferenceError
        If the object in memory is not a table.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "votes.csv"
    ...     _ = path.write_text("winner;loser\n a ;b\nb;\n")
    ...     table = read_table(path)
    >>> table.names, table.columns["winner"].values, table.columns["loser"].tolist(), table.where(1)
    (('winner', 'loser'), ['a', 'b'], ['b', None], 'line 3')
    """
    if not isinstance(source, str | os.PathLike):
        return read_memory(source, keep, skip_bad)
    content = read_bytes(source)
    binary = read_binary(source, content, keep, sheet)
    if binary is not None:
        return binary
    text = decoded(source, content, encoding)
    if text.lstrip()[:1] in ("{", "["):
        return read_json(source, text, keep, skip_bad)
    return CsvText(source, text, skip_bad).table(keep, verbatim)


def read_lines(path: str | os.PathLike[str], forms: Collection[str], encoding: str | None = None) -> Table:
    """Read a table without a header from a file; see `read_headless`."""
    return read_headless(path, decoded(path, read_bytes(path), encoding), forms)


def read_binary(path: str | os.PathLike[str], content: bytes, keep: Keep, sheet: str | None) -> Table | None:
    """Return the table of a Parquet, Arrow or Excel file, or None if the file is text."""
    if content.startswith((b"PAR1", b"ARROW1", STREAM)):
        with needing_extra("reading Parquet and Arrow", "frame"):
            import pyarrow as pa
            import pyarrow.feather
            import pyarrow.parquet as pq
        try:
            stored = io.BytesIO(content)
            if content.startswith(b"PAR1"):
                read = pq.read_table(stored)
            elif content.startswith(STREAM):
                read = pa.ipc.open_stream(stored).read_all()
            else:
                read = pyarrow.feather.read_table(stored)
            read.validate(full=True)  # a damaged table would crash the process later
            return read_frame(read, keep, Notes(str(path)))
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise FileError(f"{path}: the file is damaged ({error}); write it again.") from error
    if content[:4] == b"PK\x03\x04":
        return _read_workbook(path, content, keep, sheet)
    if content[:8] == b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1":
        raise FileError(f"{path}: .xls workbooks (before 2007) are not supported; save it as .xlsx or .csv.")
    return None


def _read_workbook(path: str | os.PathLike[str], content: bytes, keep: Keep, sheet: str | None) -> Table:
    with needing_extra("reading Excel", "frame"):
        import openpyxl
        from openpyxl.utils.exceptions import InvalidFileException
    try:
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        if sheet is not None and sheet not in book.sheetnames:
            raise FileError(
                f"{path}: no sheet is named {sheet!r}; the sheets are {enumeration(book.sheetnames)}."
            )
        chosen = sheet or book.sheetnames[0]
        cells = [list(row) for row in book[chosen].iter_rows(values_only=True)]
    except (InvalidFileException, *DAMAGED) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"{path}: the workbook cannot be read ({error}); save it as .csv.") from error
    filled = [(number, row) for number, row in enumerate(cells, start=1) if not all(map(is_missing, row))]
    if not filled:
        raise FileError(f"{path}: the sheet {chosen!r} is empty; choose another.")
    names = ["" if is_missing(name) else as_text(name) for name in filled[0][1]]
    notes = Notes(str(path))
    if len(book.sheetnames) > 1:
        notes.remarks.append(f"Sheet: {chosen!r} (of {counted(len(book.sheetnames), 'sheet')}).")
    lines = [number for number, _ in filled[1:]]
    kept = {name: index for index, name in enumerate(names) if name and keep(name)}
    columns = {name: Column.of(row[index] for _, row in filled[1:]) for name, index in kept.items()}
    return Table(tuple(names), columns, len(lines), lambda row: f"row {lines[row]}", notes)
