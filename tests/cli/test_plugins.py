"""Learners from outside: found by module or file, held to the contract, refused in one line."""

from pathlib import Path

import pytest
from refusals import names
from typer.testing import CliRunner

from duelist import BeatTheMean
from duelist.cli.learners import build_for_checks
from duelist.cli.main import app
from duelist.cli.specs import read_learners, split_plugin

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "plugin_learner.py"


def run(*arguments: str) -> tuple[int, str, str]:
    outcome = CliRunner(env={"COLUMNS": "120", "NO_COLOR": "1", "TERM": "dumb"}).invoke(app, list(arguments))
    return outcome.exit_code, outcome.stdout, outcome.stderr


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("mine:Mine", ("mine", "Mine")),
        ("mine.deep:Mine:a=1,b=x:y", ("mine.deep", "Mine:a=1,b=x:y")),
        ("./mine.py:Mine", ("./mine.py", "Mine")),
        (r"C:\mine.py:Mine", (r"C:\mine.py", "Mine")),
        ("RUCB", None),
        ("RUCB:alpha=1", None),
        ("mine:", None),
    ],
)
def test_what_names_a_plugin(text: str, parts: tuple[str, str] | None) -> None:
    assert split_plugin(text) == parts


def test_a_plugin_is_played_from_its_file_and_as_a_module(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLE.parent)
    spoken = ["plugin_learner:EpsilonGreedy:epsilon=0.3", "./plugin_learner.py:EpsilonGreedy"]
    assert list(map(repr, read_learners(spoken, 100))) == [
        "EpsilonGreedy(epsilon=0.3)",
        "EpsilonGreedy(epsilon=0.1)",
    ]
    code, out, _ = run("simulate", "-l", "plugin_learner:EpsilonGreedy", "-l", "RUCB", "-t", "200", "-n", "2")
    assert code == 0
    assert "\nEpsilonGreedy " in out
    assert "\nRUCB " in out


def test_a_plugin_that_needs_a_horizon_is_told_it_and_may_be_mutable(tmp_path: Path) -> None:
    file = tmp_path / "timed.py"
    file.write_text(
        f"import sys; sys.path.insert(0, {str(EXAMPLE.parent)!r})\n"
        "from dataclasses import dataclass\nfrom duelist import Card\n"
        "from plugin_learner import EpsilonGreedy\nsys.path.pop(0)\n"
        "@dataclass(eq=True)\nclass Timed:\n"
        "    horizon: int\n    card = Card(needs_horizon=True)\n"
        "    init = tell = best = ask = EpsilonGreedy.init\n"
    )
    [learner] = read_learners([f"{file}:Timed"], 77)
    assert repr(learner) == "Timed(horizon=77)"


CARELESS = """
from duelist import Duel
class NoDuel:
    def init(self, menu, rng): return None
    def ask(self, state, menu, rng): return 0, 1
    def tell(self, state, duel, outcome): return None
    def best(self, state, menu): return 0
class NoArm(NoDuel):
    def ask(self, state, menu, rng): return Duel(0, 1)
    def best(self, state, menu): return 0.9
"""


@pytest.mark.parametrize(
    ("spec", "facts"),
    [
        ("no_such_module:Mine", ["module", "'no_such_module'", "./no_such_module.py"]),
        ("no/such/file.py:Mine", ["no/such/file.py"]),
        (f"{EXAMPLE}:Nobody", ["'Nobody'", "EpsilonGreedy"]),
        (f"{EXAMPLE}:State", ["State", "init, ask, tell, best"]),
        ("json:JSONEncoder", ["json:JSONEncoder", "init, ask, tell, best"]),
        ("json:dumps", ["json:dumps", "init, ask, tell, best"]),
        (f"{EXAMPLE}:EpsilonGreedy:epsilon=7", ["EpsilonGreedy", "epsilon", "7"]),
        (f"{EXAMPLE}:EpsilonGreedy:zeta=1", ["EpsilonGreedy", "'zeta'", "epsilon"]),
        ("BGD1", ["BGD1", "points of a space", "RUCB"]),
        ("{folder}/typo.py:Mine", ["SyntaxError", "line 1"]),
        ("{folder}/lacking.py:Mine", ["'no_such_module'"]),
        ("{folder}/failing.py:Mine", ["Mine", "ZeroDivisionError"]),
        ("{folder}/leaving.py:Mine", ["SystemExit: 0"]),
        ("{folder}/careless.py:NoDuel", ["NoDuel.ask()", "Duel", "(0, 1)"]),
        ("{folder}/careless.py:NoArm", ["NoArm.best()", "15", "0.9"]),
    ],
)
def test_what_cannot_be_played_is_refused_in_one_line(spec: str, facts: list[str], tmp_path: Path) -> None:
    (tmp_path / "typo.py").write_text("class Mine(")
    (tmp_path / "lacking.py").write_text("import no_such_module")
    (tmp_path / "leaving.py").write_text("raise SystemExit(0)")
    (tmp_path / "careless.py").write_text(CARELESS)
    (tmp_path / "failing.py").write_text(
        "class Mine:\n    def __init__(self) -> None:\n        1 / 0\n    init = ask = tell = best = print\n"
    )
    code, out, err = run("simulate", "-l", spec.format(folder=tmp_path), "-t", "10", "-n", "1")
    assert code == 2
    assert out == ""
    assert names(err, *facts), err
    assert len(err.splitlines()) == 1


def test_the_template_passes_every_check() -> None:
    code, out, _ = run("check", f"{EXAMPLE}:EpsilonGreedy")
    assert code == 0, out
    assert "16 of 16 checks passed, 1 excused." in out
    assert "excused" in out


def test_a_learner_that_ends_the_program_meets_no_check(tmp_path: Path) -> None:
    file = tmp_path / "leaving.py"
    file.write_text(
        "import sys\nfrom duelist import RUCB\n"
        "class Leaving(RUCB):\n    def ask(self, state, menu, rng):\n        sys.exit(0)\n"
    )
    code, out, _ = run("check", f"{file}:Leaving")
    assert code == 1
    assert "SystemExit: 0" in out


def test_a_check_that_is_not_met_is_told_and_seen_in_the_exit_status(tmp_path: Path) -> None:
    file = tmp_path / "hasty.py"
    file.write_text(
        "from duelist import RUCB\n"
        "class Hasty(RUCB):\n"
        "    __doc__ = RUCB.__doc__\n"
        "    def tell(self, state, duel, outcome):\n"
        "        for old, new in zip(state, super().tell(state, duel, outcome), strict=True):\n"
        "            old[...] = new\n"
        "        return state\n"
    )
    code, out, _ = run("check", f"{file}:Hasty")
    assert code == 1
    row = next(line for line in out.splitlines() if line.startswith("tell_keeps_the_old_state"))
    assert names(row, "not met", "tell")
    assert out.count("not met ") == 1


def test_a_learner_of_the_registry_can_be_checked_too() -> None:
    code, out, _ = run("check", "rucb:alpha=0.6")
    assert code == 0
    assert out.startswith("RUCB(alpha=0.6), over arms\n")
    assert "late_regret" not in out


def test_a_learner_to_check_has_the_example_of_its_card_and_the_parameters_given() -> None:
    assert build_for_checks("BeatTheMean:gamma=1.5") == BeatTheMean(horizon=50_000, gamma=1.5)
