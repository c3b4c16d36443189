"""What the README shows is true."""

import re
from pathlib import Path

import pytest

from duelist.catalog import LEARNERS

README = (Path(__file__).resolve().parents[1] / "README.md").read_text()


def test_its_examples_run_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    names: dict[str, object] = {}
    for block in blocks:
        exec(block, names)
    assert len(blocks) == 6
    written = {path.name for path in tmp_path.iterdir()}
    assert written == {"study.json", "matrix.csv", "regret.svg", "result.npz", "votes.csv", "policy.json"}


def test_its_table_has_every_learner() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", README, re.MULTILINE)
    assert sorted(rows) == sorted(LEARNERS)
