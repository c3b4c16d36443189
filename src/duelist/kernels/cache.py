"""Where machine code is kept: a folder for every version of the sources, so that it is never out of date.

Numba keeps machine code while the one file is unchanged in which a kernel is written, but kernels are merged
across files. Here the folder is named after a fingerprint of all sources that kernels of this package come
from. Where a kernel, or a type of its arguments, is of another package, the sources of all other packages
that have kernels count too.
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
"""The folders of this package with kernels, and the file whose constants kernels use: machine code comes from
these alone, and a change elsewhere compiles nothing again. A test compares them with all kernels."""
OUTER = frozenset({"arena", "checks", "cli", "client", "database", "laboratory", "service", "web"})
"""Folders of this package on which neither a learner's state nor a result depends."""
KEPT = 5  # how many folders of other versions of the sources are left alone, those used last
SETTING = RLock()  # held while Numba's setting of the folder is read, or is another one for a moment
KERNEL_SOURCES: dict[str, "SourceFiles"] = {}  # the packages in which kernels are written, as far as imported


class SourceFiles:
    """The Python files of a package, or of a module that belongs to none, as they are when it is imported.

    Parameters
    ----------
    *roots : str
        Its folders, or its file.
    without : set of str
        Folders directly below a root that do not count.
    only : set of str, optional
        The folders and files directly below a root that count; by default all.
    """

    def __init__(self, *roots: str, without: Set[str] = frozenset(), only: Set[str] | None = None) -> None:
        self.roots, self.without, self.only = roots, without, only
        self.stamps = self.look()

    def look(self) -> dict[str, Stamp]:
        """Return when each file was last changed, by clocks that no archive or checkout can set back."""
        return {
            path: stamp_of(path) for root in self.roots for path in files_in(root, self.without, self.only)
        }

    def fingerprint(self) -> str | None:
        """Return a hash of the contents; None if they are no longer those that were imported."""
        digest = hashlib.sha256()
        for path in sorted(self.stamps):
            try:
                content = Path(path).read_bytes()
            except OSError:
                return None
            digest.update(f"{self.name(path)}:{len(content)}\n".encode() + content)
        return digest.hexdigest()[:16] if self.stamps and self.look() == self.stamps else None

    def name(self, path: str) -> str:
        """Return the name of a file below its root, so that a copied tree has the same fingerprint."""
        return min((os.path.relpath(path, os.path.dirname(root)) for root in self.roots), key=len)


def files_in(root: str, without: Set[str] = frozenset(), only: Set[str] | None = None) -> Iterator[str]:
    """Yield the Python files below a folder, of all or some of its entries, or the file itself."""
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
    """Return what changes whenever a file is written or replaced."""
    found = os.stat(path)
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def package_of(module: str) -> str:
    """Return the outermost package of a module."""
    return module.partition(".")[0]


def is_foreign(module: str) -> bool:
    """Return whether a module is not of this package."""
    return package_of(module) != package_of(__name__)


@cache
def sources_of(package: str) -> SourceFiles | None:
    """Return the sources of a package; None where there are no files, as at a prompt or in an archive."""
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
    """Return the fingerprint of a package's sources; None if it has none, or they changed since import."""
    sources = sources_of(package)
    return None if sources is None else sources.fingerprint()


@cache
def compiled_fingerprint() -> str | None:
    """Return the fingerprint of what machine code of this package comes from; None as above."""
    return None if KERNELS is None else KERNELS.fingerprint()


def foreign_fingerprints() -> tuple[str | None, ...]:
    """Return the fingerprints of other packages with kernels; they may be merged with each other and ours."""
    return tuple(fingerprint_of(package) for package in sorted(KERNEL_SOURCES) if is_foreign(package))


OWN = sources_of(package_of(__name__))
KERNELS = None if OWN is None else SourceFiles(*OWN.roots, only=COMPILED)


def kernel_root() -> Path:
    """Return the folder that holds machine code: `NUMBA_CACHE_DIR` if it is set, or that of all caches."""
    with SETTING:
        chosen: str = getattr(numba.config, "CACHE_DIR", "")
    return Path(chosen) if chosen else user_cache_folder()


@cache
def kernel_folder() -> Path | None:
    """Return the folder of these sources, made if need be; None if nothing can be kept on disk."""
    fingerprint = compiled_fingerprint()
    if fingerprint is None:
        say("compiling in memory: the sources have changed since they were imported; start again.")
        return None
    try:
        folder = kernel_root() / f"kernels-{fingerprint}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "used").touch()
        (folder / f"used-{os.getpid()}").touch()
        (folder / f"used-{os.getpid()}").unlink()
    except (OSError, RuntimeError) as error:
        say(f"compiling in memory: {error}; set NUMBA_CACHE_DIR to a folder that can be written.")
        return None
    clean(folder)
    return folder


def clean(folder: Path) -> None:
    """Delete all but the last used folders of other versions; who still uses one compiles what is missing."""
    others = [other for other in folder.parent.glob("kernels-*") if other != folder]
    for other in sorted(others, key=last_used, reverse=True)[KEPT:]:
        shutil.rmtree(other, ignore_errors=True)


def last_used(folder: Path) -> int:
    """Return when a process last began to use a folder; 0 if none ever did."""
    try:
        return (folder / "used").stat().st_mtime_ns
    except OSError:
        return 0


def kept_kernels(folder: Path) -> int:
    """Return how many compiled kernels a folder holds, one for each kind of arguments."""
    return len(list(folder.rglob("*.nbc")))


@cache
def say(line: str) -> None:
    """Print a line on standard error, once."""
    print(f"{package_of(__name__)}: {line}", file=sys.stderr, flush=True)


def announce() -> None:
    """Say on a terminal why one has to wait, once."""
    if sys.stderr.isatty():
        say("compiling, first use only ...")
