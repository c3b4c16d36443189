"""Fingerprints of source trees: machine code is kept while no source it may come from has changed."""

import hashlib
import os
import sys
from collections.abc import Iterator, Set
from functools import cache
from pathlib import Path

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
        "simulation",
        "stopping",
        "winners",
    }
)
"""The folders of this package with kernels, and the file whose constants kernels use: machine code comes from
these alone, and a change elsewhere compiles nothing again. A test compares them with all kernels."""
OUTER = frozenset({"arena", "checks", "cli", "client", "database", "laboratory", "service", "web"})
"""Folders of this package on which neither a learner's state nor a result depends."""
KERNEL_SOURCES: dict[str, "Sources"] = {}  # the packages in which kernels are written, as far as imported


class Sources:
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
def sources_of(package: str) -> Sources | None:
    """Return the sources of a package; None where there are no files, as at a prompt or in an archive."""
    module = sys.modules.get(package)
    roots = [*getattr(module, "__path__", [])] or [str(getattr(module, "__file__", None) or "")]
    try:
        sources = Sources(*roots, without=frozenset() if is_foreign(package) else OUTER)
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
KERNELS = None if OWN is None else Sources(*OWN.roots, only=COMPILED)
