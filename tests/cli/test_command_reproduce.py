"""`duelist reproduce`: what it plays, writes, says, and how it ends."""

import json
import re
from pathlib import Path

import pytest
import toy_paper
from parallel.backwards import Backwards
from refusals import names
from spacing import unspaced
from typer.testing import CliRunner

from duelist.cli.main import app
from duelist.files import reserved
from duelist.laboratory import Item, Paper

pytest.importorskip("matplotlib", reason="figures need an extra")

runner = CliRunner(env={"COLUMNS": "120", "NO_COLOR": "1", "TERM": "dumb"})
FIGURE = "figures/toy-squares-squares.svg"


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Only the toy paper is there, and the working folder is empty."""
    known = {"toy/squares": toy_paper.SQUARES, "toy/needing": toy_paper.NEEDING}

    def choose(wanted: list[str]) -> list[tuple[Paper, Item]]:
        return [(toy_paper.PAPER, known[name]) for name in wanted or known]

    monkeypatch.setattr("duelist.laboratory.choose", choose)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is done by other processes."""
    monkeypatch.setattr("duelist.cli.reproduce.executor_for", lambda ray, workers: Backwards())


def test_an_item_is_played_judged_and_written(tmp_path: Path) -> None:
    outcome = runner.invoke(app, ["reproduce", "toy/squares", "--workers", "1"])
    assert outcome.exit_code == 0, outcome.output
    folder = tmp_path / "reproduced-quick"
    assert "holds  toy/squares" in outcome.stdout
    assert "toy/squares: Figure 1: squares <of> numbers" in outcome.stdout
    assert unspaced("Written to reproduced-quick: report.html, summary.json") in unspaced(outcome.stdout)
    files = [str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()]
    written = sorted(re.sub(r"-[0-9a-f]{8}\.npz$", "", file) for file in files)
    pieces = [f"results/toy/squares/{name}" for name in ("n=0", "n=1", "n=2", "again")]
    assert written == sorted([".lock", "report.html", "summary.json", "times.json", FIGURE, *pieces])
    assert json.loads((folder / "summary.json").read_text())["all_hold"] is True


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    "draft", [".report.html.0123abcd.draft", "figures/.toy-squares-squares.svg.0123abcd.draft"]
)
def test_what_a_killed_command_left_half_written_is_removed(tmp_path: Path, draft: str) -> None:
    left = tmp_path / "out" / draft
    left.parent.mkdir(parents=True)
    left.write_text("<p>Hal")
    outcome = runner.invoke(app, ["reproduce", "toy/squares", "-o", "out"])
    assert outcome.exit_code == 0, outcome.output
    assert not left.exists()


@pytest.mark.usefixtures("here")
def test_a_claim_that_fails_ends_with_status_one(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = {**toy_paper.PAPER.expected["squares"]["claims"]["fourth"], "paper": {"quick": 17}}
    claims = {**toy_paper.PAPER.expected["squares"]["claims"], "fourth": wrong}
    monkeypatch.setitem(toy_paper.PAPER.expected, "squares", {"claims": claims})
    outcome = runner.invoke(app, ["reproduce", "toy/squares", "-o", "out"])
    assert outcome.exit_code == 1
    assert "fails  toy/squares" in outcome.stdout
    assert json.loads(Path("out/summary.json").read_text())["all_hold"] is False


def test_two_commands_do_not_write_to_one_folder() -> None:
    with reserved("out"):
        outcome = runner.invoke(app, ["reproduce", "toy/squares", "-o", "out"])
    assert outcome.exit_code == 2
    assert outcome.stderr.count("\n") == 1
    assert names(outcome.stderr, "out")
    assert not Path("out/results").exists()


@pytest.mark.usefixtures("here")
def test_results_on_real_data_outlive_a_command_without_it(tmp_path: Path) -> None:
    data = tmp_path / "data" / "squares" / "list.csv"
    data.parent.mkdir(parents=True)
    data.write_text("1\n")
    command = ["reproduce", "toy/needing", "-o", "out"]
    results = Path("out/results/toy/needing")
    assert runner.invoke(app, [*command, "--data", "data"]).exit_code == 0
    kept = {path: path.stat().st_mtime_ns for path in results.iterdir()}
    assert runner.invoke(app, command).exit_code == 0
    assert len(list(results.iterdir())) == 2 * len(kept)
    assert {path: path.stat().st_mtime_ns for path in kept} == kept


@pytest.mark.usefixtures("here")
def test_made_up_data_is_never_silent() -> None:
    outcome = runner.invoke(app, ["reproduce", "toy/needing"])
    assert outcome.exit_code == 0, outcome.output
    assert names(outcome.stdout, "holds  toy/needing", "synthetic data")
    page = Path("reproduced-quick/report.html").read_text()
    assert names(page, "squares/list.csv", "1 of 1 items")


@pytest.mark.usefixtures("here")
def test_a_second_call_plays_nothing_and_writes_the_same(tmp_path: Path) -> None:
    first = runner.invoke(app, ["reproduce", "toy/squares"])
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    again = runner.invoke(app, ["reproduce", "toy/squares"])
    assert first.exit_code == again.exit_code == 0
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_the_list_names_times_and_data() -> None:
    outcome = runner.invoke(app, ["reproduce", "--list"])
    assert outcome.exit_code == 0, outcome.output
    rows = [line.split() for line in outcome.stdout.splitlines() if line.startswith("toy/")]
    assert [row[0] for row in rows] == ["toy/squares", "toy/needing"]
    assert rows[0][-2:] == ["2", "none"]
    assert rows[1][-2:] == ["1", "squares/list.csv"]
    assert not Path("reproduced-quick").exists()


@pytest.mark.parametrize(
    ("options", "facts"),
    [
        (["--data", "nowhere"], ["nowhere", "--data"]),
        (["--workers", "0"], ["workers", "0"]),
        (["--scale", "huge"], ["--scale", "quick, paper", "'huge'"]),
    ],
)
def test_what_cannot_be_done_is_told(options: list[str], facts: list[str]) -> None:
    outcome = runner.invoke(app, ["reproduce", "toy/needing", *options])
    assert outcome.exit_code == 2
    assert names(outcome.stderr, *facts), outcome.stderr


def test_a_folder_that_cannot_be_written_to_is_refused_before_the_work(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    outcome = runner.invoke(app, ["reproduce", "toy/squares", "--out", "file"])
    assert outcome.exit_code == 2
    assert "folder" in outcome.stderr


def test_what_is_not_installed_is_told_before_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("duelist.cli.reproduce.find_spec", lambda module: None)
    outcome = runner.invoke(app, ["reproduce", "toy/squares"])
    assert outcome.exit_code == 2
    assert 'a reproduction needs an extra: pip install "duelist[all]"' in outcome.stderr
    assert not Path("reproduced-quick").exists()
