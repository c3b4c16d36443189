"""Outputs as files: in a folder for each arm, or in one folder where every file is an arm."""

import os
from pathlib import Path

from duelist.arena.content.gathering import Gathering
from duelist.arena.content.material import Material, Output
from duelist.arena.content.media import KNOWN, media_in, program_in
from duelist.errors import FileError
from duelist.files import read_text
from duelist.journal.content import LONGEST_TEXT
from duelist.text import counted

TEXTS = (".txt", ".md")
"""Endings of texts; all other files are told by what is in them."""
MOST_BYTES = 4 * LONGEST_TEXT
"""Bytes that the longest text can take."""
OWN = ".votes."
"""What the names of files hold that an arena writes itself."""


def read_folder(path: Path) -> Material:
    """Return the outputs in a folder."""
    gathering = Gathering(path)
    entries = _entries(path)
    folders = [entry for entry in entries if entry.is_dir()]
    files = [entry for entry in entries if not entry.is_dir()]
    if not folders:
        for file in files:
            gathering.add(_where(path, file), file.stem, _output(gathering, file))
        return gathering.result()
    for folder in folders:
        arm = gathering.arm(_where(path, folder), folder.name)
        for file in _entries(folder):
            where = _where(path, file)
            item = gathering.text(where, "file name", file.stem)
            gathering.add(where, arm, _output(gathering, file), item)
    if not gathering.outputs:
        raise FileError(f"{path}: the folders in it are empty; put a file for each item into each of them.")
    notices = []
    if files:
        many = counted(len(files), "file")
        notices.append(f"Left out: {many} beside the folders of the arms. The first: {files[0].name}.")
    return gathering.result(notices)


def _entries(folder: Path) -> list[Path]:
    """Return what is in a folder, in the order of names, without what is hidden or an arena's own."""
    try:
        names = [name for name in os.listdir(folder) if not name.startswith(".") and OWN not in name]
    except OSError as error:
        raise FileError(f"{folder}: {error.strerror}; give a folder that can be read.") from error
    return [folder / name for name in sorted(names)]


def _where(root: Path, path: Path) -> str:
    return str(path.relative_to(root))


def _output(gathering: Gathering, path: Path) -> Output | None:
    where = _where(gathering.path, path)
    if path.is_dir():
        raise gathering.error(where, "this is a folder within an arm's; put its files into the arm's folder.")
    try:
        media = media_in(gathering.path, path)
        if media is not None:
            return media
        if path.suffix.casefold() in TEXTS:
            return _text(gathering, where, path)
        program = program_in(path)
    except OSError as error:
        raise gathering.error(where, f"{error.strerror}; give a file that can be read.") from error
    if program is not None:
        raise gathering.error(
            where,
            f"this is {program}, which can run programs in a voter's browser; save it as an image or a text.",
        )
    raise gathering.error(where, f"the file is not known; give {KNOWN}, texts as .txt or .md.")


def _text(gathering: Gathering, where: str, path: Path) -> Output | None:
    if path.stat().st_size > MOST_BYTES:
        raise gathering.error(where, f"the text has more than {LONGEST_TEXT:,} characters; shorten it.")
    text = gathering.text(where, "text", read_text(path))
    return None if text is None else Output(text)
