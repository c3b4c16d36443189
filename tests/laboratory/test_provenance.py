"""A result is identified by the code that computes it, not by the code that draws it."""

import sys
from pathlib import Path

import pytest

from duelist.laboratory.result_store import code_of, imported, source_file, sources_of

CACHES = (code_of, imported, source_file)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package whose `play` imports `parts` and `parts.inner`, but not `draw`."""
    files = {
        "__init__.py": "from made_here import draw\n",
        "draw.py": "SIZE = 3\n",
        "play.py": "import json\nfrom made_here.parts import inner, other\n",
        "parts/__init__.py": "other = 1\n",
        "parts/inner.py": "VALUE = 1\n",
    }
    for name, text in files.items():
        path = tmp_path / "made_here" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    for name in [name for name in sys.modules if name.startswith("made_here")]:
        monkeypatch.delitem(sys.modules, name)
    forget()
    return tmp_path / "made_here"


def forget() -> None:
    for one in CACHES:
        one.cache_clear()


def code_now() -> str:
    forget()
    return code_of("made_here.play")


def test_what_a_module_imports_is_found(package: Path) -> None:
    assert sources_of("made_here.play") == {
        "made_here.play": package / "play.py",
        "made_here.parts": package / "parts" / "__init__.py",
        "made_here.parts.inner": package / "parts" / "inner.py",
    }


@pytest.mark.parametrize(
    ("file", "matters"),
    [("play.py", True), ("parts/inner.py", True), ("parts/__init__.py", True), ("draw.py", False)],
)
def test_only_what_makes_the_result_matters(package: Path, file: str, matters: bool) -> None:
    before = code_now()
    assert code_now() == before
    with (package / file).open("a") as source:
        source.write("# changed\n")
    assert (code_now() != before) == matters


def test_what_another_package_imports_of_this_one_counts(package: Path) -> None:
    with (package / "play.py").open("a") as source:
        source.write("from duelist.duel import TIE\nfrom numpy import random\n")
    forget()
    assert {"made_here.play", "duelist.duel"} <= sources_of("made_here.play").keys()
    assert not any(name.startswith("numpy") for name in sources_of("made_here.play"))


def test_other_versions_of_what_computes_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    before = code_of("duelist.winners")
    forget()
    monkeypatch.setattr("duelist.laboratory.result_store.versions", lambda: {"numpy": "0.1"})
    assert code_of("duelist.winners") != before
    forget()
