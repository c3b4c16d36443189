"""What cannot work is an error of one line, with exit status 2, and leaves everything as it was."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from bad_inputs.command_lines import COMMANDS, FILES
from bad_inputs.remedies import says_what_to_do
from refusals import names
from typer.testing import CliRunner

from duelist.cli.main import app

LINES = [line for line, *_ in COMMANDS]
runner = CliRunner(env={"COLUMNS": "500", "NO_COLOR": "1", "TERM": "dumb"})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of files with which little can be done."""
    made = tmp_path_factory.mktemp("files")
    for name, content in FILES.items():
        (made / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return made


def contents(folder: Path) -> dict[str, bytes]:
    """Return all files but caches of the modules that Python imports."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.mark.parametrize(("line", "facts"), [(line, facts) for line, *facts in COMMANDS], ids=LINES)
def test_one_line_and_nothing_written(
    line: str, facts: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    before = contents(folder)
    outcome = runner.invoke(app, shlex.split(line), input="")
    assert (outcome.exit_code, outcome.stdout) == (2, ""), (outcome.output, outcome.exception)
    assert names(outcome.stderr, *facts), (facts, outcome.stderr)
    assert says_what_to_do(outcome.stderr), outcome.stderr
    assert outcome.stderr.startswith("error: ")
    assert outcome.stderr.count("\n") == 1, outcome.stderr
    assert contents(folder) == before


PROGRAM = """
import multiprocessing, shlex, sys
import duelist.web.experiment, duelist.checks
from duelist.__main__ import main
from duelist.cli.main import app
from typer.testing import CliRunner

CliRunner().invoke(app, ["problems"])  # which imports what all commands need

def start(line):
    sys.argv = ["duelist", *shlex.split(line)]
    main()

for line in sys.stdin.read().splitlines():
    process = multiprocessing.get_context("fork").Process(target=start, args=(line,))
    process.start()
    process.join()
    print(process.exitcode, file=sys.stderr)
"""
"""Starts a process for each line of its input; what takes long to import is imported once for all."""


def test_processes_end_in_the_same_way(folder: Path) -> None:
    lines = [line for line in LINES if not line.startswith(("fit", "rank"))][::8]
    assert len(lines) >= 20
    before = contents(folder)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input="\n".join(lines),
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    told = done.stderr.splitlines()
    assert len(told) == 2 * len(lines), done.stderr
    assert all(line.startswith("error: ") for line in told[::2])
    assert set(told[1::2]) == {"2"}
    assert done.stdout == ""
    assert contents(folder) == before
