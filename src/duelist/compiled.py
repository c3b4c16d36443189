"""One way to compile: every kernel of the package goes through these decorators."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Literal, ParamSpec, TypeVar, cast

import numba
from numba.extending import overload, register_jitable

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")

OPEN = "an open kernel has no body of its own; its ways are written elsewhere"
"""What stands in the place of the body."""

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

    A loop can call it without knowing who will be played. What is declared is a signature; compiled or not, a
    call takes the way of the kind.
    """
    return declare(kernel, "never")


def inlined_open_kernel(kernel: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """Declare an open kernel of small ways, merged with their callers before compilation.

    A call would count references to every array of its first argument, which shows where a way does little.
    """
    return declare(kernel, "always")


def declare(
    kernel: Callable[Parameters, Returned], inline: Literal["never", "always"]
) -> Callable[Parameters, Returned]:
    """Declare an open kernel, and how its ways meet their callers."""
    ways: dict[type, Callable[..., Any]] = {}

    @wraps(kernel)
    def by_kind(*arguments: Any) -> Any:
        kind = type(arguments[0])
        if kind not in ways:
            raise TypeError(f"{kernel.__name__} has no way for a {kind.__name__}")
        return ways[kind](*arguments)

    def choose(*types: Any) -> Callable[..., Any] | None:
        return ways.get(getattr(types[0], "instance_class", type(None)))

    options: Any = {"nogil": True, "error_model": "numpy", "forceinline": True}
    overload(by_kind, jit_options=options, strict=False, inline=inline)(choose)
    WAYS[by_kind] = ways
    return cast("Callable[Parameters, Returned]", by_kind)


def way(
    kernel: Callable[..., Any], *kinds: type
) -> Callable[[Callable[Parameters, Returned]], Callable[Parameters, Returned]]:
    """Compile a function, and let it be an open kernel's way with kinds of first argument, NamedTuples."""

    def register(function: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
        for kind in kinds:
            # the compiler tells types apart by their names, and would take one kind for the other
            if kind.__name__ in {known.__name__ for known in WAYS[kernel]}:
                raise TypeError(f"{kernel.__name__} has a way for a {kind.__name__}; name kinds apart")
            WAYS[kernel][kind] = function
        return compiled(function)

    return register
