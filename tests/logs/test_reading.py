import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duelist.errors import FileError, MissingExtraError, ParameterError
from duelist.logs import DuelLog, load_duels
from duelist.logs.reading import ROWS_AT_ONCE

HEADER = "age,member,left,right,outcome,propensity"
ROWS = ["31,true,dense,bm25,left,0.25", "54,FALSE,bm25,splade,0.5,0.125", "7.5,1,splade,splade,right,1"]


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


@pytest.mark.parametrize("delimiter", [",", ";", "\t", " , "])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_fields_are_separated_in_many_ways(tmp_path: Path, delimiter: str, ending: str) -> None:
    text = ending.join([HEADER, *ROWS]).replace(",", delimiter)
    check_three(load_duels(written(tmp_path, text)))


def test_marks_comments_blank_lines_and_quotes_are_understood(tmp_path: Path) -> None:
    lines = [
        "# votes of May",
        "",
        '"age", member,"left",right,outcome,propensity',
        "  # more",
        *ROWS,
        ",,,,,",
        "",
    ]
    text = "\n".join(lines).replace("dense", ' "dense"')
    check_three(load_duels(written(tmp_path, b"\xef\xbb\xbf" + text.encode())))


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
    ("row", "place", "reason"),
    [
        ("31,true,dens,bm25,left,0.25", "column 'left'", "no action named 'dens'; did you mean 'dense'?"),
        ("31,true,dense,,left,0.25", "column 'right'", "the action is missing"),
        ("31,true,dense,bm25,left,0", "column 'propensity'", "'0' will not do"),
        ("31,true,dense,bm25,left,1.5", "column 'propensity'", "'1.5' will not do"),
        ("31,true,dense,bm25,left,nan", "column 'propensity'", "'nan' will not do"),
        ("31,true,dense,bm25,left,", "column 'propensity'", "the value is missing"),
        (",true,dense,bm25,left,0.25", "column 'age'", "the value is missing"),
        ("31,maybe,dense,bm25,left,0.25", "column 'member'", "'maybe' will not do"),
        ("inf,true,dense,bm25,left,0.25", "column 'age'", "'inf' will not do"),
        ("31,left,dense,bm25,left,0.25", "column 'member'", "'left' will not do"),
        ("31,true,dense,bm25,1.01,0.25", "column 'outcome'", "'1.01' will not do"),
        ("31,true,dense,bm25,-0.1,0.25", "column 'outcome'", "'-0.1' will not do"),
        ("31,true,dense,bm25,dense,0.25", "column 'outcome'", "give left, right or tie"),
        ("31,true,dense,bm25,,0.25", "column 'outcome'", "the value is missing"),
    ],
)
@pytest.mark.parametrize("before", [1, ROWS_AT_ONCE + 3])
def test_a_wrong_field_is_refused_by_line_and_column(
    tmp_path: Path, row: str, place: str, reason: str, before: int
) -> None:
    path = written(tmp_path, "\n".join(["# a comment", HEADER, *[ROWS[0]] * before, "", row, ROWS[1]]))
    with pytest.raises(FileError) as caught:
        load_duels(path, actions=["bm25", "dense", "splade"])
    assert str(caught.value).startswith(f"{path}, line {before + 4}, {place}: ")
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "the file is empty"),
        (f"{HEADER}\n", "no duel follows the header"),
        ("left,right,outcome\na,b,1\n", "no column is named propensity; the header is 'left', 'right'"),
        ("x,x,left,right,outcome,propensity\n1,1,a,b,1,0.5\n", "column 'x' has no name of its own"),
        (",left,right,outcome,propensity\n1,a,b,1,0.5\n", "column '' has no name of its own"),
        ("left,right,outcome,propensity\na,b,1,0.5\na,b,1\n", "line 3: 3 fields where the header has 4"),
        ('left,right,outcome,propensity\na,"b"c,1,0.5\n', "line 2: .*check the quotes"),
        ("left,right,outcome,propensity\na,a,1,0.5\n", "'a' is the only action"),
        (b"left,right,outcome,propensity\na,gr\xf6\xdfer,1,0.5\n", "line 2, column 'right': .* is not UTF-8"),
        (b"gr\xf6\xdfe,left,right,outcome,propensity\n1,a,b,1,0.5\n", "the header is not UTF-8"),
        ("\ufeffleft,right\n".encode("utf-16"), "the header is not UTF-8"),
        (b"PAR1 and no more", "no Parquet file"),
    ],
)
def test_what_is_no_log_is_refused(tmp_path: Path, text: str | bytes, reason: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(FileError, match=reason) as caught:
        load_duels(path)
    assert str(caught.value).startswith(str(path))


def test_a_file_that_is_not_there_and_wrong_actions_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="No such file"):
        load_duels(tmp_path / "none.csv")
    for actions in (1, ["a"], ["a", "a"], ["a", " "]):
        with pytest.raises(ParameterError, match="actions must be"):
            load_duels(tmp_path / "none.csv", actions=actions)


def test_parquet_reads_as_the_same_log(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame(
        {
            "age": [31, 54, 7.5],
            "member": [True, False, True],
            "left": pd.Categorical(["dense", "bm25", "splade"]),
            "right": ["bm25", "splade", "splade"],
            "outcome": ["left", "tie", "right"],
            "propensity": np.array([0.25, 0.125, 1.0], np.float32),
        }
    )
    frame.to_parquet(tmp_path / "votes.parquet")
    check_three(load_duels(tmp_path / "votes.parquet"))
    (tmp_path / "votes.parquet").rename(tmp_path / "votes")
    check_three(load_duels(tmp_path / "votes"))


@pytest.mark.parametrize(
    ("column", "value", "reason"),
    [
        ("x", None, "the value is missing"),
        ("x", float("nan"), "the value is missing"),
        ("left", None, "the action is missing"),
        ("outcome", 2.0, "2.0 will not do"),
        ("propensity", 0.0, "0.0 will not do"),
    ],
)
def test_parquet_is_refused_by_row_and_column(
    tmp_path: Path, column: str, value: object, reason: str
) -> None:
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    columns: dict[str, list[object]] = {
        "x": [1.0, 2.0, 3.0],
        "left": ["0", "1", "0"],
        "right": ["1", "0", "1"],
        "outcome": [1.0, 0.0, 0.5],
        "propensity": [0.5, 0.5, 0.5],
    }
    columns[column][1] = value
    path = tmp_path / "votes.parquet"
    pd.DataFrame(columns).to_parquet(path)
    with pytest.raises(FileError) as caught:
        load_duels(path)
    assert f"{path}, row 1, column {column!r}: {reason}" in str(caught.value)


@pytest.mark.parametrize("absent", ["pandas", "pyarrow"])
def test_parquet_without_its_extra_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, absent: str
) -> None:
    if absent == "pyarrow":
        pytest.importorskip("pandas")
        monkeypatch.setitem(sys.modules, "fastparquet", None)
    monkeypatch.setitem(sys.modules, absent, None)
    with pytest.raises(MissingExtraError, match=r"reading Parquet needs an extra: .*duelist\[frame\]"):
        load_duels(written(tmp_path, b"PAR1", "votes.parquet"))


names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_what_is_written_reads_back_to_the_last_bit(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    plain = names.filter(lambda name: name == name.strip() and len(name.splitlines()) == 1)
    actions = data.draw(st.lists(plain, min_size=2, max_size=4, unique=True))
    taken = {"left", "right", "outcome", "propensity"}
    columns = data.draw(st.lists(plain.filter(lambda name: name not in taken), max_size=3, unique=True))
    many = data.draw(st.integers(1, 5))
    numbers = st.floats(allow_nan=False, allow_infinity=False)
    arms = st.lists(st.integers(0, len(actions) - 1), min_size=many, max_size=many)
    chances = st.lists(st.floats(0.0, 1.0, exclude_min=True), min_size=many, max_size=many)
    contexts = data.draw(
        st.lists(
            st.lists(numbers, min_size=len(columns), max_size=len(columns)), min_size=many, max_size=many
        )
    )
    log = DuelLog(
        np.array(contexts, np.float64).reshape(many, len(columns)),
        data.draw(arms),
        data.draw(arms),
        data.draw(chances),
        data.draw(chances),
        actions,
        columns,
    )
    path = log.to_csv(tmp_path_factory.mktemp("logs") / "log.csv")
    back = load_duels(path, actions=log.actions)
    assert (back.actions, back.columns) == (log.actions, log.columns)
    for field in ("contexts", "left", "right", "outcomes", "propensities"):
        assert getattr(back, field).tobytes() == getattr(log, field).tobytes()


def test_a_long_log_reads_back_with_the_actions_of_the_file(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    many = 2 * ROWS_AT_ONCE + 7
    left, right = rng.integers(12, size=(2, many))
    contexts, outcomes = rng.normal(size=(many, 3)), rng.random(many)
    log = DuelLog(contexts, left, right, outcomes, rng.random(many), actions=12)
    back = load_duels(log.to_csv(tmp_path / "log.csv"))
    assert back.actions == log.actions
    assert (back.left == log.left).all()
    assert (back.contexts == log.contexts).all()


def test_names_that_would_not_come_back_are_refused_and_the_old_file_stays(tmp_path: Path) -> None:
    path = written(tmp_path, "old")
    for actions in (["a", "b "], ["a", ""], ["a", "b\nc"]):
        log = DuelLog([[1.0]], [0], [1], [1.0], [0.5], actions)
        with pytest.raises(ParameterError, match="cannot be written"):
            log.to_csv(path)
    for columns in (["left"], ["x", "x"]):
        log = DuelLog([[1.0] * len(columns)], [0], [1], [1.0], [0.5], 2, columns)
        with pytest.raises(ParameterError, match="columns must be unlike"):
            log.to_csv(path)
    assert path.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1
