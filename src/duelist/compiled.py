"""One way to compile: every kernel of the package goes through this decorator."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

import numba

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")


def compiled(kernel: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """Compile a kernel to machine code, kept on disk, free of the interpreter lock while it runs.

    The lock is released so that runs of a simulation can share the cores as threads.

    Examples
    --------
    >>> @compiled
    ... def twice(x: float) -> float:
    ...     return 2.0 * x
    >>> twice(1.5)
    3.0
    """
    return cast("Callable[Parameters, Returned]", numba.njit(cache=True, nogil=True)(kernel))
