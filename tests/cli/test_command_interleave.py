import json
import shlex
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusals import names
from refusals import refused as error
from typer.testing import CliRunner

from duelist.cli.interleave import EXAMPLES
from duelist.cli.main import app
from duelist.errors import FileError
from duelist.interleaving.files import read_listings, read_rankings
from duelist.registry import INTERLEAVINGS

runner = CliRunner(env={"COLUMNS": "120", "NO_COLOR": "1", "TERM": "dumb"})
LEFT, RIGHT = "abcd", "bdae"


def invoke(*arguments: object) -> str:
    outcome = runner.invoke(app, ["interleave", *map(str, arguments)])
    assert outcome.exit_code == 0, outcome.output
    return outcome.stdout


def refused(*arguments: object) -> str:
    outcome = runner.invoke(app, ["interleave", *map(str, arguments)])
    assert outcome.exit_code == 2, outcome.output
    return " ".join(outcome.stderr.split())


def write_rankings(path: Path, documents: str, queries: int) -> Path:
    path.write_text("".join(f"q{query} {one}\n" for query in range(queries) for one in documents))
    return path


@pytest.fixture
def rankings(tmp_path: Path) -> tuple[Path, Path]:
    return write_rankings(tmp_path / "left.txt", LEFT, 40), write_rankings(tmp_path / "right.txt", RIGHT, 40)


def test_a_single_list_is_printed(tmp_path: Path) -> None:
    (tmp_path / "l").write_text("# best first\na\nb\n\nc\n")
    (tmp_path / "r").write_text("b\nd\n")
    lines = invoke(tmp_path / "l", tmp_path / "r", "--length", "3").splitlines()
    assert lines[0] == "The list to show"
    rows = [line.split() for line in lines[3:6]]
    assert [row[0] for row in rows] == ["1", "2", "3"]
    assert {row[1] for row in rows[:2]} == {"a", "b"}
    assert {row[2] for row in rows[:2]} == {"left", "right"}


@pytest.mark.parametrize("method", ["balanced", "optimized", "probabilistic", "team_draft"])
def test_lists_are_credited_as_the_method_does_it(
    method: str, rankings: tuple[Path, Path], tmp_path: Path
) -> None:
    shown, clicks = tmp_path / "shown.jsonl", tmp_path / "clicks.txt"
    invoke(*rankings, "-m", method, "--save", shown, "--seed", "5")
    listings = read_listings(shown)
    assert [one.query for one in listings] == [f"q{query}" for query in range(40)]
    assert {one.shown.rankings[0] for one in listings} == {tuple(LEFT)}
    clicks.write_text("".join(f"q{query} d\n" for query in range(0, 40, 2)))
    served = tmp_path / "served.txt"
    served.write_text("".join(f"q{query}\n" for query in range(40)))
    facts = json.loads(invoke("--shown", shown, "--served", served, "--clicks", clicks, "--json"))
    maker: Any = INTERLEAVINGS[method]()
    expected = {
        one.query: maker.outcome(one.shown, "d" if place % 2 == 0 else "")
        for place, one in enumerate(listings)
    }
    assert {one["query"]: one["outcome"] for one in facts["outcomes"]} == pytest.approx(expected)
    assert facts["preference"]["impressions"] == 40
    assert set(expected.values()) - {0.5}
    assert expected["q1"] == 0.5


def test_queries_have_luck_of_their_own_and_seeds_repeat_it(rankings: tuple[Path, Path]) -> None:
    lists = [json.loads(invoke(*rankings, "--json", "--seed", seed)) for seed in (1, 1, 2)]
    assert lists[0] == lists[1]
    assert lists[0] != lists[2]
    assert len({tuple(one["documents"]) for one in lists[0]}) > 1


def test_people_read_a_summary(rankings: tuple[Path, Path], tmp_path: Path) -> None:
    shown, clicks = tmp_path / "shown.jsonl", tmp_path / "clicks.txt"
    clicks.write_text("".join(f"q{query} e\n" for query in range(40)))
    invoke(*rankings, "--save", shown, "-m", "balanced")
    text = invoke("--shown", shown, "--clicks", clicks)
    assert text.count("right") >= 20
    assert names(text, "20 more impressions", "--json")
    assert text.startswith(str(rankings[1]))


def test_broken_files_are_refused_by_line(tmp_path: Path, rankings: tuple[Path, Path]) -> None:
    ragged = tmp_path / "ragged"
    ragged.write_text("q1 a\nq1 b c\n")
    with error(FileError, "line 2", "3 columns"):
        read_rankings(ragged)
    binary = tmp_path / "binary"
    binary.write_bytes(np.arange(256, dtype=np.uint8).tobytes())
    with error(FileError, str(binary), "UTF-8"):
        read_rankings(binary)
    shown = tmp_path / "shown.jsonl"
    invoke(*rankings, "--save", shown)
    lines = shown.read_text().splitlines()
    for broken, facts in (
        (lines[0] + "\n{}\n", ["line 2"]),
        (lines[0] + "\n" + lines[0] + "\n", ["line 2", "q0", '"impression"']),
        (lines[0] + "\n\n" + lines[1][:50] + "\n", ["line 3", "--save"]),
        (lines[0].replace('"right": [', '"right": [], "x": [') + "\n", ["line 1", "right"]),
        (lines[0].replace('"left": [', '"left": [["a"], ') + "\n", ["line 1", "left"]),
        (lines[0].replace('"left": [', '"left": "abcd", "x": [') + "\n", ["line 1", "left"]),
        (lines[0].replace('"left": [', '"left": ["a", ') + "\n", ["line 1", "left", "repeated document"]),
        (lines[0].replace('"e"', '"k"', 1) + "\n", ["line 1", "document", "'k'"]),
        (lines[0].replace('"teams": [', '"teams": [7], "x": [') + "\n", ["line 1", "length"]),
        (
            lines[0].replace('"teams": [1', '"teams": [7').replace('"teams": [0', '"teams": [7') + "\n",
            ["line 1", "teams"],
        ),
        (lines[0].replace('"files": [', '"files": ["a", ') + "\n", ["line 1"]),
        ("[" * 100_000 + "\n", ["line 1"]),
        ("", ["--save"]),
        (lines[0].replace('"teams": [', '"teams": [0, ') + "\n", ["line 1", "length"]),
    ):
        shown.write_text(broken)
        with error(FileError, *facts):
            read_listings(shown)


def test_what_does_not_fit_together_is_refused(tmp_path: Path, rankings: tuple[Path, Path]) -> None:
    shown, clicks, empty, plain = (tmp_path / name for name in ("shown.jsonl", "clicks", "empty", "plain"))
    invoke(*rankings, "--save", shown)
    clicks.write_text("q1 z\n")
    assert names(refused("--shown", shown, "--clicks", clicks), "line 1", "'z'", "query q1")
    clicks.write_text("q1 a\nq99 a\n")
    assert names(refused("--shown", shown, "--clicks", clicks), "line 2", "q99")
    empty.write_text("")
    assert names(refused(empty, rankings[0]), str(empty))
    plain.write_text("a\n")
    assert names(refused(plain, rankings[0]), str(plain), str(rankings[0]))
    assert names(refused(rankings[0]), "LEFT", "RIGHT", "--shown FILE", "--clicks FILE")
    assert names(refused(*rankings, "--clicks", clicks), "--shown FILE", "--clicks FILE")
    assert names(refused(*rankings, "-m", "teamdrafts"), "'teamdrafts'", "'team_draft'")
    assert names(refused(*rankings, "-m", "sample_only"), "3 rankings", "2")
    assert names(refused(*rankings, "--counting", "last"), "counting", "'last'")
    assert names(refused(*rankings, "--impressions", "0"), "impressions", "0")
    assert names(refused(*rankings, "--length", "0"), "length", "0")


def test_no_clicks_are_a_tie(tmp_path: Path, rankings: tuple[Path, Path]) -> None:
    shown, clicks = tmp_path / "shown.jsonl", tmp_path / "clicks"
    invoke(*rankings, "--save", shown)
    clicks.write_text("")
    served = write_rankings(tmp_path / "served", "1", 40)
    facts = json.loads(invoke("--shown", shown, "--served", served, "--clicks", clicks, "--json"))
    assert {(one["outcome"], one["winner"]) for one in facts["outcomes"]} == {(0.5, "tie")}


def test_queries_of_one_file_alone_are_named_and_left_out(tmp_path: Path) -> None:
    left, right, shown, clicks = (tmp_path / name for name in ("left", "right", "shown.jsonl", "clicks"))
    left.write_text("q1 a\nq2 a\nq3 a\nq4 a\n")
    right.write_text("q5 b\nq4 b\nq1 b\n")
    outcome = runner.invoke(app, ["interleave", str(left), str(right), "--save", str(shown)])
    told = " ".join(outcome.stderr.split())
    assert names(told, str(right), "q2, q3")
    assert names(told, str(left), "q5")
    assert [one.query for one in read_listings(shown)] == ["q1", "q4"]
    clicks.write_text("q1 a\nq4 b\n")
    facts = json.loads(invoke("--shown", shown, "--clicks", clicks, "--json"))
    assert [(one["query"], one["winner"]) for one in facts["outcomes"]] == [("q1", "left"), ("q4", "right")]
    right.write_text("q7 b\n")
    assert names(refused(left, right, "--save", tmp_path / "none"), str(left), str(right))
    assert not (tmp_path / "none").exists()


def test_examples_of_the_help_can_be_run_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    narrow = CliRunner(env={"COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"})
    shown = narrow.invoke(app, ["interleave", "--help"]).stdout.split("Examples")[1]
    commands = [*EXAMPLES]
    assert [line.strip(" •") for line in shown.splitlines() if line.strip()] == commands
    printed = []
    for command in commands:
        if command.startswith("duelist "):
            printed.append(invoke(*shlex.split(command)[2:]))
        else:
            subprocess.run(command, shell=True, check=True)
    assert "query q1" in printed[0]
    assert [line.split() for line in printed[2].splitlines()[5:9]] == [
        ["q1", "1", "1", "0.00", "right"],
        ["q2", "2", "1", "1.00", "left"],
        ["q1", "3", "1", "0.00", "right"],
        ["q1", "2", "0", "0.50", "tie"],
    ]
    assert names(printed[2].splitlines()[0], "bm25.txt", "0.0%", "100.0%")
