from collections.abc import Mapping

import pytest
from refusals import names
from typer.testing import CliRunner

from duelist.cli.learners import parameters
from duelist.cli.main import app
from duelist.cli.specs import read_learners, read_problem
from duelist.registry import ESTIMATORS, LEARNERS, PROBLEMS, purpose


def listed(command: str, columns: int) -> str:
    outcome = CliRunner(env={"COLUMNS": str(columns), "NO_COLOR": "1", "TERM": "dumb"}).invoke(app, [command])
    assert outcome.exit_code == 0, outcome.output
    return outcome.stdout


@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize(
    ("command", "catalogue"),
    [
        ("learners", {**LEARNERS, **ESTIMATORS}),
        ("problems", PROBLEMS),
    ],
)
def test_everything_is_listed(command: str, catalogue: Mapping[str, object], columns: int) -> None:
    lines = listed(command, columns).splitlines()
    assert [line.split()[0] for line in lines if line.split(" ")[0] in catalogue] == list(catalogue)
    assert max(map(len, lines)) <= columns


def test_listing_tells_what_card_and_documentation_say() -> None:
    text = listed("learners", 240)
    row = next(line for line in text.splitlines() if line.startswith("RUCB"))
    card = LEARNERS["RUCB"].card
    assert names(row, purpose(LEARNERS["RUCB"]), card.seeks, card.assumes, card.regret)
    assert "alpha=0.51" in row


def test_examples_can_be_run() -> None:
    [learners] = [line for line in listed("learners", 200).splitlines() if line.startswith("Example: ")]
    words = learners.split()
    assert read_learners([words[place + 1] for place, word in enumerate(words) if word == "-l"], horizon=10)
    [problems] = [line for line in listed("problems", 200).splitlines() if line.startswith("Example: ")]
    assert read_problem(problems.split()[-1]).k == 10


@pytest.mark.parametrize("name", [*LEARNERS, *ESTIMATORS])
def test_every_learner_has_a_card_and_says_what_it_does(name: str) -> None:
    kind = {**LEARNERS, **ESTIMATORS}[name]
    assert purpose(kind).endswith(".")
    for said in (kind.card.seeks, kind.card.assumes, kind.card.regret, kind.card.citation):
        assert said != "not stated"
        assert not said.endswith(".")


def test_parameters_have_their_defaults() -> None:
    assert parameters(LEARNERS["Uniform"]) == ""
    assert parameters(LEARNERS["CondorcetSavage"]).splitlines() == [
        "horizon (at least 1)",
        "delta=None (between 0 and 1)",
    ]
