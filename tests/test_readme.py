"""What the README shows is true."""

import re
from pathlib import Path

import pytest

from docs.gallery import readme_with_table
from duelist.registry import learners_for

README = (Path(__file__).resolve().parents[1] / "README.md").read_text()


@pytest.mark.parametrize(
    ("place", "written"),
    [
        (0, {"study.json"}),
        (1, {"matrix.csv"}),
        (2, set()),
        (3, {"duels.csv", "policy.json"}),
        (4, {"regret.svg", "result.npz"}),
        (5, set()),
    ],
)
def test_each_example_runs_alone(
    place: int, written: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert len(blocks) == 6
    exec(blocks[place], {})
    assert {path.name for path in tmp_path.iterdir()} == written


def test_its_table_has_every_learner() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", README, re.MULTILINE)
    assert rows == list(learners_for("arms"))
    assert readme_with_table(README) == README, "run make derived"
