"""What of a file is not used is said by every command that reads one."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from duelist.cli.main import app


@pytest.mark.parametrize(
    "words",
    [
        "simulate --problem {} --learner RUCB --horizon 50 --runs 2 --skip-bad",
        "replay {} --runs 2 --limit 50 --skip-bad",
    ],
)
def test_rows_that_are_left_out_are_counted(words: str, tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("left,right,outcome,colour\na,b,left,red\nb,a,left,red\na,b,perhaps,red\n")
    outcome = CliRunner().invoke(app, words.format(path).split())
    assert outcome.exit_code == 0
    assert "1 bad row" in outcome.stderr
    assert "colour" in outcome.stderr
