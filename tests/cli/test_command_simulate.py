import csv
import sys
from math import log
from pathlib import Path
from typing import Any

import pytest
from refusals import names
from spacing import unspaced
from typer.testing import CliRunner

from duelist import Result
from duelist.bounds import asymptotic_lower_bound
from duelist.cli.main import app
from duelist.problems import worst_case
from duelist.registry import LEARNERS, PROBLEMS, learners_for
from duelist.simulation.runs import Setting

runner = CliRunner(env={"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"})
FILES = {"report.html", "regret.svg", "data.csv", "result.npz"}
SMALL = (
    "simulate",
    "-p",
    "worst_case:k=4,epsilon=0.3",
    "-l",
    "RUCB",
    "-l",
    "Uniform",
    "-t",
    "1e3",
    "-n",
    "3",
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder that the command made, with all that it writes."""
    need_extras()
    folder = tmp_path_factory.mktemp("simulate") / "new" / "results"
    outcome = runner.invoke(app, [*SMALL, "--band", "range", "--workers", "1", "--out", str(folder)])
    assert outcome.exit_code == 0, outcome.output
    assert unspaced(f"Written to {folder}:") in unspaced(outcome.stdout)
    return folder


def brief(path: Path) -> list[str]:
    return ["simulate", "-p", str(path), "-l", "Uniform", "-t", "50", "-n", "1"]


def need_extras() -> None:
    pytest.importorskip("matplotlib", reason="files need an extra")
    pytest.importorskip("pandas", reason="files need an extra")


def refuse(*args: Any, **options: Any) -> None:
    pytest.fail("nothing should be simulated")


def test_summary() -> None:
    outcome = runner.invoke(app, SMALL)
    assert outcome.exit_code == 0, outcome.output
    lines = outcome.stdout.splitlines()
    assert lines[:3] == [
        "worst_case:k=4,epsilon=0.3, 4 arms",
        "Regret against the Condorcet winner, arm 0.",
        "3 runs of 1,000 rounds, seed 0.",
    ]
    rows = [line.split() for line in lines if line.startswith(("RUCB", "Uniform"))]
    assert [row[0] for row in rows] == ["RUCB", "Uniform"]
    assert float(rows[0][1]) < float(rows[1][1])
    assert rows[1][-1] == "1,000"
    constant = asymptotic_lower_bound(worst_case(4, 0.3).matrix)
    bound = (
        f"Asymptotic lower bound: {constant:.1f} log T, which is {constant * log(1000):.1f} at this horizon."
    )
    assert lines[-1] == bound
    assert outcome.stderr == ""


def test_equal_seeds_print_the_same() -> None:
    first, second, other = (
        runner.invoke(app, [*SMALL, "--seed", seed, "--workers", workers]).stdout
        for seed, workers in (("5", "1"), ("5", "2"), ("6", "1"))
    )
    assert first == second
    assert first != other


def test_every_learner_by_default() -> None:
    outcome = runner.invoke(app, ["simulate", "-p", "worst_case:k=3", "-t", "100", "-n", "1"])
    assert outcome.exit_code == 0, outcome.output
    assert all(f"\n{name} " in outcome.stdout for name in learners_for("arms"))


def test_problem_of_a_file_with_another_winner(tmp_path: Path) -> None:
    votes = tmp_path / "votes.csv"
    votes.write_text("winner,loser,count\na,b,3\nb,a,1\nb,c,3\nc,b,1\nc,[bold],9\n[bold],a,5\n")
    outcome = runner.invoke(app, brief(votes))
    assert outcome.exit_code == 0, outcome.output
    assert names(outcome.stdout, "hindsight")
    assert "lower bound" not in outcome.stdout
    outcome = runner.invoke(app, [*brief(votes), "--against", "BORDA"])
    assert names(outcome.stdout, "Borda", "arm c")


def test_files_are_complete(whole: Path) -> None:
    assert {path.name for path in whole.iterdir()} == FILES
    result = Result.load(whole / "result.npz")
    assert list(result) == ["RUCB", "Uniform"]
    assert result["RUCB"].regret.shape == (3, len(result["RUCB"].checkpoints))
    with (whole / "data.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["learner", "run", "round", "regret", "weak_regret", "best", "accuracy"]
    assert len(rows) == result["RUCB"].regret.size + result["Uniform"].regret.size
    assert rows[-1][:3] == ["Uniform", "2", "1000"]
    assert float(rows[-1][3]) == result["Uniform"].regret[-1, -1]
    assert (whole / "regret.svg").read_text().rstrip().endswith("</svg>")
    page = (whole / "report.html").read_text(encoding="utf-8")
    assert page.endswith("</html>\n")
    assert all(name in page for name in result)


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["-l", "Nobody"], ["no learner named 'Nobody'", *LEARNERS]),
        (["-p", "nothing"], ["'nothing'", *PROBLEMS]),
        (["-p", "absent.csv"], ["absent.csv"]),
        (["-l", "RUCB:alpha=0.1"], ["RUCB", "alpha", "0.1"]),
        (["-t", "many"], ["horizon", "'many'"]),
        (["-t", "0"], ["horizon", "0"]),
        (["-n", "0"], ["runs", "0"]),
        (["--seed", "-1"], ["seed", "-1"]),
        (["--workers", "0"], ["workers", "0"]),
        (["--against", "everyone"], ["'everyone'", "borda", "condorcet", "copeland", "von_neumann"]),
        (["--against", "condorcet", "-p", "cycle"], ["condorcet", "copeland"]),
    ],
)
def test_error_is_one_line_and_writes_nothing(arguments: list[str], parts: list[str], tmp_path: Path) -> None:
    need_extras()
    folder = tmp_path / "results"
    outcome = runner.invoke(app, ["simulate", "-o", str(folder), *arguments])
    assert outcome.exit_code == 2
    assert outcome.stdout == ""
    assert outcome.stderr.startswith("error: ")
    assert outcome.stderr.count("\n") == 1
    assert names(outcome.stderr, *parts), outcome.stderr
    assert list(tmp_path.iterdir()) == []


def test_broken_matrix_file_names_the_entry(tmp_path: Path) -> None:
    path = tmp_path / "broken.csv"
    path.write_text("0.5,0.6\n0.6,0.5\n")
    outcome = runner.invoke(app, ["simulate", "-p", str(path)])
    assert outcome.exit_code == 2
    assert names(outcome.stderr, "matrix[0, 1]", "matrix[1, 0]", "0.6")


@pytest.mark.parametrize("inside", [False, True])
def test_folder_that_is_a_file_is_refused_before_the_work(
    inside: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    need_extras()
    monkeypatch.setattr("duelist.simulation.simulate", refuse)
    file = tmp_path / "taken"
    file.write_text("mine")
    outcome = runner.invoke(app, [*SMALL, "--out", str(file / "in" if inside else file)])
    assert outcome.exit_code == 2
    assert names(outcome.stderr, "folder")
    assert file.read_text() == "mine"


@pytest.mark.parametrize(("module", "extra"), [("matplotlib", "plot"), ("pandas", "frame")])
def test_missing_extra_is_told_before_the_work(
    module: str, extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("matplotlib", "pandas"):
        if name != module:
            monkeypatch.setitem(sys.modules, name, sys)
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setattr("duelist.simulation.simulate", refuse)
    outcome = runner.invoke(app, [*SMALL, "--out", str(tmp_path / "results")])
    assert outcome.exit_code == 2
    assert f'pip install "duelist[{extra}]"' in outcome.stderr
    assert list(tmp_path.iterdir()) == []


def test_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need_extras()

    def interrupt(*args: Any, **options: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("duelist.simulation.simulate", interrupt)
    outcome = runner.invoke(app, [*SMALL, "--out", str(tmp_path / "results")])
    assert outcome.exit_code == 130
    assert (outcome.stdout, outcome.stderr) == ("", "stopped\n")
    assert list(tmp_path.iterdir()) == []


def test_interrupted_it_keeps_what_is_done_and_goes_on(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "results"
    command = [*SMALL, "--workers", "1", "--out"]
    with monkeypatch.context() as patched:
        played, play = list[object](), Setting.play

        def interrupt(*given: Any) -> None:
            if len(played) == 4:
                raise KeyboardInterrupt
            played.append(given)
            play(*given)

        patched.setattr(Setting, "play", interrupt)
        outcome = runner.invoke(app, [*command, str(folder)])
    assert (outcome.exit_code, outcome.stdout) == (130, "")
    kept = folder / "unfinished.npz"
    assert names(outcome.stderr, str(kept), "stopped")
    assert list(folder.iterdir()) == [kept]
    outcome = runner.invoke(app, [*command, str(folder), "--seed", "1"])
    assert (outcome.exit_code, outcome.stdout, outcome.stderr.count("\n")) == (2, "", 1)
    assert names(outcome.stderr, "unfinished.npz", "seed")
    outcome = runner.invoke(app, [*command, str(folder)])
    assert outcome.exit_code == 0, outcome.output
    assert names(outcome.stderr, str(kept))
    assert {path.name for path in folder.iterdir()} == FILES
    assert (folder / "data.csv").read_bytes() == (whole / "data.csv").read_bytes()


def test_interrupted_while_it_writes_it_keeps_everything(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*given: Any) -> None:
        raise KeyboardInterrupt

    command = [*SMALL, "--band", "range", "--workers", "1", "--out", str(tmp_path)]
    with monkeypatch.context() as patched:
        patched.setattr("duelist.web.experiment.write_simulation", interrupt)
        assert runner.invoke(app, command).exit_code == 130
    assert [path.name for path in tmp_path.iterdir()] == ["unfinished.npz"]
    monkeypatch.setattr(Setting, "play", interrupt)
    outcome = runner.invoke(app, command)
    assert outcome.exit_code == 0, outcome.output
    assert (tmp_path / "data.csv").read_bytes() == (whole / "data.csv").read_bytes()


def test_full_disk_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need_extras()

    def fail(file: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("duelist.files.os.fsync", fail)
    outcome = runner.invoke(app, [*SMALL, "--out", str(tmp_path)])
    assert outcome.exit_code == 2
    assert "Regret against" in outcome.stdout
    assert outcome.stderr == f"error: {tmp_path / 'regret.svg'}: No space left on device.\n"


def test_columns_of_votes_may_be_named(tmp_path: Path) -> None:
    votes, named = tmp_path / "votes.csv", tmp_path / "named.csv"
    votes.write_text("winner,loser\nx,y\nx,y\ny,x\nz,y\nx,z\n")
    named.write_text("when,first,second,better\n1,x,y,x\n2,y,x,second\n3,y,x,y\n4,z,y,first\n5,x,z,x\n")
    roles = ["left=first", "right=second", "winner=better"]
    plain, chosen = (
        runner.invoke(app, [*brief(votes)]),
        runner.invoke(app, [*brief(named), "--columns", ",".join(roles)]),
    )
    assert (plain.exit_code, chosen.exit_code) == (0, 0), chosen.output
    assert names(plain.stdout, "Condorcet", "arm x")
    assert chosen.stdout.splitlines()[1:] == plain.stdout.splitlines()[1:]
    for missing in roles:
        some = ",".join(role for role in roles if role != missing)
        outcome = runner.invoke(app, [*brief(named), "--columns", some])
        assert (outcome.exit_code, outcome.stdout, outcome.stderr.count("\n")) == (2, "", 1)
        assert "named.csv" in outcome.stderr
    outcome = runner.invoke(app, [*brief(named), "--columns", "left=first,right=second,winner=worse"])
    assert outcome.exit_code == 2
    assert names(outcome.stderr, "column", "'worse'")
    assert "write --columns winner=COLUMN" in outcome.stderr


def test_the_page_says_how_the_file_was_read(tmp_path: Path) -> None:
    need_extras()
    path = tmp_path / "votes.csv"
    path.write_text("one,two,who\na,b,one\nb,a,nobody\nb,a,two\n")
    options = ["--columns", "left=one,right=two,outcome=who", "--skip-bad", "--out", str(tmp_path / "out")]
    outcome = runner.invoke(app, [*brief(path), *options])
    assert outcome.exit_code == 0, outcome.output
    page = " ".join((tmp_path / "out" / "report.html").read_text().split())
    assert "--columns left=one,right=two,outcome=who --skip-bad" in page


@pytest.mark.parametrize("options", [["--columns", "left=a"], ["--skip-bad"], ["--sheet", "x"]])
def test_options_for_files_are_refused_for_what_is_no_file(options: list[str]) -> None:
    outcome = runner.invoke(app, [*SMALL, *options])
    assert (outcome.exit_code, outcome.stdout, outcome.stderr.count("\n")) == (2, "", 1)
    assert names(outcome.stderr, options[0], "worst_case:k=4,epsilon=0.3")


def test_names_of_arms_are_no_markup(tmp_path: Path) -> None:
    path = worst_case(2).to_csv(tmp_path / "[red]matrix.csv")
    outcome = runner.invoke(app, brief(path))
    assert outcome.exit_code == 0, outcome.output
    assert unspaced("[red]matrix.csv, 2 arms") in unspaced(outcome.stdout)


def test_figures_shade_what_is_asked_for(whole: Path) -> None:
    page = " ".join((whole / "report.html").read_text().split())
    assert names(page, "range", "3 runs")
    assert "--band range" in page
    assert runner.invoke(app, [*SMALL, "--band", "stderr"]).exit_code == 2
