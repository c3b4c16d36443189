"""The program as it is started: Ctrl-C while it imports, and terminals without the letters of a name."""

import os
import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from time import sleep

import pytest

VOTES = "winner,loser\nÄpfel,Birnen\nÄpfel,Kürbis\nKürbis,Birnen\n"


def start(folder: Path, *arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "duelist", *arguments],
        cwd=folder,
        env={**os.environ, "COLUMNS": "100", **variables},
        capture_output=True,
        text=True,
        check=False,
    )


BY_TYPER = pytest.mark.skipif(find_spec("typer._adapters") is None, reason="this typer imports no pydantic")


@pytest.mark.parametrize("module", ["numpy", "typer", pytest.param("pydantic", marks=BY_TYPER)])
def test_interrupted_while_it_starts(module: str, tmp_path: Path) -> None:
    (tmp_path / f"{module}.py").write_text("raise KeyboardInterrupt\n")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    outcome = start(tmp_path, "problems", PYTHONPATH=path)
    assert (outcome.returncode, outcome.stdout, outcome.stderr) == (130, "", "stopped\n")


def test_nothing_is_imported_before_an_interrupt_is_told_in_a_word() -> None:
    # what the package imports comes before the first line of its program, and could only end in a traceback
    program = "import sys; before = {*sys.modules}; import duelist.__main__; print(*{*sys.modules} - before)"
    imported = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    assert {*imported.split()} == {"duelist", "duelist.__main__"}


PROGRAM = "import os; from duelist.__main__ import main; os.write(1, b'.'); main()"
FOR_EVER = ["simulate", "-p", "worst_case:k=3", "-l", "Uniform", "--horizon", "1e12", "--runs", "1"]
DELAYS = [0.02, 0.1, 0.3, 0.8]


def ended(one: "subprocess.Popen[str]") -> tuple[str, str]:
    """Return what a program printed that was interrupted; one that goes on is killed, and fails the test."""
    try:
        return one.communicate(timeout=120)
    finally:
        one.kill()


def test_interrupted_at_any_moment(tmp_path: Path) -> None:
    started: list[subprocess.Popen[str]] = []
    for delay in DELAYS:
        one = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *FOR_EVER],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(one)
        assert one.stdout is not None
        assert one.stdout.read(1) == "."
        sleep(delay)
        one.send_signal(signal.SIGINT)
    for one in started:
        printed, told = ended(one)
        assert (one.returncode, printed) == (130, "")
        assert told.endswith("stopped\n")
        assert "Traceback" not in told


SWALLOWS = """
import os, signal
try:
    os.kill(os.getpid(), signal.SIGINT)
except KeyboardInterrupt:
    pass
from duelist import Uniform as Mine
"""
ENDLESS = """
import os, signal
for _ in range(2):
    os.kill(os.getpid(), signal.SIGINT)
while True:
    pass
"""


@pytest.mark.parametrize("imported", [SWALLOWS, ENDLESS], ids=["swallows one", "has no end"])
def test_imports_do_not_keep_interrupts(imported: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(imported)
    command = ["simulate", "-p", "worst_case:k=3", "-l", "./mine.py:Mine", "--horizon", "1e12", "--runs", "1"]
    with subprocess.Popen(
        [sys.executable, "-m", "duelist", *command],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as one:
        printed, told = ended(one)
    assert (one.returncode, printed) == (130, "")
    assert told.endswith("stopped\n")


def test_names_that_the_terminal_cannot_write(tmp_path: Path) -> None:
    (tmp_path / "käse.csv").write_text(VOTES, "utf-8")
    outcome = start(tmp_path, "analyze", "käse.csv", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (outcome.returncode, outcome.stderr) == (0, "")
    assert r"k\xe4se.csv: 3 votes on 3 arms" in outcome.stdout
    assert r"arm \xc4pfel" in outcome.stdout


def test_a_missing_file_that_the_terminal_cannot_write(tmp_path: Path) -> None:
    outcome = start(tmp_path, "analyze", "käse.csv", PYTHONIOENCODING="ascii")
    assert outcome.returncode == 2
    assert outcome.stderr.startswith(r"error: k\xe4se.csv: ")
    assert outcome.stderr.count("\n") == 1
