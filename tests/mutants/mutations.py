"""Mutations of the package, each with the tests that must notice it, and what applies them to a copy."""

import os
import shlex
import shutil
import subprocess
import sys
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).parents[2]
TABLE = Path(__file__).with_name("mutations.toml")

LEFT_OUT = (".*", "build", "demo-report", "dist", "reproduced-*")
"""What a copy of the tree does without."""

LONGEST = 900.0  # seconds that the tests of a mutation may take

Fate = Literal["killed", "survived", "took too long", "does not apply", "is no Python", "tests are broken"]

TOO_LONG = -1000
"""In the place of how pytest ended, where it did not."""
FAILED = {1, 2}
"""How pytest ends where a test fails, or cannot even be read because of what it imports."""


@dataclass(frozen=True)
class Mutation:
    """One change for the worse.

    Parameters
    ----------
    file : str
        Below `src/duelist`.
    old, new : str
        What stands there exactly once, and what takes its place.
    tests : str
        The closest tests, as for pytest.
    compiled : bool, default False
        Whether kernels run as machine code; interpreted, they need not be compiled for every mutation.
    """

    file: str
    old: str
    new: str
    tests: str
    compiled: bool = False

    def __str__(self) -> str:
        return f"{self.file}: {self.old.strip()} -> {self.new.strip()}".replace("\n", " ")

    def applied(self, text: str) -> str | None:
        """Return the text with the change; None where what is changed does not stand there exactly once."""
        return text.replace(self.old, self.new) if text.count(self.old) == 1 else None


def read_mutations() -> list[Mutation]:
    """Return all mutations that are kept."""
    with TABLE.open("rb") as file:
        return [Mutation(**entry) for entry in tomllib.load(file)["mutation"]]


class Tree:
    """A copy of the working tree, in which tests run."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.temporary = folder / "tree", folder / "tmp"
        self.temporary.mkdir(parents=True)
        shutil.copytree(ROOT, self.folder, ignore=shutil.ignore_patterns(*LEFT_OUT))

    def test(self, tests: list[str], compiled: bool) -> int:
        """Run tests up to the first that fails, and return how pytest ended."""
        options = ["-q", "-x", "-p", "no:cacheprovider", "--no-header"]
        if not compiled:
            options += ["-p", "mutants.interpreted"]
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(self.folder / "src"), str(self.folder / "tests")]),
            "PYTHONDONTWRITEBYTECODE": "",
            "TMPDIR": str(self.temporary),
            "NUMBA_CACHE_DIR": str(self.temporary / "kernels"),
        }
        try:
            done = subprocess.run(
                [sys.executable, "-m", "pytest", *options, *tests],
                cwd=self.folder,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=LONGEST,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return TOO_LONG
        self.output = done.stdout.decode(errors="replace")
        return done.returncode

    def fate(self, mutation: Mutation) -> Fate:
        """Return what becomes of a mutation; afterwards the tree is as it was."""
        path = self.folder / "src" / "duelist" / mutation.file
        usual = path.read_text() if path.exists() else ""
        mutated = mutation.applied(usual)
        if mutated is None:
            return "does not apply"
        if not is_python(mutated):
            return "is no Python"
        found = path.stat()
        try:
            path.write_text(mutated)
            ended = self.test(shlex.split(mutation.tests), mutation.compiled)
        finally:
            path.write_text(usual)
            os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))
        if ended in FAILED:
            return "killed"
        if ended == TOO_LONG:
            return "took too long"
        return "survived" if ended == 0 else "tests are broken"

    def timed_fate(self, mutation: Mutation) -> tuple[Fate, float]:
        """Return what becomes of a mutation, and after how many seconds."""
        start = time.monotonic()
        return self.fate(mutation), time.monotonic() - start


def is_python(text: str) -> bool:
    """Return whether a text is Python."""
    try:
        compile(text, "mutant", "exec")
    except SyntaxError:
        return False
    return True
