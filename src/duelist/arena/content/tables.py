"""Outputs as a table: a row for each output, or a row for each item and a column for each arm."""

from pathlib import Path
from typing import Any

from duelist.arena.content.gathering import Gathering
from duelist.arena.content.material import Material, Output
from duelist.arena.content.media import media_beside
from duelist.errors import FileError, PreferenceError
from duelist.tables import Table, read_table
from duelist.tables.table import as_text, fold
from duelist.votes.formats import find_format

FIELDS = {
    "item": ("item", "item_id", "id", "question_id", "prompt_id"),
    "prompt": ("prompt", "question", "instruction", "brief"),
    "arm": ("arm", "arm_id", "model", "model_id", "variant"),
    "output": ("output", "answer", "response", "completion"),
    "image": ("image",),
    "audio": ("audio",),
}
"""What each field may be called, in upper or lower case."""
MEANINGS = {name: meaning for meaning, names in FIELDS.items() for name in names}
SHOWN = ("output", "image", "audio")
"""Fields with an output: its text, or the path of a file."""
REMEDY = "give a row for each output (item, arm, output), or one for each item and a column for each arm."


def read_outputs(path: Path) -> Material:
    """Return the outputs of a file: CSV, JSON, Parquet or Excel."""
    table = read_table(path, verbatim=True)
    if "" in table.names:
        raise table.error(f"column {table.names.index('') + 1} has no name; name it or remove it.")
    if twice := [name for place, name in enumerate(table.names) if name in table.names[:place]]:
        raise table.error(f"two columns are called {twice[0]!r}; give each a name of its own.")
    gathering = Gathering(path)
    found = {MEANINGS.get(fold(name), "") for name in table.names}
    if "arm" in found and not found.isdisjoint(SHOWN):
        _read_long(gathering, table)
    elif _are_votes(table.names):
        raise table.error("these are votes, not outputs; `duelist analyze` reads them.")
    else:
        _read_wide(gathering, table)
    if not gathering.outputs:
        raise table.error(f"no row follows the header; {REMEDY}")
    return gathering.result(table.notes.sentences())


def _are_votes(names: tuple[str, ...]) -> bool:
    try:
        return find_format(names) is not None
    except PreferenceError:
        return True


def _read_long(gathering: Gathering, table: Table) -> None:
    meanings = {name: MEANINGS[fold(name)] for name in table.names if fold(name) in MEANINGS}
    table.notes.ignored = tuple(name for name in table.names if name not in meanings)
    columns = {name: table.columns[name].tolist() for name in meanings}
    for row in range(table.size):
        where = table.where(row)
        told: dict[str, str] = {}
        names: dict[str, str] = {}
        for name, meaning in meanings.items():
            if columns[name][row] is None:
                continue
            if meaning in told:
                fault = f"{names[meaning]!r} and {name!r} both mean the {meaning}; keep one."
                raise gathering.error(where, fault)
            told[meaning], names[meaning] = _text(table, row, name, columns[name][row]), name
        arm, item, prompt = (
            gathering.label(where, names[field], told[field]) if field in told else None
            for field in ("arm", "item", "prompt")
        )
        if arm is None:
            raise gathering.error(where, "there is no arm; say which arm the output is of.")
        given = [field for field in SHOWN if field in told]
        if len(given) > 1:
            raise gathering.error(where, f"give one of output, image and audio; found {' and '.join(given)}.")
        output = _output(gathering, where, given[0], names[given[0]], told[given[0]]) if given else None
        gathering.add(where, arm, output, item, prompt)


def _read_wide(gathering: Gathering, table: Table) -> None:
    meanings = {name: MEANINGS.get(fold(name), "") for name in table.names}
    if misplaced := [name for name, meaning in meanings.items() if meaning in ("arm", *SHOWN)]:
        missing = "output" if meanings[misplaced[0]] == "arm" else "arm"
        raise table.error(
            f"column {misplaced[0]!r} means the {meanings[misplaced[0]]}, but no column means the {missing}; "
            f"{REMEDY}"
        )
    prompt = next((name for name, meaning in meanings.items() if meaning == "prompt"), None)
    item = next((name for name, meaning in meanings.items() if meaning == "item"), prompt or table.names[0])
    cells = {name: column.tolist() for name, column in table.columns.items()}
    arms = {name: gathering.arm("header", name) for name in table.names if name not in (item, prompt)}
    if not arms:
        raise table.error(f"no column is of an arm; {REMEDY}")
    for row in range(table.size):
        where = table.where(row)
        texts = {
            name: None
            if column[row] is None
            else gathering.text(where, name, _text(table, row, name, column[row]))
            for name, column in cells.items()
        }
        if texts[item] is None:
            raise table.error("the item is missing; name the item of every row.", row, item)
        for name, arm in arms.items():
            output = texts[name]
            gathering.add(
                where, arm, None if output is None else Output(output), texts[item], prompt and texts[prompt]
            )


def _text(table: Table, row: int, name: str, value: Any) -> str:
    """Return a cell as text, with the spaces around it, which may mean something."""
    if isinstance(value, str):
        return value
    try:
        return as_text(value)
    except PreferenceError as error:
        raise table.error(f"{error}; give a text.", row, name) from None


def _output(gathering: Gathering, where: str, kind: str, name: str, given: str) -> Output | None:
    text = gathering.text(where, name, given)
    if text is None or kind == "output":
        return None if text is None else Output(text)
    try:
        return media_beside(gathering.path.parent, text, kind)
    except FileError as error:
        raise gathering.error(where, f"{error}") from None
