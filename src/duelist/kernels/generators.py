"""Generators handed to kernels by the address that NumPy publishes for them, and at once.

Numba takes a generator apart through ctypes, attribute by attribute, in 4 microseconds: longer than most
kernels of a live study run. NumPy's capsule holds the same addresses in a struct of C (`bitgen_t`).

Numba finds the types of arguments by their fingerprints, in C. A generator has none, so that a tuple with one
among its fields is typed in Python, field by field, in 200 microseconds: longer than many a run takes.
"""

import importlib
from typing import Any, TypeVar

from numba.core import types
from numpy.random import Generator

Kind = TypeVar("Kind", bound=type)

ir: Any = importlib.import_module("llvmlite.ir")
cgutils: Any = importlib.import_module("numba.core.cgutils")
pythonapi: Any = importlib.import_module("numba.core.pythonapi")
compute_fingerprint: Any = importlib.import_module("numba._dispatcher").compute_fingerprint
typeof_impl: Any = importlib.import_module("numba.core.typing.typeof").typeof_impl

FIELDS = ("state", "fnptr_next_uint64", "fnptr_next_uint32", "fnptr_next_double")
"""What Numba calls the first members of a `bitgen_t`, in their order."""


def unbox_bit_generator(typ: Any, obj: Any, c: Any) -> Any:
    """Return the native form of a bit generator, from its capsule."""
    builder, struct = c.builder, cgutils.create_struct_proxy(typ)(c.context, c.builder)
    struct.parent = obj
    capsule = c.pyapi.object_getattr_string(obj, "capsule")
    signature = ir.FunctionType(cgutils.voidptr_t, [c.pyapi.pyobj, cgutils.voidptr_t])
    get_pointer = cgutils.get_or_insert_function(builder.module, signature, "PyCapsule_GetPointer")
    name = c.context.insert_const_string(builder.module, "BitGenerator")
    address = builder.call(get_pointer, [capsule, name])
    c.pyapi.decref(capsule)
    words = builder.bitcast(address, c.context.get_value_type(types.uintp).as_pointer())
    for place, field in enumerate(FIELDS):
        setattr(struct, field, builder.load(builder.gep(words, [ir.Constant(ir.IntType(32), place)])))
    struct.state_address = struct.state
    return pythonapi.NativeValue(struct._getvalue(), is_error=cgutils.is_null(builder, address))


def unbox_by_address() -> None:
    """Let Numba take generators apart by their capsules from now on."""
    # Numba registers its own way when this module is first imported
    importlib.import_module("numba.core.boxing")
    pythonapi._unboxers.functions[types.NumPyRandomBitGeneratorType] = unbox_bit_generator


def typed_at_once(kind: Kind) -> Kind:
    """Let Numba type NamedTuples of a kind by the fingerprint of their fields that are no generators."""
    places = [place for place, of in enumerate(kind.__annotations__.values()) if of is not Generator]
    field_by_field, known = typeof_impl.dispatch(tuple), dict[bytes, Any]()

    def typeof(value: Any, context: Any) -> Any:
        try:
            fingerprint = compute_fingerprint(tuple(value[place] for place in places))
        except NotImplementedError:  # of what only Python knows, such as a world that is not compiled
            return field_by_field(value, context)
        if fingerprint not in known:
            known[fingerprint] = field_by_field(value, context)
        return known[fingerprint]

    typeof_impl.register(kind)(typeof)
    return kind
