"""The program as it is started: Ctrl-C while it imports, and terminals without the letters of a name."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

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


def test_names_that_the_terminal_cannot_write(tmp_path: Path) -> None:
    (tmp_path / "käse.csv").write_text(VOTES, "utf-8")
    outcome = start(tmp_path, "analyze", "käse.csv", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (outcome.returncode, outcome.stderr) == (0, "")
    assert r"k\xe4se.csv: 3 comparisons of 3 arms" in outcome.stdout
    assert r"arm \xc4pfel" in outcome.stdout


def test_a_missing_file_that_the_terminal_cannot_write(tmp_path: Path) -> None:
    outcome = start(tmp_path, "analyze", "käse.csv", PYTHONIOENCODING="ascii")
    assert outcome.returncode == 2
    assert outcome.stderr.startswith(r"error: k\xe4se.csv: ")
    assert outcome.stderr.count("\n") == 1
