"""An interleaving experiment in a folder, run by the command."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from duelist.cli.main import app

runner = CliRunner(env={"COLUMNS": "120", "NO_COLOR": "1", "TERM": "dumb"})


class Experiment:
    """Two rankings, the lists made of them and the clicks on those, in a folder."""

    def __init__(self, folder: Path, queries: tuple[str, ...]) -> None:
        self.left, self.right, self.shown, self.clicks, self.served = (
            folder / name for name in ("l", "r", "shown", "clicks", "served")
        )
        for path, documents in ((self.left, "abcd"), (self.right, "wxyz")):
            path.write_text("".join(f"{query} {one}\n".lstrip() for query in queries for one in documents))

    def make(self, *options: object) -> str:
        words = ["interleave", self.left, self.right, "--save", self.shown, *options]
        outcome = runner.invoke(app, list(map(str, words)))
        assert outcome.exit_code == 0, outcome.output
        return " ".join(outcome.stderr.split())

    def credit(
        self, *lines: str, served: Iterable[str] | None = None, as_json: bool = False, once: bool = False
    ) -> Any:
        self.clicks.write_text("".join(f"{line}\n" for line in lines))
        words = ["interleave", "--shown", self.shown, "--clicks", self.clicks]
        if served is not None:
            self.served.write_text("".join(f"{line}\n" for line in served))
            words += ["--served", self.served]
        words += ["--once"] * once + ["--json"] * as_json
        outcome = runner.invoke(app, list(map(str, words)))
        if outcome.exit_code:
            assert outcome.exit_code == 2, outcome.output
            return " ".join(outcome.stderr.split())
        return json.loads(outcome.stdout) if as_json else outcome.stdout


def winners(facts: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [(one["query"], one["impression"], one["winner"]) for one in facts["outcomes"]]
