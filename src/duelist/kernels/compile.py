"""One way to compile: every kernel of the package goes through these decorators."""

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

NO_BODY = "an overloaded kernel has no body of its own; its overloads are written elsewhere"
"""What stands in the place of the body."""

OVERLOADS: dict[Callable[..., Any], dict[type, Callable[..., Any]]] = {}
"""Of every overloaded kernel: the overloads that are known so far."""

type_of: Any = numba.typeof

NUMBERS = (None, bool, int, float)  # what a kernel may return that counts no references

RUN: ContextVar[Callable[["Kernel", tuple[Any, ...]], Any] | None] = ContextVar("RUN", default=None)
"""What runs a kernel that Python calls, instead of its machine code."""


def choose_toolchain() -> Toolchain:
    """Return the quickest way to compile that this version of Numba allows."""
    try:
        from duelist.kernels._numba import Internals
    except (ImportError, AttributeError, TypeError, LookupError) as error:
        return Toolchain(str(error))
    return Internals()


TOOLCHAIN = choose_toolchain()


class Kernel:
    """A function that is compiled when it is first called: from Python, or merged with a compiled caller."""

    def __init__(self, function: Callable[..., Any], counts_references: bool = True) -> None:
        update_wrapper(self, function)
        sources_of(package_of(function.__module__))
        self.py_func = function
        self.counts_references = counts_references
        self.entries: dict[type, Callable[..., Any]] = {}
        """What runs the machine code for the types that follow from that of the first argument."""

    def __call__(self, *arguments: Any) -> Any:
        """Run the kernel."""
        run = RUN.get()
        return self.dispatcher(*arguments) if run is None else run(self, arguments)

    def __reduce__(self) -> str:
        """Travel to other processes as a name."""
        return self.py_func.__qualname__

    @cached_property
    def dispatcher(self) -> Any:
        """The kernel as Python calls it, kept on disk."""
        return TOOLCHAIN.outer(self.py_func)

    @cached_property
    def inner(self) -> Any:
        """The kernel as compiled kernels call it."""
        return TOOLCHAIN.inner(self.py_func, self.counts_references)

    def is_kept(self, signature: tuple[Any, ...]) -> bool | None:
        """Return whether machine code for types of arguments is there; None if it cannot be kept."""
        return TOOLCHAIN.is_kept(self.dispatcher, signature)

    def entry(self, signature: tuple[Any, ...]) -> Callable[..., Any]:
        """Return what runs the machine code for types of arguments, which must be there."""
        return TOOLCHAIN.entry(self.dispatcher, signature)

    @property
    def signatures(self) -> list[Any]:
        """The types of arguments that it was compiled for."""
        return list(self.dispatcher.signatures)


def run_typed(kernel: Callable[..., Returned], first: Any, *others: Any) -> Returned:
    """Run a kernel on arguments whose types follow from the type of the first one.

    Looking machine code up by the types of all arguments takes longer than a short kernel runs.
    """
    if not isinstance(kernel, Kernel):
        return kernel(first, *others)
    entry = kernel.entries.get(type(first))
    if entry is not None:
        return cast(Returned, entry(first, *others))
    returned = kernel(first, *others)
    if RUN.get() is None:
        signature = tuple(type_of(argument) for argument in (first, *others))
        kernel.entries[type(first)] = kernel.entry(signature)
    return cast(Returned, returned)


class InlinedKernel(Kernel):
    """A loop over kernels, which is compiled into each compiled caller."""

    @property
    def targetoptions(self) -> dict[str, str]:
        """Where the compiler looks for how a call is to be compiled."""
        return {"inline": "always"}


typeof: Any = typeof_impl
typeof.register(Kernel)(lambda kernel, context: numba.types.Dispatcher(kernel.inner))


def compiled(kernel: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """Compile a kernel to machine code, kept on disk, free of the interpreter lock while it runs."""
    return cast("Callable[Parameters, Returned]", Kernel(kernel))


def borrowing(kernel: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """Compile a kernel that makes no arrays and returns none, so that it need not count references.

    In a loop of small kernels, counting references to every array of a state, a menu and a duel would take
    longer than all the rest.
    """
    returned = inspect.signature(kernel).return_annotation
    if returned not in NUMBERS:
        raise TypeError(f"{kernel.__name__} returns {returned}; a kernel that borrows returns numbers alone")
    return cast("Callable[Parameters, Returned]", Kernel(kernel, counts_references=False))


def inlined(loop: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """Compile a loop that takes kernels as arguments into each compiled caller.

    Merged with its caller, the loop can be kept on disk like any kernel; a call that hands functions over
    could not, and would be compiled anew in every process.
    """
    return cast("Callable[Parameters, Returned]", InlinedKernel(loop))


def jitable(function: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """Let kernels call a function, which stays a plain one for kernels that run interpreted."""
    registered: Callable[Parameters, Returned] = register_jitable(**TOOLCHAIN.inner_options)(function)
    return registered


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

    options: Any = TOOLCHAIN.inner_options
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
