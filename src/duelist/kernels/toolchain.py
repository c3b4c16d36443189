"""Compilation with Numba's public API, which works in all its versions.

`_numba.py` compiles faster, using internals of Numba that may change in any version. If they are not as
expected, this module is used instead: results are the same to the last bit, but compilation takes longer.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numba

from duelist.kernels import cache
from duelist.kernels.cache import SETTING, fingerprint_of, foreign_fingerprints, package_of

Kind = TypeVar("Kind", bound=type)
CONFIG: Any = numba.config


class Toolchain:
    """Compiles functions for their callers, and caches the machine code."""

    options: ClassVar[dict[str, Any]] = {
        "nogil": True,  # so that runs of a simulation use all cores as threads
        "error_model": "numpy",  # divisions need not check for zero
    }
    inner_options: ClassVar[dict[str, Any]] = options

    def __init__(self, missing: str = "") -> None:
        self.missing = missing  # why the faster toolchain cannot be used

    def outer(self, function: Callable[..., Any]) -> Any:
        """Return the dispatcher of a function that Python calls, cached on disk if possible."""
        cache.say(f"compiling takes longer than usual: {self.missing}.")
        folder = folder_for(function)
        if folder is None:
            return numba.njit(**self.options)(function)
        with SETTING:
            usual = CONFIG.CACHE_DIR
            try:
                CONFIG.CACHE_DIR = str(folder)
                return numba.njit(cache=True, **self.options)(function)
            finally:
                CONFIG.CACHE_DIR = usual

    def inner(self, function: Callable[..., Any], counts_references: bool) -> Any:
        """Return the dispatcher of a function that compiled functions call."""
        return numba.njit(**self.inner_options)(function)

    def is_kept(self, dispatcher: Any, signature: tuple[Any, ...]) -> bool | None:
        """Return whether there is machine code for some argument types; None if it cannot be cached.

        Whether it is on disk is unknown until it is loaded, which the background process tries first.
        """
        return signature in dispatcher.signatures or (
            None if folder_for(dispatcher.py_func) is None else False
        )

    def entry(self, dispatcher: Any, signature: tuple[Any, ...]) -> Callable[..., Any]:
        """Return a callable that runs the machine code for some argument types, which must exist."""
        entry: Callable[..., Any] = dispatcher
        return entry

    def typed_at_once(self, kind: Kind) -> Kind:
        """Speed up the typing of a NamedTuple class with generators among its fields, if possible."""
        return kind


def folder_for(function: Callable[..., Any]) -> Path | None:
    """Return the folder for the machine code of a function; None if it cannot be cached."""
    if not has_sources(function):
        return None
    folder = cache.kernel_folder()
    return None if folder is None else folder.joinpath(*map(str, foreign_fingerprints()))


def has_sources(function: Callable[..., Any]) -> bool:
    """Return whether a function has known sources, and a name under which other processes find it."""
    return (
        "<locals>" not in function.__qualname__
        and fingerprint_of(package_of(function.__module__)) is not None
    )
