"""Where results are kept: a file for every piece of work, whole or not there, so that work can be resumed."""

import io
import json
import zipfile
import zlib
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from duelist.errors import FileError
from duelist.files import remove_drafts, write_whole
from duelist.laboratory.provenance import code_of
from duelist.laboratory.work import Arrays, Piece, PieceResult

FORMAT = "duelist.piece/2"
STAMP = "stamp"
"""The name of the array that says what the other arrays are."""
UNREADABLE = (EOFError, KeyError, TypeError, ValueError, zipfile.BadZipFile, zlib.error)
"""What reading a file raises that is not, or no longer, a file of arrays."""


@dataclass(frozen=True)
class ResultStore:
    """A folder with the results of one item.

    A result is taken from it only if it is of the same setting, data and code. Results of other settings and
    other data stay beside it; of other code, they are replaced. Equal work makes equal files, byte by byte,
    however often it was interrupted.
    """

    folder: Path
    data: str
    """What tells the data from other data."""

    def file_of(self, piece: Piece) -> Path:
        """Return where a piece's result is kept; with another setting, or of other data, elsewhere."""
        told = json.dumps(self.identity(piece), sort_keys=True)
        return self.folder / f"{piece.name}-{sha256(told.encode()).hexdigest()[:8]}.npz"

    def identity(self, piece: Piece) -> dict[str, Any]:
        """Return what a piece's result is a result of."""
        work = f"{piece.work.__module__}.{piece.work.__qualname__}"
        return {"format": FORMAT, "work": work, "setting": dict(piece.setting), "data": self.data}

    def stamp(self, piece: Piece) -> str:
        """Return what a file must say for its arrays to be this piece's result: also which code made it."""
        return json.dumps({**self.identity(piece), "code": code_of(piece.work.__module__)}, sort_keys=True)

    def take(self, piece: Piece) -> PieceResult | None:
        """Return a piece's result, if it is there and made by the code there is now."""
        path = self.file_of(piece)
        try:
            # opened here, because NumPy leaves open what it cannot read
            with path.open("rb") as content, np.load(content, allow_pickle=False) as file:
                if str(file[STAMP]) != self.stamp(piece):
                    return None
                return PieceResult(
                    dict(piece.setting), {name: file[name] for name in file.files if name != STAMP}
                )
        except FileNotFoundError:
            return None
        except UNREADABLE as error:
            raise FileError(f"{path} is damaged, or not a result of this program; remove it.") from error

    def put(self, piece: Piece, arrays: Arrays) -> None:
        """Write a piece's result."""
        content = io.BytesIO()
        np.savez_compressed(content, allow_pickle=False, **{STAMP: np.array(self.stamp(piece))}, **arrays)
        write_whole(self.file_of(piece), content.getvalue())

    def tidy(self) -> None:
        """Remove what a killed process left half written."""
        remove_drafts(self.folder)
