"""One way to compile: every kernel of the package goes through these decorators."""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

import numba
from numba.extending import overload, register_jitable

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")

ONLY_COMPILED = "this is an open kernel: only compiled code can call it, one of its ways is run then"
"""What an open kernel says when it is called from Python."""

WAYS: dict[Callable[..., Any], dict[type, Callable[..., Any]]] = {}
"""Of every open kernel: the ways that are known so far."""


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


def two_ways(function: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """Let kernels call a function, which stays a plain one for kernels that run interpreted."""
    jitable: Callable[Parameters, Returned] = register_jitable(
        nogil=True, error_model="numpy", forceinline=True
    )(function)
    return jitable


def interpreted(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Return a kernel as it was written, before it was compiled."""
    function: Callable[..., Any] = getattr(kernel, "py_func", kernel)
    return function


def open_kernel(kernel: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """Declare a kernel whose ways are written elsewhere, one for every kind of its first argument.

    A loop can call it without knowing who will be played. What is declared is a signature; only compiled
    code can call it.
    """
    ways: dict[type, Callable[..., Any]] = {}
    WAYS[kernel] = ways

    def choose(*types: Any) -> Callable[..., Any] | None:
        return ways.get(getattr(types[0], "instance_class", type(None)))

    options: Any = {"nogil": True, "error_model": "numpy", "forceinline": True}
    overload(kernel, jit_options=options, strict=False)(choose)
    return kernel


def way(
    kernel: Callable[..., Any], kind: type
) -> Callable[[Callable[Parameters, Returned]], Callable[Parameters, Returned]]:
    """Compile a function, and let it be an open kernel's way with a kind of first argument, a NamedTuple."""

    def register(function: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
        # the compiler tells types apart by their names, and would take one kind for the other
        if kind.__name__ in {known.__name__ for known in WAYS[kernel]}:
            raise TypeError(f"{kernel.__name__} has a way for a {kind.__name__} already; name kinds apart")
        WAYS[kernel][kind] = function
        return compiled(function)

    return register
