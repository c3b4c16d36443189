"""The examples at the end of help run in order, in one folder; those of slow commands are only parsed."""

import json
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from duelist.cli.main import app, load

MATCHES = "home,away,result\nAjax,PSV,home\nPSV,Ajax,tie\nAjax,PSV,away\nPSV,Ajax,home\n"
VOTES = (
    "left,right,outcome\n" + "bm25,dense,right\nhybrid,bm25,left\ndense,hybrid,left\nbm25,hybrid,left\n" * 3
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "votes.csv").write_text(VOTES)
    (tmp_path / "matches.csv").write_text(MATCHES)
    battles = [
        {
            "model_a": "gpt" if n % 2 else "claude",
            "model_b": "claude" if n % 2 else "gpt",
            "winner": "model_a" if n % 3 else "model_b",
            "language": "en" if n % 5 else "de",
            "time": f"2026-02-{n % 28 + 1:02}",
            "session": f"s{n % 20}",
            "length": n % 7,
            "markdown": n % 2,
        }
        for n in range(240)
    ]
    lines = "".join(json.dumps(one) + "\n" for one in battles)
    for name in ("battles.jsonl", "battles.parquet"):
        # what a file holds decides, not its ending
        (tmp_path / name).write_text(lines)
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("name", "skipped"),
    [
        ("analyze", ""),
        ("optimize", ""),
        ("interleave", ""),
        ("learners", ""),
        ("problems", ""),
        ("db", "postgresql"),
        ("keys", "revoke"),
    ],
)
def test_examples_run_in_order(name: str, skipped: str) -> None:
    if name == "keys":
        assert CliRunner().invoke(app, ["db", "create"]).exit_code == 0
    for example in re.findall("`(.*)`", load(name).epilog):
        if skipped and skipped in example:
            continue
        command, _, target = example.partition(" > ")
        words = shlex.split(command.split(" | ")[0], comments=True)
        if words[0] == "printf":
            Path(target).write_text(words[1].encode().decode("unicode_escape"))
            continue
        outcome = CliRunner().invoke(app, words[1:], input="left\nquit\n")
        assert outcome.exit_code == 0, f"{example}: {outcome.output}"
        if target:
            Path(target).write_text(outcome.stdout)
        if "--json" in words:
            assert json.loads(outcome.stdout) is not None
