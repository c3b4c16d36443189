"""The cache of machine code: one folder per version of the sources, so it is never out of date.

Numba reuses machine code as long as the file that defines a kernel is unchanged, but here kernels are merged
across files. So the folder is named after a fingerprint of all sources of this package's kernels. If a
kernel, or the type of an argument, belongs to another package, the sources of all other packages with kernels
count too.
"""

import hashlib
import os
import shutil
import sys
from collections.abc import Iterator, Set
from functools import cache
from pathlib import Path
from threading import RLock

import numba

from duelist.files import user_cache_folder

Stamp = tuple[int, int, int, int]

COMPILED = frozenset(
    {
        "clicks",
        "duel.py",
        "estimators",
        "interleaving",
        "kernels",
        "learners",
        "metrics",
        "policies",
        "problems",
        "ranking",
        "replaying",
        "stopping",
        "winners",
    }
)
"""The folders of this package with kernels, and the file with their constants. Machine code depends on these
only, so changes elsewhere do not cause recompilation. A test compares them with all kernels."""
OUTER = frozenset({"arena", "checks", "cli", "client", "database", "laboratory", "service", "web"})
"""Folders of this package on which no learner's state and no result depends."""
KEPT = 5  # number of folders of other source versions to keep, the most recently used ones
SETTING = RLock()  # held while Numba's cache folder setting is read or temporarily changed
KERNEL_SOURCES: dict[str, "SourceFiles"] = {}  # the imported packages that define kernels


class SourceFiles:
    """The Python files of a package or of a stand-alone module, at the time it is imported.

    Parameters
    ----------
    *roots : str
        Its folders, or its file.
    without : set of str
        Folders directly below a root to exclude.
    only : set of str, optional
        Folders and files directly below a root to include; by default all.
    """

    def __init__(self, *roots: str, without: Set[str] = frozenset(), only: Set[str] | None = None) -> None:
        self.roots, self.without, self.only = roots, without, only
        self.stamps = self.look()

    def look(self) -> dict[str, Stamp]:
        """Return a stamp per file, including the change time, which no archive or checkout can set back."""
        return {
            path: stamp_of(path) for root in self.roots for path in files_in(root, self.without, self.only)
        }

    def fingerprint(self) -> str | None:
        """Return a hash of the contents; None if they have changed since the import."""
        digest = hashlib.sha256()
        for path in sorted(self.stamps):
            try:
                content = Path(path).read_bytes()
            except OSError:
                return None
            digest.update(f"{self.name(path)}:{len(content)}\n".encode() + content)
        return digest.hexdigest()[:16] if self.stamps and self.look() == self.stamps else None

    def name(self, path: str) -> str:
        """Return the path of a file relative to its root, so that a copied tree has the same fingerprint."""
        return min((os.path.relpath(path, os.path.dirname(root)) for root in self.roots), key=len)


def files_in(root: str, without: Set[str] = frozenset(), only: Set[str] | None = None) -> Iterator[str]:
    """Yield the Python files below a folder, or the file itself; `without` and `only` filter top entries."""
    if root.endswith(".py"):
        yield root
        return
    with os.scandir(root) as entries:
        for entry in entries:
            if entry.name in without or not (only is None or entry.name in only):
                continue
            if entry.is_dir():
                if entry.name != "__pycache__":
                    yield from files_in(entry.path)
            elif entry.name.endswith(".py"):
                yield entry.path


def stamp_of(path: str) -> Stamp:
    """Return a stamp that changes whenever the file is written or replaced."""
    found = os.stat(path)
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def package_of(module: str) -> str:
    return module.partition(".")[0]


def is_foreign(module: str) -> bool:
    return package_of(module) != package_of(__name__)


@cache
def sources_of(package: str) -> SourceFiles | None:
    """Return the sources of a package; None if there are no files, as at a prompt or in an archive."""
    module = sys.modules.get(package)
    roots = [*getattr(module, "__path__", [])] or [str(getattr(module, "__file__", None) or "")]
    try:
        sources = SourceFiles(*roots, without=frozenset() if is_foreign(package) else OUTER)
    except OSError:
        return None
    KERNEL_SOURCES[package] = sources
    return sources


@cache
def fingerprint_of(package: str) -> str | None:
    """Return the fingerprint of a package's sources; None if there are none, or they changed since import."""
    sources = sources_of(package)
    return None if sources is None else sources.fingerprint()


@cache
def compiled_fingerprint() -> str | None:
    """Return the fingerprint of the sources of this package's machine code; None as in `fingerprint_of`."""
    return None if KERNELS is None else KERNELS.fingerprint()


def foreign_fingerprints() -> tuple[str | None, ...]:
    """Return the fingerprints of all other packages with kernels, which may be merged with ours."""
    return tuple(fingerprint_of(package) for package in sorted(KERNEL_SOURCES) if is_foreign(package))


OWN = sources_of(package_of(__name__))
KERNELS = None if OWN is None else SourceFiles(*OWN.roots, only=COMPILED)


def kernel_root() -> Path:
    """Return the folder for machine code: `NUMBA_CACHE_DIR` if it is set, otherwise the user's cache."""
    with SETTING:
        chosen: str = getattr(numba.config, "CACHE_DIR", "")
    return Path(chosen) if chosen else user_cache_folder()


@cache
def kernel_folder() -> Path | None:
    """Return the folder for this version of the sources, created if needed; None if it cannot be written."""
    fingerprint = compiled_fingerprint()
    if fingerprint is None:
        say("compiling in memory: the sources have changed since they were imported; restart the program.")
        return None
    try:
        folder = kernel_root() / f"kernels-{fingerprint}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "used").touch()
        (folder / f"used-{os.getpid()}").touch()
        (folder / f"used-{os.getpid()}").unlink()
    except (OSError, RuntimeError) as error:
        say(f"compiling in memory: {error}; set NUMBA_CACHE_DIR to a writable folder.")
        return None
    clean(folder)
    return folder


def clean(folder: Path) -> None:
    """Delete the least recently used folders of other versions; running processes recompile if needed."""
    others = [other for other in folder.parent.glob("kernels-*") if other != folder]
    for other in sorted(others, key=last_used, reverse=True)[KEPT:]:
        shutil.rmtree(other, ignore_errors=True)


def last_used(folder: Path) -> int:
    """Return the time when a process last started to use a folder, or 0."""
    try:
        return (folder / "used").stat().st_mtime_ns
    except OSError:
        return 0


def kept_kernels(folder: Path) -> int:
    """Return the number of compiled kernels in a folder, counting each set of argument types."""
    return len(list(folder.rglob("*.nbc")))


@cache
def say(line: str) -> None:
    """Print a line on standard error, once per process."""
    print(f"{package_of(__name__)}: {line}", file=sys.stderr, flush=True)


def announce() -> None:
    """Explain the delay, once and only on a terminal."""
    if sys.stderr.isatty():
        say("compiling, first use only ...")
