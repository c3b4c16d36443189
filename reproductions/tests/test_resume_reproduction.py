"""A reproduction that is killed goes on where it was, and ends with the same files."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from parallel.backwards import Backwards
from parallel.jobs import alive, wait_until
from typer.testing import CliRunner

from duelist.cli.main import app
from duelist.laboratory.running import TIMES

pytest.importorskip("matplotlib", reason="figures need an extra")

ITEM = "zoghi2014/figure5"
KILLED = """
import os, signal
from duelist.cli.main import main
from duelist.laboratory.result_store import ResultStore

put = ResultStore.put

def put_and_be_killed(*result):
    put(*result)
    os.kill(os.getpid(), signal.SIGKILL)

ResultStore.put = put_and_be_killed
main()
"""
"""The program itself, whose process is killed as soon as it has kept a result."""


def arguments(out: Path) -> list[str]:
    return ["reproduce", ITEM, "--workers", "2", "--out", str(out)]


def contents(out: Path) -> dict[str, bytes]:
    files = (path for path in out.rglob("*") if path.is_file() and path.name != TIMES)
    return {str(path.relative_to(out)): path.read_bytes() for path in files}


def test_killed_and_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # what is not killed needs no processes, which would only import the same again
    monkeypatch.setattr("duelist.cli.reproduce.executor_for", lambda ray, workers: Backwards())
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    assert CliRunner().invoke(app, arguments(whole)).exit_code == 0

    command = [sys.executable, "-c", KILLED, *arguments(cut)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, process_group=0) as process:
        assert process.wait() == -signal.SIGKILL
    # the workers end with whoever started them
    wait_until(lambda: not alive(process.pid, "pgid"))
    (kept,) = (cut / "results" / ITEM).glob("[!.]*.npz")
    assert len(list((whole / "results" / ITEM).iterdir())) > 1
    assert not (cut / "report.html").exists()

    written = kept.stat().st_mtime_ns
    assert CliRunner().invoke(app, arguments(cut)).exit_code == 0
    assert kept.stat().st_mtime_ns == written
    assert contents(cut) == contents(whole)
