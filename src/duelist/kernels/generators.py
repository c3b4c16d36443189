"""Generators handed to kernels by the address that NumPy publishes for them.

Numba takes a generator apart through ctypes, attribute by attribute, in 4 microseconds: longer than most
kernels of a live study run. NumPy's capsule holds the same addresses in a struct of C (`bitgen_t`).
"""

import importlib
from typing import Any

from numba.core import types

ir: Any = importlib.import_module("llvmlite.ir")
cgutils: Any = importlib.import_module("numba.core.cgutils")
pythonapi: Any = importlib.import_module("numba.core.pythonapi")

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
