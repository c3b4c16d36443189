import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from duelist import __version__
from duelist.cli.main import app
from duelist.cli.terminal import table

runner = CliRunner(env={"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"})
COMMANDS = ("simulate", "analyze", "optimize", "learners", "problems")


def test_version() -> None:
    outcome = runner.invoke(app, ["--version"])
    assert (outcome.exit_code, outcome.stdout) == (0, f"duelist {__version__}\n")


def test_help_without_arguments() -> None:
    outcome = runner.invoke(app, [])
    assert all(command in outcome.output for command in COMMANDS)
    assert "duelist analyze votes.csv" in outcome.output


@pytest.mark.parametrize("command", ["simulate", "analyze"])
def test_help_of_a_command_ends_with_examples(command: str) -> None:
    outcome = runner.invoke(app, [command, "-h"])
    assert outcome.exit_code == 0
    assert f"duelist {command} " in outcome.stdout.split("Examples")[1]


def test_unknown_command() -> None:
    outcome = runner.invoke(app, ["simulat"])
    assert outcome.exit_code == 2
    assert "simulat" in outcome.stderr


def test_message_is_no_markup() -> None:
    outcome = runner.invoke(app, ["simulate", "-l", "[bold]nobody[/bold]"])
    assert outcome.exit_code == 2
    assert "'[bold]nobody[/bold]'" in outcome.stderr


def test_bug_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object, **options: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("duelist.simulation.simulate", fail)
    assert isinstance(runner.invoke(app, ["simulate", "-l", "Uniform"]).exception, ZeroDivisionError)


def test_reader_that_goes_away_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object, **options: object) -> None:
        raise BrokenPipeError(32, "Broken pipe")

    monkeypatch.setattr("duelist.simulation.simulate", fail)
    outcome = runner.invoke(app, ["simulate", "-l", "Uniform"])
    assert (outcome.exit_code, outcome.stderr) == (1, "")


def test_a_full_disk_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object, **options: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("duelist.simulation.simulate", fail)
    outcome = runner.invoke(app, ["simulate", "-l", "Uniform"])
    assert (outcome.exit_code, outcome.stderr) == (2, "error: [Errno 28] No space left on device.\n")


def test_entry_point(tmp_path: Path) -> None:
    program = [sys.executable, "-c", "from duelist.cli.main import main; main()"]
    outcome = subprocess.run(
        [*program, "analyze", "absent.csv"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert outcome.returncode == 2
    assert outcome.stdout == ""
    assert outcome.stderr.startswith("error: absent.csv: ")
    assert "Traceback" not in outcome.stderr


def test_columns_of_numbers_are_set_right() -> None:
    assert [column.justify for column in table("learner", "regret", numbers=["regret"]).columns] == [
        "left",
        "right",
    ]
