"""The package as a whole: what it exports and what importing it costs."""

import importlib
import pkgutil
import subprocess
import sys

import pytest

import duelist

MODULES = [module.name for module in pkgutil.walk_packages(duelist.__path__, "duelist.")]


@pytest.mark.parametrize("name", ["duelist", *MODULES])
def test_exported_names_are_sorted_and_there(name: str) -> None:
    module = importlib.import_module(name)
    assert module.__doc__
    exported = getattr(module, "__all__", [])
    # ruff's order: constants, then classes, then functions, each by name
    assert exported == sorted(exported, key=lambda word: (not word.isupper(), not word[0].isupper(), word))
    for word in exported:
        assert getattr(module, word).__doc__, f"{name}.{word} has no docstring"


def test_importing_needs_numpy_and_numba_alone() -> None:
    heavy = ["matplotlib", "pandas", "rich", "typer", "sklearn", "lightgbm"]
    heavy += ["scipy.optimize", "scipy.stats", "scipy.special"]
    program = f"import sys, duelist; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
