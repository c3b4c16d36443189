"""JSON, Parquet, Arrow, Excel and tables in memory hold the same cells as what was written."""

import gzip
import json
import tempfile
from collections.abc import Callable
from math import nan
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import names, refused

from duelist.errors import FileError, MissingExtraError, PreferenceError
from duelist.tables import Table, read_lines, read_table
from duelist.tables.table import Column, as_text

TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), max_size=6) | st.sampled_from(
    ["", " ", "# x", "1", "true", "a,b"]
)
WHOLE = st.integers(-(2**53), 2**53)
VALUES = st.one_of(
    st.sampled_from([None, nan]),
    TEXTS,
    WHOLE,
    st.booleans(),
    st.floats(allow_infinity=False),
    st.lists(TEXTS | WHOLE, max_size=3),
)
RECORDS = st.lists(
    st.fixed_dictionaries({"id": WHOLE}, optional=dict.fromkeys(("a", "b", " c"), VALUES)),
    min_size=1,
    max_size=8,
)


def tagged(value: Any) -> Any:
    """Return a value as it is compared, with its type; None if it is missing."""
    if value is None or value != value or (isinstance(value, str) and not value.strip()):
        return None
    return (type(value), value)


def cells(table: Table) -> dict[str, list[Any]]:
    return {name: [tagged(value) for value in column.tolist()] for name, column in table.columns.items()}


def expected(records: list[dict[str, Any]]) -> dict[str, list[Any]]:
    names = dict.fromkeys(name for record in records for name in record)
    return {name: [tagged(record.get(name)) for record in records] for name in names}


def written(folder: str | Path, content: str | bytes, name: str = "table") -> Path:
    path = Path(folder) / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@settings(max_examples=150, deadline=None)
@given(RECORDS, st.sampled_from(["array", "lines", "columns", "indented"]), st.booleans(), st.booleans())
def test_what_json_dumps_writes_is_read_back(
    records: list[dict[str, Any]], form: str, ascii_only: bool, zipped: bool
) -> None:
    names = dict.fromkeys(name for record in records for name in record)
    columns = {name: [record.get(name) for record in records] for name in names}
    text = {
        "array": json.dumps(records, ensure_ascii=ascii_only),
        "indented": json.dumps(records, ensure_ascii=ascii_only, indent=2),
        "columns": json.dumps(columns, ensure_ascii=ascii_only),
        "lines": "\n".join(json.dumps(one, ensure_ascii=ascii_only) + "\n" for one in records),
    }[form]
    with tempfile.TemporaryDirectory() as folder:
        table = read_table(written(folder, gzip.compress(text.encode()) if zipped else text))
    assert (table.names, table.size) == (tuple(names), len(records))
    assert cells(table) == expected(records)
    places = [f"line {2 * row + 1}" if form == "lines" else f"record {row + 1}" for row in range(table.size)]
    assert [table.where(row) for row in range(table.size)] == places
    assert cells(read_table(records)) == cells(read_table(columns)) == expected(records)


def test_columns_come_from_all_rows_and_not_from_the_first() -> None:
    records: list[dict[str, Any]] = [{"a": row} for row in range(1200)] + [{"b": "x"}]
    table = read_table(iter(records))
    assert cells(table) == expected(records)
    assert table.columns["b"].values == ["x"]


def test_one_bad_line_of_many_is_named_or_left_out(tmp_path: Path) -> None:
    lines = [json.dumps({"a": row}) for row in range(99_999)]
    for bad in ("{", "3", '{"a": 1} {"a": 2}'):
        path = written(tmp_path, "\n".join([*lines[:70_000], "", bad, *lines[70_000:]]))
        with refused(FileError, "table", "line 70002"):
            read_table(path)
        table = read_table(path, skip_bad=True)
        assert table.columns["a"].tolist() == list(range(99_999))
        assert (table.where(70_000), table.notes.skipped) == ("line 70003", 1)
        assert table.notes.reasons[0].startswith("line 70002: ")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[1, 2]", ["record 1", "1"]),
        ('[{"a": 1}, null]', ["record 2", "None"]),
        ('{"a": [1, 2], "b": [1]}', ["'a'", "2", "'b'", "1"]),
        ("{" * 100_000, ["line 1", "JSON"]),
        ("[" * 100_000, ["JSON"]),
    ],
)
def test_json_that_is_not_a_table_is_refused(tmp_path: Path, text: str, found: list[str]) -> None:
    with refused(FileError, "table", *found):
        read_table(written(tmp_path, text))


def test_bad_records_are_left_out_on_request(tmp_path: Path) -> None:
    content: list[Any] = [{"a": 1}, 7, {"a": 2}]
    for source in (content, written(tmp_path, json.dumps(content))):
        table = read_table(source, skip_bad=True)
        assert table.columns["a"].tolist() == [1, 2]
        assert (table.where(1), table.notes.skipped) == ("record 3", 1)


PLAIN = st.text("abcXYZ éß#'\",;", max_size=5).filter(lambda text: text == text.strip())
FRAMES = st.lists(
    st.fixed_dictionaries(
        {
            "text": st.none() | PLAIN,
            "whole": st.integers(-(2**31), 2**31),
            "gap": st.none() | st.integers(-(2**31), 2**31),
            "real": st.none() | st.floats(-1e9, 1e9),
            "flag": st.booleans(),
        }
    ),
    min_size=1,
    max_size=5,
)


class Tuple(NamedTuple):
    text: str | None
    whole: int
    gap: int | None
    real: float | None
    flag: bool


class Struct(msgspec.Struct):
    text: str | None
    whole: int
    gap: int | None
    real: float | None
    flag: bool


WRITERS: dict[str, Callable[[pd.DataFrame, Path], Any]] = {
    "parquet": lambda frame, path: frame.to_parquet(path),
    "feather": lambda frame, path: frame.to_feather(path),
    "polars": lambda frame, path: pl.from_pandas(frame).write_parquet(path),
    "json": lambda frame, path: frame.to_json(path, double_precision=15),
}


@pytest.mark.parametrize(
    "kind", [*WRITERS, "pandas", "nullable", "polars frame", "arrow", "columns", "structs"]
)
@settings(max_examples=15, deadline=None)
@given(rows=FRAMES)
def test_frames_are_read_as_they_were_made(kind: str, rows: list[dict[str, Any]]) -> None:
    names = ("text", "whole", "gap", "real", "flag")
    frame = pd.DataFrame(rows, columns=names)
    sources: dict[str, Any] = {
        "pandas": frame,
        "nullable": frame.convert_dtypes(),
        "polars frame": pl.from_pandas(frame),
        "arrow": pa.Table.from_pandas(frame),
        "columns": {name: frame[name].to_numpy() for name in frame.columns},
        "structs": [Struct(**row) if index % 2 else Tuple(**row) for index, row in enumerate(rows)],
    }
    if kind in sources:
        table = read_table(sources[kind])
    else:
        with tempfile.TemporaryDirectory() as folder:
            WRITERS[kind](frame, Path(folder) / "table")
            table = read_table(Path(folder) / "table")
    assert (table.names, table.size) == (names, len(rows))
    for name, column in table.columns.items():
        for row, value in enumerate(column.tolist()):
            given = rows[row][name]
            if given is None or given == "":
                assert value is None
            elif isinstance(given, float):
                assert value == pytest.approx(given, rel=1e-12, abs=1e-12)
            else:
                # a whole number in a column with a gap may have become a floating-point one
                assert as_text(value) == as_text(given)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.lists(st.none() | PLAIN | WHOLE | st.booleans(), min_size=2, max_size=2), max_size=5))
def test_what_a_workbook_holds_is_read_back(rows: list[list[Any]]) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in [[], ["a", None, "b"], [], *([one, "left out", other] for one, other in rows)]:
        sheet.append(row)
    with tempfile.TemporaryDirectory() as folder:
        book.save(Path(folder) / "table")
        table = read_table(Path(folder) / "table")
    assert table.names == ("a", "", "b")
    assert cells(table) == {
        name: [tagged(row[index]) for row in rows] for index, name in enumerate(("a", "b"))
    }
    assert [table.where(row) for row in range(table.size)] == [f"row {row + 4}" for row in range(len(rows))]


def test_a_sheet_is_chosen_by_its_name(tmp_path: Path) -> None:
    with pd.ExcelWriter(tmp_path / "book.xlsx") as book:
        for name in ("May", "June"):
            pd.DataFrame({"a": [name]}).to_excel(book, sheet_name=name, index=False)
        pd.DataFrame().to_excel(book, sheet_name="none")
    assert read_table(tmp_path / "book.xlsx", sheet="June").columns["a"].tolist() == ["June"]
    first = read_table(tmp_path / "book.xlsx")
    assert first.columns["a"].tolist() == ["May"]
    assert names(first.notes.sentences()[0], "'May'", "of 3 sheets")
    for sheet in ("July", "none"):
        with refused(FileError, "book.xlsx", f"{sheet!r}"):
            read_table(tmp_path / "book.xlsx", sheet=sheet)


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"PAR1 and no more", "damaged"),
        (b"ARROW1 and no more", "damaged"),
        (b"PK\x03\x04 and no more", ".csv"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "2007"),
        (b"\x1f\x8b and no more", "damaged"),
        (b"a,b\n\xe9,2\n", "byte 4"),
        ("a,b\n".encode("utf-16-le"), "utf-16-le"),
    ],
)
def test_files_that_cannot_be_read_are_refused(tmp_path: Path, content: bytes, found: str) -> None:
    with refused(FileError, "table", found):
        read_table(written(tmp_path, content))


def test_what_is_not_a_table_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for source in (tmp_path, tmp_path / "none", "/dev/null", "a\0b"):
        with pytest.raises(FileError):
            read_table(source)
    twice = pd.DataFrame([[1, 2]], columns=["a", "a"])
    for wrong in (None, 3, b"a,b", [(1, 2)], {"a": 1}, {"a": [1], "b": []}, twice):
        with pytest.raises(PreferenceError):
            read_table(wrong)
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    with pytest.raises(MissingExtraError):
        read_table(written(tmp_path, b"PK\x03\x04"))


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16-le", "cp1252"])
def test_an_encoding_can_be_named(tmp_path: Path, encoding: str) -> None:
    path = written(tmp_path, "é;b\r\nß;ü\r\n".encode(encoding))
    table = read_table(path, encoding=encoding)
    assert (table.names, table.columns["é"].tolist()) == (("é", "b"), ["ß"])
    with refused(FileError, "latin-99"):
        read_table(path, encoding="latin-99")


def test_values_that_nearly_all_differ_and_long_arrays_are_kept_apart() -> None:
    numbers = [nan if index % 1000 == 0 else index / 3 for index in range(30_000)]
    column = Column.of(numbers)
    assert column.tolist() == [None if number != number else number for number in numbers]
    assert Column.of([1, True, 1.0, "1", 1]).codes.tolist() == [0, 1, 2, 3, 0]
    one, other = np.zeros(5000), np.zeros(5000)
    other[2500] = 1.0
    assert Column.of([one, other, one]).codes.tolist() == [0, 1, 0]


def test_columns_without_a_header_are_named_by_how_many_there_are(tmp_path: Path) -> None:
    forms = ("document", "query document")
    path = written(tmp_path, "# run\n\n q1  a \nq2\tb c\n".encode("utf-16"))
    table = read_lines(path, forms)
    assert table.names == ("query", "document")
    assert cells(table) == expected([{"query": "q1", "document": "a"}, {"query": "q2", "document": "b c"}])
    assert [table.where(row) for row in range(2)] == ["line 3", "line 4"]
    assert read_lines(written(tmp_path, ""), forms).size == 0
    for text, found in (
        ("a\nq b\n", ["line 2", "2 columns"]),
        ("a b c", ["line 1", "3 columns"]),
        ("a\t\u2003", ["line 1", "column 2"]),
    ):
        with refused(FileError, "table", *found):
            read_lines(written(tmp_path, text), forms)
