"""Papers are found by entry points and chosen by name; errors suggest names."""

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
import toy_paper
from refusals import refused
from typer.testing import CliRunner

from duelist.cli.main import app
from duelist.errors import MissingPackageError, UnknownNameError
from duelist.laboratory import choose, find_papers
from duelist.laboratory.running import GROUP


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the toy paper is installed, and a paper that cannot be imported."""
    offered = [
        EntryPoint("toy", "toy_paper:PAPER", GROUP),
        EntryPoint("broken", "no_such_module:PAPER", GROUP),
    ]
    monkeypatch.setattr("duelist.laboratory.running.entry_points", lambda group: offered)


@pytest.mark.usefixtures("toy")
def test_only_what_is_named_is_loaded() -> None:
    assert find_papers(["toy"]) == [toy_paper.PAPER]
    with pytest.raises(ModuleNotFoundError):
        find_papers()


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize(
    ("wanted", "items"),
    [
        (["toy"], ["squares", "needing"]),
        (["toy/needing"], ["needing"]),
        (["toy/needing", "toy"], ["needing", "squares"]),
        (["toy", "toy/needing"], ["squares", "needing"]),
    ],
)
def test_every_item_is_chosen_once_in_the_order_named(wanted: list[str], items: list[str]) -> None:
    assert [item.name for _, item in choose(wanted)] == items


@pytest.mark.usefixtures("toy")
def test_unknown_papers_and_items_are_told() -> None:
    with refused(UnknownNameError, "paper", "'tay'", "'toy'", "broken"):
        choose(["tay"])
    with refused(UnknownNameError, "item of toy", "'square'", "'squares'"):
        choose(["toy/square"])


def test_without_papers_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("duelist.laboratory.running.entry_points", lambda group: [])
    monkeypatch.chdir(tmp_path)
    with pytest.raises(MissingPackageError):
        choose([])
    outcome = CliRunner().invoke(app, ["reproduce", "--list"])
    assert outcome.exit_code == 2
    assert outcome.stderr == "error: duelist reproduce needs a package: pip install duelist-reproductions\n"
