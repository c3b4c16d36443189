"""Help texts come from light modules: neither numba nor the library is imported for them."""

import json
import re
import subprocess
import sys
from functools import cache
from inspect import getdoc

import pytest
from typer.testing import CliRunner

from duelist.cli.main import COMMANDS, app, load
from duelist.clicks import CLICK_MODELS
from duelist.estimators.oracles import ORACLES
from duelist.metrics import CONCEPTS
from duelist.registry import INTERLEAVINGS

runner = CliRunner(env={"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"})
HEAVY = ("numba", "numpy", "scipy", "matplotlib", "jinja2")
LIGHT = [
    "",
    "demo",
    "simulate",
    "replay",
    "analyze",
    "optimize",
    "rank",
    "interleave",
    "fit",
    "reproduce",
    "warm",
    "check",
    "db",
    "db import",
    "keys",
    "keys create",
]
"""Commands, and none."""
LIGHT_PARTS = {
    "__main__",
    "card",
    "cli",
    "constraints",
    "defaults",
    "errors",
    "exports",
    "files",
    "registry",
    "text",
}
PROGRAM = """
import json, sys
from duelist.cli.main import app
for command in sys.argv[1:]:
    app([*command.split(), "--help"], standalone_mode=False)
    print("MODULES", json.dumps(sorted(sys.modules)))
"""


@cache
def modules_after_help() -> dict[str, set[str]]:
    """Return what is imported once the help of a command was shown, after that of those before it."""
    done = subprocess.run([sys.executable, "-c", PROGRAM, *LIGHT], capture_output=True, text=True, check=True)
    texts = re.split(r"^MODULES (.*)\n", done.stdout, flags=re.MULTILINE)
    assert texts.pop() == ""
    assert all("Usage" in text for text in texts[::2])
    return dict(zip(LIGHT, (set(json.loads(found)) for found in texts[1::2]), strict=True))


@pytest.mark.parametrize("command", LIGHT)
def test_help_imports_neither_numba_nor_the_library(command: str) -> None:
    modules = modules_after_help()[command]
    assert modules.isdisjoint(HEAVY)
    parts = {name.split(".")[1] for name in modules if name.startswith("duelist.")}
    assert parts <= LIGHT_PARTS


@pytest.mark.parametrize("name", COMMANDS)
def test_help_shows_no_types_of_python(name: str) -> None:
    outcome = runner.invoke(app, [name, "--help"])
    assert outcome.exit_code == 0
    assert "list[" not in outcome.output


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_says_what_their_own_help_says(name: str) -> None:
    command = load(name)
    assert command.name == name
    assert (getdoc(command.callback) or "").partition("\n")[0] == COMMANDS[name]


@pytest.mark.parametrize(
    ("command", "option", "names"),
    [
        ("simulate", "against", CONCEPTS),
        ("rank", "click_model", CLICK_MODELS),
        ("interleave", "method", INTERLEAVINGS),
        ("fit", "oracle", ORACLES),
    ],
)
def test_help_names_every_choice(command: str, option: str, names: dict[str, object]) -> None:
    (found,) = (one for one in load(command).params if one.name == option)
    assert ", ".join(names) in found.help
