import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

from duelist import RUCB, BeatTheMean, InterleavedFilter2, Uniform
from duelist.cli.options import Reading
from duelist.cli.specs import Value, parse_spec, parse_value, read_learners, read_problem, whole_number
from duelist.errors import DuelistError, FileError, ParameterError, PreferenceError, UnknownNameError
from duelist.problems import bradley_terry, thurstone, worst_case
from duelist.registry import LEARNERS, learners_for

names = st.from_regex(r"[A-Za-z][A-Za-z0-9_]*", fullmatch=True)
numbers = st.integers() | st.floats(allow_nan=False)


def written(value: Value) -> str:
    return ";".join(map(written, value)) if isinstance(value, list) else str(value)


@given(names, st.dictionaries(names, numbers | st.lists(numbers, min_size=2), min_size=1))
def test_what_is_written_is_read(name: str, parameters: dict[str, Value]) -> None:
    text = f"{name}:{','.join(f'{key}={written(value)}' for key, value in parameters.items())}"
    assert parse_spec(text) == (name, parameters)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("16", 16),
        ("1_000", 1000),
        ("1e6", 1_000_000),
        ("-3", -3),
        ("0.25", 0.25),
        ("1.0", 1.0),
        ("2.5e3", 2500.0),
        ("inf", math.inf),
        ("1e999", math.inf),
        ("3; 2 ;1", [3, 2, 1]),
        ("a;b", ["a", "b"]),
        ("logistic", "logistic"),
        ("true", True),
        ("False", False),
    ],
)
def test_value(text: str, value: Value) -> None:
    read = parse_value(text)
    assert read == value
    assert type(read) is type(value)


def test_not_a_number_is_a_float() -> None:
    read = parse_value("nan")
    assert isinstance(read, float)
    assert math.isnan(read)


@pytest.mark.parametrize("text", ["1000000", "1_000_000", "1e6", " 1000000 "])
def test_whole_number(text: str) -> None:
    assert whole_number("horizon", text) == 1_000_000


@pytest.mark.parametrize("text", ["1.5", "many", "", "inf", "1e-3", "1;2", "true"])
def test_what_is_no_whole_number_is_named(text: str) -> None:
    with refused(ParameterError, "horizon", repr(text)):
        whole_number("horizon", text)


@pytest.mark.parametrize(
    "text", ["InterleavedFilter2", "interleavedfilter2", "interleaved-filter2", "INTERLEAVED_FILTER_2"]
)
def test_spelling_of_a_name(text: str) -> None:
    assert read_learners([text], horizon=500) == [InterleavedFilter2(horizon=500)]


def test_what_is_true_or_false() -> None:
    read = read_learners(["RUCB:remembers_champion=true", "RUCB:remembers_champion=False"], horizon=500)
    assert read == [RUCB(remembers_champion=True), RUCB()]
    with refused(ParameterError, "RUCB", "alpha", True):
        read_learners(["RUCB:alpha=true"], horizon=500)
    with refused(ParameterError, "remembers_champion", 1):
        read_learners(["RUCB:remembers_champion=1"], horizon=500)


def test_all_is_the_whole_catalogue() -> None:
    learners = read_learners(["all"], horizon=500)
    assert [type(learner) for learner in learners] == list(learners_for("arms").values())
    assert read_learners(["all", "RUCB", "ALL"], horizon=500) == learners


def test_learners_keep_their_order_and_parameters() -> None:
    learners = read_learners(["uniform", "rucb:alpha=1", "rucb"], horizon=500)
    assert learners == [Uniform(), RUCB(alpha=1), RUCB()]


def test_a_learner_named_twice_is_refused() -> None:
    for twice in (["rucb", "RUCB"], ["RUCB:alpha=0.51", "uniform", "RUCB"], ["all", "RUCB", "RUCB"]):
        with refused(ParameterError, "RUCB"):
            read_learners(twice, horizon=500)


def test_a_problem_too_large_for_memory_is_refused() -> None:
    for text in ("worst_case:k=1000000", "cycle:k=1000000", "random_bradley_terry:k=1e6"):
        with refused(ParameterError, "1,000,000 arms", "7,451 GiB", "32,768"):
            read_problem(text)


def test_horizon_of_the_text_wins() -> None:
    assert read_learners(["BeatTheMean:horizon=1e4,gamma=1.5"], horizon=500) == [
        BeatTheMean(horizon=10_000, gamma=1.5)
    ]


@pytest.mark.parametrize(
    ("text", "error", "parts"),
    [
        ("Nobody", UnknownNameError, ["'Nobody'", *LEARNERS]),
        ("RUCB,Uniform", UnknownNameError, ["'RUCB,Uniform'"]),
        ("", UnknownNameError, ["RUCB"]),
        ("RUCB:beta=1", UnknownNameError, ["RUCB", "'beta'", "alpha"]),
        ("Uniform:alpha=1", UnknownNameError, ["Uniform", "'alpha'"]),
        ("RUCB:alpha=wide", ParameterError, ["RUCB", "alpha", "number", "'wide'"]),
        ("RUCB:alpha=1;2", ParameterError, ["RUCB", "alpha", "number", "[1, 2]"]),
        ("RUCB:alpha=0.3", ParameterError, ["RUCB", "alpha", "0.3"]),
        ("RUCB:alpha=nan", ParameterError, ["RUCB", "alpha", "nan"]),
        ("RUCB:", ParameterError, ["key=value"]),
        ("RUCB:alpha", ParameterError, ["'alpha'", "key=value"]),
        ("RUCB:alpha=", ParameterError, ["'alpha='", "key=value"]),
        ("RUCB:=1", ParameterError, ["'=1'", "key=value"]),
        ("RUCB:alpha=1,", ParameterError, ["''", "key=value"]),
        ("RUCB:alpha=1,alpha=2", ParameterError, ["alpha", "twice"]),
        ("CondorcetSavage:delta=none", ParameterError, ["CondorcetSavage", "delta", "'none'"]),
        ("BeatTheMean:horizon=2.5", ParameterError, ["BeatTheMean", "horizon", "2.5"]),
    ],
)
def test_wrong_part_of_a_learner_is_named(text: str, error: type[DuelistError], parts: list[str]) -> None:
    with refused(error, *parts):
        read_learners([text], horizon=500)


def test_problem_with_numbers() -> None:
    np.testing.assert_array_equal(
        read_problem("Worst-Case:k=5,epsilon=0.2").matrix, worst_case(5, 0.2).matrix
    )


def test_problem_with_lists() -> None:
    problem = read_problem("bradley_terry:weights=4;2;1,labels=a;b;7")
    assert problem.labels == ("a", "b", "7")
    np.testing.assert_array_equal(problem.matrix, bradley_terry([4, 2, 1]).matrix)
    np.testing.assert_array_equal(read_problem("thurstone:means=0.5;0").matrix, thurstone([0.5, 0.0]).matrix)


def test_problem_in_a_file(tmp_path: Path) -> None:
    expected = worst_case(3, 0.2)
    path = expected.to_csv(tmp_path / "matrix.csv")
    np.testing.assert_array_equal(read_problem(str(path)).matrix, expected.matrix)


def test_file_without_an_ending(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("votes").write_text("winner,loser,count\na,b,3\nb,a,1\n")
    assert read_problem("votes").matrix[0, 1] == 0.75


def test_a_file_is_read_as_the_options_say(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_bytes("who;whom\nä;b\nä;b\nb;\n".encode("latin-1"))
    reading = Reading.of(["winner=who, loser=whom"], True, "latin-1", None)
    assert read_problem(str(path), reading).labels == ("b", "ä")
    with refused(FileError, "line 4"):
        read_problem(str(path), reading._replace(skip_bad=False))


@pytest.mark.parametrize(
    "columns",
    [
        {"left": "home", "right": "away"},
        {"left": "Team, home", "right": 'the "other"', "outcome": "a=b"},
        {},
    ],
)
def test_options_for_reading_are_written_as_they_are_read(columns: dict[str, str]) -> None:
    words = Reading(columns, True, "latin-1", "first").words
    given = [words[place + 1] for place, word in enumerate(words) if word == "--columns"]
    assert Reading.of(given, True, "latin-1", "first").columns == columns
    assert words[-5:] == ("--skip-bad", "--encoding", "latin-1", "--sheet", "first")
    assert Reading.of(None, False, None, None).words == ()


def test_catalogue_comes_before_a_file_of_that_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("cycle").write_text("winner,loser\na,b\n")
    assert read_problem("cycle").k == 3
    assert read_problem("./cycle").labels == ("a", "b")


@pytest.mark.parametrize(
    ("text", "error", "parts"),
    [
        ("nothing", UnknownNameError, ["'nothing'", "bradley_terry", "worst_case"]),
        ("absent.csv", FileError, ["absent.csv"]),
        ("no/such/file", FileError, ["no/such/file"]),
        ("worst_case", ParameterError, ["worst_case", "k"]),
        ("worst_case:k=2.5", ParameterError, ["worst_case", "k", "2.5"]),
        ("worst_case:k=many", ParameterError, ["worst_case", "k", "'many'"]),
        ("worst_case:k=3,size=3", UnknownNameError, ["worst_case", "'size'", "epsilon"]),
        ("bradley_terry:weights=a;b", ParameterError, ["bradley_terry", "'a'"]),
        ("bradley_terry:weights=1;-1", ParameterError, ["bradley_terry", "weights[1]"]),
        ("bradley_terry:weights=2;1,labels=a;a", ParameterError, ["bradley_terry", "labels[1]"]),
        (
            "random_bradley_terry:k=4,rng=-1",
            ParameterError,
            ["random_bradley_terry", "rng", "-1"],
        ),
        ("random_bradley_terry:k=4,rng=luck", ParameterError, ["random_bradley_terry", "luck"]),
    ],
)
def test_wrong_part_of_a_problem_is_named(text: str, error: type[DuelistError], parts: list[str]) -> None:
    with refused(error, *parts):
        read_problem(text)


def test_broken_matrix_file_names_the_entry(tmp_path: Path) -> None:
    path = tmp_path / "broken.csv"
    path.write_text("0.5,0.6\n0.6,0.5\n")
    with refused(PreferenceError, "broken.csv", "matrix[0, 1]", "0.6"):
        read_problem(str(path))
