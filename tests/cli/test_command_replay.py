import csv
import json
from pathlib import Path
from typing import Any

import pytest
from page_outline import Outline
from refusals import names
from spacing import unspaced
from typer.testing import CliRunner

from duelist.cli.main import app
from duelist.cli.replay import DEFAULT_LEARNERS

runner = CliRunner(env={"COLUMNS": "160", "NO_COLOR": "1", "TERM": "dumb"})
FILES = {"report.html", "replay.json", "replay.csv"}
VOTES = """model_a,model_b,winner,count
<b>,b,<b>,70
<b>,b,b,30
b,c,b,60
c,b,c,35
b,c,tie,5
<b>,c,<b>,75
c,<b>,c,25
"""


@pytest.fixture
def votes(tmp_path: Path) -> Path:
    path = tmp_path / "votes.csv"
    path.write_text(VOTES)
    return path


def replayed(*words: object) -> Any:
    return runner.invoke(app, ["replay", *map(str, words), "--runs", "12", "--limit", "3e3"])


def test_the_verdict_comes_first_and_random_pairs_are_always_played(votes: Path) -> None:
    outcome = replayed(votes, "-l", "rucb")
    assert outcome.exit_code == 0, outcome.output
    lines = outcome.stdout.splitlines()
    assert unspaced(lines[0]).endswith(unspaced("votes.csv: 300 votes on 3 arms"))
    assert names(lines[1], "RUCB", "random pairs")
    assert names(lines[2], "300 recorded votes", "<b>")
    assert names(lines[3], "12 runs", "3,000 votes", "3 arms", "delta 0.05", "seed 0")
    rows = [line.split()[0] for line in lines if line.startswith(("RUCB ", "Uniform "))]
    assert rows[-2:] == ["RUCB", "Uniform"]
    assert "with replacement" in outcome.stdout
    assert outcome.stderr == ""


def test_the_table_fits_on_a_narrow_terminal(votes: Path) -> None:
    words = ["replay", str(votes), "--runs", "40", "-l", "TopTwoBradleyTerry"]
    outcome = CliRunner(env={"COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"}).invoke(app, words)
    assert outcome.exit_code == 0, outcome.output
    assert "…" not in outcome.stdout
    assert "TopTwoBradleyTerry" in outcome.stdout.partition("not")[2]


def test_who_plays_unless_told_otherwise(votes: Path) -> None:
    outcome = replayed(votes)
    assert outcome.exit_code == 0, outcome.output
    assert all(f"\n{name} " in outcome.stdout for name in (*DEFAULT_LEARNERS, "Uniform"))


def test_random_pairs_are_not_played_twice_and_horizons_are_told(votes: Path) -> None:
    outcome = replayed(votes, "-l", "Uniform", "-l", "InterleavedFilter2")
    assert outcome.exit_code == 0, outcome.output
    assert outcome.stdout.count("\nUniform ") <= 2  # in the table, and perhaps the verdict
    assert "\nInterleavedFilter2 " in outcome.stdout


def test_it_is_said_how_the_file_was_read(tmp_path: Path) -> None:
    path = tmp_path / "battles.csv"
    path.write_text("one,other,choice\n" + "x,y,x\n" * 8 + "y,x,y\n" * 2 + "x,y,perhaps\n")
    named = ("--columns", "left=one,right=other,winner=choice")
    assert "line 12" in replayed(path, *named).stderr
    outcome = replayed(path, *named, "--skip-bad", "--out", tmp_path / "out")
    assert outcome.exit_code == 0, outcome.output
    assert names(outcome.stderr, "note", "1 bad row", "line 12")
    asked = json.loads((tmp_path / "out" / "replay.json").read_text())["asked"]
    assert asked["reading"] == [*named, "--skip-bad"]
    assert f"{' '.join(named)} --skip-bad" in " ".join((tmp_path / "out" / "report.html").read_text().split())


def test_arms_and_columns_can_be_named(tmp_path: Path) -> None:
    path = tmp_path / "battles.csv"
    path.write_text("one,other,choice\n" + "x,y,x\n" * 8 + "y,x,y\n" * 2 + "x,z,z\n")
    columns = ("--columns", "left=one,right=other,winner=choice")
    outcome = replayed(path, *columns)
    assert outcome.exit_code == 2
    assert names(outcome.stderr, "y and z", "--arm")
    assert "--arm x --arm y" in outcome.stderr
    outcome = replayed(path, *columns, "--arm", "x", "--arm", "y", "-l", "Uniform")
    assert outcome.exit_code == 0, outcome.output
    assert "10 votes on 2 arms" in outcome.stdout


def test_a_circle_has_no_winner(tmp_path: Path) -> None:
    path = tmp_path / "circle.csv"
    path.write_text("winner,loser,count\na,b,9\nb,c,9\nc,a,9\nb,a,1\nc,b,1\na,c,1\n")
    outcome = replayed(path, "-l", "RUCB")
    assert outcome.exit_code == 0, outcome.output
    assert names(outcome.stdout, "30 recorded votes", "no winner")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, str]:
    """Return a file of votes, the folder that the command made of it, and what it said."""
    pytest.importorskip("matplotlib", reason="a report needs an extra")
    base = tmp_path_factory.mktemp("replay")
    votes, folder = base / "votes.csv", base / "new" / "replayed"
    votes.write_text(VOTES)
    for _ in range(2):  # overwritten, as by other commands
        outcome = replayed(votes, "-l", "RUCB", "--out", folder)
        assert outcome.exit_code == 0, outcome.output
    return votes, folder, outcome.stdout


def test_files_are_complete(written: tuple[Path, Path, str]) -> None:
    _, folder, said = written
    assert unspaced(f"Written to {folder}:") in unspaced(said)
    assert {path.name for path in folder.iterdir()} == FILES
    told = json.loads((folder / "replay.json").read_text())
    assert (told["winner"], told["votes"], told["asked"]["limit"]) == ("<b>", 300, 3000)
    assert told["verdict"] in said
    with (folder / "replay.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["learner"] for row in rows] == [one["learner"] for one in told["learners"]]
    for row, one in zip(rows, told["learners"], strict=True):
        assert int(row["until_sure"]) == one["until_sure"] == sorted(one["votes_until_sure"])[5]
        assert [row["sure_range_low"], row["sure_range_high"]] == list(map(str, one["sure_range"]))
        assert one["until_right"] == sorted(one["right_from"])[10]
        assert row["until_right_interval_high"] == ""
        assert set(one["stopped_at"]) == {0}


def test_the_page_says_everything_and_is_well_formed(written: tuple[Path, Path, str]) -> None:
    votes, folder, _ = written
    page = (folder / "report.html").read_text(encoding="utf-8")
    outline = Outline(page)
    outline.check(tables=1, figures=2)
    assert "http" not in page
    assert "<b>" not in page
    text = " ".join(" ".join(outline.texts).split())
    assert json.loads((folder / "replay.json").read_text())["verdict"] in text
    assert names(text, "300 recorded votes", "<b>")
    assert "RUCB(alpha=0.51)" in text
    assert "with replacement" in text
    assert f"duelist replay {votes} --learner RUCB --runs 12 --seed 0 --delta 0.05 --limit 3000" in text


def test_interrupted_it_says_where_finished_runs_are(
    votes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib", reason="a report needs an extra")

    def interrupt(*given: Any, **options: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("duelist.replaying.replay", interrupt)
    outcome = replayed(votes, "--out", tmp_path / "replayed")
    assert (outcome.exit_code, outcome.stdout, outcome.stderr) == (130, "", "stopped\n")
    assert not (tmp_path / "replayed").exists()
