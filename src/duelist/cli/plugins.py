"""Learners from outside: `module:Class`, or `./file.py:Class`, with parameters behind another colon."""

import re
import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from duelist.errors import ParameterError, UnknownNameError

WRITTEN = re.compile(r"(?P<place>.+?):(?P<rest>[^\W\d]\w*(?::.*)?)")
NEEDED = ("init", "ask", "tell", "best")


def split_plugin(text: str) -> tuple[str, str] | None:
    """Return the module or file that a text names, and the rest as a spec; None where it names none."""
    written = WRITTEN.fullmatch(text.strip())
    return None if written is None else (written["place"], written["rest"])


def load_class(place: str, name: str) -> type[Any]:
    """Return a learner's class out of a module or a file, or say in a line why that cannot be."""
    module = load_module(place)
    found = getattr(module, name, None)
    if found is None:
        classes = {name: kind for name, kind in vars(module).items() if isinstance(kind, type)}
        learners = [name for name, kind in classes.items() if not missing_methods(kind)]
        raise UnknownNameError(f"class in {place}", name, learners or ["none"])
    lacking = missing_methods(found)
    if not isinstance(found, type) or lacking:
        raise ParameterError(
            f"{place}:{name} is no learner: it must be a class with {', '.join(NEEDED)}; it lacks "
            f"{', '.join(lacking) or 'nothing, but is an instance'}."
        )
    return found


def missing_methods(kind: object) -> list[str]:
    """Return the methods of a learner that a class does not have."""
    return [method for method in NEEDED if not callable(getattr(kind, method, None))]


def load_module(place: str) -> ModuleType:
    """Import a module by name, also from the current folder, or by the path of its file."""
    is_file = place.endswith(".py") or len(Path(place).parts) > 1
    if is_file and not Path(place).is_file():
        raise ParameterError(f"{place} is not a file; give the path of a Python file, or a module's name.")
    try:
        return load_file(Path(place)) if is_file else load_named(place)
    except ModuleNotFoundError as error:
        if not is_file and f"{place}.".startswith(f"{error.name}."):
            raise ParameterError(
                f"no module named {place!r}; install it, or give its file: ./{place.replace('.', '/')}.py"
            ) from error
        raise ParameterError(f"{place} cannot be imported: {error}.") from error
    # whatever the module's own code raises
    except (Exception, SystemExit) as error:
        reason = f"{type(error).__name__}: {error}".removesuffix(".")
        raise ParameterError(f"{place} cannot be imported: {reason}.") from error


def load_named(name: str) -> ModuleType:
    """Import a module, looking in the current folder last."""
    here = str(Path.cwd())
    sys.path.append(here)
    try:
        return import_module(name)
    finally:
        sys.path.remove(here)


def load_file(path: Path) -> ModuleType:
    """Import a file, once, as a module whose name takes no other module's place."""
    name, file = f"plugin_{path.stem}", str(path.resolve())
    known = sys.modules.get(name)
    if known is not None and known.__file__ == file:
        return known
    spec = spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path.name} is not Python")
    module = module_from_spec(spec)
    # a dataclass looks its module up by name while it is made
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
