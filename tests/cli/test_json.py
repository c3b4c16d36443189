"""`--json` prints one JSON document on stdout, without NaN; everything else goes to stderr."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from duelist.cli.main import COMMANDS, app, load
from duelist.cli.terminal import plain
from duelist.registry import ESTIMATORS, LEARNERS, PROBLEMS

WITHOUT = {"demo", "serve", "keys", "db"}
"""Commands that write a page, serve until they are stopped, or only have subcommands."""
VOTES = "winner,loser,count\na,b,9\nb,a,3\na,c,8\nc,a,2\nb,c,7\nc,b,3\n"
QUICK = "--runs 2 --workers 1"


def never(constant: str) -> None:
    raise AssertionError(f"{constant} is not JSON")


def run(line: str, given: str = "", status: int = 0) -> Any:
    outcome = CliRunner(env={"COLUMNS": "40", "TERM": "dumb"}).invoke(app, line.split(), input=given)
    assert outcome.exit_code == status, outcome.output
    return json.loads(outcome.stdout, parse_constant=never)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "votes.csv").write_text(VOTES)
    return tmp_path


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in WITHOUT])
def test_every_command_with_a_result_has_it(name: str) -> None:
    assert any("--json" in option.opts for option in load(name).params)


def test_every_subcommand_on_a_database_has_it() -> None:
    for command in load("db").commands.values():
        assert any("--json" in option.opts for option in command.params), command.name


def test_numbers_that_json_lacks_are_null() -> None:
    document = {"a": float("nan"), 2: (np.float64("inf"), np.array([1.5, np.nan])), "path": Path("x")}
    assert plain(document) == {"a": None, "2": [None, [1.5, None]], "path": "x"}


@pytest.mark.usefixtures("folder")
def test_simulate_and_replay() -> None:
    pytest.importorskip("matplotlib", reason="reports need extras")
    found = run(f"simulate -p votes.csv -l Uniform -l RUCB -t 100 {QUICK} --out results --json")
    assert (found["arms"], found["winners"], found["against"]) == (["a", "b", "c"], ["a"], "condorcet")
    assert {one["learner"] for one in found["learners"]} == {"Uniform", "RUCB"}
    for one in found["learners"]:
        assert one["lowest"]["regret"] <= one["mean"]["regret"] <= one["highest"]["regret"]
    circle = run(f"simulate -p cycle -l Uniform -t 100 {QUICK} --json")
    assert circle["learners"][0]["mean"]["weak_regret"] is None
    replayed = run(f"replay votes.csv -l RUCB --limit 300 {QUICK} --out replayed --json")
    assert (replayed["winner"], replayed["votes"]) == ("a", 32)
    assert {one["learner"] for one in replayed["learners"]} == {"RUCB", "Uniform"}
    assert json.loads(Path("replayed/replay.json").read_text()) == replayed


@pytest.mark.usefixtures("folder")
def test_optimize_asks_on_stderr() -> None:
    CliRunner().invoke(app, ["optimize", "--example"])
    example = CliRunner().invoke(app, ["optimize", "--example"]).stdout
    Path("parameters.toml").write_text(example)
    found = run("optimize parameters.toml --json", "l\nq\n")
    assert found["answers"] == 1
    assert run("optimize parameters.toml --best --json") == found


@pytest.mark.usefixtures("folder")
def test_rank_and_a_saved_ranker() -> None:
    found = run("rank -l PDGD -t 500 --workers 1 --save ranker.json --json")
    assert (found["click_model"], found["impressions"], found["measure"]) == ("perfect", 500, "NDCG@10")
    [one] = found["learners"]
    assert one["learner"] == "PairwiseGradientRanker"
    saved = json.loads(Path("ranker.json").read_text())
    features = len(saved["weights"])
    line = " ".join(f"{i}:0.5" for i in range(1, features + 1))
    Path("one.txt").write_text(f"2 qid:1 {line}\n0 qid:1 {line}\n")
    measured = run("rank one.txt --ranker ranker.json --json")
    assert (measured["queries"], measured["queries_with_relevant"]) == (1, 1)
    assert measured["measures"]


@pytest.mark.usefixtures("folder")
def test_interleave_also_prints_what_it_saves() -> None:
    for name, documents in (("left", "ab"), ("right", "ba")):
        Path(name).write_text("".join(f"q {one}\n" for one in documents))
    lists = run("interleave left right --save shown.jsonl --json")
    assert [json.loads(line) for line in Path("shown.jsonl").read_text().splitlines()] == lists


def test_learners_and_problems() -> None:
    listed = run("learners --json")
    assert {one["learner"] for one in listed} == {*LEARNERS, *ESTIMATORS}
    [rucb] = [one for one in listed if one["learner"] == "RUCB"]
    assert rucb["setting"] == "arms"
    assert rucb["hyperparameters"][0]["default"] == LEARNERS["RUCB"]().alpha
    assert {one["problem"] for one in run("problems --json")} == {*PROBLEMS}


def test_check_and_warm(monkeypatch: pytest.MonkeyPatch) -> None:
    found = run("check Uniform --json")
    assert found["failed"] == 0
    assert {one["outcome"] for one in found["checks"]} <= {"met", "excused"}
    monkeypatch.setattr("duelist.cli.learners.compile_side_by_side", lambda names: None)
    assert set(run("warm --json")) == {"compiled", "ready", "folder"}


@pytest.mark.usefixtures("folder")
def test_databases_and_keys() -> None:
    assert run("db create --json")["studies"] == []
    assert run("db import home votes.csv --create --json") == {
        "study": "home",
        "new_votes": 32,
        "known_votes": 0,
    }
    assert run("db import home votes.csv --json")["known_votes"] == 32
    assert run("db export home out.csv --json") == {"study": "home", "file": "out.csv", "votes": 32}
    events = run("db export home home.jsonl --events --json")["events"]
    assert run("db import home home.jsonl --database other.db --json")["new_events"] == events
    assert run("db backup b.zip --json")["studies"] == [{"study": "home", "events": events}]
    assert run("db restore b.zip --database new.db --json")["studies"][0]["events"] == events
    checked = run("db check --json")
    assert (checked["faults"], checked["studies"][0]["answers"]) == (0, 32)
    versions = run("db upgrade --json")
    assert versions["before"] == versions["now"]
    assert run("keys list --json") == []
    secret = CliRunner().invoke(app, ["keys", "create", "website"]).stdout
    [key] = run("keys list --json")
    assert (key["name"], key["role"], key["revoked"]) == ("website", "play", None)
    assert secret.strip() not in json.dumps(key)
    CliRunner().invoke(app, ["keys", "revoke", key["id"]])
    assert run("keys list --json")[0]["revoked"] >= key["created"]


@pytest.mark.usefixtures("folder")
def test_a_judge_in_an_arena() -> None:
    pytest.importorskip("uvicorn", reason="an extra")
    rows = [{"item": "q", "arm": arm, "output": arm} for arm in "ab"]
    Path("answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    outcome = CliRunner().invoke(
        app, ["arena", "answers.jsonl", "--judge", "echo tie", "--budget", "4", "--json"]
    )
    assert outcome.exit_code == 0, outcome.output
    found = json.loads(outcome.stdout, parse_constant=never)
    assert found["report"]["votes"] == 1
    assert found["agreements"] == []
