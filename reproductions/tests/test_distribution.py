"""The two distributions belong together, and every paper is whole."""

import tomllib
from importlib import resources
from pathlib import Path

import pytest

import duelist
from duelist.laboratory import Paper, choose, find_papers
from duelist.laboratory.comparisons import NEEDS, TESTS
from duelist.laboratory.result_store import sources_of
from duelist.laboratory.running import GROUP

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))["project"]
KEYS = {"claim", "paper", "tolerance", "test", "limit", "needs", "unmet", "why", "if_fails"}


def test_versions_agree() -> None:
    assert PROJECT["version"] == duelist.__version__
    assert PROJECT["dependencies"] == [f"duelist[all]=={duelist.__version__}"]


def test_every_paper_is_an_entry_point() -> None:
    assert {paper.name for paper in find_papers()} == PROJECT["entry-points"][GROUP].keys()
    assert [paper.name for paper, _ in choose(["zoghi2014/figure5", "slides", "zoghi2014/figure4"])] == [
        "zoghi2014",
        "zoghi2014",
        "slides",
    ]


@pytest.mark.parametrize("paper", find_papers(), ids=lambda paper: paper.name)
def test_claims_say_only_what_is_understood(paper: Paper) -> None:
    assert resources.files(paper.package).joinpath("README.md").is_file()
    assert paper.expected.keys() == {item.name for item in paper.items}
    for expected in paper.expected.values():
        for name, claim in expected["claims"].items():
            assert {"claim", "paper", "tolerance", "why"} <= claim.keys() <= KEYS, name
            assert claim.get("test", "met") in TESTS
            assert set(claim.get("needs", expected.get("needs", []))) <= NEEDS.keys()


def test_a_result_is_known_by_the_sources_of_both_packages() -> None:
    found = sources_of("duelist_reproductions.zoghi2014.figure4.sweep")
    made_by = {"duelist.learners.armed.rucb", "duelist_reproductions.zoghi2014.figure4.foreseen"}
    assert made_by <= found.keys()
    assert {"duelist_reproductions.zoghi2014.figure4.figures", "duelist.laboratory.verdicts"}.isdisjoint(
        found
    )
