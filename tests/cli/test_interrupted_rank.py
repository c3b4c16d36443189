"""Ctrl-C in the middle of `duelist rank`: what is finished is kept, and the same command goes on."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from refusals import names
from typer.testing import CliRunner

from duelist.cli.main import app

runner = CliRunner(env={"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"})
COMMAND = ["rank", "--impressions", "100", "--runs", "4", "--workers", "1", "--out"]
PROGRAM = """
import os, time
from duelist.__main__ import main
from duelist.simulation.runs import Setting

play, begun = Setting.play, []

def stay_in_the_third(self, learner, ledger, *luck):
    begun.append(ledger)
    if len(begun) < 3:
        return play(self, learner, ledger, *luck)
    os.write(1, b".")
    while not ledger.halt[0]:
        time.sleep(0.01)

Setting.play = stay_in_the_third
main()
"""
"""The program, whose third run ends when it is stopped."""


def test_what_is_finished_is_kept_and_the_same_command_goes_on(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="files need an extra")
    pytest.importorskip("pandas", reason="files need an extra")
    whole, folder = tmp_path / "whole", tmp_path / "results"
    assert runner.invoke(app, [*COMMAND, str(whole)]).exit_code == 0
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *COMMAND, str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.read(1) == "."
    process.send_signal(signal.SIGINT)
    printed, told = process.communicate()
    kept = folder / "unfinished.npz"
    assert (process.returncode, printed) == (130, "")
    assert names(told, str(kept), "stopped")
    assert list(folder.iterdir()) == [kept]
    outcome = runner.invoke(app, [*COMMAND, str(folder)])
    assert outcome.exit_code == 0, outcome.output
    assert names(outcome.stderr, str(kept))
    assert {path.name for path in folder.iterdir()} == {path.name for path in whole.iterdir()}
    assert (folder / "data.csv").read_bytes() == (whole / "data.csv").read_bytes()
