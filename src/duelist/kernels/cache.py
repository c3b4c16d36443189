"""Where machine code is kept: a folder for every version of the sources, so that it is never out of date.

Numba keeps machine code while the one file is unchanged in which a kernel is written, but kernels are merged
across files. Here the folder is named after all sources that kernels of this package come from. Where a
kernel, or a type of its arguments, is of another package, the key names the sources of all other packages
that have kernels.
"""

import os
import pickle
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core import caching

from duelist.files import user_cache_folder
from duelist.kernels.sources import (
    compiled_fingerprint,
    fingerprint_of,
    foreign_fingerprints,
    is_foreign,
    package_of,
)

PACKAGE = package_of(__name__)
UNREADABLE = (OSError, EOFError, ImportError, AttributeError, pickle.UnpicklingError)
"""How reading fails: what was written is damaged, or names types of a package that is not here."""
KEPT = 5  # how many folders of other versions of the sources are left alone, those used last


def kernel_root() -> Path:
    """Return the folder that holds machine code: `NUMBA_CACHE_DIR` if it is set, or that of all caches."""
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
    return len(list(folder.glob("*.nbc")))


@cache
def say(line: str) -> None:
    """Print a line on standard error, once."""
    print(f"{PACKAGE}: {line}", file=sys.stderr, flush=True)


class KernelCacheImpl(caching.CompileResultCacheImpl, caching._CacheLocator):
    """How and where the machine code of a kernel is written down: by Numba's own means, in our folder."""

    def __init__(self, function: Callable[..., Any]) -> None:
        folder = kernel_folder()
        if folder is None:
            raise FileNotFoundError
        self.folder, self.function, self._locator = folder, function, self
        # what Numba names where machine code cannot be kept
        self._py_file, self._lineno = function.__code__.co_filename, function.__code__.co_firstlineno
        name = f"{function.__module__}.{function.__qualname__}"
        base: Any = super()
        self._filename_base = base.get_filename_base(name, getattr(sys, "abiflags", ""))

    def get_cache_path(self) -> str:
        """Return the folder."""
        return str(self.folder)

    def get_source_stamp(self) -> str | None:
        """Return the fingerprint of the package in which the kernel is written."""
        package = package_of(self.function.__module__)
        return compiled_fingerprint() if package == PACKAGE else fingerprint_of(package)

    def get_disambiguator(self) -> str:
        """Return what tells kernels of one name apart."""
        return str(self._lineno)


class KernelCache(caching.FunctionCache):
    """Machine code of one kernel, loaded and saved without harm by several processes at once."""

    _impl_class = KernelCacheImpl

    def load_overload(self, signature: Any, target: Any) -> Any:
        """Return the machine code for some types of arguments; None if it must be compiled."""
        base: Any = super()
        try:
            found = base.load_overload(signature, target)
        except UNREADABLE:
            found = None
            with suppress(OSError):
                base.flush()
        if found is None:
            announce()
        return found

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep machine code, one process after the other."""
        from filelock import FileLock

        base: Any = super()
        try:
            with FileLock(Path(self.cache_path) / "lock"):
                try:
                    base.save_overload(signature, result)
                except (ImportError, AttributeError):
                    base.flush()
                    base.save_overload(signature, result)
        except OSError as error:
            say(f"compiled in memory: {error}.")

    def has(self, signature: Any, target: Any) -> bool:
        """Return whether machine code for some types of arguments is kept."""
        file: Any = self._cache_file
        try:
            name = file._load_index().get(self._index_key(signature, target.codegen()))
        except UNREADABLE:
            return False
        return name is not None and (Path(self.cache_path) / name).exists()

    def _index_key(self, signature: Any, codegen: Any) -> tuple[Any, ...]:
        base: Any = super()
        modules = [self._py_func.__module__, *(kind.__module__ for kind in kinds_in(signature))]
        foreign = foreign_fingerprints() if any(map(is_foreign, modules)) else ()
        return (*base._index_key(signature, codegen), foreign)


class MemoryCache(caching.NullCache):
    """Keeps nothing."""

    def load_overload(self, signature: Any, target: Any) -> None:
        """Return that nothing is kept."""
        announce()

    def has(self, signature: Any, target: Any) -> None:
        """Return that nothing can be kept."""


def kinds_in(types: Any) -> Iterator[type]:
    """Yield the NamedTuples among types, also those within others."""
    for kind in types:
        if hasattr(kind, "instance_class"):
            yield kind.instance_class
        yield from kinds_in(getattr(kind, "types", ()))


def announce() -> None:
    """Say on a terminal why one has to wait, once."""
    if sys.stderr.isatty():
        say("compiling, first use only ...")


def cache_for(function: Callable[..., Any]) -> Any:
    """Return where the machine code of a kernel is kept: on disk, unless it has no sources or no folder."""
    package = package_of(function.__module__)
    if "<locals>" in function.__qualname__ or fingerprint_of(package) is None:
        return MemoryCache()
    numba_cache: Any = KernelCache
    try:
        return numba_cache(function)
    except FileNotFoundError:
        return MemoryCache()
