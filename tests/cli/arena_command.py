"""The command `duelist arena` in the tests' own process, and files of outputs for it."""

import json
import os
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from judging.world import ARMS, outputs_on
from typer.testing import CliRunner

from duelist import Study
from duelist.cli.main import app
from duelist.database import Database
from duelist.votes import Votes

runner = CliRunner(env={"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"})


def write(path: Path, arms: tuple[str, ...] = ARMS, items: int = 40) -> Path:
    """Write outputs that end with their quality: the first arm is the best."""
    outputs = outputs_on(items, arms).outputs
    lines = [
        {"item": item, "arm": arm, "output": output.text}
        for item, row in outputs.items()
        for arm, output in zip(arms, row, strict=True)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def invoke(*arguments: object, code: int = 0) -> str:
    outcome = runner.invoke(app, ["arena", *map(str, arguments)])
    assert outcome.exit_code == code, outcome.output
    assert outcome.stderr == ""
    return outcome.stdout


def refused(*arguments: object) -> str:
    outcome = runner.invoke(app, ["arena", "--no-browser", *map(str, arguments)])
    assert outcome.exit_code == 2, outcome.output
    assert outcome.stderr.startswith("error: ")
    return " ".join(outcome.stderr.split())


def judge(pipe: "Connection[Any, Any]", file: Path, command: str) -> None:
    """Let a program judge; send how that ended and what was said."""
    outcome = runner.invoke(app, ["arena", str(file), "--judge", command])
    pipe.send((outcome.exit_code, outcome.stdout, outcome.stderr))


def judge_without_rights(pipe: "Connection[Any, Any]", folder: Path) -> None:
    """Judge in a folder that can be written to, and again when it cannot; send how that ends."""
    for name in ("old.txt", "new.txt"):
        (folder / name).write_text("one\ntwo\n")
    judging = ("--judge", "echo tie", "--budget", "2")
    invoke(folder / "old.txt", *judging)
    (folder / "old.txt.votes.db").chmod(0o444)
    folder.chmod(0o555)
    if os.getuid() == 0:
        os.seteuid(65534)  # root may write everywhere, and must still end what it started
    for name in ("old.txt", "new.txt"):
        pipe.send(refused(folder / name, *judging))


def votes_on(file: Path) -> Votes:
    with Database(f"{file}.votes.db") as database:
        return Study.open(database.journal("arena")).votes(all=True)
