"""A killed run: no answer is paid for twice."""

import json
import os
import subprocess
import sys
from pathlib import Path

from judging.judge_run import run
from judging.world import program

from duelist import Study
from duelist.judging.calling import AnswerCache, key_of
from duelist.judging.command import CommandJudge
from duelist.judging.judge import Showing
from duelist.judging.material import Output

RUN = Path(__file__).with_name("judge_run.py")
LOGGING = """
import os, sys, time
read = sys.stdin.read()
with open({log!r}, "a+") as log:
    log.write(read)
    log.seek(0)
    calls = len(log.readlines())
while calls >= 12 and os.path.exists({hold!r}):
    time.sleep(0.01)
print("tie")
"""
"""Keeps the twelfth call and those after it waiting, while a file is there."""


def as_shown(line: str) -> Showing:
    message = json.loads(line)
    return Showing(*(Output(message[field]) for field in ("item", "left", "right")))


def test_no_answer_is_paid_twice(tmp_path: Path) -> None:
    log, journal, answers = (tmp_path / name for name in ("log.jsonl", "votes.db", "answers.jsonl"))
    hold = tmp_path / "hold"
    hold.touch()
    command = program(tmp_path, LOGGING.format(log=str(log), hold=str(hold)))
    paths = [*filter(None, sys.path), str(RUN.parents[2])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    words = [sys.executable, str(RUN), str(tmp_path), command]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        for _ in range(3):
            assert process.stdout.readline()
        process.kill()
        process.stdout.read()
    calls = log.read_text().splitlines()
    hold.unlink()
    recorded = Study.open(journal).answers
    assert 3 <= recorded <= 6
    judge, cache = CommandJudge(command), AnswerCache(answers)
    paid = {line for line in calls if cache.find(key_of(judge.identity, as_shown(line)))}
    assert len(paid) >= 2 * recorded
    report = run(tmp_path, command)
    again = log.read_text().splitlines()[len(calls) :]
    assert report.calls == len(again)
    assert not paid & {*again}
    # calls that were repeated were under way when the process was killed
    assert len(calls) + len(again) - 24 <= 4
    assert len({*calls, *again}) == 24
    assert (report.ended, report.cached) == ("exhausted", len(paid) - 2 * recorded)
    votes = Study.open(journal).votes()
    assert len(votes) == len({vote.item for vote in votes}) == 12
