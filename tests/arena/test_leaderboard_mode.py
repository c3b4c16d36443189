"""`duelist arena --leaderboard`: other pairs from now on, and judges that go on once the winner is proven."""

import json
from pathlib import Path
from typing import Any

import pytest
from judging.world import ARMS, MemoryJudge, outputs_on
from refusals import names
from typer.testing import CliRunner

from duelist import Auto, Study, WidestInterval
from duelist.cli.main import app
from duelist.database import Database
from duelist.judging.judging import judge_arena

runner = CliRunner(env={"COLUMNS": "160", "NO_COLOR": "1", "TERM": "dumb"})
PROOF = "left,right,outcome,count\ngood,fair,left,80\ngood,poor,left,80\n"


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    path = tmp_path / "answers.jsonl"
    lines = [{"item": f"{n}", "arm": arm, "output": f"{arm} {n}"} for n in range(5) for arm in ARMS]
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def judged(answers: Path, *options: object) -> Any:
    words = ["arena", answers, "--judge", "echo tie", "--budget", 4, *options]
    return runner.invoke(app, [*map(str, words)])


def learner_of(answers: Path) -> object:
    with Database(answers.with_name("answers.jsonl.votes.db")) as database:
        return Study.open(database.journal("arena")).learner


def test_the_study_remembers_it_until_told_otherwise(answers: Path) -> None:
    for options, learner in [
        ((), Auto()),
        (("--leaderboard",), WidestInterval()),
        ((), WidestInterval()),
        (("--learner", "Auto"), Auto()),
    ]:
        outcome = judged(answers, *options)
        assert outcome.exit_code == 0, outcome.output
        assert learner_of(answers) == learner


def test_for_a_leaderboard_a_judge_goes_on_after_the_winner_is_proven(answers: Path, tmp_path: Path) -> None:
    votes = tmp_path / "votes.csv"
    votes.write_text(PROOF)
    outcome = judged(answers, "--import", votes)
    assert "0 votes in 0 calls" in outcome.stdout
    assert names(outcome.stdout, "enough votes")
    outcome = judged(answers, "--leaderboard")
    assert names(outcome.stdout, "budget")
    assert names(outcome.stdout, "good", "winner")


def test_it_goes_with_no_other_learner_and_nothing_is_written(answers: Path) -> None:
    outcome = judged(answers, "--leaderboard", "--learner", "RUCB")
    assert outcome.exit_code == 2
    assert names(" ".join(outcome.stderr.split()), "--leaderboard", "--learner WidestInterval")
    assert [path.name for path in answers.parent.iterdir()] == ["answers.jsonl"]


def test_a_judge_that_need_not_be_sure_sees_everything() -> None:
    material = outputs_on(30)
    sure, thorough = (
        judge_arena(
            Study(arms=ARMS, learner=WidestInterval()),
            material,
            MemoryJudge(),
            budget=1_000,
            until_sure=until_sure,
        )
        for until_sure in (True, False)
    )
    assert (sure.ended, thorough.ended) == ("done", "exhausted")
    assert sure.votes < thorough.votes == 90
    assert sure.verdict.winner == thorough.verdict.winner == "good"
