"""`duelist arena` before anybody votes: files of every kind, and options that go wrong."""

import errno
import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from cli.arena_command import invoke, judge_without_rights, refused, runner, votes_on, write
from forked import Forked
from refusals import names

from duelist.cli.main import app


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write(tmp_path / "answers.jsonl")


def test_an_example_is_written_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    judging = ("--example", "--judge", "echo tie", "--budget", "2")
    said = invoke(*judging)
    assert names(said.splitlines()[0], "example-arena.jsonl")
    file = tmp_path / "example-arena.jsonl"
    written = file.read_bytes()
    resumed = invoke(*judging).splitlines()
    assert names(resumed[0], "1 vote")
    assert resumed[1].startswith("judge: echo tie gave 1 vote")
    assert file.read_bytes() == written
    assert f"{len(votes_on(file))} votes" == "2 votes"


@pytest.mark.parametrize(
    ("options", "facts"),
    [
        (["--delta", "0"], ["--delta", "0.0"]),
        (["--delta", "nan"], ["--delta", "nan"]),
        (["--voters", "3"], ["--voters", "--share"]),
        (["--name", "votes.example.org"], ["--name", "--share"]),
        (["--voters", "-1", "--share"], ["--voters", "-1"]),
        (["--learner", "nobody"], ["learner", "'nobody'"]),
        (["--learner", "BGD1"], ["BGD1", "points of a space", "Auto"]),
        (["--learner", "RUCB:alpha=0.1"], ["alpha", "0.5", "0.1"]),
        (["--leaderboard", "--learner", "RUCB"], ["--leaderboard", "--learner"]),
        (["--import", "nowhere.csv"], ["nowhere.csv"]),
        (["--columns", "left=a"], ["--columns", "--import FILE"]),
        (["--import", "x.csv", "--columns", "a"], ["--columns", "'a'", "ROLE=COLUMN"]),
        (["--port", "99999"], ["--port", "65535", "99999"]),
        (["--judge", "nobody"], ["program", "'nobody'"]),
        (["--judge", "echo left", "--budget", "1"], ["--budget", "2", "1"]),
        (["--judge", "echo left", "--model", "mine"], ["--model", "--judge-prompt", "--judge-url URL"]),
        (["--model", "mine"], ["--model", "--judge-prompt", "--judge-url URL"]),
        (["--judge", "echo left", "--share"], ["judge", "--share"]),
        (["--json"], ["--json", "--judge COMMAND", "--judge-url URL"]),
        (["--judge", "echo left", "--judge-url", "http://x/v1"], ["--judge COMMAND", "--judge-url URL"]),
        (["--judge-url", "http://x/v1"], ["--judge-url", "--model NAME"]),
        (["--judge-url", "x", "--model", "mine"], ["url", "https://", "'x'"]),
        (["--judge-url", "http://x/v1", "--model", "m", "--judge-prompt", "no.txt"], ["no.txt"]),
    ],
)
def test_options_that_cannot_work_leave_nothing_behind(
    file: Path, options: list[str], facts: list[str]
) -> None:
    message = refused(file, *options)
    assert names(message, *facts), message
    assert [*file.parent.iterdir()] == [file]


def test_files_that_hold_no_arena(tmp_path: Path) -> None:
    assert names(refused(), "FILE", "duelist arena --example")
    assert names(refused(tmp_path / "absent.jsonl"), str(tmp_path / "absent.jsonl"))
    (tmp_path / "nothing").mkdir()
    assert names(refused(tmp_path / "nothing"), str(tmp_path / "nothing"), "arm")
    (tmp_path / "empty.csv").touch()
    assert names(refused(tmp_path / "empty.csv"), str(tmp_path / "empty.csv"), "empty")
    (tmp_path / "bytes.jsonl").write_bytes(b"\xff\xfe\x00garbage")
    assert names(refused(tmp_path / "bytes.jsonl"), str(tmp_path / "bytes.jsonl"))
    assert str(tmp_path / "absent") in refused("--example", tmp_path / "absent" / "example.jsonl")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bytes.jsonl", "empty.csv", "nothing"]


def test_votes_that_do_not_fit(file: Path, tmp_path: Path) -> None:
    votes = tmp_path / "votes.csv"
    votes.write_text("left,right,winner\ngood,poor,left\ngood,nobody,left\n")
    assert names(refused(file, "--import", votes), "arm", "'nobody'")
    assert len(votes_on(file)) == 0
    Path(f"{file}.votes.db").write_bytes(b"garbage" * 1000)
    assert "votes.db" in refused(file)


def test_columns_of_imported_votes_can_be_named(file: Path, tmp_path: Path) -> None:
    votes = tmp_path / "votes.csv"
    votes.write_text("one,two,who\ngood,nobody,one\ngood,poor,perhaps\n")
    named = ("--columns", "left=one,right=two,outcome=who")
    assert "line 3" in refused(file, "--import", votes, *named)
    words = ["arena", str(file), "--no-browser", "--import", str(votes), *named, "--skip-bad"]
    outcome = runner.invoke(app, words)
    assert outcome.exit_code == 2
    assert names(outcome.stderr, "arm", "'nobody'")
    assert names(outcome.stderr, "note", "1 bad row", "line 3")


def test_a_folder_that_cannot_be_written_to() -> None:
    with TemporaryDirectory() as base:
        # pytest's own folders are closed to others
        Path(base).chmod(0o755)
        folder = Path(base) / "arena"
        folder.mkdir()
        old, new = Forked(judge_without_rights, folder).sent()
    assert names(old, f"{folder}/old.txt.votes.db", "readonly database")
    assert names(new, f"{folder}/new.txt.votes.db", os.strerror(errno.EACCES))
