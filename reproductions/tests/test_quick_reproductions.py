"""A quick part of every reproduction comes out, by the command itself, on made-up data and on real data."""

import json
from pathlib import Path
from typing import Any

import pytest
from figure_texts import unreadable
from markupsafe import Markup
from parallel.backwards import Backwards
from real_data import DATA, MQ2008, PREFERENCES, needs_data, needs_rankings
from typer.testing import CliRunner

from duelist.cli.main import app
from duelist.laboratory import choose, find_papers
from duelist.web.figures import inline_svg

pytest.importorskip("matplotlib", reason="figures need an extra")
pytest.importorskip("sklearn", reason="oracles and ranking SVMs need an extra")

pytest_plugins = ["quick_scale"]
PAPERS = [paper.name for paper in find_papers()]
REAL = PREFERENCES.is_dir() and MQ2008.is_dir()
SMALLEST = ["zoghi2014"]
"""Where the real data is, the other papers are not played twice."""
runner = CliRunner(env={"COLUMNS": "120", "NO_COLOR": "1", "TERM": "dumb"})


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Papers are played in this process, which has loaded kernels and libraries already; figures are read."""

    def legible_svg(figure: Any, name: str, title: str) -> Markup:
        figure.set_layout_engine(None)  # it was laid out when its file was written
        assert list(unreadable(figure)) == [], name
        return inline_svg(figure, name, title)

    monkeypatch.setattr("duelist.cli.reproduce.executor_for", lambda ray, workers: Backwards())
    monkeypatch.setattr("duelist.web.figures.inline_svg", legible_svg)


def reproduce(paper: str, out: Path, *options: str) -> list[dict[str, Any]]:
    outcome = runner.invoke(app, ["reproduce", paper, "--out", str(out), *options])
    # the status says that no claim fails
    assert outcome.exit_code == 0, outcome.output
    summary = json.loads((out / "summary.json").read_text("utf-8"))
    assert summary["all_hold"] is True
    items: list[dict[str, Any]] = summary["items"]
    assert [item["name"] for item in items] == [f"{paper}/{item.name}" for _, item in choose([paper])]
    assert all(verdict["note"] for item in items for verdict in item["verdicts"] if verdict["holds"] is None)
    # not everything can be judged quickly, but something of every paper
    assert any(item["verdict"] in ("holds", "partly judged") for item in items)
    return items


@pytest.mark.parametrize("paper", PAPERS if not REAL else SMALLEST)
def test_made_up_data_is_marked(paper: str, quick_folder: Path) -> None:
    items = reproduce(paper, quick_folder)
    page = (quick_folder / "report.html").read_text("utf-8")
    for item, (_, played) in zip(items, choose([paper]), strict=True):
        assert item["data"] == ("made up" if played.data else "none needed")
    assert page.count("Made-up data stands in for") == sum(item["data"] == "made up" for item in items)


@needs_data
@needs_rankings
@pytest.mark.parametrize("paper", PAPERS)
def test_real_data(paper: str, tmp_path: Path) -> None:
    items = reproduce(paper, tmp_path, "--data", str(DATA))
    assert "made up" not in {item["data"] for item in items}
