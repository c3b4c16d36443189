"""Learners and problems as text: `RUCB`, `mine.py:Mine:width=2`, `worst_case:k=10`, `votes.csv`."""

import re
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

from duelist.card import card_of
from duelist.cli.options import Reading
from duelist.cli.terminal import say_notes
from duelist.errors import DuelistError, ParameterError, PreferenceError, UnknownNameError, require_whole
from duelist.problems import MatrixProblem
from duelist.protocols import Learner
from duelist.registry import LEARNERS, PROBLEMS, build, build_problem, learners_for
from duelist.votes.loading import read_source
from duelist.votes.table import Votes

Scalar: TypeAlias = bool | int | float | str
Value: TypeAlias = Scalar | list[Scalar]
ALL = "all"
TRUTHS = {"true": True, "false": False}
FILE_ENDINGS = {".arrow", ".csv", ".feather", ".gz", ".json", ".jsonl", ".parquet", ".tsv", ".txt", ".xlsx"}


def parse_spec(text: str) -> tuple[str, dict[str, Value]]:
    """Return the name and the parameters of a text, `NAME` or `NAME:key=value,key=value`."""
    name, colon, rest = text.partition(":")
    parameters: dict[str, Value] = {}
    for part in rest.split(",") if colon else []:
        key, _, value = (piece.strip() for piece in part.partition("="))
        if not (key and value):
            raise ParameterError(f"{text!r}: {part!r} is not key=value; write {name}:key=value,key=value.")
        if key in parameters:
            raise ParameterError(f"{text!r}: {key} is given twice; give it once.")
        parameters[key] = parse_value(value)
    return name.strip(), parameters


def parse_value(text: str) -> Value:
    """Parse a number, true or false, a list of values separated by semicolons, or else a text."""
    if ";" in text:
        return [parse_scalar(part.strip()) for part in text.split(";")]
    return parse_scalar(text)


def parse_scalar(text: str) -> Scalar:
    """Parse a number, true or false, or else a text; 1e6 is a whole number."""
    with suppress(ValueError):
        return int(text)
    try:
        number = float(text)
    except ValueError:
        return TRUTHS.get(text.casefold(), text)
    return int(number) if number.is_integer() and "." not in text else number


def whole_number(name: str, text: str) -> int:
    """Parse an option that must be a whole number of at least 1, such as a horizon."""
    number = parse_scalar(text)
    if not isinstance(number, int) or isinstance(number, bool):
        raise ParameterError(f"{name} must be a whole number, such as 100000, 100_000 or 1e5; got {text!r}.")
    require_whole(name, number, 1)
    return number


def resolve(kind: str, name: str, known: Iterable[str]) -> str:
    """Return the known name, regardless of case, hyphens and underscores."""
    names = {fold(candidate): candidate for candidate in known}
    if fold(name) not in names:
        raise UnknownNameError(kind, name, names.values())
    return names[fold(name)]


def fold(name: str) -> str:
    return name.casefold().replace("-", "").replace("_", "")


def read_learners(texts: Iterable[str], horizon: int) -> list[Learner[Any]]:
    """Return the learners over arms of the specs, each once; those that need a horizon get it.

    A learner of `all` may also be named itself. But no learner may be named twice: with the same random
    stream, both rows would be equal.
    """
    specs = [(text, fold(text) == ALL) for text in texts]
    each = [(name, every) for text, every in specs for name in (learners_for("arms") if every else [text])]
    learners: list[Learner[Any]] = []
    named: list[Learner[Any]] = []
    for text, every in each:
        kind, parameters = read_arm_kind(text)
        given: dict[str, Value] = {"horizon": horizon} if card_of(kind).needs_horizon else {}
        learner = make_learner(kind, given | parameters)
        if not every:
            require_new(text, learner, named)
            named.append(learner)
        if learner not in learners:
            learners.append(learner)
    return learners


def require_new(text: str, learner: Any, others: Iterable[Any]) -> None:
    """Raise ParameterError if a learner equals one of the others."""
    if learner in others:
        raise ParameterError(
            f"{text} is given twice, and both would give the same results; give it once, or with other "
            "hyperparameters."
        )


def read_arm_kind(text: str) -> tuple[type[Any], dict[str, Value]]:
    """Return the class of a spec, which must be a learner over arms, and its hyperparameters."""
    kind, parameters = read_kind(text)
    setting = card_of(kind).setting
    if setting != "arms":
        raise ParameterError(
            f"{kind.__name__} is a learner for {setting}, not for arms; use one of "
            f"{', '.join(learners_for('arms'))}."
        )
    return kind, parameters


def read_kind(text: str) -> tuple[type[Any], dict[str, Value]]:
    """Return the class of a spec, from the registry or from a module, and its hyperparameters."""
    plugin, path = split_plugin(text), text.strip().removesuffix(":")
    if plugin is None and path.endswith(".py"):
        raise ParameterError(f"{path} is a file; name the learner's class in it: {path}:Class.")
    if plugin is None or fold(plugin[0]) in map(fold, LEARNERS):
        name, parameters = parse_spec(text)
        return LEARNERS[resolve("learner", name, LEARNERS)], parameters
    name, parameters = parse_spec(plugin[1])
    return load_class(plugin[0], name), parameters


def make_learner(kind: type[Any], parameters: Mapping[str, Any]) -> Any:
    """Call a constructor; any error it raises becomes one line."""
    try:
        return build(kind.__name__, kind, parameters)
    except DuelistError:
        raise
    except Exception as error:
        reason = f"{type(error).__name__}: {error}".removesuffix(".")
        raise ParameterError(
            f"{kind.__name__}: {reason}; correct the class or its hyperparameters."
        ) from error


def read_problem(text: str, reading: Reading | None = None) -> MatrixProblem:
    """Return a problem of the catalogue, or of a file that is read by the options."""
    name = text.partition(":")[0]
    path = Path(text)
    looks_like_path = path.is_file() or len(path.parts) > 1 or path.suffix.lower() in FILE_ENDINGS
    is_file = looks_like_path and fold(name) not in map(fold, PROBLEMS)
    if reading is not None:
        reading.require_file(is_file, f"leave it out, because {text} is not a file")
    if is_file:
        found = read_source(text, **({} if reading is None else reading.options))
        if isinstance(found, Votes):
            say_notes(found)
            return MatrixProblem.from_votes(found)
        try:
            return MatrixProblem(found.matrix, found.labels)
        except PreferenceError as error:
            raise PreferenceError(f"{text}: {error}") from error
    name = resolve("problem or file", name, PROBLEMS)
    problem: MatrixProblem = build_problem(name, **parse_spec(text)[1])
    return problem


WRITTEN = re.compile(r"(?P<module>.+?):(?P<rest>[^\W\d]\w*(?::.*)?)")
NEEDED = ("init", "ask", "tell", "best")


def split_plugin(text: str) -> tuple[str, str] | None:
    """Return the module or file of a spec, and the rest of the spec; None if it has neither."""
    written = WRITTEN.fullmatch(text.strip())
    return None if written is None else (written["module"], written["rest"])


def load_class(source: str, name: str) -> type[Any]:
    """Return a learner's class from a module or a file."""
    module = load_module(source)
    found = getattr(module, name, None)
    if found is None:
        classes = {name: kind for name, kind in vars(module).items() if isinstance(kind, type)}
        learners = [name for name, kind in classes.items() if not missing_methods(kind)]
        raise UnknownNameError(f"learner class in {source}", name, learners or ["none"])
    lacking = missing_methods(found)
    missing = f"lacks {', '.join(lacking)}" if lacking else "is an instance"
    if not isinstance(found, type) or lacking:
        raise ParameterError(
            f"{source}:{name} is not a learner: it {missing}; give a class with {', '.join(NEEDED)}."
        )
    return found


def missing_methods(kind: object) -> list[str]:
    return [method for method in NEEDED if not callable(getattr(kind, method, None))]


def load_module(source: str) -> ModuleType:
    """Import a module by name, also from the current folder, or by the path of its file."""
    is_file = source.endswith(".py") or len(Path(source).parts) > 1
    if is_file and not Path(source).is_file():
        raise ParameterError(
            f"there is no file {source}; give the path of a Python file, or the name of a module."
        )
    try:
        return load_file(Path(source)) if is_file else load_named(source)
    except ModuleNotFoundError as error:
        if not is_file and f"{source}.".startswith(f"{error.name}."):
            raise ParameterError(
                f"no module named {source!r}; install it, or give its file: ./{source.replace('.', '/')}.py"
            ) from error
        raise ParameterError(f"{source} cannot be imported: {error}; correct it first.") from error
    # whatever the module's own code raises
    except (Exception, SystemExit) as error:
        reason = f"{type(error).__name__}: {error}".removesuffix(".")
        raise ParameterError(f"{source} cannot be imported: {reason}; correct it first.") from error


def load_named(name: str) -> ModuleType:
    """Import a module; the current folder is searched last."""
    here = str(Path.cwd())
    sys.path.append(here)
    try:
        return import_module(name)
    finally:
        sys.path.remove(here)


def load_file(path: Path) -> ModuleType:
    """Import a file once, as a module under a name that shadows no other module."""
    name, file = f"plugin_{path.stem}", str(path.resolve())
    known = sys.modules.get(name)
    if known is not None and known.__file__ == file:
        return known
    spec = spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path.name} is not a Python file")
    module = module_from_spec(spec)
    # a dataclass looks up its module by name while it is created
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
