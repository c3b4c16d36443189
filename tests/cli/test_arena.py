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
    assert said.startswith("Wrote example-arena.jsonl: replace it by your own, in the same form.\n")
    file = tmp_path / "example-arena.jsonl"
    written = file.read_bytes()
    assert invoke(*judging).startswith("Going on with 1 vote.\njudge: echo tie gave 1 vote")
    assert file.read_bytes() == written
    assert f"{len(votes_on(file))} votes" == "2 votes"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--delta", "0"], "--delta must lie between 0 and 1; got 0.0."),
        (["--delta", "nan"], "--delta must lie between 0 and 1; got nan."),
        (["--voters", "3"], "--voters and --name are for an arena that is shared: add --share."),
        (["--name", "votes.example.org"], "add --share."),
        (["--voters", "-1", "--share"], "--voters must be a whole number, at least 0; got -1."),
        (["--learner", "nobody"], "no learner named 'nobody'"),
        (["--learner", "BGD1"], "BGD1 chooses among points of a space, and here are arms; try one of Auto,"),
        (["--learner", "RUCB:alpha=0.1"], "alpha must be a number, above 0.5"),
        (["--import", "nowhere.csv"], "nowhere.csv: No such file or directory"),
        (["--columns", "left=a"], "--columns is for reading a file of votes; name one by --import FILE"),
        (["--import", "x.csv", "--columns", "a"], "--columns: 'a' is not ROLE=COLUMN"),
        (["--port", "99999"], "--port must lie between 0 and 65535; got 99999."),
        (["--judge", "nobody"], "there is no program 'nobody'"),
        (["--judge", "echo left", "--budget", "1"], "at least 2, because a vote takes two calls; got 1."),
        (["--judge", "echo left", "--model", "mine"], "--model and --judge-prompt go with --judge-url URL"),
        (["--model", "mine"], "--model and --judge-prompt go with --judge-url URL"),
        (["--judge", "echo left", "--share"], "a judge votes without pages"),
        (
            ["--judge", "echo left", "--judge-url", "http://x/v1"],
            "--judge COMMAND or --judge-url URL, not both",
        ),
        (["--judge-url", "http://x/v1"], "--judge-url needs the name of a model: --model NAME."),
        (["--judge-url", "x", "--model", "mine"], "url must begin with https:// or http://"),
        (["--judge-url", "http://x/v1", "--model", "m", "--judge-prompt", "no.txt"], "no.txt"),
    ],
)
def test_options_that_cannot_work_leave_nothing_behind(file: Path, options: list[str], words: str) -> None:
    assert words in refused(file, *options)
    assert [*file.parent.iterdir()] == [file]


def test_files_that_hold_no_arena(tmp_path: Path) -> None:
    assert "name a file of outputs, or try `duelist arena --example`." in refused()
    assert "absent.jsonl: there is no such file or folder." in refused(tmp_path / "absent.jsonl")
    (tmp_path / "nothing").mkdir()
    assert "nothing: there is no arm; give the outputs of two arms or more." in refused(tmp_path / "nothing")
    (tmp_path / "empty.csv").touch()
    assert "empty.csv: the file is empty" in refused(tmp_path / "empty.csv")
    (tmp_path / "bytes.jsonl").write_bytes(b"\xff\xfe\x00garbage")
    assert "bytes.jsonl" in refused(tmp_path / "bytes.jsonl")
    assert "cannot be written" in refused("--example", tmp_path / "absent" / "example.jsonl")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bytes.jsonl", "empty.csv", "nothing"]


def test_votes_that_do_not_fit(file: Path, tmp_path: Path) -> None:
    votes = tmp_path / "votes.csv"
    votes.write_text("left,right,winner\ngood,poor,left\ngood,nobody,left\n")
    assert "no arm named 'nobody'" in refused(file, "--import", votes)
    assert len(votes_on(file)) == 0
    Path(f"{file}.votes.db").write_bytes(b"garbage" * 1000)
    assert "votes.db is not a database, or is damaged" in refused(file)


def test_columns_of_imported_votes_can_be_named(file: Path, tmp_path: Path) -> None:
    votes = tmp_path / "votes.csv"
    votes.write_text("one,two,who\ngood,nobody,one\ngood,poor,perhaps\n")
    named = ("--columns", "left=one,right=two,outcome=who")
    assert "line 3" in refused(file, "--import", votes, *named)
    words = ["arena", str(file), "--no-browser", "--import", str(votes), *named, "--skip-bad"]
    outcome = runner.invoke(app, words)
    assert outcome.exit_code == 2
    assert "no arm named 'nobody'" in outcome.stderr
    assert "note: Left out: 1 bad row (line 3" in outcome.stderr


def test_a_folder_that_cannot_be_written_to() -> None:
    with TemporaryDirectory() as base:
        # pytest's own folders are closed to others
        Path(base).chmod(0o755)
        folder = Path(base) / "arena"
        folder.mkdir()
        old, new = Forked(judge_without_rights, folder).sent()
    assert names(old, f"{folder}/old.txt.votes.db", "readonly database")
    assert names(new, f"{folder}/new.txt.votes.db", os.strerror(errno.EACCES))
