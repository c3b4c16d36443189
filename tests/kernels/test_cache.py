"""Machine code on disk: never out of date, and no obstacle if it cannot be written."""

import ast
import importlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numba
import pytest
from kernels.compilations import COUNT
from refusals import names

import duelist
from duelist.kernels import cache
from duelist.kernels.cache import COMPILED, KERNELS, OUTER, OWN, SourceFiles
from duelist.kernels.compile import Kernel
from duelist.kernels.loop import skip_nothing

PACKAGE = Path(duelist.__file__).parent

ASK = """
from numpy.random import default_rng
from duelist import Arms, Uniform
menu = Arms(9)
duel = Uniform().ask(Uniform().init(menu, default_rng(0)), menu, default_rng(1))
print(*duel[:2])
"""

PLUGIN = """
from duelist.kernels.compile import compiled
from our_helper import shift
@compiled
def twice(x):
    return shift(shift(x))
"""

HELPER = """
from duelist.kernels.compile import compiled
@compiled
def shift(x):
    if x < 0:
        raise ValueError('negative', x)
    return x + {amount}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a separate folder for the kernels of a test."""
    folder = tmp_path / "kept"
    folder.mkdir()
    monkeypatch.setattr(cache, "kernel_folder", lambda: folder)
    return folder


def nothing() -> Kernel:
    """Return a small kernel without loaded machine code, as in a new process."""
    kernel: Any = skip_nothing
    return Kernel(kernel.py_func)


def run(code: str, folder: Path, *paths: Path, **environment: str) -> tuple[str, str]:
    """Run code in a separate process and return its output."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={
            **os.environ,
            "NUMBA_CACHE_DIR": str(folder),
            "PYTHONPATH": os.pathsep.join([*map(str, paths), str(PACKAGE.parent)]),
            **environment,
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def replace_keeping_times(path: Path, old: str, new: str) -> None:
    """Change a file without changing its modification time, as an archive or a checkout may."""
    text, found = path.read_text(), path.stat()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))


def test_a_change_in_a_kernel_of_another_file_is_played(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "src" / "duelist", ignore=shutil.ignore_patterns("__pycache__"))
    before, _ = run(ASK, tmp_path / "kept", tmp_path / "src")
    draws = tmp_path / "src" / "duelist" / "kernels" / "random.py"
    replace_keeping_times(draws, "return int(rng.random() * limit)", "return int(rng.random() * 0.001)")
    # unlike ours, the interpreter's cache relies on modification times
    shutil.rmtree(draws.parent / "__pycache__", ignore_errors=True)
    after, _ = run(ASK, tmp_path / "kept", tmp_path / "src")
    assert before != after == "0 1\n"
    assert len(list((tmp_path / "kept").glob("kernels-*"))) == 2


def test_kernels_of_other_packages_are_kept_until_one_of_them_changes(tmp_path: Path) -> None:
    (tmp_path / "our_plugin.py").write_text(PLUGIN)
    helper = tmp_path / "our_helper.py"
    helper.write_text(HELPER.format(amount=1))
    code = (
        COUNT
        + """
from our_plugin import twice
print(twice(1), len(compiled))
try:
    twice(-1)
except ValueError as error:
    print(error)  # of an inner kernel, also if another process compiled it
"""
    )

    def printed() -> str:
        return run(code, tmp_path / "kept", tmp_path, PYTHONDONTWRITEBYTECODE="1")[0]

    assert printed() == "3 2\n('negative', -1)\n"
    assert printed() == "3 0\n('negative', -1)\n"
    helper.write_text(HELPER.format(amount=5))
    assert printed() == "11 2\n('negative', -1)\n"


@pytest.mark.parametrize("variable", ["NUMBA_CACHE_DIR", "XDG_CACHE_HOME"])
def test_where_nothing_can_be_written_kernels_compile_in_memory(
    tmp_path: Path,
    variable: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "file").touch()
    below = str(tmp_path / "file" / "below")
    # Numba reads NUMBA_CACHE_DIR when it is imported
    monkeypatch.setattr(numba.config, "CACHE_DIR", below if variable == "NUMBA_CACHE_DIR" else "")
    monkeypatch.delenv("DUELIST_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", below)
    monkeypatch.setattr(cache, "kernel_folder", cache.kernel_folder.__wrapped__)
    cache.say.cache_clear()
    for _ in range(2):
        assert nothing()(0, 0, 0, 0) is None
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1
    assert names(said, "duelist", below, "NUMBA_CACHE_DIR")


def test_what_cannot_be_read_is_compiled_again(folder: Path) -> None:
    nothing()(0, 0, 0, 0)
    kept = [path for kind in ("nbc", "nbi") for path in folder.glob(f"*.{kind}")]
    assert len(kept) == 2
    for path in kept:
        path.write_bytes(b"")
        assert nothing()(0, 0, 0, 0) is None
        assert path.read_bytes()


def test_types_of_a_package_that_is_gone_do_no_harm(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "our_types.py").write_text(
        "from typing import NamedTuple\nclass Ours(NamedTuple):\n    number: int\n"
    )
    with monkeypatch.context() as patch:
        patch.syspath_prepend(tmp_path)
        nothing()(importlib.import_module("our_types").Ours(1), 0, 0, 0)
    del sys.modules["our_types"]
    for argument in (0.0, 0):
        assert nothing()(argument, 0, 0, 0) is None


def test_sources_that_change_after_import_are_no_longer_trusted(tmp_path: Path) -> None:
    source = tmp_path / "module.py"
    source.write_text("a = 1")
    sources = SourceFiles(str(tmp_path))
    first = sources.fingerprint()
    assert first is not None
    replace_keeping_times(source, "a = 1", "a = 2")
    assert sources.fingerprint() is None
    assert SourceFiles(str(tmp_path)).fingerprint() not in (None, first)


def test_a_copied_tree_has_the_same_fingerprint_and_a_renamed_file_another(tmp_path: Path) -> None:
    for name in ("here", "there"):
        (tmp_path / name / "package" / "inner").mkdir(parents=True)
        (tmp_path / name / "package" / "inner" / "module.py").write_text("a = 1")
    here, there = (str(tmp_path / name / "package") for name in ("here", "there"))
    assert SourceFiles(here).fingerprint() == SourceFiles(there).fingerprint()
    (tmp_path / "there" / "package" / "inner" / "module.py").rename(Path(there) / "module.py")
    assert SourceFiles(here).fingerprint() != SourceFiles(there).fingerprint()


def test_only_the_folders_used_last_are_left(tmp_path: Path) -> None:
    folders = [tmp_path / f"kernels-{number}" for number in range(8)]
    for second, folder in enumerate(folders):
        folder.mkdir()
        (folder / "used").touch()
        os.utime(folder / "used", (second, second))
    (tmp_path / "kernels-strange").mkdir()
    (tmp_path / "others").mkdir()
    cache.clean(folders[0])
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"others", "kernels-0", *(f"kernels-{number}" for number in range(3, 8))}


def test_one_is_told_on_a_terminal_why_one_waits(capsys: pytest.CaptureFixture[str]) -> None:
    cache.say.cache_clear()
    cache.announce()
    assert capsys.readouterr().err == ""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
        cache.announce()
        cache.announce()
    assert capsys.readouterr().err == "duelist: compiling, first use only ...\n"
    cache.say.cache_clear()


def test_a_folder_that_vanishes_does_no_harm(folder: Path) -> None:
    kernel = nothing()
    kernel(0, 0, 0, 0)
    shutil.rmtree(folder)
    assert kernel(0.0, 0, 0, 0) is None


def imported_by(path: Path) -> set[str]:
    """Return the names of everything that a file imports, at any level."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return names


DECORATORS = {
    "compiled",
    "borrowing",
    "inlined",
    "jitable",
    "overload_for",
    "overloaded",
    "playing",
    "folding",
}


def kernels_in(path: Path) -> Iterator[ast.FunctionDef]:
    """Yield the compiled functions of a file."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef):
            used = {
                one.id for mark in node.decorator_list for one in ast.walk(mark) if isinstance(one, ast.Name)
            }
            if used & DECORATORS:
                yield node


def room_of(name: str) -> str:
    """Return the top-level file or folder of the package that contains a module."""
    first = name.split(".")[1] if "." in name else name
    return first if (PACKAGE / first).is_dir() else f"{first}.py"


def test_machine_code_comes_from_the_folders_that_count() -> None:
    with_kernels, used = set(), set()
    for path in PACKAGE.rglob("*.py"):
        kernels = list(kernels_in(path))
        if not kernels:
            continue
        with_kernels.add(path.relative_to(PACKAGE).parts[0])
        given = {name.rpartition(".")[2]: name for name in imported_by(path) if name.startswith("duelist.")}
        for body in (line for kernel in kernels for line in kernel.body):
            used |= {given[one.id] for one in ast.walk(body) if isinstance(one, ast.Name) and one.id in given}
    assert {"kernels", "learners", "stopping"} <= with_kernels
    assert with_kernels | {room_of(name) for name in used} == COMPILED
    assert {"duelist.duel.TIE"} <= used


def test_a_change_in_a_folder_without_kernels_compiles_nothing_again(tmp_path: Path) -> None:
    for name in ("kernels", "study"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "one.py").write_text("ONE = 1")
    before = SourceFiles(str(tmp_path), only=COMPILED).fingerprint()
    (tmp_path / "study" / "one.py").write_text("ONE = 2")
    (tmp_path / "errors.py").write_text("ONE = 2")
    assert SourceFiles(str(tmp_path), only=COMPILED).fingerprint() == before
    (tmp_path / "kernels" / "one.py").write_text("ONE = 2")
    assert SourceFiles(str(tmp_path), only=COMPILED).fingerprint() != before
    assert KERNELS is not None
    counted = {Path(path).relative_to(PACKAGE).parts[0] for path in KERNELS.stamps}
    assert counted == COMPILED


def test_pages_change_no_result() -> None:
    with_results = {"kernels", "learners", "simulation", "stopping", "study", "votes"}
    assert OWN is not None
    counted = {Path(path).relative_to(PACKAGE).parts[0] for path in OWN.stamps}
    assert with_results <= counted
    assert not counted & OUTER


def test_what_cannot_be_kept_runs_all_the_same(tmp_path: Path) -> None:
    # without optimisation, machine code contains addresses of this process
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_OPT": "0"}
    done = subprocess.run([sys.executable, "-c", ASK], env=environment, capture_output=True, text=True)
    plain = subprocess.run([sys.executable, "-c", ASK], capture_output=True, text=True, check=True)
    assert (done.returncode, done.stdout) == (0, plain.stdout)
    assert "Cannot cache compiled function" in done.stderr
