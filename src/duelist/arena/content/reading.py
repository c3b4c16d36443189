"""What an arena compares, read from a file or a folder."""

import os
from pathlib import Path

from duelist.arena.content.folders import read_folder
from duelist.arena.content.gathering import Gathering
from duelist.arena.content.material import Material, Output
from duelist.arena.content.naming import name_of
from duelist.arena.content.tables import read_outputs
from duelist.errors import FileError
from duelist.files import decoded
from duelist.tables.files import read_bytes


def read_material(path: str | os.PathLike[str]) -> Material:
    r"""Read what an arena compares; arms and items keep the order in which they come.

    All arms are compared on the same items: those that lack an output of some arm are left out, and
    `Material.notices` says which. An output is a text of at most 100,000 characters, an image of at most
    20 MB and 50 megapixels, or a sound of at most 50 MB.

    Parameters
    ----------
    path : str or os.PathLike
        One of

        - a table, as CSV, JSON (an array of objects, or one on each line), Parquet or Excel, with `item`,
          `arm` and `output`. The item is what is shown above the outputs, such as a question; where there is
          a `prompt`, that is shown, and the item is only a name. In place of `output` there may be `image` or
          `audio`, a path relative to the file. Without `item` and `prompt`, arms are compared as they are;
        - a table in which the first column has the items, and every other column is an arm;
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
    if os.path.isdir(place):
        return read_folder(place)
    if os.path.exists(place) and not os.path.isfile(place):
        raise FileError(
            f"{place} is neither a file nor a folder; give a table (JSON, CSV, Parquet or Excel), a list of "
            "texts (.txt) or a folder."
        )
    listed = place.name.casefold().removesuffix(".gz").endswith(".txt")
    return read_texts(place) if listed else read_outputs(place)


def read_texts(path: Path) -> Material:
    """Return short texts, such as headlines: every line of a file is an arm, called what it says."""
    gathering = Gathering(path)
    for number, line in enumerate(decoded(path, read_bytes(path)).split("\n"), start=1):
        where = f"line {number}"
        shown = gathering.text(where, "text", line.strip())
        if shown is not None:
            gathering.add(where, name_of(shown), Output(shown))
    return gathering.result()
