"""One way to compile: every kernel of the package goes through these decorators."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

import numba

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")


def compiled(kernel: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """Compile a kernel to machine code, kept on disk, free of the interpreter lock while it runs.

    The lock is released so that runs of a simulation can share the cores as threads.
    """
    dispatcher = numba.njit(
        cache=True,
        nogil=True,
        error_model="numpy",  # a division does not have to look for zero first
        forceinline=True,  # merged kernels need no counting of references to the state they share
    )(kernel)
    return cast("Callable[Parameters, Returned]", dispatcher)


def inlined(loop: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """Compile a loop that takes kernels as arguments into each compiled caller.

    Merged with its caller, the loop can be kept on disk like any kernel; a call that hands functions over
    could not, and would be compiled anew in every process.
    """
    dispatcher = numba.njit(inline="always", nogil=True, error_model="numpy")(loop)
    return cast("Callable[Parameters, Returned]", dispatcher)
