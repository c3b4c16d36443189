"""Outputs as a table: a row for each output, or a row for each item and a column for each arm."""

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

from duelist.arena.content.fields import MEDIA, find_fields, meaning_of
from duelist.arena.content.gathering import Gathering
from duelist.arena.content.material import Material, Output
from duelist.errors import FileError, PreferenceError
from duelist.files import find_delimiter
from duelist.text import counted
from duelist.votes.columns import find_columns
from duelist.votes.rows import Layout

REMEDY = "give a row for each output (item, arm, output), or one for each item and a column for each arm."


def read_table(path: Path, text: str) -> Material:
    """Return the outputs of a CSV file whose text is known; tabs or semicolons may separate the fields."""
    gathering = Gathering(path)
    rows = _rows(path, text)
    where, header = next(rows, ("", ()))
    if not header:
        raise FileError(f"{path}: the file is empty; {REMEDY}")
    names = [name.strip() for name in header]
    if "" in names:
        raise gathering.error(where, f"column {names.index('') + 1} has no name; name it or remove it.")
    meanings = {meaning_of(name) for name in names}
    if {"arm", "output"} <= meanings:
        _read_long(gathering, where, names, rows)
    elif _are_votes(names):
        raise gathering.error(where, "these are votes, not outputs; `duelist analyze` reads them.")
    else:
        _read_wide(gathering, where, names, rows)
    if not gathering.outputs:
        raise gathering.error(where, f"no row follows the header; {REMEDY}")
    return gathering.result()


def _are_votes(names: list[str]) -> bool:
    try:
        return find_columns(names) is not None
    except PreferenceError:
        return True


def _read_long(
    gathering: Gathering, where: str, names: list[str], rows: Iterator[tuple[str, Sequence[str]]]
) -> None:
    found = find_fields(f"{gathering.path}, {where}", names)
    if media := [found[meaning] for meaning in MEDIA if meaning in found]:
        raise gathering.error(
            where,
            f"column {media[0]!r}: tables hold texts; for images and sounds give JSON lines or a folder.",
        )
    places = {meaning: names.index(name) for meaning, name in found.items()}
    written = places.pop("output")
    for where, row in rows:
        output = gathering.text(where, names[written], row[written])
        told = {meaning: gathering.label(where, meaning, row[place]) for meaning, place in places.items()}
        gathering.add(
            where,
            told["arm"] or "",
            None if output is None else Output(output),
            told.get("item"),
            told.get("prompt"),
        )


def _read_wide(
    gathering: Gathering, where: str, names: list[str], rows: Iterator[tuple[str, Sequence[str]]]
) -> None:
    meanings = [meaning_of(name) for name in names]
    for name, meaning in zip(names, meanings, strict=True):
        if meaning in ("arm", "output", *MEDIA):
            missing = "arm" if meaning == "output" else "output"
            raise gathering.error(
                where, f"column {name!r} means the {meaning}, but no column means the {missing}; {REMEDY}"
            )
    if len(set(names)) < len(names):
        twice = next(name for place, name in enumerate(names) if name in names[:place])
        raise gathering.error(where, f"two columns are called {twice!r}; name each arm once.")
    prompt = meanings.index("prompt") if "prompt" in meanings else None
    item = meanings.index("item") if "item" in meanings else prompt or 0
    arms = {
        place: gathering.arm(where, name) for place, name in enumerate(names) if place not in (item, prompt)
    }
    if not arms:
        raise gathering.error(where, f"no column is of an arm; {REMEDY}")
    for where, row in rows:
        told = gathering.text(where, names[item], row[item])
        if told is None:
            raise gathering.error(where, f"column {names[item]!r} is empty; name the item of every row.")
        shown = None if prompt is None else gathering.text(where, names[prompt], row[prompt])
        for place, arm in arms.items():
            output = gathering.text(where, arm, row[place])
            gathering.add(where, arm, None if output is None else Output(output), told, shown)


def _rows(path: Path, text: str) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield where each row begins, and its fields; all rows have as many."""
    # lines keep their ends, because a field in quotes may have several
    top = next((line for line in io.StringIO(text) if line.strip()), "")
    reader = csv.reader(io.StringIO(text), Layout, delimiter=find_delimiter(top))
    width, before = 0, 0
    try:
        for row in reader:
            where, before = f"line {before + 1}", reader.line_num
            if not any(row):
                continue
            width = width or len(row)
            if len(row) != width:
                raise FileError(
                    f"{path}, {where}: {counted(len(row), 'field')} where the header has {width}; give every "
                    "row as many, and put texts with commas or line breaks in quotes."
                )
            yield where, row
    except csv.Error as error:
        raise FileError(f"{path}, line {before + 1}: {error}; check the quotes.") from error
