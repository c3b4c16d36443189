"""Faster compilation and calls of kernels, by internals of Numba that may change in any version.

No other module uses internals of Numba. They are checked when this module is imported: if one of them is
missing or behaves differently, the import fails, and Numba's public API is used instead (`toolchain.py`).

**Merging.** Numba optimises every function separately, translates it to machine code, wraps it for Python,
and repeats all of this for each caller. Python never calls an inner kernel, so most of this work is wasted.
Here an inner kernel remains intermediate code until it is merged with a kernel that Python calls.

**Generators.** Numba unboxes a generator through ctypes, attribute by attribute, in 4 microseconds. Most
kernels of a live study take less. NumPy's capsule holds the same addresses in a C struct (`bitgen_t`). Numba
looks up argument types by their fingerprints, in C. A generator has no fingerprint, so a tuple with a
generator among its fields is typed in Python, field by field, in 200 microseconds. Many runs take less.

**Caching.** Machine code is written and read by Numba, in a folder that `cache.py` chooses.
"""

import ctypes
import importlib
import pickle
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numba
from numba.core import caching, compiler_machinery, environment, typed_passes, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import LoweringPass
from numpy.random import Generator, default_rng

from duelist.kernels import cache
from duelist.kernels.cache import fingerprint_of, foreign_fingerprints, is_foreign, package_of
from duelist.kernels.toolchain import Toolchain, has_sources

Kind = TypeVar("Kind", bound=type)

ir: Any = importlib.import_module("llvmlite.ir")
importlib.import_module("numba.core.boxing")  # registers Numba's unboxers
cgutils: Any = importlib.import_module("numba.core.cgutils")
pythonapi: Any = importlib.import_module("numba.core.pythonapi")
compute_fingerprint: Any = importlib.import_module("numba._dispatcher").compute_fingerprint
typeof_impl: Any = importlib.import_module("numba.core.typing.typeof").typeof_impl
register_pass: Any = compiler_machinery.register_pass
lookup_environment: Any = environment.lookup_environment

UNREADABLE = (OSError, EOFError, ImportError, AttributeError, pickle.UnpicklingError)
"""Errors when cached machine code is damaged, or refers to types of a package that is not installed."""

ENVIRONMENT = "_ZN08NumbaEnv"  # prefix of the names of a function's environments


class InnerLibrary(JITCodeLibrary):
    """Intermediate code of an inner kernel, which is never translated to machine code on its own."""

    @property
    def codegen(self) -> Any:
        """Return this library, whose `set_env` does nothing, because there is no machine code yet."""
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """Leave the environment to the kernel that this one is merged with."""

    def get_pointer_to_function(self, name: str) -> int:
        """Return 0, because there is no machine code."""
        base: Any = super()
        base._ensure_finalized()
        return 0

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        base: Any = super()
        base._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class InnerLowering(typed_passes.NativeLowering):
    _name = "duelist_inner_lowering"

    def run_pass(self, state: Any) -> bool:
        library: Any = InnerLibrary
        state.library = library(state.targetctx.codegen(), state.func_id.func_qualname)
        base: Any = super()
        return bool(base.run_pass(state))


@register_pass(mutates_CFG=False, analysis_only=True)
class SetEnvironments(LoweringPass):
    """Sets the environments of merged inner kernels."""

    _name = "duelist_set_environments"

    def __init__(self) -> None:
        base: Any = super()
        base.__init__()

    def run_pass(self, state: Any) -> bool:
        for variable in state.library._final_module.global_variables:
            if variable.name.startswith(ENVIRONMENT):
                known = lookup_environment(variable.name)
                if known is not None:
                    state.targetctx.codegen().set_env(variable.name, known)
        return False


class OuterCompiler(Compiler):
    def define_pipelines(self) -> list[Any]:
        """Return Numba's pipelines with one additional pass."""
        base: Any = super()
        managers: list[Any] = base.define_pipelines()
        for manager in managers:
            manager.add_pass_after(SetEnvironments, typed_passes.NativeLowering)
            manager.finalize()
        return managers


class InnerCompiler(Compiler):
    def define_pipelines(self) -> list[Any]:
        """Return Numba's pipelines with a different lowering pass."""
        base: Any = super()
        managers: list[Any] = base.define_pipelines()
        for manager in managers:
            manager.passes = [
                (InnerLowering, "inner lowering") if step is typed_passes.NativeLowering else (step, name)
                for step, name in manager.passes
            ]
        return managers


FIELDS = ("state", "fnptr_next_uint64", "fnptr_next_uint32", "fnptr_next_double")
"""Numba's names of the first members of a `bitgen_t`, in order."""


GENERATOR = default_rng(0).bit_generator
"""The generator whose addresses are compared."""


def addresses_in_capsule() -> list[int]:
    get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
    get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    address = get_pointer(GENERATOR.capsule, b"BitGenerator")
    return [*(ctypes.c_size_t * len(FIELDS)).from_address(address)]


def addresses_by_ctypes() -> list[int | None]:
    """Return the same addresses as NumPy publishes them through ctypes, where Numba reads them."""
    known = GENERATOR.ctypes
    functions = (known.next_uint64, known.next_uint32, known.next_double)
    return [known.state_address, *(ctypes.cast(function, ctypes.c_void_p).value for function in functions)]


def unbox_bit_generator(typ: Any, obj: Any, c: Any) -> Any:
    """Return the native form of a bit generator, read from its capsule."""
    builder, struct = c.builder, cgutils.create_struct_proxy(typ)(c.context, c.builder)
    struct.parent = obj
    capsule = c.pyapi.object_getattr_string(obj, "capsule")
    signature = ir.FunctionType(cgutils.voidptr_t, [c.pyapi.pyobj, cgutils.voidptr_t])
    get_pointer = cgutils.get_or_insert_function(builder.module, signature, "PyCapsule_GetPointer")
    name = c.context.insert_const_string(builder.module, "BitGenerator")
    address = builder.call(get_pointer, [capsule, name])
    c.pyapi.decref(capsule)
    words = builder.bitcast(address, c.context.get_value_type(types.uintp).as_pointer())
    for index, field in enumerate(FIELDS):
        setattr(struct, field, builder.load(builder.gep(words, [ir.Constant(ir.IntType(32), index)])))
    struct.state_address = struct.state
    return pythonapi.NativeValue(struct._getvalue(), is_error=cgutils.is_null(builder, address))


class KernelCacheImpl(caching.CompileResultCacheImpl, caching._CacheLocator):
    """Numba's cache of a kernel's machine code, in the folder that `cache.py` chooses."""

    def __init__(self, function: Callable[..., Any]) -> None:
        folder = cache.kernel_folder()
        if folder is None:
            raise FileNotFoundError
        self.folder, self.function, self._locator = folder, function, self
        # Numba's error messages read these if machine code cannot be cached
        self._py_file, self._lineno = function.__code__.co_filename, function.__code__.co_firstlineno
        name = f"{function.__module__}.{function.__qualname__}"
        base: Any = super()
        self._filename_base = base.get_filename_base(name, getattr(sys, "abiflags", ""))

    def get_cache_path(self) -> str:
        return str(self.folder)

    def get_source_stamp(self) -> str | None:
        """Return the fingerprint of the package that defines the kernel."""
        package = package_of(self.function.__module__)
        return cache.compiled_fingerprint() if not is_foreign(package) else fingerprint_of(package)

    def get_disambiguator(self) -> str:
        """Return the line number, which distinguishes kernels with the same name."""
        return str(self._lineno)


class KernelCache(caching.FunctionCache):
    """The machine code of one kernel on disk; several processes may load and save it at once."""

    _impl_class = KernelCacheImpl

    def load_overload(self, signature: Any, target: Any) -> Any:
        """Return the machine code for some argument types; None if it must be compiled."""
        base: Any = super()
        try:
            found = base.load_overload(signature, target)
        except UNREADABLE:
            found = None
            with suppress(OSError):
                base.flush()
        if found is None:
            cache.announce()
        return found

    def save_overload(self, signature: Any, result: Any) -> None:
        """Save machine code, one process at a time."""
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
            cache.say(f"compiled in memory: {error}.")

    def has(self, signature: Any, target: Any) -> bool:
        """Return whether there is machine code for some argument types on disk."""
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
    """A cache that stores nothing."""

    def load_overload(self, signature: Any, target: Any) -> None:
        """Return None, because nothing is stored."""
        cache.announce()

    def has(self, signature: Any, target: Any) -> None:
        """Return None, because nothing can be stored."""


def kinds_in(types: Any) -> Iterator[type]:
    """Yield the NamedTuple classes among types, including nested ones."""
    for kind in types:
        if hasattr(kind, "instance_class"):
            yield kind.instance_class
        yield from kinds_in(getattr(kind, "types", ()))


class Internals(Toolchain):
    options: ClassVar[dict[str, Any]] = {**Toolchain.options, "no_cfunc_wrapper": True}
    inner_options: ClassVar[dict[str, Any]] = {
        **options,
        "no_cpython_wrapper": True,
        "_nrt": True,  # otherwise it would depend on the first caller
        "forceinline": True,  # merging lets the compiler optimise across kernels
        "pipeline_class": InnerCompiler,
    }

    def outer(self, function: Callable[..., Any]) -> Any:
        """Return the dispatcher of a function that Python calls, cached on disk if possible."""
        dispatcher = numba.njit(**self.options, pipeline_class=OuterCompiler)(function)
        dispatcher._cache = cache_for(function)
        return dispatcher

    def inner(self, function: Callable[..., Any], counts_references: bool) -> Any:
        """Return the dispatcher of a function that compiled functions call."""
        return numba.njit(**{**self.inner_options, "_nrt": counts_references})(function)

    def is_kept(self, dispatcher: Any, signature: tuple[Any, ...]) -> bool | None:
        """Return whether there is machine code for some argument types; None if it cannot be cached."""
        kept: bool | None = signature in dispatcher.overloads or dispatcher._cache.has(
            signature, dispatcher.targetctx
        )
        return kept

    def entry(self, dispatcher: Any, signature: tuple[Any, ...]) -> Callable[..., Any]:
        """Return the entry point of the machine code for some argument types, which must exist."""
        entry: Callable[..., Any] = dispatcher.overloads[signature].entry_point
        return entry

    def typed_at_once(self, kind: Kind) -> Kind:
        """Let Numba type NamedTuples of a class by the fingerprint of all fields but generators."""
        fields = [index for index, of in enumerate(kind.__annotations__.values()) if of is not Generator]
        field_by_field, known = typeof_impl.dispatch(tuple), dict[bytes, Any]()

        def typeof(value: Any, context: Any) -> Any:
            try:
                fingerprint = compute_fingerprint(tuple(value[index] for index in fields))
            except NotImplementedError:  # a field is a Python object, such as a world that is not compiled
                return field_by_field(value, context)
            if fingerprint not in known:
                known[fingerprint] = field_by_field(value, context)
            return known[fingerprint]

        typeof_impl.register(kind)(typeof)
        return kind


def cache_for(function: Callable[..., Any]) -> Any:
    """Return the cache of a kernel's machine code: on disk, unless there are no sources or no folder."""
    numba_cache: Any = KernelCache
    try:
        return numba_cache(function) if has_sources(function) else MemoryCache()
    except FileNotFoundError:
        return MemoryCache()


OVERRIDDEN: tuple[tuple[Any, str], ...] = (
    (JITCodeLibrary, "_ensure_finalized _finalize_dynamic_globals _finalize_final_module"),
    (JITCodeLibrary, "_optimize_final_module codegen get_pointer_to_function"),
    (typed_passes.NativeLowering, "run_pass"),
    (Compiler, "define_pipelines"),
    (caching._CacheLocator, "get_cache_path get_disambiguator get_source_stamp"),
    (caching.CompileResultCacheImpl, "check_cachable get_filename_base rebuild reduce"),
    (caching.FunctionCache, "_impl_class _index_key flush load_overload save_overload"),
    (caching.IndexDataCacheFile, "_load_index"),
    (caching.NullCache, "load_overload save_overload"),
)
"""The internals of Numba that are overridden or called here."""


def find_missing() -> list[str]:
    """Return the internals that are missing or behave differently."""
    missing = [
        f"{owner.__name__}.{name}"
        for owner, names in OVERRIDDEN
        for name in names.split()
        if not hasattr(owner, name)
    ]
    if types.NumPyRandomBitGeneratorType not in pythonapi._unboxers.functions:
        missing.append("an unboxer of bit generators")
    if not compute_fingerprint((1, 2)) == compute_fingerprint((3, 4)) != compute_fingerprint((1.0, 2)):
        missing.append("compute_fingerprint")
    if addresses_in_capsule() != addresses_by_ctypes():
        missing.append("BitGenerator.capsule")
    return missing


MISSING = find_missing()
if MISSING:
    raise ImportError(f"this version of Numba is not supported; it lacks {', '.join(MISSING)}")
pythonapi._unboxers.functions[types.NumPyRandomBitGeneratorType] = unbox_bit_generator
