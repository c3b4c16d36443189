import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused

from duelist.errors import DuelistError, FileError, MissingExtraError, ParameterError, PreferenceError
from duelist.logs import DuelLog, load_duels
from duelist.logs.duels import ROLES

HEADER = "age,member,left,right,outcome,propensity"
ROWS = ["31,true,dense,bm25,left,0.25", "54,FALSE,bm25,splade,0.5,0.125", "7.5,1,splade,splade,right,1"]
FRAME = pd.DataFrame(
    {
        "age": [31, 54, 7.5],
        "member": [True, False, True],
        "left": pd.Categorical(["dense", "bm25", "splade"]),
        "right": ["bm25", "splade", "splade"],
        "outcome": ["left", "tie", "right"],
        "propensity": np.array([0.25, 0.125, 1.0], np.float32),
    }
)


def written(folder: Path, text: str | bytes, name: str = "votes.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def check_three(log: DuelLog) -> None:
    assert log.actions == ("bm25", "dense", "splade")
    assert log.columns == ("age", "member")
    assert log.contexts.tolist() == [[31.0, 1.0], [54.0, 0.0], [7.5, 1.0]]
    assert log.left.tolist() == [1, 0, 2]
    assert log.right.tolist() == [0, 2, 2]
    assert log.outcomes.tolist() == [1.0, 0.5, 0.0]
    assert log.propensities.tolist() == [0.25, 0.125, 1.0]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", " , "])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_fields_are_separated_in_many_ways(tmp_path: Path, delimiter: str, encoding: str) -> None:
    text = "\r\n".join(["# votes of May", "", HEADER, "  # more", *ROWS, ",,,,,", ""]).replace(",", delimiter)
    check_three(load_duels(written(tmp_path, text.encode(encoding))))


@pytest.mark.parametrize("name", ["votes.parquet", "votes", "votes.json", "votes.jsonl", "votes.xlsx"])
def test_frames_read_as_the_same_log_from_memory_and_in_every_format(tmp_path: Path, name: str) -> None:
    path, lines = tmp_path / name, name.endswith("l")
    if "json" in name:
        FRAME.to_json(path, orient="records", lines=lines)
    elif lines or name.endswith("x"):
        FRAME.to_excel(path, index=False)
    else:
        FRAME.to_parquet(path)
    check_three(load_duels(path))
    check_three(load_duels(FRAME))
    check_three(load_duels(FRAME.to_dict("list")))
    check_three(load_duels(FRAME.to_dict("records")))


def test_an_encoding_and_a_sheet_can_be_named(tmp_path: Path) -> None:
    text = "left,right,outcome,propensity\nzoé,b,1,0.5\n"
    latin = written(tmp_path, text.encode("latin-1"))
    assert load_duels(latin, encoding="latin-1").actions == ("b", "zoé")
    with refused(FileError, str(latin), "UTF-8", "latin-1"):
        load_duels(latin)
    with pd.ExcelWriter(tmp_path / "book.xlsx") as book:
        FRAME.head(1).to_excel(book, sheet_name="May", index=False)
        FRAME.to_excel(book, sheet_name="June", index=False)
    check_three(load_duels(tmp_path / "book.xlsx", sheet="June"))
    assert len(load_duels(tmp_path / "book.xlsx")) == 1


def test_quoted_names_may_hold_delimiters_marks_and_any_script(tmp_path: Path) -> None:
    names = ["a, b; c", 'says "no"', "#1", "größer"]
    quoted = ['"' + name.replace('"', '""') + '"' for name in names]
    rows = [f"{one},{other},tie,0.1" for one in quoted for other in quoted]
    log = load_duels(written(tmp_path, "\n".join(["left,right,outcome,propensity", *rows])))
    assert set(log.actions) == set(names)
    assert [log.actions[action] for action in log.right[:4]] == names
    assert log.contexts.shape == (16, 0)


def test_whole_numbers_are_sorted_as_numbers(tmp_path: Path) -> None:
    text = "left,right,outcome,propensity\n10,9,1,0.5\n2,10,0,0.5\n"
    path = written(tmp_path, text)
    assert load_duels(path).actions == ("2", "9", "10")
    by_number = load_duels(path, actions=12)
    assert by_number.left.tolist() == [10, 2]
    assert by_number.k == 12


def test_actions_that_are_given_keep_their_order_and_those_not_shown(tmp_path: Path) -> None:
    log = load_duels(written(tmp_path, "\n".join([HEADER, *ROWS])), actions=["splade", "x", "bm25", "dense"])
    assert log.actions == ("splade", "x", "bm25", "dense")
    assert log.left.tolist() == [3, 2, 0]


@pytest.mark.parametrize(
    ("row", "column", "found"),
    [
        ("31,true,dens,bm25,left,0.25", "left", "'dense'"),
        ("31,true,dense,,left,0.25", "right", "action"),
        ("31,true,dense,bm25,left,0", "propensity", "'0'"),
        ("31,true,dense,bm25,left,1.5", "propensity", "'1.5'"),
        ("31,true,dense,bm25,left,nan", "propensity", "'nan'"),
        ("31,true,dense,bm25,left,", "propensity", "missing"),
        (",true,dense,bm25,left,0.25", "age", "missing"),
        ("31,maybe,dense,bm25,left,0.25", "member", "'maybe'"),
        ("inf,true,dense,bm25,left,0.25", "age", "'inf'"),
        ("31,left,dense,bm25,left,0.25", "member", "'left'"),
        ("31,true,dense,bm25,1.01,0.25", "outcome", "'1.01'"),
        ("31,true,dense,bm25,-0.1,0.25", "outcome", "'-0.1'"),
        ("31,true,dense,bm25,dense,0.25", "outcome", "'dense'"),
        ("31,true,dense,bm25,,0.25", "outcome", "missing"),
    ],
)
@pytest.mark.parametrize("before", [1, 1003])
def test_a_wrong_field_is_refused_by_line_and_column(
    tmp_path: Path, row: str, column: str, found: str, before: int
) -> None:
    path = written(tmp_path, "\n".join(["# a comment", HEADER, *[ROWS[0]] * before, "", row, ROWS[1]]))
    with refused(FileError, str(path), f"line {before + 4}", f'column "{column}"', found):
        load_duels(path, actions=["bm25", "dense", "splade"])


@pytest.mark.parametrize(
    ("column", "value"),
    [("age", None), ("age", float("nan")), ("left", None), ("left", ["a"]), ("outcome", 2.0), ("age", "old")],
)
@pytest.mark.parametrize("stored", [True, False])
def test_a_wrong_field_of_a_frame_is_refused_by_record_and_column(
    tmp_path: Path, column: str, value: Any, stored: bool
) -> None:
    records: list[dict[str, Any]] = [
        {"age": age, "left": "0", "right": "1", "outcome": 1.0, "propensity": 0.5} for age in (1, 2, 3)
    ]
    records[1][column] = value
    path = written(tmp_path, json.dumps(records), "votes.json")
    with refused(FileError if stored else PreferenceError, "record 2", column):
        load_duels(path if stored else records)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", ["header"]),
        (f"{HEADER}\n", ["header", "duel"]),
        ("left,right,outcome\na,b,1\n", ["propensity", "'left', 'right', 'outcome'"]),
        ("x,x,left,right,outcome,propensity\n1,1,a,b,1,0.5\n", ["column 'x'"]),
        (",left,right,outcome,propensity\n1,a,b,1,0.5\n", ["column ''"]),
        ("left,right,outcome,propensity\na,b,1,0.5\na,b,1\n", ["line 3", "3 fields", "4"]),
        ('left,right,outcome,propensity\na,"b"c,1,0.5\n', ["line 2", "quotes"]),
        ("left,right,outcome,propensity\na,a,1,0.5\n", ["'a'", "actions"]),
        (b"left,right,outcome,propensity\na,gr\xf6\xdfer,1,0.5\n", ["UTF-8"]),
        (b"PAR1 and no more", ["damaged"]),
    ],
)
def test_what_is_no_log_is_refused(tmp_path: Path, text: str | bytes, found: list[str]) -> None:
    path = written(tmp_path, text)
    with refused(FileError, str(path), *found):
        load_duels(path)


def test_a_file_that_is_not_there_and_wrong_actions_are_refused(tmp_path: Path) -> None:
    with refused(FileError, str(tmp_path / "none.csv")):
        load_duels(tmp_path / "none.csv")
    wrong: Any
    for wrong in (None, 3, b"left"):
        with pytest.raises(DuelistError):
            load_duels(wrong)
    for actions in (1, ["a"], ["a", "a"], ["a", " "]):
        with refused(ParameterError, "actions", actions):
            load_duels(tmp_path / "none.csv", actions=actions)


def test_parquet_without_its_extra_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with refused(MissingExtraError, "duelist[frame]"):
        load_duels(written(tmp_path, b"PAR1", "votes.parquet"))


LETTERS = st.characters(codec="utf-8", exclude_characters="\0")
NAMES = st.text(LETTERS, min_size=1, max_size=6) | st.sampled_from(["#", "=1+1", "'-"])
PLAIN = NAMES.filter(lambda name: name == name.strip() and len(name.splitlines()) == 1)


@settings(max_examples=60)
@given(st.data())
def test_what_is_written_reads_back_to_the_last_bit(data: st.DataObject) -> None:
    actions = data.draw(st.lists(PLAIN, min_size=2, max_size=4, unique=True))
    columns = data.draw(st.lists(PLAIN.filter(lambda name: name not in ROLES), max_size=3, unique=True))
    many = data.draw(st.integers(1, 5))

    def drawn(of: st.SearchStrategy[Any], size: int = many) -> list[Any]:
        return data.draw(st.lists(of, min_size=size, max_size=size))

    numbers = st.floats(allow_nan=False, allow_infinity=False)
    sides, chances = st.integers(0, len(actions) - 1), st.floats(0.0, 1.0, exclude_min=True)
    contexts = np.array(drawn(numbers, many * len(columns)), np.float64).reshape(many, len(columns))
    log = DuelLog(contexts, drawn(sides), drawn(sides), drawn(chances), drawn(chances), actions, columns)
    with tempfile.TemporaryDirectory() as folder:
        back = load_duels(log.to_csv(Path(folder) / "duels.csv"), actions=log.actions)
    assert (back.actions, back.columns) == (log.actions, log.columns)
    for field in ("contexts", "left", "right", "outcomes", "propensities"):
        assert getattr(back, field).tobytes() == getattr(log, field).tobytes()


def test_a_long_log_reads_back_with_the_actions_of_the_file(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    many = 12_007
    left, right = rng.integers(12, size=(2, many))
    contexts, outcomes = rng.normal(size=(many, 3)), rng.random(many)
    log = DuelLog(contexts, left, right, outcomes, rng.random(many), actions=12)
    back = load_duels(log.to_csv(tmp_path / "log.csv"))
    assert back.actions == log.actions
    assert (back.left == log.left).all()
    assert (back.contexts == log.contexts).all()
    assert (back.propensities == log.propensities).all()


def test_names_that_would_not_come_back_are_refused_and_the_old_file_stays(tmp_path: Path) -> None:
    path = written(tmp_path, "old")
    for actions in (["a", "b "], ["a", ""], ["a", "b\nc"], ["a", "\0"]):
        log = DuelLog([[1.0]], [0], [1], [1.0], [0.5], actions)
        with refused(ParameterError, f"{actions[1]!r}"):
            log.to_csv(path)
    for columns in (["left"], ["x", "x"]):
        log = DuelLog([[1.0] * len(columns)], [0], [1], [1.0], [0.5], 2, columns)
        with refused(ParameterError, "columns", ", ".join(columns)):
            log.to_csv(path)
    assert path.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1
