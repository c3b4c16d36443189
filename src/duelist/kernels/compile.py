"""One way to compile: every kernel of the package goes through these decorators."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Literal, ParamSpec, TypeVar, cast

import numba
from numba.extending import overload, register_jitable

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")

NO_BODY = "an overloaded kernel has no body of its own; its overloads are written elsewhere"
"""What stands in the place of the body."""

OVERLOADS: dict[Callable[..., Any], dict[type, Callable[..., Any]]] = {}
"""Of every overloaded kernel: the overloads that are known so far."""


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


def jitable(function: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """Let kernels call a function, which stays a plain one for kernels that run interpreted."""
    registered: Callable[Parameters, Returned] = register_jitable(
        nogil=True, error_model="numpy", forceinline=True
    )(function)
    return registered


def interpreted(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Return a kernel as it was written, before it was compiled."""
    function: Callable[..., Any] = getattr(kernel, "py_func", kernel)
    return function


def overloaded(kernel: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """Declare a kernel whose overloads are written elsewhere, one for every type of its first argument.

    A loop can call it without knowing who will be played. What is declared is a signature; compiled or not, a
    call takes the overload of the type.
    """
    return declare(kernel, "never")


def inlined_overloaded(kernel: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """Declare an overloaded kernel of small bodies, merged with their callers before compilation.

    A call would count references to every array of its first argument, which shows in small bodies. Bodies
    call kernels that write into arrays, but do not write themselves: merged, such a write would be taken for
    dead code.
    """
    return declare(kernel, "always")


def declare(
    kernel: Callable[Parameters, Returned], inline: Literal["never", "always"]
) -> Callable[Parameters, Returned]:
    """Declare an overloaded kernel, and how its overloads meet their callers."""
    overloads: dict[type, Callable[..., Any]] = {}

    @wraps(kernel)
    def by_kind(*arguments: Any) -> Any:
        kind = type(arguments[0])
        if kind not in overloads:
            raise TypeError(f"{kernel.__name__} has no overload for a {kind.__name__}")
        return overloads[kind](*arguments)

    def choose(*types: Any) -> Callable[..., Any] | None:
        return overloads.get(getattr(types[0], "instance_class", type(None)))

    options: Any = {"nogil": True, "error_model": "numpy", "forceinline": True}
    overload(by_kind, jit_options=options, strict=False, inline=inline)(choose)
    OVERLOADS[by_kind] = overloads
    return cast("Callable[Parameters, Returned]", by_kind)


def overload_for(
    kernel: Callable[..., Any], *kinds: type
) -> Callable[[Callable[Parameters, Returned]], Callable[Parameters, Returned]]:
    """Compile a function as an overloaded kernel's body for types of first argument, NamedTuples."""

    def register(function: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
        for kind in kinds:
            # the compiler tells types apart by their names, and would take one kind for the other
            if kind.__name__ in {known.__name__ for known in OVERLOADS[kernel]}:
                raise TypeError(f"{kernel.__name__} has an overload for a {kind.__name__}; name kinds apart")
            OVERLOADS[kernel][kind] = function
        return compiled(function)

    return register
