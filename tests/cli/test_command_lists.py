from collections.abc import Mapping

import pytest
from typer.testing import CliRunner

from duelist.cli.catalogue import needs, parameters
from duelist.cli.main import app
from duelist.cli.specs import read_learners, read_problem
from duelist.registry import (
    CONTEXTUAL_LEARNERS,
    LEARNERS,
    POINT_LEARNERS,
    PROBLEMS,
    RANKING_LEARNERS,
    purpose,
)


def listed(command: str, columns: int) -> str:
    outcome = CliRunner(env={"COLUMNS": str(columns), "NO_COLOR": "1", "TERM": "dumb"}).invoke(app, [command])
    assert outcome.exit_code == 0, outcome.output
    return outcome.stdout


@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize(
    ("command", "catalogue"),
    [
        ("learners", LEARNERS | POINT_LEARNERS | RANKING_LEARNERS | CONTEXTUAL_LEARNERS),
        ("problems", PROBLEMS),
    ],
)
def test_everything_is_listed(command: str, catalogue: Mapping[str, object], columns: int) -> None:
    lines = listed(command, columns).splitlines()
    assert [line.split()[0] for line in lines if line.split(" ")[0] in catalogue] == list(catalogue)
    assert max(map(len, lines)) <= columns


def test_listing_tells_what_the_documentation_says() -> None:
    text = listed("learners", 200)
    row = next(line for line in text.splitlines() if line.startswith("RUCB"))
    assert "Find the Condorcet winner without knowing the horizon." in row
    assert "Needs a Condorcet winner and nothing else." in row
    assert row.split()[-1] == "alpha=0.51"


def test_examples_can_be_run() -> None:
    [learners] = [line for line in listed("learners", 200).splitlines() if line.startswith("Example: ")]
    words = learners.split()
    assert read_learners([words[place + 1] for place, word in enumerate(words) if word == "-l"], horizon=10)
    [problems] = [line for line in listed("problems", 200).splitlines() if line.startswith("Example: ")]
    assert read_problem(problems.split()[-1]).k == 10


@pytest.mark.parametrize("name", [name for name in LEARNERS if name != "Uniform"])
def test_every_learner_says_what_it_needs(name: str) -> None:
    assert purpose(LEARNERS[name]).endswith(".")
    assert needs(LEARNERS[name]).startswith("a ")


def test_what_says_nothing_needs_nothing() -> None:
    assert needs(LEARNERS["Uniform"]) == needs(int) == "nothing"
    assert parameters(LEARNERS["Uniform"]) == ""
    assert parameters(LEARNERS["CondorcetSavage"]).splitlines() == ["horizon", "delta=None"]
