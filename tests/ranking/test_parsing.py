"""The compiled parser of SVMlight lines against a slow one, and every kind of malformed line."""

import gzip
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from refusals import refused

from duelist.duel import FeatureArray
from duelist.errors import FileError
from duelist.ranking import RankingData, load_ranking_data
from duelist.ranking import reading as reading_module
from duelist.ranking.reading import Lines, parse_lines

same_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def written(folder: Path, text: str | bytes) -> Path:
    path = folder / "train.txt"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def load(folder: Path, text: str | bytes) -> RankingData:
    return load_ranking_data(written(folder, text), cache=False)


def single(text: str) -> np.float32:
    with np.errstate(over="ignore"):
        return np.float64(float(text)).astype(np.float32)


def slow_load(text: str) -> tuple[list[dict[int, np.float32]], list[int], list[str]]:
    rows, labels, names = [], [], []
    for line in text.split("\n"):
        tokens = line.split("#")[0].split()
        if tokens:
            labels.append(int(float(tokens[0])))
            names.append(tokens[1].removeprefix("qid:"))
            pairs = [token.split(":") for token in tokens[2:]]
            rows.append({int(number): single(value) for number, value in pairs})
    return rows, labels, names


def same_bits(left: FeatureArray, right: FeatureArray) -> bool:
    return left.shape == right.shape and bool((left.view(np.uint32) == right.view(np.uint32)).all())


def check_numbers(folder: Path, texts: list[str]) -> None:
    """Read them as the features of one document; those that are too large for a feature must be refused."""
    expected = np.array([single(text) for text in texts], np.float32)
    for text in np.array(texts)[np.isinf(expected)].tolist():
        with refused(FileError, "line 1", "column 11", "value"):
            load(folder, f"0 qid:1 1:{text}")
    finite = np.isfinite(expected)
    pairs = [f"{number}:{text}" for number, text in enumerate(np.array(texts)[finite].tolist(), 1)]
    if pairs:
        assert same_bits(load(folder, f"0 qid:1 {' '.join(pairs)}").features, expected[None, finite])


signs = st.sampled_from(["", "+", "-"])
digits = st.text("0123456789", min_size=1, max_size=30)
exponents = st.just("") | st.builds("{}{}{}".format, st.sampled_from("eE"), signs, st.integers(0, 60))
numbers = st.builds("{}{}{}".format, signs, digits, exponents) | st.builds(
    "{}{}.{}{}".format, signs, digits | st.just(""), digits, exponents
)
halves = st.floats(min_value=2.0**-90, max_value=2.0**90, width=32)


def half_way_above(value: float, nudge: int) -> str:
    """Return the digits of the midpoint to the next number in single precision, or of a number next to it."""
    above = float(np.nextafter(np.float32(value), np.float32(np.inf)))
    half = (Fraction(value) + Fraction(above)) / 2
    return f"{half.numerator * 10**130 // half.denominator + nudge}e-130"


@same_folder
@given(texts=st.lists(numbers, min_size=1, max_size=50))
@example(texts=["0" * 40 + "1", "0." + "0" * 60 + "1e61", "1" + "0" * 60 + "e-61", "1e" + "0" * 25 + "5"])
@example(texts=["1e99999999999999999999999", "-1e-99999999999999999999999", "-0", "-0.0", "5.", "16777217"])
@example(texts=["1.401298464324817e-45", "7.006492321624085e-46", "3.4028234663852886e38"])
def test_a_number_is_what_float_says(texts: list[str], tmp_path: Path) -> None:
    check_numbers(tmp_path, texts)


@same_folder
@given(values=st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1))
def test_a_printed_number_comes_back(values: list[float], tmp_path: Path) -> None:
    check_numbers(tmp_path, [text for x in values for text in (repr(x), str(np.float32(x)), f"{x:.25f}")])


@same_folder
@given(values=st.lists(halves, min_size=1))
def test_numbers_half_way_between_two_are_settled_as_float_does(values: list[float], tmp_path: Path) -> None:
    check_numbers(tmp_path, [half_way_above(value, nudge) for value in values for nudge in (-1, 0, 1)])


def test_numbers_in_doubt_are_left_to_python(tmp_path: Path) -> None:
    texts = [half_way_above(1.0, nudge) for nudge in (-1, 0, 1)] + ["0.123456789123456789", "0.5"]
    line = "0 qid:1 " + " ".join(f"{number}:{text}" for number, text in enumerate(texts, 1)) + "\n"
    # with the argument types of a reader, for which the kernel is already compiled
    text, nobody = (np.frombuffer(content, np.uint8) for content in (line.encode(), b""))
    buffers = Lines(
        np.empty((1, 5), np.float32), *(np.empty(shape, np.int64) for shape in (1, (1, 4), (9, 4)))
    )
    progress = parse_lines(text, 0, nobody, False, buffers)
    assert progress.doubts == 3
    assert buffers.doubts[:3, :2].tolist() == [[0, 0], [0, 1], [0, 2]]
    check_numbers(tmp_path, texts * 500)


blanks = st.text(" \t", min_size=1, max_size=2)
values = st.floats(width=32, allow_nan=False, allow_infinity=False).map(repr) | st.sampled_from(
    ["0", "1.", ".5", "+3E-2"]
)
comments = st.sampled_from(["", "#", "# docid = 1:2 qid:9", " #x"])


@st.composite
def documents(draw: st.DrawFn) -> str:
    lines = []
    for name in draw(
        st.lists(st.text("aZ09-_:é", min_size=1, max_size=4), min_size=1, max_size=4, unique=True)
    ):
        for _ in range(draw(st.integers(1, 4))):
            chosen = sorted(draw(st.sets(st.integers(1, 9), min_size=1)))
            tokens = [draw(st.sampled_from(["0", "1", "4", "2.0", "1e1"])), f"qid:{name}"]
            tokens += [f"{number}:{draw(values)}" for number in chosen]
            line = draw(st.sampled_from(["", " "])) + draw(blanks).join(tokens) + draw(comments)
            lines += [*draw(st.lists(st.sampled_from(["", "  ", "# a comment"]), max_size=1)), line]
    ending = draw(st.sampled_from(["\n", "\r\n"]))
    return ending.join(lines) + draw(st.sampled_from(["", ending]))


@same_folder
@given(text=documents(), chunk=st.sampled_from([8, 50, 1 << 20]), zipped=st.booleans())
def test_lines_are_read_as_the_slow_way_does(text: str, chunk: int, zipped: bool, tmp_path: Path) -> None:
    rows, labels, names = slow_load(text)
    content = gzip.compress(text.encode()) if zipped else text.encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading_module, "CHUNK_BYTES", chunk)
        patch.setattr(reading_module, "CALL_ROWS", 2)
        patch.setattr(reading_module, "BLOCK_BYTES", 100)
        data = load(tmp_path, content)
    expected = np.zeros((len(rows), max(max(row) for row in rows)), np.float32)
    for document, row in enumerate(rows):
        for number, value in row.items():
            expected[document, number - 1] = value
    assert same_bits(data.features, expected)
    assert data.labels.tolist() == labels
    assert np.repeat(data.queries, np.diff(data.offsets)).tolist() == names


BROKEN = {
    "one qid:1 1:2": (1, ("'one'", "label")),
    "-1 qid:1 1:2": (1, ("'-1'", "label")),
    "0.5 qid:1 1:2": (1, ("'0.5'", "label")),
    "nan qid:1 1:2": (1, ("'nan'", "label")),
    "1e12 qid:1 1:2": (1, ("'1e12'", "label")),
    "qid:1 1:2": (1, ("'qid:1'", "label")),
    "1": (2, ("the end of the line", "qid:7")),
    "1 1:0.5": (3, ("'1:0.5'", "qid:7", "groups")),
    "1 # qid:1": (3, ("the end of the line", "qid:7")),
    "1 qid: 1:0.5": (7, ("qid",)),
    "1 qid:2 0:0.5": (9, ("'0:0.5'", "3:0.5")),
    "1 qid:2 1:0.5 -1:0.5": (15, ("'-1:0.5'", "3:0.5")),
    "1 qid:2 1:0.5 100001:0.5": (15, ("'100001:0.5'", "3:0.5")),
    "1 qid:2 99999999999999999999:1": (9, ("3:0.5",)),
    "1 qid:2 0.5": (9, ("'0.5'", "3:0.5")),
    "1 qid:2 a:0.5": (9, ("'a:0.5'", "3:0.5")),
    "1 qid:2 3:1 2:1": (13, ("'2:1'", "higher feature")),
    "1 qid:2 3:1 3:1": (13, ("'3:1'", "higher feature")),
    "1 qid:2 1:": (11, ("the end of the line", "0.5 or -3e-2")),
    "1 qid:2 1: 2:3": (11, ("0.5 or -3e-2",)),
    "1 qid:2 1:x": (11, ("'x'", "0.5 or -3e-2")),
    "1 qid:2 1:nan": (11, ("'nan'", "0.5 or -3e-2")),
    "1 qid:2 1:-inf": (11, ("'-inf'", "0.5 or -3e-2")),
    "1 qid:2 1:1e39": (11, ("'1e39'", "0.5 or -3e-2")),
    "1 qid:2 1:3.4028235677973366e38": (11, ("0.5 or -3e-2",)),
    "1 qid:2 1:1e": (11, ("'1e'", "0.5 or -3e-2")),
    "1 qid:2 1:1e+": (11, ("'1e+'", "0.5 or -3e-2")),
    "1 qid:2 1:.": (11, ("'.'", "0.5 or -3e-2")),
    "1 qid:2 1:1.2.3": (11, ("'1.2.3'", "0.5 or -3e-2")),
    "1 qid:2 1:1_0": (11, ("'1_0'", "0.5 or -3e-2")),
    "1 qid:2 1:0x10": (11, ("'0x10'", "0.5 or -3e-2")),
    "1 qid:a 1:1": (7, ("'a'", "query", "line 2")),
}


@pytest.mark.parametrize("line", BROKEN)
@pytest.mark.parametrize("chunk", [30, 1 << 20])
def test_a_broken_line_is_refused_with_its_place(
    line: str, chunk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading_module, "CHUNK_BYTES", chunk)
    column, facts = BROKEN[line]
    text = f"# a comment\n0 qid:a 1:1 7:2\n\n1 qid:b 2:1\n{line}\n0 qid:c 1:1\n"
    with refused(FileError, str(tmp_path / "train.txt"), "line 5", f"column {column}", *facts):
        load(tmp_path, text)


def test_the_first_of_two_faults_is_named(tmp_path: Path) -> None:
    with refused(FileError, "line 3", "column 7", "'a'", "line 1"):
        load(tmp_path, "0 qid:a 1:1\n0 qid:b 1:1\n0 qid:a 1:1\nbroken\n")


@pytest.mark.parametrize("text", ["", "\n \n", "# only a comment\n"])
def test_an_empty_file_is_refused(text: str, tmp_path: Path) -> None:
    with refused(FileError, "train.txt", "2 qid:7 1:0.5 2:0.1"):
        load(tmp_path, text)


def test_a_file_without_features_is_refused(tmp_path: Path) -> None:
    with refused(FileError, "train.txt", "features", "2 qid:7 1:0.5 2:0.1"):
        load(tmp_path, "1 qid:1\n0 qid:1\n")


def test_a_cut_or_damaged_gzip_file_is_refused(tmp_path: Path) -> None:
    whole = gzip.compress(b"1 qid:1 1:0.5 2:0.25\n" * 1000)
    for content in (whole[:-9], whole[:20], whole[:-8] + b"\0" * 8, whole[:12] + b"\xff" * 9 + whole[21:]):
        with refused(FileError, "train.txt", "gzip"):
            load(tmp_path, content)


def test_several_gzip_members_are_read_as_one_file(tmp_path: Path) -> None:
    data = load(tmp_path, gzip.compress(b"1 qid:1 1:0.5\n0 qi") + gzip.compress(b"d:2 1:0.25\n"))
    assert data.queries.tolist() == ["1", "2"]


def test_a_byte_order_mark_is_skipped(tmp_path: Path) -> None:
    assert load(tmp_path, b"\xef\xbb\xbf1 qid:1 1:0.5\n").labels.tolist() == [1]


def test_names_that_are_not_text_stay_apart(tmp_path: Path) -> None:
    data = load(tmp_path, b"1 qid:\xff 1:0.5\n1 qid:\xfe 1:0.5\n")
    assert data.queries.tolist() == ["\\xff", "\\xfe"]
