"""Files of knobs: a TOML table with a range for each."""

import tomllib
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from shlex import quote
from typing import Any

from duelist.errors import FileError, ParameterError
from duelist.study.knobs import Knob, Knobs

KEYS = tuple(field.name for field in fields(Knob))
MOST = 10
EXAMPLE = """\
# One line for each knob: its name, and the range in which to look for its best value.
[knobs]
temperature = { low = 0.0, high = 2.0 }
top_p = { low = 0.1, high = 1.0, step = 0.05 }           # only 0.1, 0.15, 0.2, ...
learning_rate = { low = 1e-5, high = 1e-1, log = true }  # 1e-5 to 1e-4 counts as much as 1e-2 to 1e-1
layers = { low = 1, high = 8, whole = true }             # only whole numbers
"""


def read_knobs(path: Path) -> Knobs:
    """Read a file of knobs, or say what is wrong with it and where."""
    try:
        content = tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError as error:
        raise FileError(
            f"{path} does not exist; `duelist optimize --example > {quote(str(path))}` writes one to change."
        ) from error
    except ValueError as error:
        raise FileError(f"{path} is not TOML: {error}; `duelist optimize --example` shows how.") from error
    table = content.pop("knobs", None)
    if not (isinstance(table, dict) and table):
        raise FileError(f"{path} has no knobs: write a table [knobs], as `duelist optimize --example` shows.")
    if content:
        raise FileError(f"{path}: unknown {next(iter(content))!r}; there is only the table [knobs].")
    if len(table) > MOST:
        raise FileError(
            f"{path}: [knobs] has {len(table)} knobs, more than the {MOST} that answers of people can set; "
            "leave out those that matter least, and search them later, with these at their best."
        )
    return Knobs(dict(read_each(path, table)))


def read_each(path: Path, table: dict[str, Any]) -> Iterator[tuple[str, Knob]]:
    """Read the knobs, one by one."""
    for name, entry in table.items():
        place = f"{path}: [knobs] {name!r}"
        if not (name and name.isprintable()):
            raise FileError(f"{place} is no name; give it one of letters, digits and the like.")
        if not isinstance(entry, dict):
            raise FileError(f"{place} must be a range such as {{ low = 0.0, high = 1.0 }}; got {entry!r}.")
        for key in entry:
            if key not in KEYS:
                raise FileError(f"{place}: unknown key {key!r}; known are {', '.join(KEYS)}.")
        for key in ("low", "high"):
            if key not in entry:
                raise FileError(f"{place}: {key} is missing; write {{ low = 0.0, high = 1.0 }}.")
        try:
            yield name, Knob(**entry)
        except ParameterError as error:
            raise FileError(f"{place}: {error}") from error
