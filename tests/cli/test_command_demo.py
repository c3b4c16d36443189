"""`duelist demo`: one page, the votes it is about, and commands that work."""

import re
from pathlib import Path

import numpy as np
import pytest
from page_outline import Outline
from refusals import names
from typer.testing import CliRunner

from duelist import load_votes, replay
from duelist.cli.demo import LEARNERS, RIVALS
from duelist.cli.main import app
from duelist.registry import LEARNERS as KNOWN
from duelist.web.demo import ARMS, HORIZON, example_problem, example_wins

pytest.importorskip("matplotlib", reason="figures need an extra")
runner = CliRunner(env={"COLUMNS": "200", "NO_COLOR": "1", "TERM": "dumb"})


def test_one_page_shows_votes_needed_and_learners_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = runner.invoke(app, ["demo", "--runs", "3"])
    assert outcome.exit_code == 0, outcome.output
    assert {path.name for path in (tmp_path / "demo-report").iterdir()} == {"report.html", "votes.csv"}
    page = (tmp_path / "demo-report" / "report.html").read_text("utf-8")
    outline = Outline(page)
    outline.check(tables=2, figures=4)
    texts = "\n".join(outline.texts)
    assert f"3 runs of {HORIZON:,} rounds" in texts
    assert all(texts.count(learner) for learner in (*RIVALS, *LEARNERS))
    votes = load_votes(tmp_path / "demo-report" / "votes.csv")
    verdict = replay([KNOWN[name]() for name in RIVALS], votes, runs=3, progress=False).verdict
    assert verdict in texts
    assert outcome.stdout.startswith(verdict)
    said = outcome.stdout.partition("Try next")[2]
    commands = [line.split("  ")[0] for line in said.strip().splitlines()]
    assert [words.split()[1] for words in commands] == ["arena", "analyze", "replay"]
    assert all(command in texts for command in commands)
    analyzed = runner.invoke(app, commands[1].split()[1:])
    assert re.search("Condorcet +arm option 1", analyzed.stdout)


def test_the_votes_are_those_of_the_model() -> None:
    problem = example_problem()
    wins = example_wins(problem)
    assert problem.labels == ARMS
    off = ~np.eye(len(ARMS), dtype=bool)
    assert set((wins + wins.T)[off]) == {60.0}
    assert not wins.diagonal().any()
    # within four standard deviations of a share of 60 votes
    assert np.abs(wins / 60.0 - problem.matrix)[off].max() < 4 * 0.5 / np.sqrt(60)
    assert wins[0, 1:].min() > 30


@pytest.mark.parametrize("runs", ["0", "-1"])
def test_runs_are_checked_before_anything_is_played(runs: str, tmp_path: Path) -> None:
    outcome = runner.invoke(app, ["demo", "--out", str(tmp_path / "out"), "--runs", runs])
    assert outcome.exit_code == 2
    assert names(outcome.stderr, "runs")
    assert not (tmp_path / "out").exists()
