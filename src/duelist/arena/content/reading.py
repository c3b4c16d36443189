"""What an arena compares, read from a file or a folder."""

import os
from pathlib import Path

from duelist.arena.content.folders import read_folder
from duelist.arena.content.json_lines import read_json_lines
from duelist.arena.content.material import Material
from duelist.arena.content.tables import read_table
from duelist.arena.content.texts import read_texts
from duelist.errors import FileError
from duelist.files import read_text

REMEDY = "give JSON lines, a table (CSV), a list of texts (.txt) or a folder."


def read_material(path: str | os.PathLike[str]) -> Material:
    r"""Read what an arena compares; arms and items keep the order in which they come.

    All arms are compared on the same items: those that lack an output of some arm are left out, and
    `Material.notices` says which. An output is a text of at most 100,000 characters, an image of at most
    20 MB and 50 megapixels, or a sound of at most 50 MB.

    Parameters
    ----------
    path : str or os.PathLike
        One of

        - JSON objects, one on each line, with `item`, `arm` and `output`. The item is what is shown above the
          outputs, such as a question; where there is a `prompt`, that is shown, and the item is only a name.
          In place of `output` there may be `image` or `audio`, a path relative to the file. Without `item`
          and `prompt`, arms are compared as they are;
        - a table, with commas, semicolons or tabs, whose columns are called like these fields; or the first
          column has the items, and every other column is an arm;
        - a text file (.txt) in which every line is an arm;
        - a folder with a folder for each arm, and in each of these a file for each item, of the same name but
          for the ending; or a folder of files, in which every file is an arm. Hidden files are passed over.

        Files may be gzipped.

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
    place = Path(path)
    try:
        if place.is_dir():
            return read_folder(place)
        if place.exists() and not place.is_file():
            raise FileError(f"{place} is neither a file nor a folder; {REMEDY}")
        text = read_text(place)
    except (OSError, ValueError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"{place}: {getattr(error, 'strerror', None) or error}; {REMEDY}") from error
    if not text.strip():
        raise FileError(f"{place}: the file is empty; {REMEDY}")
    name = place.name.casefold().removesuffix(".gz")
    if name.endswith(".txt"):
        return read_texts(place, text)
    if name.endswith((".csv", ".tsv")) or text.lstrip()[:1] not in ("{", "["):
        return read_table(place, text)
    return read_json_lines(place, text)
