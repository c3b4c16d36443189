"""How functions become machine code by Numba's public means, whatever its version.

`_numba.py` does the same in less time, by means that are Numba's own and may change with any of its versions.
Where they are not as expected, what is here does it all: the same results to the last bit, compiled longer.
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
    """What compiles a function for its callers, keeps its machine code and finds it again."""

    options: ClassVar[dict[str, Any]] = {
        "nogil": True,  # runs of a simulation share the cores as threads
        "error_model": "numpy",  # a division does not have to look for zero first
    }
    inner_options: ClassVar[dict[str, Any]] = options

    def __init__(self, missing: str = "") -> None:
        self.missing = missing  # why there is no quicker one

    def outer(self, function: Callable[..., Any]) -> Any:
        """Return the dispatcher of a function that Python calls, kept on disk if that is possible."""
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
        """Return whether machine code for types of arguments is there; None if it cannot be kept.

        Whether it is on disk is not known before it is loaded, which another process tries first.
        """
        return signature in dispatcher.signatures or (
            None if folder_for(dispatcher.py_func) is None else False
        )

    def entry(self, dispatcher: Any, signature: tuple[Any, ...]) -> Callable[..., Any]:
        """Return what runs the machine code for types of arguments, which must be there."""
        entry: Callable[..., Any] = dispatcher
        return entry

    def typed_at_once(self, kind: Kind) -> Kind:
        """Let Numba type NamedTuples of a kind with generators among their fields quickly, if it can."""
        return kind


def folder_for(function: Callable[..., Any]) -> Path | None:
    """Return where the machine code of a function is kept; None where it cannot be."""
    if not has_sources(function):
        return None
    folder = cache.kernel_folder()
    return None if folder is None else folder.joinpath(*map(str, foreign_fingerprints()))


def has_sources(function: Callable[..., Any]) -> bool:
    """Return whether it is known what a function was made of, and by which name it is found again."""
    return (
        "<locals>" not in function.__qualname__
        and fingerprint_of(package_of(function.__module__)) is not None
    )
