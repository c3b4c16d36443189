"""Help is in groups, names what every option takes, and spells equal options alike."""

import re
import shlex
from typing import Any

import pytest
from refusals import names
from typer.testing import CliRunner

from duelist.cli.main import COMMANDS, GROUPS, app, load

PLACEHOLDER = re.compile(r"<[a-z\[\]|]+>|\b(BOOLEAN|INTEGER|TEXT)\b")
"""How typer and click show types of Python."""
COMPLETE = [
    (path, command)
    for name in COMMANDS
    for path, command in [
        (name, load(name)),
        *((f"{name} {part}", one) for part, one in getattr(load(name), "commands", {}).items()),
    ]
]
"""Every command and subcommand, by how it is called."""
IDS = [path for path, _ in COMPLETE]


def help_of(path: str, columns: int) -> str:
    runner = CliRunner(env={"COLUMNS": str(columns), "NO_COLOR": "1", "TERM": "dumb"})
    outcome = runner.invoke(app, [*path.split(), "--help"])
    assert outcome.exit_code == 0, outcome.output
    return outcome.stdout


def options_of(command: Any) -> list[Any]:
    return [one for one in command.params if one.param_type_name == "option"]


def choices_of(option: Any) -> list[str]:
    return option.metavar.split("|") if option.metavar and option.metavar.islower() else []


@pytest.mark.parametrize("columns", [80, 120])
def test_commands_stand_in_their_groups(columns: int) -> None:
    titles = re.findall(r"─ (\w+) ─", help_of("", columns))
    assert titles == ["Options", *GROUPS]
    panels = dict(zip(titles, re.split(r"╭─ .*", help_of("", columns))[1:], strict=True))
    for group, commands in GROUPS.items():
        assert re.findall(r"^│ (\w+) ", panels[group], re.MULTILINE) == [*commands]


@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize("path", ["", *IDS])
def test_no_type_of_python_is_shown_and_every_line_fits(path: str, columns: int) -> None:
    text = help_of(path, columns)
    assert not PLACEHOLDER.search(text), PLACEHOLDER.search(text)
    assert max(map(len, text.splitlines())) <= columns


@pytest.mark.parametrize(("path", "command"), COMPLETE, ids=IDS)
def test_every_option_says_what_it_takes(path: str, command: Any) -> None:
    for option in options_of(command):
        assert option.help.endswith("."), option.name
        assert option.is_flag or option.metavar, option.name
    for argument in (one for one in command.params if one.param_type_name == "argument"):
        assert argument.help.endswith("."), argument.name
        assert argument.metavar


def test_an_option_has_one_name_one_metavar_and_one_help() -> None:
    metavars: dict[str, set[str | None]] = {}
    for _, command in COMPLETE:
        for option in options_of(command):
            taken = "choices" if choices_of(option) else option.metavar
            metavars.setdefault(max(option.opts, key=len), set()).add(taken)
    assert {name: taken for name, taken in metavars.items() if len(taken) > 1} == {}
    spelled = {tuple(option.opts) for _, one in COMPLETE for option in options_of(one)}
    assert len(spelled) == len(metavars)
    shared = ("--columns", "--database", "--delta", "--encoding", "--json", "--name", "--port", "--sheet")
    for name in (*shared, "--runs", "--skip-bad"):
        helps = {option.help for _, one in COMPLETE for option in options_of(one) if name in option.opts}
        assert len(helps) == 1, name


@pytest.mark.parametrize(("path", "command"), COMPLETE, ids=IDS)
def test_help_ends_with_examples_that_can_be_called(path: str, command: Any) -> None:
    examples = re.findall("`(.*)`", command.epilog)
    assert examples
    calls = [one for one in examples if one.startswith("duelist ")]
    assert calls
    assert all(one.startswith(f"duelist {path}") for one in calls)
    for call in calls:
        words = shlex.split(re.split(r" [|>] ", call)[0], comments=True)[len(path.split()) + 1 :]
        if hasattr(command, "commands"):
            called, words = command.commands[words[0]], words[1:]
        else:
            called = command
        called.make_context(path, words)


@pytest.mark.parametrize(
    ("line", "facts"),
    [
        ("simulat", ["'simulat'", "'simulate'"]),
        ("analyse votes.csv", ["'analyse'", "'analyze'"]),
        ("db chek", ["'chek'", "'check'"]),
        ("keys lst", ["'lst'", "'list'"]),
        ("simulate --lerner RUCB", ["--lerner", "--learner"]),
        ("arena --jugde x", ["--jugde", "--judge"]),
        ("db check --databse x", ["--databse", "--database"]),
        ("analyze votes.csv --scale elp", ["--scale", "log-odds, elo", "'elp'", "elo"]),
        ("keys create me --role admn", ["--role", "'admn'", "admin"]),
        ("simulate -l RUBC", ["learner", "'RUBC'", "'RUCB'"]),
        ("simulate -p worst_cas", ["'worst_cas'", "'worst_case'"]),
        ("simulate -l RUCB:alpa=1", ["'alpa'", "'alpha'"]),
        ("simulate --against condorce", ["'condorce'", "'condorcet'"]),
        ("rank --click-model prefect", ["'prefect'", "'perfect'"]),
        ("interleave a b --method teamdraf", ["'teamdraf'", "'team_draft'"]),
        ("fit a --oracle tre", ["'tre'", "'tree'"]),
        ("reproduce yue2102", ["'yue2102'", "'yue2012'"]),
    ],
)
def test_a_wrong_name_suggests_the_nearest_right_one(line: str, facts: list[str]) -> None:
    outcome = CliRunner(env={"NO_COLOR": "1", "TERM": "dumb"}).invoke(app, line.split())
    assert (outcome.exit_code, outcome.stdout, outcome.stderr.count("\n")) == (2, "", 1)
    assert names(outcome.stderr, *facts), outcome.stderr


def test_what_is_far_from_every_name_suggests_nothing() -> None:
    outcome = CliRunner().invoke(app, ["simulate", "--zzz"])
    assert "Did you mean" not in outcome.stderr
    assert names(outcome.stderr, "--zzz", "duelist simulate --help")
