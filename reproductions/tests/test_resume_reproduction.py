"""A reproduction that is killed goes on where it was, and ends with the same files."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from parallel.backwards import Backwards
from parallel.jobs import alive, wait_until
from typer.testing import CliRunner

from duelist.cli.main import app
from duelist.laboratory.running import TIMES

pytest.importorskip("matplotlib", reason="figures need an extra")

PROGRAM = "from duelist.cli.main import main; main()"
ITEM = "zoghi2014/figure4"


def command(out: Path) -> list[str]:
    return [sys.executable, "-c", PROGRAM, "reproduce", ITEM, "--workers", "2", "--out", str(out)]


def contents(out: Path) -> dict[str, bytes]:
    files = (path for path in out.rglob("*") if path.is_file() and path.name != TIMES)
    return {str(path.relative_to(out)): path.read_bytes() for path in files}


def test_killed_and_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    # what is never interrupted needs no processes, which would only import the same again
    monkeypatch.setattr("duelist.cli.reproduce.executor_for", lambda ray, workers: Backwards())
    assert CliRunner().invoke(app, command(whole)[3:]).exit_code == 0
    results = cut / "results" / ITEM
    with subprocess.Popen(command(cut), stdout=subprocess.DEVNULL, process_group=0) as process:
        while not list(results.glob("[!.]*.npz")):
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    # the workers end with whoever started them
    wait_until(lambda: not alive(process.pid, "pgid"))
    done = {path.name for path in results.glob("[!.]*.npz")}
    assert 0 < len(done) < len(list((whole / "results" / ITEM).iterdir()))
    assert not (cut / "report.html").exists()
    kept = {path: path.stat().st_mtime_ns for path in results.iterdir() if path.name in done}
    subprocess.run(command(cut), check=True, capture_output=True)
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    assert contents(cut) == contents(whole)
