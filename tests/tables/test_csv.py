"""What is written as CSV is read back cell by cell, and what is wrong is named by its line."""

import csv
import io
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import names, refused

from duelist.errors import FileError
from duelist.files import guard
from duelist.tables import Table, read_table
from duelist.tables.text import CsvText, find_delimiter

CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), max_size=6) | st.sampled_from(
    ["", " ", "#", "# no", '"', "'", "=1+1", " x ", "a\nb", "\n", ",;|\t"]
)
ENCODINGS = st.sampled_from(["utf-8", "utf-8-sig", "utf-16"])


@st.composite
def grids(draw: st.DrawFn, least: int = 3) -> list[list[str]]:
    width = draw(st.integers(least, 5))
    return draw(st.lists(st.lists(CELLS, min_size=width, max_size=width), max_size=6))


def text_of(rows: list[list[str]], delimiter: str, quoting: Any = csv.QUOTE_MINIMAL, end: str = "\n") -> str:
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=delimiter, quoting=quoting, lineterminator=end).writerows(rows)
    return file.getvalue()


def read(content: str | bytes, **options: Any) -> Table:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return read_table(path, **options)


def cells(table: Table) -> list[list[Any]]:
    columns = [table.columns[name].tolist() for name in table.names]
    return [list(row) for row in zip(*columns, strict=True)]


def present(row: list[str]) -> list[str | None]:
    return [cell if cell.strip() else None for cell in row]


@settings(max_examples=150, deadline=None)
@given(
    grids(),
    st.sampled_from(",;\t|"),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.sampled_from(["\n", "\r\n"]),
    ENCODINGS,
)
def test_what_a_writer_writes_is_read_back(
    rows: list[list[str]], delimiter: str, quoting: int, end: str, encoding: str
) -> None:
    names = [f"c{index}" for index in range(len(rows[0]) if rows else 3)]
    guarded = [[guard(cell) for cell in row] for row in rows]
    table = read(text_of([names, *guarded], delimiter, quoting, end).encode(encoding))
    assert table.names == tuple(names)
    assert cells(table) == [present(row) for row in rows if any(row)]
    assert (table.notes.skipped, table.notes.comments) == (0, [])


@settings(max_examples=100, deadline=None)
@given(grids(1), st.sampled_from(",;\t|"))
def test_quoted_cells_are_kept_verbatim_and_rows_are_named_by_the_line_they_begin_on(
    rows: list[list[str]], delimiter: str
) -> None:
    written, expected, lines = ["# a comment\n", "\n"], [], []
    header = [f"c{index}" for index in range(len(rows[0]) if rows else 1)]
    for row in [header, *rows]:
        if row is not header and any(row):
            expected.append(present(row))
            lines.append(f"line {''.join(written).count(chr(10)) + 1}")
        written.append(text_of([row], delimiter, csv.QUOTE_ALL))
    table = read("".join(written), verbatim=True)
    assert cells(table) == expected
    assert [table.where(row) for row in range(table.size)] == lines
    assert table.notes.comments == [1]


def test_spaces_around_cells_and_apostrophes_before_formulas_are_taken_away() -> None:
    table = read("""a, b ,"c"\n x ,'=1+1, "y "\n'n,'' =2,'\n""")
    assert table.names == ("a", "b", "c")
    assert cells(table) == [["x", "=1+1", "y"], ["'n", "' =2", "'"]]
    assert table.columns["a"].values == ["x", "'n"]


@pytest.mark.parametrize(
    ("header", "delimiter"),
    [
        ("left,right", ","),
        ('"left; first",right', ","),
        ('"left; first";right', ";"),
        ("left|right", "|"),
        ("a|b,c,d", ","),
        ("a, b\tc", "\t"),
        ("alone", ","),
    ],
)
def test_the_delimiter_is_told_by_the_header(header: str, delimiter: str) -> None:
    assert find_delimiter(header) == delimiter


def test_equal_texts_are_one_value_and_missing_ones_none() -> None:
    table = read("a,b\nx,1\n x,\nx ,1\ny,2\n")
    assert table.columns["a"].values == ["x", "y"]
    assert table.columns["a"].codes.tolist() == [0, 0, 0, 1]
    assert table.columns["b"].tolist() == ["1", None, "1", "2"]
    assert table.columns["b"].row(1) is None


def test_only_columns_that_are_kept_are_held() -> None:
    table = read("a,b,c\n1,2,3\n", keep=lambda name: name in ("a", "c"))
    assert table.names == ("a", "b", "c")
    assert {name: column.tolist() for name, column in table.columns.items()} == {"a": ["1"], "c": ["3"]}


def test_columns_in_which_nearly_all_differ_are_read_as_well() -> None:
    scores = [f" {number / 7}" if number % 1000 else "" for number in range(30_000)]
    names = [f"m{number % 9}" for number in range(30_000)]
    table = read("\n".join(["score,name", *map(",".join, zip(scores, names, strict=True))]))
    assert table.columns["score"].tolist() == [score.strip() or None for score in scores]
    assert (table.columns["score"].codes < 0).sum() == 30
    assert table.columns["name"].values == [f"m{number}" for number in range(9)]


@pytest.mark.parametrize(
    ("text", "rows", "comments"),
    [
        ("#\n# x,y\n\n,\na,b,c\n1,2,3\n", [["1", "2", "3"]], [1, 2]),
        ("a,b,c\n#1,2,3\n  # why\n# x, y, z\n", [["#1", "2", "3"], ["# x", "y", "z"]], [3]),
        ("a,b\n# x,y\n#x,y\n# so, it, is\n", [["#x", "y"]], [2, 4]),
        ('a,b\n"# x",y\n', [["# x", "y"]], []),
        ('"#a",b,c\n1,2,3\n', [["1", "2", "3"]], []),
        ("#,b,c\n1,2,3\n", [["1", "2", "3"]], []),
        ("a\n#1\n\n#2\n", [["#1"], ["#2"]], []),
    ],
)
def test_a_comment_is_a_line_that_cannot_be_a_row(text: str, rows: list[Any], comments: list[int]) -> None:
    table = read(text)
    assert cells(table) == rows
    assert table.notes.comments == comments


BAD = {"x,y": ("2 fields", "3"), "x,y,z,": ("4 fields", "3"), 'x,"y"z,1': ("quotes",), 'x,"y,z': ("quotes",)}


@pytest.mark.parametrize("bad", BAD)
def test_one_bad_row_of_many_is_named_or_left_out(bad: str) -> None:
    good = [f"a{row},b,c" for row in range(99_999)]
    text = "\n".join(["a,b,c", "", *good[:70_000], bad, *good[70_000:]])
    with refused(FileError, "table", "line 70003", *BAD[bad]):
        read(text)
    table = read(text, skip_bad=True)
    assert table.columns["a"].tolist() == [row.partition(",")[0] for row in good]
    assert (table.notes.skipped, len(table.notes.reasons)) == (1, 1)
    assert table.notes.reasons[0].startswith("line 70003: ")
    assert (table.where(69_999), table.where(70_000)) == ("line 70002", "line 70004")


def test_of_many_bad_rows_the_first_are_named_and_all_counted() -> None:
    lines = [f"{row},x" if row % 3 else '"x"y' for row in range(3000)]
    table = read("\n".join(["a,b", *lines]), skip_bad=True)
    assert table.columns["a"].tolist() == [str(row) for row in range(3000) if row % 3]
    assert table.notes.skipped == 1000
    assert [reason.partition(":")[0] for reason in table.notes.reasons] == [
        f"line {line}" for line in (2, 5, 8, 11, 14)
    ]
    (sentence,) = table.notes.sentences()
    assert names(sentence, "1,000 bad rows", "995 more")


@pytest.mark.parametrize("text", ["", "\n \n", "# only a comment\n"])
def test_a_file_without_a_header_is_refused(text: str) -> None:
    with refused(FileError, "table", "header"):
        read(text)


def test_a_header_with_a_stray_quote_is_refused_by_its_line() -> None:
    with refused(FileError, "table", "line 2", "quotes"):
        read('# x\n"a"b,c\n1,2\n')


def test_a_grid_has_the_header_and_all_rows() -> None:
    rows, where = CsvText("m.csv", 'a;b\n\n"1\n2"; 3\n4;5\n').grid()
    assert rows == [["a", "b"], ["1\n2", "3"], ["4", "5"]]
    assert [where(row) for row in range(3)] == ["line 1", "line 3", "line 5"]


def test_rows_can_be_taken() -> None:
    table = read("a,b\n1,2\n3,4\n5,6\n").take(np.array([2, 0]))
    assert cells(table) == [["5", "6"], ["1", "2"]]
    assert [table.where(row) for row in range(2)] == ["line 4", "line 2"]
    with refused(FileError, "table", "line 2", "a", "wrong"):
        raise table.error("wrong", 1, "a")
