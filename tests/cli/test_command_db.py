"""`duelist db`: a database set up, looked at, saved and filled from the command line."""

import json
import sqlite3
from pathlib import Path

import pytest
from refusals import names
from typer.testing import CliRunner

from duelist import Study
from duelist.cli.main import app
from duelist.database import Database

VOTES = "model_a,model_b,winner,voter\ntea,milk,model_a,ann\ntea,milk,model_a,ann\nmilk,rum,tie,bob\n"


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "votes.csv").write_text(VOTES)
    return CliRunner(env={"COLUMNS": "200", "NO_COLOR": "1", "TERM": "dumb", "DUELIST_DATABASE": None})


def run(runner: CliRunner, line: str, status: int = 0) -> str:
    """Return what a command prints, or the one line of its error."""
    outcome = runner.invoke(app, ["db", *line.split()])
    assert outcome.exit_code == status, outcome.output
    if status == 2:
        assert outcome.stderr.startswith("error: ")
        assert outcome.stderr.count("\n") == 1
        assert outcome.stdout == ""
        return outcome.stderr
    assert all(line.startswith("note: ") for line in outcome.stderr.splitlines())
    return outcome.stdout


def test_without_a_part_it_shows_its_help(runner: CliRunner) -> None:
    for line in ("", "--help"):
        shown = run(runner, line)
        assert all(part in shown for part in ("create", "upgrade", "check", "backup", "restore", "export"))
        assert "duelist db backup" in shown.split("Examples")[1]


@pytest.mark.parametrize("part", ["create", "upgrade", "check", "backup", "restore", "export", "import"])
def test_every_part_says_what_it_takes(runner: CliRunner, part: str) -> None:
    shown = run(runner, f"{part} --help")
    assert "--database" in shown
    assert "DUELIST_DATABASE" in shown


def test_only_create_and_what_fills_it_make_a_database(runner: CliRunner, tmp_path: Path) -> None:
    for line in ("check", "upgrade", "backup b.zip", "export home v.csv", "import home votes.csv"):
        assert names(run(runner, line, 2), "database")
    assert not (tmp_path / "studies.db").exists()
    assert "is ready: 0 studies." in run(runner, "create")
    assert names(run(runner, "check"), "0 studies")
    assert names(run(runner, "upgrade"), "version 2")
    assert "is ready: 0 studies." in run(runner, "create")


def test_the_database_is_named_by_option_or_variable(runner: CliRunner, tmp_path: Path) -> None:
    run(runner, "create --database one.db")
    runner.env = {**runner.env, "DUELIST_DATABASE": "two.db"}
    run(runner, "create")
    run(runner, "create --database three.db")
    assert {path.name for path in tmp_path.glob("*.db")} == {"one.db", "two.db", "three.db"}


def test_a_file_or_a_name_that_cannot_be_used_makes_no_database(runner: CliRunner, tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text("winner,loser\ntea,\n")
    for name in ("bad.csv", "absent.csv"):
        assert names(run(runner, f"import home {name} --create", 2), name)
    assert names(run(runner, "import home/kitchen votes.csv --create", 2), "'home/kitchen'")
    assert not (tmp_path / "studies.db").exists()


def test_votes_imported_twice_count_once(runner: CliRunner, tmp_path: Path) -> None:
    assert names(run(runner, "create"), "0 studies")
    assert names(run(runner, "import home votes.csv", 2), "duelist db import STUDY FILE --create")
    assert run(runner, "import home votes.csv --create") == "3 new votes in home.\n"
    assert run(runner, "import home votes.csv") == "0 new votes in home, 3 already there.\n"
    assert names(run(runner, "import hom votes.csv", 2), "study", "'hom'", "'home'")
    (tmp_path / "more.jsonl").write_text(
        '{"left":"tea","right":"rum","outcome":"left","time":1789000000.5,"ticket":"mine"}\n'
        '{"left":"tea","right":"rum","outcome":"left","time":"2026-11-16T10:00:00"}\n'
        '{"left":"tea","right":"rum","outcome":"left","time":"2026-11-17T10:00:00"}\n'
    )
    assert run(runner, "import home more.jsonl") == "3 new votes in home.\n"
    assert run(runner, "import home more.jsonl") == "0 new votes in home, 3 already there.\n"
    with Database(tmp_path / "studies.db") as database:
        votes = Study.open(database.journal("home")).votes()
    assert [vote.voter for vote in votes] == ["ann", "ann", "bob", None, None, None]
    assert [vote.outcome for vote in votes] == ["left", "left", "tie", "left", "left", "left"]
    assert votes[3].ticket == "mine"
    assert [vote.time and vote.time.timestamp() for vote in votes[:4]] == [None, None, None, 1789000000.5]
    assert [vote.time and vote.time.day for vote in votes[4:]] == [16, 17]


def test_columns_can_be_named_and_bad_rows_left_out(runner: CliRunner, tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text("one,two,who\ntea,milk,one\ntea,milk,nobody\nmilk,tea,two\n")
    named = "import home other.csv --create --columns left=one,right=two,outcome=who"
    assert "line 3" in run(runner, named, 2)
    outcome = runner.invoke(app, ["db", *named.split(), "--skip-bad"])
    assert (outcome.exit_code, outcome.stdout) == (0, "2 new votes in home.\n")
    assert names(outcome.stderr, "1 bad row", "line 3", '"who"', "'nobody'")
    assert "write --columns left=COLUMN" in run(runner, "import home other.csv --columns left=on", 2)


@pytest.mark.parametrize("name", ["out.csv", "out.jsonl"])
def test_what_was_exported_is_known_again(runner: CliRunner, tmp_path: Path, name: str) -> None:
    run(runner, "import home votes.csv --create")
    with Database(tmp_path / "studies.db") as database:
        study = Study.open(database.journal("home"))
        study.tell(study.ask(voter="Ann"), "left")
        study.skip(study.ask())
        study.retract(study.votes()[0].ticket)
    assert run(runner, f"export home {name}") == f"3 votes written to {name}.\n"
    assert run(runner, f"import home {name}") == "0 new votes in home, 3 already there.\n"
    assert run(runner, f"import copy {name} --create") == "3 new votes in copy.\n"
    assert run(runner, f"export copy copy-{name}") == f"3 votes written to copy-{name}.\n"
    assert (tmp_path / f"copy-{name}").read_text() == (tmp_path / name).read_text()
    assert run(runner, f"export home all-{name} --all") == f"5 votes written to all-{name}.\n"
    assert run(runner, f"import home all-{name}") == "0 new votes in home, 3 already there.\n"


def test_a_whole_study_is_carried_in_lines_of_json(runner: CliRunner, tmp_path: Path) -> None:
    run(runner, "import home votes.csv --create")
    assert run(runner, "export home home.jsonl --events") == "4 events written to home.jsonl.\n"
    lines = (tmp_path / "home.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "some.jsonl").write_text("".join(lines[:3]))
    for file, name, told in (
        ("some", "other", "3 new events in copy.\n"),
        ("home", "other", "1 new event in copy, 3 already there.\n"),
        ("home", "other", "0 new events in copy, 4 already there.\n"),
        ("some", "other", "0 new events in copy, 3 already there.\n"),
    ):
        assert run(runner, f"import copy {file}.jsonl --database {name}.db") == told
    run(runner, "export copy again.jsonl --events --database other.db")
    assert (tmp_path / "again.jsonl").read_text() == "".join(lines)
    # another study, one that went on otherwise, and what could not be one
    (tmp_path / "apart.jsonl").write_text("".join([*lines[:3], lines[3].replace('"left":0', '"left":1')]))
    run(runner, "import second votes.csv --create")
    run(runner, "export second second.jsonl --events")
    (tmp_path / "twice.jsonl").write_text("".join([*lines, lines[1]]))
    for file, why in (
        ("apart", "apart.jsonl"),
        ("second", "second.jsonl"),
        ("twice", "damaged study"),
    ):
        assert why in run(runner, f"import copy {file}.jsonl --database other.db", 2)
    assert names(run(runner, "export home home.csv --events", 2), "FILE", "home.csv", "--events")
    assert names(run(runner, "export hom hom.jsonl --events", 2), "study", "'hom'")
    with Database(tmp_path / "other.db") as database:
        assert (database.names(), len(database.journal("copy").read())) == (["copy"], 4)


def test_files_that_cannot_be_imported_or_written(runner: CliRunner, tmp_path: Path) -> None:
    run(runner, "import home votes.csv --create")
    (tmp_path / "strange.csv").write_text("left,right,outcome\ntea,cola,left\n")
    (tmp_path / "broken.csv").write_text("left,right,outcome\ntea,milk,perhaps\n")
    (tmp_path / "folder.csv").mkdir()
    assert names(run(runner, "import home strange.csv", 2), "arm", "'cola'")
    assert names(run(runner, "import home broken.csv", 2), "broken.csv", "'perhaps'")
    assert "none.csv" in run(runner, "import home none.csv", 2)
    assert names(run(runner, "export home out.txt", 2), "FILE", "'out.txt'")
    assert names(run(runner, "export home folder.csv", 2), "folder.csv", "folder")
    assert names(run(runner, "backup folder.csv", 2), "folder.csv", "folder")
    assert names(run(runner, "import a/b votes.csv --create", 2), "name", "study", "'a/b'")
    with Database(tmp_path / "studies.db") as database:
        assert (database.names(), len(database.journal("home").read())) == (["home"], 4)


def test_a_backup_goes_from_one_database_to_another(runner: CliRunner, tmp_path: Path) -> None:
    run(runner, "import home votes.csv --create")
    assert run(runner, "backup b.zip") == "1 study with 4 events written to b.zip.\n"
    assert names(run(runner, "restore b.zip", 2), "home", "--missing")
    assert "0 studies restored" in run(runner, "restore b.zip --missing")
    assert names(run(runner, "restore b.zip --database new.db"), "1 study")
    assert names(run(runner, "check --database new.db"), "home", "1 study")
    assert names(run(runner, "restore votes.csv --database new.db", 2), "votes.csv", "backup")


def test_a_backup_goes_from_sqlite_to_postgresql_and_back(
    runner: CliRunner, tmp_path: Path, postgresql: str
) -> None:
    run(runner, "import home votes.csv --create")
    run(runner, "backup b.zip")
    run(runner, f"restore b.zip --database {postgresql}")
    assert names(run(runner, f"check --database {postgresql}"), "1 study")
    run(runner, f"backup c.zip --database {postgresql}")
    run(runner, "restore c.zip --database back.db")
    run(runner, "export home one.jsonl")
    run(runner, "export home two.jsonl --database back.db")
    lines = (tmp_path / "one.jsonl").read_text()
    assert (tmp_path / "two.jsonl").read_text() == lines
    assert len([json.loads(line) for line in lines.splitlines()]) == 3


def test_check_ends_with_status_1_when_something_is_wrong(runner: CliRunner, tmp_path: Path) -> None:
    run(runner, "import home votes.csv --create")
    with sqlite3.connect(tmp_path / "studies.db") as connection:
        connection.execute("DELETE FROM events WHERE seq = 3")
    connection.close()
    told = run(runner, "check", 1)
    assert "event 3 is missing" in told
    assert names(told, "1 with faults", "restore a backup")


def test_rankings_and_items_go_in_and_out(runner: CliRunner, tmp_path: Path) -> None:
    (tmp_path / "rankings.jsonl").write_text(
        '{"voter": "ann", "item": "q1", "ranking": ["tea", ["milk", "=rum"]]}\n'
        '{"voter": "bob", "item": "q2", "ranking": "milk > tea"}\n'
    )
    assert run(runner, "import home rankings.jsonl --create") == "4 new votes in home.\n"
    run(runner, "export home out.csv")
    lines = (tmp_path / "out.csv").read_text().splitlines()
    assert lines[0] == "time,voter,left,right,outcome,ticket,status,item"
    assert lines[2].startswith(",ann,tea,'=rum,left,")
    assert all(line.endswith(item) for line, item in zip(lines[1:], ["q1", "q1", "q1", "q2"], strict=True))
    assert run(runner, "import home out.csv") == "0 new votes in home, 4 already there.\n"
    assert run(runner, "import copy out.csv --create") == "4 new votes in copy.\n"
    with Database(tmp_path / "studies.db") as database:
        home, copy = (Study.open(database.journal(name)).votes() for name in ("home", "copy"))
    assert home == copy
    (tmp_path / "bad.csv").write_text("ranking\ntea > milk\ntea milk\n")
    assert names(run(runner, "import home bad.csv", 2), "bad.csv", "line 3", '"ranking"', "'tea milk'")
