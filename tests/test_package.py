"""The package as a whole: what it exports and what importing it costs."""

import importlib
import pkgutil
import sys

import pytest
from imported import imported_after
from refusals import refused

import duelist
from docs.stubs import PACKAGES, stub, stub_path
from duelist.errors import MissingExtraError

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


@pytest.mark.parametrize("package", PACKAGES)
def test_type_stubs_say_what_is_exported(package: str) -> None:
    assert stub_path(package).read_text("utf-8") == stub(package), "run make derived"


def test_names_that_do_not_exist_are_refused_and_those_that_do_are_listed() -> None:
    assert set(duelist.__all__) <= set(dir(duelist))
    assert not hasattr(duelist, "RUBC")
    assert duelist.RUCB is importlib.import_module("duelist.learners.armed.rucb").RUCB
    with refused(ImportError, "'RUBC'"):
        exec("from duelist import RUBC")


def test_what_is_not_used_is_not_imported() -> None:
    bare = imported_after("import duelist")
    assert not any(name.startswith(("numba", "scipy", "duelist.learners")) for name in bare)
    used = imported_after("from duelist import RUCB")
    assert "duelist.learners.armed.rucb" in used
    assert not {"duelist.learners.armed.savage", "duelist.simulation", "duelist.problems"} & used


def test_importing_needs_numpy_and_numba_alone() -> None:
    heavy = ["matplotlib", "pandas", "rich", "typer", "sklearn", "lightgbm"]
    heavy += ["scipy.optimize", "scipy.stats", "scipy.special"]
    everything = imported_after("from duelist import *")
    assert [name for name in heavy if name in everything] == []


def test_without_the_extra_of_the_client_all_else_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx", None)
    assert duelist.Client.__name__ == "Client"
    with refused(MissingExtraError, "duelist[client]"):
        duelist.Client("http://127.0.0.1:8321")
