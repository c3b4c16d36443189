"""Lazy exports: a package imports its public names when they are first used."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def export_lazily(
    package: str, exports: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return a package's `__getattr__`, `__dir__` and `__all__`, given the module of each exported name."""
    # in ruff's order: constants, then classes, then functions and modules
    names = sorted(exports, key=lambda name: (not name.isupper(), not name[0].isupper(), name))

    def find(name: str) -> Any:
        own = f"{package}.{name}"
        try:
            module = import_module(exports.get(name, own))
        except ModuleNotFoundError as error:
            if error.name != own:
                raise
            raise AttributeError(f"module {package!r} has no attribute {name!r}") from None
        value = module if module.__name__ == own else getattr(module, name)
        setattr(sys.modules[package], name, value)
        return value

    def listing() -> list[str]:
        return sorted({*vars(sys.modules[package]), *names})

    return find, listing, names
