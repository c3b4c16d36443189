"""Judges from the command line: `duelist arena --judge` and `--judge-url`."""

import os
import re
import signal
from pathlib import Path
from time import sleep
from typing import Any

import pytest
from cli.arena_command import invoke, judge, votes_on, write
from forked import Forked
from judging.serving import Endpoint, Response, reply
from judging.world import HONEST, program
from refusals import names

WINNER = "good is the winner: it beats"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write(tmp_path / "answers.jsonl")


def test_a_program_judges_until_it_is_sure(tmp_path: Path) -> None:
    file, log = write(tmp_path / "my answers.jsonl", ("good", "poor")), tmp_path / "log"
    command = program(tmp_path, f"{HONEST}\nopen({str(log)!r}, 'a').write('.')\n")
    said = invoke(file, "--judge", command, "--budget", "60", "--delta", "0.2").splitlines()
    votes = votes_on(file)
    calls = len(log.read_text())
    assert calls == 2 * len(votes) <= 60
    assert said == [
        f"judge: {command} gave {len(votes)} votes in {calls} calls.",
        "There are enough votes.",
        f"{WINNER} poor. Such a verdict is wrong in at most 20% of studies.",
        f"Leaderboard and dashboard: duelist arena '{file}'",
    ]
    # what is known already costs no call
    again = invoke(file, "--judge", command, "--delta", "0.2").splitlines()
    assert names(again[0], f"{len(votes)} votes")
    assert names(again[1], f"judge: {command}", "0 votes", "0 calls")
    assert again[2:] == said[1:]
    assert len(log.read_text()) == calls


def test_a_model_judges_until_it_is_sure(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DUELIST_JUDGE_KEY", raising=False)

    def best(body: dict[str, Any]) -> Response:
        left, right = map(int, re.findall(r"answer \d+: (-?\d+)", body["messages"][1]["content"]))
        return reply("left" if left > right else "right")

    with Endpoint(best) as endpoint:
        said = invoke(file, "--judge-url", endpoint.url, "--model", "mine", "--budget", "200")
    votes = votes_on(file)
    assert len(endpoint.bodies) == 2 * len(votes) <= 200
    assert {body["model"] for body in endpoint.bodies} == {"mine"}
    assert f"judge: mine gave {len(votes)} votes in {len(endpoint.bodies)} calls.\n" in said
    assert f"{WINNER} every other arm." in said


def test_a_judge_that_prefers_a_side_is_found_out(file: Path) -> None:
    said = invoke(file, "--judge", "echo left", "--budget", "20")
    assert names(said, "10 answers", "ties", "first")
    assert names(said, "budget", "Undecided")
    assert {vote.outcome for vote in votes_on(file)} == {"tie"}


@pytest.mark.parametrize("budget", [2, 100])
def test_a_judge_that_always_fails(file: Path, budget: int) -> None:
    said = invoke(file, "--judge", "false", "--budget", budget, code=1)
    assert names(said, "exit status 1")
    assert names(said, "judge")
    assert len(votes_on(file)) == 0


def test_an_endpoint_that_is_not_there(file: Path) -> None:
    url = "http://127.0.0.1:9/v1"
    said = invoke(file, "--judge-url", url, "--model", "mine", "--budget", "2", code=1)
    assert re.search(r"The last failure: .*127\.0\.0\.1:9.*\n", said), said


def test_agreement_is_told_where_people_voted_too(tmp_path: Path) -> None:
    file = write(tmp_path / "answers.jsonl", ("good", "poor"), items=3)
    votes, command = tmp_path / "votes.csv", program(tmp_path, HONEST)
    rows = "".join(f"good,poor,left,question {item},ann\n" for item in range(3))
    votes.write_text(f"left,right,winner,item,voter\n{rows}")
    importing = ("--import", votes, "--judge", command, "--budget", "4", "--delta", "1e-9")
    said = invoke(file, *importing)
    assert names(said.splitlines()[0], "3 new votes", str(votes))
    assert names(said, f"judge: {command}", "2 of 2", "100%")
    # votes that are there already count once
    again = invoke(file, *importing)
    assert names(again.splitlines()[0], "5 votes")
    assert names(again.splitlines()[1], "0 new votes", str(votes))
    assert names(again, f"judge: {command}", "3 of 3", "100%")


def test_ctrl_c_ends_a_judge_and_keeps_its_votes(tmp_path: Path) -> None:
    file = write(tmp_path / "answers.jsonl", ("good", "poor"))
    hold, started = tmp_path / "hold", tmp_path / "started"
    hold.touch()
    waiting = f"import os, time\nwhile os.path.exists({str(hold)!r}):\n    time.sleep(0.01)\n"
    command = program(tmp_path, f"open({str(started)!r}, 'a').close()\n{waiting}{HONEST}")
    judging = Forked(judge, file, command)
    while not started.exists():
        assert judging.process.is_alive()
        sleep(0.01)
    assert judging.process.pid is not None
    os.kill(judging.process.pid, signal.SIGINT)
    hold.unlink()
    [(code, printed, told)] = judging.sent()
    assert (code, told) == (130, "")
    assert names(printed, "interrupted")
    kept = len(votes_on(file))
    assert f"gave {kept} vote" in printed
    assert f"{WINNER} poor." in invoke(file, "--judge", command, "--delta", "0.2")
