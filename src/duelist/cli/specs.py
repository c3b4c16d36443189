"""Learners and problems as text: `RUCB`, `mine.py:Mine:width=2`, `worst_case:k=10`, `votes.csv`."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

from duelist.card import card_of
from duelist.cli.options import Reading
from duelist.cli.plugins import load_class, split_plugin
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
    """Read a number, true or false, a list of values with semicolons between them, or else a text."""
    if ";" in text:
        return [parse_scalar(part.strip()) for part in text.split(";")]
    return parse_scalar(text)


def parse_scalar(text: str) -> Scalar:
    """Read a number, true or false, or else a text; a whole number written as 1e6 is whole."""
    with suppress(ValueError):
        return int(text)
    try:
        number = float(text)
    except ValueError:
        return TRUTHS.get(text.casefold(), text)
    return int(number) if number.is_integer() and "." not in text else number


def whole_number(name: str, text: str) -> int:
    """Read an option that must be a whole number, 1 or more, such as a horizon."""
    number = parse_scalar(text)
    if not isinstance(number, int) or isinstance(number, bool):
        raise ParameterError(f"{name} must be a whole number, such as 100000, 100_000 or 1e5; got {text!r}.")
    require_whole(name, number, 1)
    return number


def resolve(kind: str, name: str, known: Iterable[str]) -> str:
    """Return the known name that is meant, whatever its case, hyphens and underscores."""
    names = {fold(candidate): candidate for candidate in known}
    if fold(name) not in names:
        raise UnknownNameError(kind, name, names.values())
    return names[fold(name)]


def fold(name: str) -> str:
    """Return what two spellings of a name have in common."""
    return name.casefold().replace("-", "").replace("_", "")


def read_learners(texts: Iterable[str], horizon: int) -> list[Learner[Any]]:
    """Return the learners over arms that are meant, each once; who needs a horizon but has none is told.

    Who is of `all` may be named besides, but not be named twice: with the same luck, the rows would be equal.
    """
    said = [(text, fold(text) == ALL) for text in texts]
    named = [(name, every) for text, every in said for name in (learners_for("arms") if every else [text])]
    learners: list[Learner[Any]] = []
    spoken: list[Learner[Any]] = []
    for text, every in named:
        kind, parameters = read_arm_kind(text)
        told: dict[str, Value] = {"horizon": horizon} if card_of(kind).needs_horizon else {}
        learner = make_learner(kind, told | parameters)
        if not every:
            require_new(text, learner, spoken)
            spoken.append(learner)
        if learner not in learners:
            learners.append(learner)
    return learners


def require_new(text: str, learner: Any, others: Iterable[Any]) -> None:
    """Refuse a learner that is among the others."""
    if learner in others:
        raise ParameterError(
            f"{text} is given twice, and with the same luck both would do the same; give it once, or with "
            "other hyperparameters."
        )


def read_arm_kind(text: str) -> tuple[type[Any], dict[str, Value]]:
    """Return the class that a text names, which must choose among arms, and its parameters."""
    kind, parameters = read_kind(text)
    setting = card_of(kind).setting
    if setting != "arms":
        raise ParameterError(
            f"{kind.__name__} chooses among {setting}, and here are arms; try one of "
            f"{', '.join(learners_for('arms'))}."
        )
    return kind, parameters


def read_kind(text: str) -> tuple[type[Any], dict[str, Value]]:
    """Return the class that a text names, of the registry or from outside, and its parameters."""
    plugin, place = split_plugin(text), text.strip().removesuffix(":")
    if plugin is None and place.endswith(".py"):
        raise ParameterError(f"{place} is a file; say which class in it is the learner: {place}:Class.")
    if plugin is None or fold(plugin[0]) in map(fold, LEARNERS):
        name, parameters = parse_spec(text)
        return LEARNERS[resolve("learner", name, LEARNERS)], parameters
    name, parameters = parse_spec(plugin[1])
    return load_class(plugin[0], name), parameters


def make_learner(kind: type[Any], parameters: Mapping[str, Any]) -> Any:
    """Call a constructor, and put whatever it raises into a line."""
    try:
        return build(kind.__name__, kind, parameters)
    except DuelistError:
        raise
    except Exception as error:
        raise ParameterError(f"{kind.__name__}: {type(error).__name__}: {error}") from error


def read_problem(text: str, reading: Reading | None = None) -> MatrixProblem:
    """Return a problem of the catalogue, or of a file, which is read as the options say."""
    name = text.partition(":")[0]
    path = Path(text)
    looks_like_path = path.is_file() or len(path.parts) > 1 or path.suffix.lower() in FILE_ENDINGS
    is_file = looks_like_path and fold(name) not in map(fold, PROBLEMS)
    if reading is not None:
        reading.require_file(is_file, f"{text} is not one: leave it out")
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
