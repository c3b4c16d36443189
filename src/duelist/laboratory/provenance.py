"""Which code made a result: a fingerprint of the sources that a function is made of."""

import ast
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

from duelist.parallel.executors import versions


@cache
def code_of(module: str) -> str:
    """Return what tells the code of a module, and all that it imports, from what it was or will be.

    Of the module's own package and of duelist the sources count, of others that compute their versions. So
    results outlive a change of what draws or judges them, but not of what made them.
    """
    digest = sha256(repr(sorted(versions().items())).encode())
    for name, file in sorted(sources_of(module).items()):
        digest.update(name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def sources_of(module: str) -> dict[str, Path]:
    """Return the files of a module and of all modules of its package and of duelist that it imports, by name.

    The `__init__` of a package that a module is in counts only where something is imported from it.
    """
    packages, found, waiting = {top(module), top(__name__)}, dict[str, Path](), [module]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        file = source_file(name)
        if file is not None:
            found[name] = file
            waiting += [one for one in imported(file) if top(one) in packages]
    return found


def top(module: str) -> str:
    """Return the name of the package that a module belongs to, without its parts."""
    return module.partition(".")[0]


@cache
def imported(file: Path) -> tuple[str, ...]:
    """Return the names that a file may import as modules; of `from a import b`, both a and a.b."""
    names = list[str]()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return tuple(names)


@cache
def source_file(name: str) -> Path | None:
    """Return where a module's source is; None where there is no such module."""
    try:
        spec = find_spec(name)
    except ModuleNotFoundError:  # a part of something that is no package
        return None
    return Path(spec.origin) if spec is not None and spec.origin is not None else None
