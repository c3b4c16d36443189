"""What the README shows is true."""

import re
from pathlib import Path
from typing import Any

import pytest

from docs.gallery import readme_with_table
from duelist.registry import learners_for

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize(
    ("place", "written"),
    [
        (0, {"votes.jsonl"}),
        (1, {"matrix.csv"}),
        (3, set()),
        (4, {"duels.csv", "policy.json"}),
        (5, {"regret.svg", "result.npz"}),
        (6, set()),
    ],
)
def test_each_example_runs_alone(
    place: int, written: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert len(BLOCKS) == 7
    exec(BLOCKS[place], {})
    # beside a journal lie its key and its index
    assert {path.name for path in tmp_path.iterdir() if ".jsonl." not in path.name} == written


def test_the_page_about_studies_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "studies.md").read_text()
    first, lists = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    names: dict[str, Any] = {}
    exec(first, names)
    assert names["study"].arms == ("a", "b", "d")
    assert names["study"].best() == "b"
    exec(lists, names)
    assert {*names["shown"].documents, *names["more"].documents} == {"d1", "d2", "d3", "d4"}
    assert names["study"].answers == 1


def test_the_page_about_ratings_runs(capsys: pytest.CaptureFixture[str]) -> None:
    [block] = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "ratings.md").read_text(), re.DOTALL)
    names: dict[str, Any] = {}
    exec(block, names)
    assert names["found"].arms == ("bm25", "dense", "splade")
    assert capsys.readouterr().out == f"{names['found'].table()}\n"


def test_the_page_about_stopping_runs(capsys: pytest.CaptureFixture[str]) -> None:
    [block] = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "stopping.md").read_text(), re.DOTALL)
    names: dict[str, Any] = {}
    exec(block, names)
    assert names["study"].best() == names["verdict"].winner == "a"
    undecided, *_, verdict = capsys.readouterr().out.splitlines()
    assert undecided.startswith("Undecided")
    assert verdict == str(names["verdict"])
    assert verdict in block


def test_the_page_about_replays_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib", reason="figures need an extra")
    monkeypatch.chdir(tmp_path)
    [block] = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "replay.md").read_text(), re.DOTALL)
    names: dict[str, Any] = {}
    exec(block, names)
    assert names["result"].winner == "a"
    assert [path.name for path in tmp_path.iterdir()] == ["replay.svg"]


def test_its_table_has_every_learner() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", README, re.MULTILINE)
    assert rows == list(learners_for("arms"))
    assert readme_with_table(README) == README, "run make derived"
