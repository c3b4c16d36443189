"""Where a command would write is looked at before it works."""

from pathlib import Path

import pytest
from refusals import names
from typer.testing import CliRunner

from duelist.cli.main import app

runner = CliRunner(env={"COLUMNS": "200", "NO_COLOR": "1", "TERM": "dumb"})


@pytest.mark.parametrize(
    ("command", "taken"),
    [
        (["simulate", "-l", "no_such_learner", "--out"], "report.html"),
        (["demo", "--out"], "votes.csv"),
        (["replay", "no_such_file.csv", "--out"], "replay.csv"),
        (["rank", "no_such_file.txt", "--out"], "quality.svg"),
        (["rank", "no_such_file.txt", "--save"], ""),
        (["fit", "no_such_file.csv", "--save"], ""),
        (["analyze", "no_such_file.csv", "--figure"], ""),
        (["analyze", "no_such_file.csv", "--out"], "leaderboard.svg"),
        (["interleave", "no_such_left.txt", "no_such_right.txt", "--save"], ""),
        (["reproduce", "--out"], "summary.json"),
    ],
)
def test_a_folder_where_a_file_goes_is_refused_before_work(
    command: list[str], taken: str, tmp_path: Path
) -> None:
    for extra in ("matplotlib", "pandas", "sklearn"):
        pytest.importorskip(extra, reason="reports need extras")
    pytest.importorskip("duelist_reproductions", reason="another distribution")
    place = tmp_path / "there.svg"
    (place / taken).mkdir(parents=True)
    outcome = runner.invoke(app, [*command, str(place)])
    assert outcome.exit_code == 2, outcome.output
    assert names(" ".join(outcome.stderr.split()), str(place / taken), "folder")
