"""Where results are kept: a file for every piece of work, whole or not there, so that work can be resumed."""

import io
import json
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from duelist import __version__
from duelist.errors import FileError
from duelist.files import remove_drafts, write_whole
from duelist.laboratory.work import Arrays, Piece, Result

FORMAT = "duelist.piece/1"
STAMP = "stamp"
"""The name of the array that says what the other arrays are."""


@dataclass(frozen=True)
class Shelf:
    """A folder with the results of one item.

    A result is taken from it only if it is of the same setting, data and version; equal work makes equal
    files, byte by byte, however often it was interrupted.

    Examples
    --------
    >>> import tempfile
    >>> piece = Piece("k=3", work=lambda sources, k: {"arms": np.arange(k)}, setting={"k": 3})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     shelf = Shelf(Path(folder), data="none")
    ...     nothing = shelf.take(piece)
    ...     shelf.put(piece, {"arms": np.arange(3)})
    ...     nothing, shelf.take(piece)["arms"]
    (None, array([0, 1, 2]))
    """

    folder: Path
    data: str
    """What tells the data from other data."""

    def file_of(self, piece: Piece) -> Path:
        """Return where a piece's result is kept."""
        return self.folder / f"{piece.name}.npz"

    def stamp(self, piece: Piece) -> dict[str, Any]:
        """Return what a file must say for its arrays to be this piece's result."""
        work = f"{piece.work.__module__}.{piece.work.__qualname__}"
        return {
            "format": FORMAT,
            "version": __version__,
            "work": work,
            "setting": dict(piece.setting),
            "data": self.data,
        }

    def take(self, piece: Piece) -> Result | None:
        """Return a piece's result, if it is there."""
        path = self.file_of(piece)
        try:
            with np.load(path, allow_pickle=False) as file:
                if json.loads(str(file[STAMP])) != json.loads(json.dumps(self.stamp(piece))):
                    return None
                return Result(dict(piece.setting), {name: file[name] for name in file.files if name != STAMP})
        except FileNotFoundError:
            return None
        except (KeyError, ValueError, zipfile.BadZipFile) as error:
            raise FileError(f"{path} is not a result of this program: {error}; move it away.") from error

    def put(self, piece: Piece, arrays: Arrays) -> None:
        """Write a piece's result."""
        content = io.BytesIO()
        stamp = np.array(json.dumps(self.stamp(piece)))
        np.savez_compressed(content, allow_pickle=False, **{STAMP: stamp}, **arrays)
        write_whole(self.file_of(piece), content.getvalue())

    def tidy(self) -> None:
        """Remove what a killed process left half written."""
        remove_drafts(self.folder)
