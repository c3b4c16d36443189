"""Read the material of an arena from a file or folder."""

import os
from importlib import resources
from pathlib import Path
from typing import Any

from duelist.arena.content.gathering import Gathering, name_of
from duelist.arena.content.media import KNOWN, media_in, media_relative_to, program_in
from duelist.errors import FileError, PreferenceError
from duelist.files import decoded, read_text
from duelist.journal.content import LONGEST_TEXT
from duelist.judging.material import Material, Output
from duelist.tables import Table, read_table
from duelist.tables.files import read_bytes
from duelist.tables.table import as_text, fold
from duelist.text import counted
from duelist.votes.formats import find_format

FIELDS = {
    "item": ("item", "item_id", "id", "question_id", "prompt_id"),
    "prompt": ("prompt", "question", "instruction", "brief"),
    "arm": ("arm", "arm_id", "model", "model_id", "variant"),
    "output": ("output", "answer", "response", "completion"),
    "image": ("image",),
    "audio": ("audio",),
}
"""Accepted column names of each field, in any case."""
MEANINGS = {name: meaning for meaning, names in FIELDS.items() for name in names}
SHOWN = ("output", "image", "audio")
"""Fields that hold an output: its text, or the path of a file."""
REMEDY = "give one row per output (item, arm, output), or one row per item with a column per arm."


def read_outputs(path: Path) -> Material:
    table = read_table(path, verbatim=True)
    if "" in table.names:
        raise table.error(f"column {table.names.index('') + 1} has no name; name it or remove it.")
    if twice := [name for index, name in enumerate(table.names) if name in table.names[:index]]:
        raise table.error(f"two columns are called {twice[0]!r}; give each column a unique name.")
    gathering = Gathering(path)
    found = {MEANINGS.get(fold(name), "") for name in table.names}
    if "arm" in found and not found.isdisjoint(SHOWN):
        _read_long(gathering, table)
    elif _are_votes(table.names):
        raise table.error("the file has votes, not outputs; use `duelist analyze` to read it.")
    else:
        _read_wide(gathering, table)
    if not gathering.outputs:
        raise table.error(f"no rows after the header; {REMEDY}")
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
        texts: dict[str, str] = {}
        names: dict[str, str] = {}
        for name, meaning in meanings.items():
            if columns[name][row] is None:
                continue
            if meaning in texts:
                fault = f"columns {names[meaning]!r} and {name!r} both hold the {meaning}; keep one."
                raise gathering.error(where, fault)
            texts[meaning], names[meaning] = _text(table, row, name, columns[name][row]), name
        arm, item, prompt = (
            gathering.label(where, names[field], texts[field]) if field in texts else None
            for field in ("arm", "item", "prompt")
        )
        if arm is None:
            raise gathering.error(where, "the arm is missing; name the arm of every output.")
        given = [field for field in SHOWN if field in texts]
        if len(given) > 1:
            raise gathering.error(where, f"give one of output, image and audio; found {' and '.join(given)}.")
        output = _output(gathering, where, given[0], names[given[0]], texts[given[0]]) if given else None
        gathering.add(where, arm, output, item, prompt)


def _read_wide(gathering: Gathering, table: Table) -> None:
    meanings = {name: MEANINGS.get(fold(name), "") for name in table.names}
    if misplaced := [name for name, meaning in meanings.items() if meaning in ("arm", *SHOWN)]:
        missing = "output" if meanings[misplaced[0]] == "arm" else "arm"
        raise table.error(
            f"column {misplaced[0]!r} holds the {meanings[misplaced[0]]}, but no column holds the {missing}; "
            f"{REMEDY}"
        )
    prompt = next((name for name, meaning in meanings.items() if meaning == "prompt"), None)
    item = next((name for name, meaning in meanings.items() if meaning == "item"), prompt or table.names[0])
    cells = {name: column.tolist() for name, column in table.columns.items()}
    arms = {name: gathering.arm("header", name) for name in table.names if name not in (item, prompt)}
    if not arms:
        raise table.error(f"no column belongs to an arm; {REMEDY}")
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
    """Return a cell as text, with surrounding spaces, which may matter."""
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
        return media_relative_to(gathering.path.parent, text, kind)
    except FileError as error:
        raise gathering.error(where, f"{error}") from None


TEXTS = (".txt", ".md")
"""Suffixes of text files; all other files are recognised by content."""
MOST_BYTES = 4 * LONGEST_TEXT
"""Maximum size of the longest text in bytes."""
OWN = ".votes."
"""Part of the name of every file that an arena writes."""


def read_folder(path: Path) -> Material:
    gathering = Gathering(path)
    entries = _entries(path)
    folders = [entry for entry in entries if entry.is_dir()]
    files = [entry for entry in entries if not entry.is_dir()]
    if not folders:
        for file in files:
            gathering.add(_where(path, file), file.stem, _output_in(gathering, file))
        return gathering.result()
    for folder in folders:
        arm = gathering.arm(_where(path, folder), folder.name)
        for file in _entries(folder):
            where = _where(path, file)
            item = gathering.text(where, "file name", file.stem)
            gathering.add(where, arm, _output_in(gathering, file), item)
    if not gathering.outputs:
        raise FileError(f"{path}: all folders in it are empty; put a file for each item into every folder.")
    notices = []
    if files:
        many = counted(len(files), "file")
        notices.append(f"Left out: {many} outside the folders of the arms. The first: {files[0].name}.")
    return gathering.result(notices)


def _entries(folder: Path) -> list[Path]:
    """Return the entries of a folder by name, without hidden files and files that an arena wrote."""
    try:
        names = [name for name in os.listdir(folder) if not name.startswith(".") and OWN not in name]
    except OSError as error:
        raise FileError(f"{folder}: {error.strerror}; give a readable folder.") from error
    return [folder / name for name in sorted(names)]


def _where(root: Path, path: Path) -> str:
    return str(path.relative_to(root))


def _output_in(gathering: Gathering, path: Path) -> Output | None:
    where = _where(gathering.path, path)
    if path.is_dir():
        raise gathering.error(
            where, "this is a folder inside an arm's folder; move its files into the arm's folder."
        )
    try:
        media = media_in(gathering.path, path)
        if media is not None:
            return media
        if path.suffix.casefold() in TEXTS:
            return _text_in(gathering, where, path)
        program = program_in(path)
    except OSError as error:
        raise gathering.error(where, f"{error.strerror}; give a readable file.") from error
    if program is not None:
        raise gathering.error(
            where,
            f"this is {program}, which can run scripts in a voter's browser; save it as an image or a text.",
        )
    raise gathering.error(where, f"unsupported file type; give {KNOWN}, texts as .txt or .md.")


def _text_in(gathering: Gathering, where: str, path: Path) -> Output | None:
    if path.stat().st_size > MOST_BYTES:
        raise gathering.error(where, f"the text exceeds {LONGEST_TEXT:,} characters; shorten it.")
    text = gathering.text(where, "text", read_text(path))
    return None if text is None else Output(text)


def read_material(path: str | os.PathLike[str]) -> Material:
    r"""Read the material of an arena; arms and items keep the order in which they come.

    All arms are compared on the same items: items without an output of every arm are left out, and
    `Material.notices` says which. An output is a text of at most 100,000 characters, an image of at most
    20 MB and 50 megapixels, or an audio file of at most 50 MB.

    Parameters
    ----------
    path : str or os.PathLike
        One of

        - a table (CSV, JSON, Parquet or Excel; JSON is an array of objects, or one object per line) with the
          columns `item`, `arm` and `output`. The item, such as a question, is displayed above the outputs;
          with a `prompt`, that is displayed, and the item is only a name. `image` or `audio`, a path
          relative to the file, may replace `output`. Without `item` and `prompt`, each arm has one output;
        - a table with the items in the first column, and one column per arm;
        - a text file (.txt) in which every line is an arm;
        - a folder with one folder per arm, each with one file per item, whose names agree up to the suffix;
          or a folder of files, each of which is an arm. Hidden files are ignored.

        Files may be gzipped.

    Returns
    -------
    Material
        The outputs of all arms on the same items.

    Raises
    ------
    FileError
        If the file or folder cannot be read, or its content is not as above.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "sky.csv"
    ...     _ = path.write_text("question,poet,physicist\nWhy is the sky blue?,For joy.,It scatters light.\n")
    ...     material = read_material(path)
    >>> material
    Material(title='sky', arms=('poet', 'physicist'), notices=())
    >>> material.output("poet", "Why is the sky blue?").text
    'For joy.'
    """
    source = Path(path)
    if os.path.isdir(source):
        return read_folder(source)
    if os.path.exists(source) and not os.path.isfile(source):
        raise FileError(
            f"{source} is neither a file nor a folder; give a table (JSON, CSV, Parquet or Excel), a list of "
            "texts (.txt) or a folder."
        )
    listed = source.name.casefold().removesuffix(".gz").endswith(".txt")
    return read_texts(source) if listed else read_outputs(source)


def read_texts(path: Path) -> Material:
    """Read short texts, such as headlines: every line of a file is an arm, and its own name."""
    gathering = Gathering(path)
    for number, line in enumerate(decoded(path, read_bytes(path)).split("\n"), start=1):
        where = f"line {number}"
        text = gathering.text(where, "text", line.strip())
        if text is not None:
            gathering.add(where, name_of(text), Output(text))
    return gathering.result()


def write_example(path: str | os.PathLike[str]) -> Path:
    """Write an example as JSON Lines: four explanations of each of eight things. Never overwrite a file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     material = read_material(write_example(Path(folder) / "example.jsonl"))
    >>> material.arms, len(material.items)
    (('plain', 'picture', 'textbook', 'chatty'), 8)
    """
    target = Path(path)
    try:
        with target.open("xb") as file:
            file.write(resources.files("duelist.arena.content").joinpath("example.jsonl").read_bytes())
    except FileExistsError:
        raise FileError(f"{target} already exists; name another file, or remove it.") from None
    except OSError as error:
        raise FileError(f"{target} cannot be written: {error.strerror}; name another file.") from error
    return target
