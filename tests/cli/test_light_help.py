"""Help texts come from light modules: neither numba nor the library is imported for them."""

import json
import re
import subprocess
import sys
from functools import cache
from inspect import getdoc
from pathlib import Path

import pytest

import duelist
from duelist.cli.main import COMMANDS, load
from duelist.clicks import CLICK_MODELS
from duelist.estimators.oracles.reductions import ORACLES
from duelist.metrics import CONCEPTS
from duelist.registry import INTERLEAVINGS

HEAVY = ("numba", "numpy", "scipy", "matplotlib", "jinja2")
LIGHT = ["", "simulate", "analyze", "optimize", "rank", "interleave", "fit", "reproduce"]
"""Commands, and none."""
LIGHT_PARTS = {"duelist", "cli", "errors", "files", "text"}
PROGRAM = """
import json, sys, types
# The package's own __init__ is left out: here it matters what the commands import.
package = types.ModuleType("duelist")
package.__path__, package.__version__ = [sys.argv[1]], "0"
sys.modules["duelist"] = package
from duelist.cli.main import app
for command in sys.argv[2:]:
    app([*command.split(), "--help"], standalone_mode=False)
    print("MODULES", json.dumps(sorted(sys.modules)))
"""


@cache
def modules_after_help() -> dict[str, set[str]]:
    """Return what is imported once the help of a command was shown, after that of those before it."""
    arguments = [str(Path(duelist.__file__).parent), *LIGHT]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments], capture_output=True, text=True, check=True
    )
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
def test_the_list_of_commands_says_what_their_own_help_says(name: str) -> None:
    command = load(name)
    assert command.name == name
    assert (getdoc(command.callback) or "").partition("\n")[0] == COMMANDS[name]


@pytest.mark.parametrize(
    ("command", "option", "names"),
    [
        ("simulate", "against", CONCEPTS),
        ("rank", "clicks", CLICK_MODELS),
        ("interleave", "method", INTERLEAVINGS),
        ("fit", "oracle", ORACLES),
    ],
)
def test_help_names_every_choice(command: str, option: str, names: dict[str, object]) -> None:
    (found,) = (one for one in load(command).params if one.name == option)
    assert ", ".join(names) in found.help
