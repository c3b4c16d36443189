import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from threading import Timer
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.random import Generator
from refusals import names
from rich.console import Console
from spacing import unspaced
from study.world import change
from typer.testing import CliRunner, Result

from duelist import Study
from duelist.card import Card
from duelist.cli.main import app
from duelist.cli.optimize import MEANINGS, converse, typed
from duelist.duel import Duel, FloatArray
from duelist.learners.continuous import PreferentialOptimization
from duelist.menus import Box
from duelist.study.parameters import EXAMPLE, Parameter, Parameters, Setting
from duelist.votes.table import WORDS

runner = CliRunner(env={"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"})
PROGRAM = [sys.executable, "-u", "-c", "from duelist.cli.main import main; main()"]
PARAMETERS = Parameters({"warmth": Parameter(0.0, 1.0), "layers": Parameter(1, 8, whole=True)})
ANSWER_TIMEOUT = 120.0


class Winner(NamedTuple):
    point: FloatArray


@dataclass(frozen=True)
class KingOfTheHill:
    """The last winner meets a random challenger."""

    card = Card(setting="points of a space")

    def init(self, menu: Box, rng: Generator) -> Winner:
        return Winner(menu.center)

    def ask(self, state: Winner, menu: Box, rng: Generator) -> Duel:
        return Duel(state.point, menu.sample(rng, 1)[0])

    def tell(self, state: Winner, duel: Duel, outcome: float) -> Winner:
        return state if outcome == 0.5 else Winner(np.array(duel.left if outcome > 0.5 else duel.right))

    def best(self, state: Winner, menu: Box) -> FloatArray:
        return state.point


@dataclass(frozen=True)
class Undecided(KingOfTheHill):
    """Always asks about a point and itself."""

    def ask(self, state: Winner, menu: Box, rng: Generator) -> Duel:
        return Duel(menu.center, menu.center)


@pytest.fixture
def simple_learner(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("duelist.learners.continuous.PreferentialOptimization", KingOfTheHill)


@pytest.fixture
def parameters(tmp_path: Path) -> Path:
    path = tmp_path / "parameters.toml"
    path.write_text(EXAMPLE)
    return path


def optimize(parameters: Path, *arguments: str, said: str = "") -> Result:
    return runner.invoke(app, ["optimize", str(parameters), *arguments], input=said)


def talk(study: Study, *lines: str, most: int | None = None) -> str:
    screen = StringIO()
    converse(study, lines, Console(file=screen, width=100, highlight=False), most)
    return screen.getvalue()


def begin(tmp_path: Path, parameters: Parameters = PARAMETERS, seed: int = 0) -> Study:
    return Study(KingOfTheHill(), parameters=parameters, seed=seed, journal=tmp_path / "votes.db")


def events_in(path: Path) -> list[Any]:
    return [
        json.loads(line) for (line,) in change(path, "SELECT event FROM events WHERE seq > 1 ORDER BY seq")
    ]


def answers_in(path: Path) -> list[str]:
    return [WORDS[event["outcome"]] if "outcome" in event else event["event"] for event in events_in(path)]


def said(study: Study) -> list[Any]:
    return [vote.outcome for vote in study.votes()]


def questions_in(output: str) -> list[str]:
    """What stands between each heading of a question and the prompt."""
    return [part.split("Which is better")[0] for part in output.split("Question ")[1:]]


def test_conversation_learns_what_is_answered(tmp_path: Path) -> None:
    study = begin(tmp_path)
    output = talk(study, "l", "RIGHT\n", " Tie ", "q", "l")
    assert said(study) == ["left", "right", "tie"]
    assert study.best() == study.votes()[1].right
    assert len(questions_in(output)) == 4
    assert names(output, "3 answers", "warmth")


def test_question_shows_both_settings(tmp_path: Path) -> None:
    study = begin(tmp_path)
    duel = begin(tmp_path).ask()
    rows = [line.split() for line in talk(study).splitlines()]
    assert ["parameter", "left", "right"] in rows
    for name in PARAMETERS.named:
        assert [name, f"{duel.left[name]:g}", f"{duel.right[name]:g}"] in rows


def test_answer_is_on_disk_before_the_next_question(tmp_path: Path) -> None:
    study = begin(tmp_path)
    kept: list[int] = []

    def lines() -> Iterator[str]:
        for line in ("l", "r", "u", "t", "q"):
            kept.append(len(events_in(tmp_path / "votes.db")))
            yield line

    converse(study, lines(), Console(file=StringIO()))
    assert kept == [0, 1, 2, 3, 4]


def test_undo_asks_the_same_again_and_forgets(tmp_path: Path) -> None:
    study = begin(tmp_path)
    output = talk(study, "l", "r", "u", "l", "t")
    first, second, third, again, third_again, _ = questions_in(output)
    assert again == second != first
    assert third == third_again
    assert said(study) == ["left", "left", "tie"]
    assert answers_in(tmp_path / "votes.db") == ["left", "right", "retracted", "left", "tie"]
    assert study.best() == study.votes()[1].left


def test_undo_twice_asks_both_again(tmp_path: Path) -> None:
    study = begin(tmp_path)
    first, second, third, *again = questions_in(talk(study, *"lruurlt"))
    assert [part.splitlines()[1:] for part in again] == [
        part.splitlines()[1:] for part in (second, first, second, third, again[-1])
    ]
    assert said(study) == ["right", "left", "tie"]


def test_undo_of_nothing(tmp_path: Path) -> None:
    study = begin(tmp_path)
    first, again = questions_in(output := talk(study, "undo"))
    assert first == again
    assert "No answers yet." in output
    assert events_in(tmp_path / "votes.db") == []


def test_what_is_not_understood_is_asked_again(tmp_path: Path) -> None:
    study = begin(tmp_path)
    output = talk(study, "lft", "", "[bold]", "?", "l", "q")
    assert names(output, "'lft'", "left, right, tie, undo, quit")
    assert names(output, "''")
    assert names(output, "'[bold]'")
    assert names(output, *MEANINGS.values())
    assert output.count("Which is better") == 6
    assert len(questions_in(output)) == 2
    assert study.answers == 1


def test_conversation_ends_after_so_many_answers(tmp_path: Path) -> None:
    study = begin(tmp_path)
    assert len(questions_in(talk(study, *"lrlrl", most=3))) == 3
    assert talk(study, *"lrl", most=3) == ""
    assert study.answers == 3


def test_settings_that_look_alike_are_never_compared() -> None:
    study = Study(Undecided(), parameters={"layers": Parameter(1, 2, whole=True)})
    duel = study.ask()
    assert sorted([duel.left["layers"], duel.right["layers"]]) == [1, 2]


def test_question_depends_on_seed_and_votes_only(tmp_path: Path) -> None:
    study = begin(tmp_path)
    talk(study, *"lrrtl")
    one, other = (Study.open(tmp_path / "votes.db", KingOfTheHill()) for _ in range(2))
    assert one.ask()[:2] == other.ask()[:2]
    first, second = (Study(KingOfTheHill(), parameters=PARAMETERS, seed=seed).ask()[:2] for seed in (0, 1))
    assert first != second


def test_real_learner_finds_what_is_wanted() -> None:
    study = Study(PreferentialOptimization(), parameters={"warmth": Parameter(0.0, 2.0, step=0.05)})

    def distance(setting: Setting) -> float:
        return abs(setting["warmth"] - 1.35)

    for _ in range(15):
        duel = study.ask()
        study.tell(duel, "left" if distance(duel.left) < distance(duel.right) else "right")
    assert distance(study.best()) <= 0.2


@pytest.mark.usefixtures("simple_learner")
def test_session_from_start_to_end(parameters: Path) -> None:
    outcome = optimize(parameters, said="l\nr\nt\nq\n")
    assert outcome.exit_code == 0, outcome.output
    assert outcome.stderr == ""
    votes = parameters.with_name("parameters.votes.db")
    assert answers_in(votes) == ["left", "right", "tie"]
    assert names(outcome.stdout, "1 answer", "temperature")
    ending = outcome.stdout.split("Best setting after 3 answers\n")[1]
    rows = [line.split() for line in ending.splitlines()]
    best = Study.open(votes, KingOfTheHill()).votes()[1].right
    assert all([name, f"{value:.15g}"] in rows for name, value in best.items())
    assert unspaced(f"Saved in {votes}. Resume with: duelist optimize {parameters}") in unspaced(ending)


@pytest.mark.usefixtures("simple_learner")
def test_session_goes_on_where_it_was(parameters: Path, tmp_path: Path) -> None:
    other = str(tmp_path / "at once.db")
    at_once = optimize(parameters, "--votes", other, "--seed", "4", said="l\nr\nl\nr\n")
    first = optimize(parameters, "--seed", "4", said="l\nr\n")
    second = optimize(parameters, said="l\nr\n")
    assert questions_in(at_once.stdout) == questions_in(first.stdout)[:2] + questions_in(second.stdout)
    assert f"--votes '{other}'" in at_once.stdout.replace("\n", " ")


@pytest.mark.usefixtures("simple_learner")
def test_answers_in_all(parameters: Path) -> None:
    assert len(questions_in(optimize(parameters, "--answers", "2", said="l\n" * 5).stdout)) == 2
    assert len(questions_in(optimize(parameters, "--answers", "3", said="l\n" * 5).stdout)) == 1
    outcome = optimize(parameters, "--answers", "3", said="l\n" * 5)
    assert names(outcome.stdout.splitlines()[0], "3 answers")
    assert len(events_in(parameters.with_name("parameters.votes.db"))) == 3


@pytest.mark.usefixtures("simple_learner")
def test_best_asks_and_writes_nothing(parameters: Path) -> None:
    outcome = optimize(parameters, "--best")
    assert outcome.exit_code == 0
    assert unspaced(f"duelist optimize {parameters}") in unspaced(outcome.stdout)
    nothing = json.loads(optimize(parameters, "--best", "--json").stdout)
    assert nothing == {"answers": 0, "best": None}
    assert list(parameters.parent.iterdir()) == [parameters]
    optimize(parameters, said="r\n")
    outcome = optimize(parameters, "--best", said="l\nl\n")
    assert names(outcome.stdout.splitlines()[0], "1 answer")
    found = json.loads(optimize(parameters, "--best", "--json").stdout)
    (vote,) = Study.open(parameters.with_name("parameters.votes.db"), KingOfTheHill()).votes()
    assert found == {"answers": 1, "best": vote.right}


def test_example_can_be_used_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "parameters.toml"
    path.write_text(runner.invoke(app, ["optimize", "--example"]).stdout)
    outcome = optimize(path, said="q\n")
    assert outcome.exit_code == 0, outcome.output
    assert len(questions_in(outcome.stdout)) == 1
    assert unspaced(f"duelist optimize {path}") in unspaced(outcome.stdout)


@pytest.mark.usefixtures("simple_learner")
def test_input_that_is_not_text_is_no_answer(parameters: Path) -> None:
    outcome = runner.invoke(app, ["optimize", str(parameters)], input=b"\xff\xfe\nl\n")
    assert outcome.exit_code == 0, outcome.output
    assert len(events_in(parameters.with_name("parameters.votes.db"))) == 1


def test_no_standard_input_is_no_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    assert list(typed()) == []


@pytest.mark.usefixtures("simple_learner")
def test_other_seed_and_other_parameters_are_refused(parameters: Path) -> None:
    optimize(parameters, said="l\n")
    outcome = optimize(parameters, "--seed", "1", said="l\n")
    assert (outcome.exit_code, outcome.stdout) == (2, "")
    assert "parameters.votes.db" in outcome.stderr
    assert names(outcome.stderr, "seed", 0, 1, "--votes FILE")
    parameters.write_text(EXAMPLE.replace("high = 2.0", "high = 3.0"))
    outcome = optimize(parameters, said="l\n")
    assert (outcome.exit_code, outcome.stdout) == (2, "")
    assert names(outcome.stderr, "parameters.temperature.high", 2.0, 3.0, "--votes")
    assert len(events_in(parameters.with_name("parameters.votes.db"))) == 1


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        ([], ["PARAMETERS", "--example"]),
        (["absent.toml"], ["absent.toml", "--example"]),
        (["."], ["directory"]),
        (["parameters.toml", "--answers", "0"], ["answers", "0"]),
        (["parameters.toml", "--seed", "-1"], ["seed", "-1"]),
        (["parameters.toml", "--votes", "parameters.toml"], ["parameters.toml", "database"]),
        (["parameters.toml", "--votes", "."], ["folder", "studies.db"]),
        (["parameters.toml", "--votes", "parameters.toml/in.db"], ["in.db"]),
    ],
)
def test_error_is_one_line_and_writes_nothing(
    arguments: list[str], parts: list[str], parameters: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(parameters.parent)
    outcome = runner.invoke(app, ["optimize", *arguments], input="l\nl\n")
    assert (outcome.exit_code, outcome.stdout) == (2, "")
    assert outcome.stderr.startswith("error: ")
    assert outcome.stderr.count("\n") == 1
    assert all(part in outcome.stderr for part in parts), outcome.stderr
    assert list(parameters.parent.iterdir()) == [parameters]


@pytest.mark.usefixtures("simple_learner")
def test_names_of_parameters_are_no_markup(tmp_path: Path) -> None:
    path = tmp_path / "parameters.toml"
    path.write_text('[parameters]\n"[bold]x" = { low = 0, high = 1 }\n')
    outcome = optimize(path, said="l\n")
    assert outcome.exit_code == 0, outcome.output
    assert "\n[bold]x " in outcome.stdout


def read_until_prompt(session: "subprocess.Popen[str]") -> str:
    """Return all output up to the next prompt."""
    assert session.stdout is not None
    output = ""
    while not output.endswith("help) "):
        letter = session.stdout.read(1)
        if not letter:
            pytest.fail(f"ended early: {output!r}")
        output += letter
    return output


def test_killed_while_it_waits_goes_on_with_the_same_question(parameters: Path) -> None:
    with subprocess.Popen(
        [*PROGRAM, "optimize", str(parameters)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as session:
        watchdog = Timer(ANSWER_TIMEOUT, session.kill)
        watchdog.start()
        assert session.stdin is not None
        read_until_prompt(session)
        for answer in ("l\n", "r\n"):
            session.stdin.write(answer)
            session.stdin.flush()
            output = read_until_prompt(session)
        session.kill()
        watchdog.cancel()
    votes = parameters.with_name("parameters.votes.db")
    assert answers_in(votes) == ["left", "right"]
    resumed = runner.invoke(app, ["optimize", str(parameters)], input="q\n")
    assert resumed.exit_code == 0, resumed.output
    assert questions_in(resumed.stdout) == questions_in(output)
    assert names(resumed.stdout, "2 answers")
