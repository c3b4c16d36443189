"""Write the type stubs of the packages that import their names on first use.

`python docs/stubs.py` writes an `__init__.pyi` next to every such `__init__.py`, because type checkers and
editors cannot see names that are imported later.
"""

from importlib import import_module
from pathlib import Path

from duelist.files import write_whole

SOURCE = Path(__file__).parents[1] / "src"
WIDTH = 110
PACKAGES = (
    "duelist",
    "duelist.learners",
    "duelist.learners.armed",
    "duelist.learners.contextual",
    "duelist.learners.continuous",
    "duelist.learners.ranking",
)


def stub_path(package: str) -> Path:
    return SOURCE / package.replace(".", "/") / "__init__.pyi"


def stub(package: str) -> str:
    """Return the stub of a package: an import for every name, in ruff's order.

    Examples
    --------
    >>> print(stub("duelist.learners.armed").splitlines()[2])
    from duelist.learners.armed.auto import Auto as Auto
    """
    module = import_module(package)
    sources = {
        name: package if source == f"{package}.{name}" else source for name, source in module.EXPORTS.items()
    }
    names = sorted(module.__all__, key=lambda name: (sources[name], module.__all__.index(name)))
    lines = ["# Written by `make derived` from duelist.registry.", ""]
    for name in names:
        line = f"from {sources[name]} import {name} as {name}"
        wrapped = [f"from {sources[name]} import (", f"    {name} as {name},", ")"]
        lines += [line] if len(line) <= WIDTH else wrapped
    lines += ["", "__all__ = [", *(f'    "{name}",' for name in module.__all__), "]"]
    if hasattr(module, "__version__"):
        lines += ["", "__version__: str"]
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    for name in PACKAGES:
        print(f"{write_whole(stub_path(name), stub(name).encode())} written")
