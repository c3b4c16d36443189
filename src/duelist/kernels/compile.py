"""The decorators that compile every kernel of the package."""

import inspect
from collections.abc import Callable
from contextvars import ContextVar
from functools import cached_property, update_wrapper, wraps
from typing import Any, Literal, ParamSpec, TypeVar, cast

import numba
from numba.extending import overload, register_jitable, typeof_impl

from duelist.kernels.cache import package_of, sources_of
from duelist.kernels.toolchain import Toolchain

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")

NO_BODY = "an overloaded kernel has no body; its overloads are defined elsewhere"
"""The error of a body that is never called."""

OVERLOADS: dict[Callable[..., Any], dict[type, Callable[..., Any]]] = {}
"""The overloads registered so far for each overloaded kernel."""

type_of: Any = numba.typeof

NUMBERS = (None, bool, int, float)  # return types of kernels that need not count references

RUN: ContextVar[Callable[["Kernel", tuple[Any, ...]], Any] | None] = ContextVar("RUN", default=None)
"""If set, this function runs the kernels that Python calls, instead of their machine code."""


def choose_toolchain() -> Toolchain:
    """Return the fastest toolchain that this version of Numba supports."""
    try:
        from duelist.kernels._numba import Internals
    except (ImportError, AttributeError, TypeError, LookupError) as error:
        return Toolchain(str(error))
    return Internals()


TOOLCHAIN = choose_toolchain()


class Kernel:
    """A function that is compiled at its first call: from Python, or merged with a compiled caller."""

    def __init__(self, function: Callable[..., Any], counts_references: bool = True) -> None:
        update_wrapper(self, function)
        sources_of(package_of(function.__module__))
        self.py_func = function
        self.counts_references = counts_references
        self.entries: dict[tuple[type, ...], Callable[..., Any]] = {}
        """The entry point of the machine code for each type of the first argument and of its fields."""

    def __call__(self, *arguments: Any) -> Any:
        run = RUN.get()
        return self.dispatcher(*arguments) if run is None else run(self, arguments)

    def __reduce__(self) -> str:
        """Pickle as a name, under which other processes import it."""
        return self.py_func.__qualname__

    @cached_property
    def dispatcher(self) -> Any:
        """The dispatcher for calls from Python, cached on disk."""
        return TOOLCHAIN.outer(self.py_func)

    @cached_property
    def inner(self) -> Any:
        """The dispatcher for calls from compiled kernels."""
        return TOOLCHAIN.inner(self.py_func, self.counts_references)

    def is_kept(self, signature: tuple[Any, ...]) -> bool | None:
        return TOOLCHAIN.is_kept(self.dispatcher, signature)

    def entry(self, signature: tuple[Any, ...]) -> Callable[..., Any]:
        return TOOLCHAIN.entry(self.dispatcher, signature)

    @property
    def signatures(self) -> list[Any]:
        """The argument types for which it has been compiled."""
        return list(self.dispatcher.signatures)


def run_typed(kernel: Callable[..., Returned], first: Any, *others: Any) -> Returned:
    """Run a kernel whose first argument is a NamedTuple that determines the types of all others.

    Looking up machine code by the types of all arguments takes longer than a short kernel. Machine code is
    reused for fields of the same types only: it would truncate a float in the place of a whole number.
    """
    if not isinstance(kernel, Kernel):
        return kernel(first, *others)
    key = (type(first), *map(type, first))
    entry = kernel.entries.get(key)
    if entry is not None:
        return cast(Returned, entry(first, *others))
    returned = kernel(first, *others)
    if RUN.get() is None and all(kind in NUMBERS for kind in key[1:]):
        signature = tuple(type_of(argument) for argument in (first, *others))
        kernel.entries[key] = kernel.entry(signature)
    return cast(Returned, returned)


class InlinedKernel(Kernel):
    """A loop over kernels that is compiled into each compiled caller."""

    @property
    def targetoptions(self) -> dict[str, str]:
        """The options by which Numba decides how to compile a call."""
        return {"inline": "always"}


register_type: Any = typeof_impl.register
register_type(Kernel)(lambda kernel, context: numba.types.Dispatcher(kernel.inner))


def compiled(kernel: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """Compile a kernel to machine code, which is cached on disk and runs without the interpreter lock."""
    return cast("Callable[Parameters, Returned]", Kernel(kernel))


def borrowing(kernel: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """Compile a kernel that neither creates nor returns arrays, without counting references.

    In a loop of small kernels, counting references to every array of a state, a menu and a duel would take
    longer than everything else.
    """
    returned = inspect.signature(kernel).return_annotation
    if returned not in NUMBERS:
        raise TypeError(f"{kernel.__name__} returns {returned}; a borrowing kernel may only return numbers")
    return cast("Callable[Parameters, Returned]", Kernel(kernel, counts_references=False))


def inlined(loop: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """Compile a loop that takes kernels as arguments into each compiled caller.

    Merged with its caller, the loop can be cached on disk like any kernel. A call with functions as arguments
    could not be cached, and would be compiled again in every process.
    """
    return cast("Callable[Parameters, Returned]", InlinedKernel(loop))


def jitable(function: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """Let kernels call a function, which remains a plain Python function for interpreted kernels."""
    registered: Callable[Parameters, Returned] = register_jitable(**TOOLCHAIN.inner_options)(function)
    return registered


def overloaded(kernel: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """Declare a kernel whose overloads are defined elsewhere, one per type of its first argument.

    A loop can call it without knowing which world will be played. The declaration is only a signature. A
    call, compiled or not, uses the overload for the type of its first argument.
    """
    return declare(kernel, "never")


def inlined_overloaded(kernel: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """Declare an overloaded kernel with small bodies, which are merged into their callers before compilation.

    A call would count references to every array of its first argument, which is slow compared with a small
    body. Bodies must not write into arrays themselves, because the compiler would remove such writes as dead
    code after merging; they call kernels that write.
    """
    return declare(kernel, "always")


def declare(
    kernel: Callable[Parameters, Returned], inline: Literal["never", "always"]
) -> Callable[Parameters, Returned]:
    """Declare an overloaded kernel, and whether its overloads are merged into their callers."""
    overloads: dict[type, Callable[..., Any]] = {}

    @wraps(kernel)
    def by_kind(*arguments: Any) -> Any:
        kind = type(arguments[0])
        if kind not in overloads:
            raise TypeError(f"{kernel.__name__} has no overload for {kind.__name__}")
        return overloads[kind](*arguments)

    def choose(*types: Any) -> Callable[..., Any] | None:
        return overloads.get(getattr(types[0], "instance_class", type(None)))

    options: Any = TOOLCHAIN.inner_options
    overload(by_kind, jit_options=options, strict=False, inline=inline)(choose)
    OVERLOADS[by_kind] = overloads
    return cast("Callable[Parameters, Returned]", by_kind)


def overload_for(
    kernel: Callable[..., Any], *kinds: type
) -> Callable[[Callable[Parameters, Returned]], Callable[Parameters, Returned]]:
    """Compile a function as the overload of a kernel for first arguments of these NamedTuple classes."""

    def register(function: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
        for kind in kinds:
            # the compiler distinguishes classes by their names only
            if kind.__name__ in {known.__name__ for known in OVERLOADS[kernel]}:
                raise TypeError(
                    f"{kernel.__name__} already has an overload for {kind.__name__}; rename the class"
                )
            OVERLOADS[kernel][kind] = function
        return compiled(function)

    return register
