"""Learners and problems written as text: `RUCB`, `worst_case:k=10,epsilon=0.2`, `votes.csv`."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from duelist.errors import ParameterError, UnknownNameError, require_whole
from duelist.problems import MatrixProblem
from duelist.protocols import Learner
from duelist.registry import LEARNERS, PROBLEMS, build_learner, build_problem, takes_horizon

Scalar: TypeAlias = int | float | str
Value: TypeAlias = Scalar | list[Scalar]

ALL = "all"
FILE_ENDINGS = {".csv", ".tsv", ".txt"}


class Spec(NamedTuple):
    """A name and the parameters written behind it."""

    name: str
    parameters: dict[str, Value]


def parse_spec(text: str) -> Spec:
    """Read `NAME` or `NAME:key=value,key=value`.

    Examples
    --------
    >>> parse_spec("worst_case:k=1e2,epsilon=0.2")
    Spec(name='worst_case', parameters={'k': 100, 'epsilon': 0.2})
    """
    name, colon, rest = text.partition(":")
    parameters: dict[str, Value] = {}
    for part in rest.split(",") if colon else []:
        key, _, value = (piece.strip() for piece in part.partition("="))
        if not (key and value):
            raise ParameterError(f"{text!r}: {part!r} is not key=value; write {name}:key=value,key=value.")
        if key in parameters:
            raise ParameterError(f"{text!r}: {key} is given twice; give it once.")
        parameters[key] = parse_value(value)
    return Spec(name.strip(), parameters)


def parse_value(text: str) -> Value:
    """Read a number, a list of values with semicolons between them, or else a text.

    Examples
    --------
    >>> [parse_value(text) for text in ("1_000", "1e6", "0.5", "3;2;1.5", "logistic")]
    [1000, 1000000, 0.5, [3, 2, 1.5], 'logistic']
    """
    if ";" in text:
        return [parse_scalar(part.strip()) for part in text.split(";")]
    return parse_scalar(text)


def parse_scalar(text: str) -> Scalar:
    """Read a number or else a text; a whole number written as 1e6 is whole."""
    try:
        return int(text)
    except ValueError:
        pass
    try:
        number = float(text)
    except ValueError:
        return text
    return int(number) if number.is_integer() and "." not in text else number


def whole_number(name: str, text: str) -> int:
    """Read an option that must be a whole number, 1 or more, such as a horizon.

    Examples
    --------
    >>> whole_number("horizon", "1e6")
    1000000
    """
    number = parse_scalar(text)
    if not isinstance(number, int):
        raise ParameterError(f"{name} must be a whole number, such as 100000, 100_000 or 1e5; got {text!r}.")
    require_whole(name, number, 1)
    return number


def resolve(kind: str, name: str, known: Iterable[str]) -> str:
    """Return the known name that is meant, whatever its case, hyphens and underscores.

    Examples
    --------
    >>> resolve("learner", "interleaved-filter2", ["InterleavedFilter2", "RUCB"])
    'InterleavedFilter2'
    """
    names = {fold(candidate): candidate for candidate in known}
    if fold(name) not in names:
        raise UnknownNameError(kind, name, names.values())
    return names[fold(name)]


def fold(name: str) -> str:
    """Return what two spellings of a name have in common."""
    return name.casefold().replace("-", "").replace("_", "")


def read_learners(texts: Iterable[str], horizon: int) -> list[Learner[Any]]:
    """Return the learners that are meant, each once; `all` means the whole catalogue.

    Examples
    --------
    >>> read_learners(["RUCB", "rucb:alpha=0.6", "rucb"], horizon=1000)
    [RUCB(alpha=0.51), RUCB(alpha=0.6)]
    """
    named = [name for text in texts for name in (LEARNERS if fold(text) == ALL else [text])]
    return list(dict.fromkeys(read_learner(text, horizon) for text in named))


def read_learner(text: str, horizon: int) -> Learner[Any]:
    """Return a learner; one that must know the horizon is told it, unless the text says another.

    Examples
    --------
    >>> read_learner("beat-the-mean:gamma=1.5", horizon=1000)
    BeatTheMean(horizon=1000, gamma=1.5)
    """
    spec = parse_spec(text)
    name = resolve("learner", spec.name, LEARNERS)
    told: dict[str, Value] = {"horizon": horizon} if takes_horizon(name) else {}
    return build_learner(name, **(told | spec.parameters))


def read_problem(text: str) -> MatrixProblem:
    """Return a problem of the catalogue, or the one in a CSV file of preferences or comparisons.

    Examples
    --------
    >>> read_problem("bradley-terry:weights=3;1,labels=dense;bm25")
    MatrixProblem(labels=('dense', 'bm25'))
    """
    name = text.partition(":")[0]
    if fold(name) not in map(fold, PROBLEMS) and is_path(text):
        return MatrixProblem.from_csv(text)
    name = resolve("problem or CSV file", name, PROBLEMS)
    return build_problem(name, **parse_spec(text).parameters)


def is_path(text: str) -> bool:
    """Return whether a text looks like a file's path, there or not."""
    path = Path(text)
    return path.is_file() or len(path.parts) > 1 or path.suffix.lower() in FILE_ENDINGS
