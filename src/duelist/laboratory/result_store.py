"""Where results are kept: a file for every piece of work, with what tells the code that made it."""

import ast
import json
import re
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from duelist.errors import FileError
from duelist.laboratory.work import Arrays, Piece, PieceResult
from duelist.parallel.executors import versions
from duelist.simulation.storage import UNREADABLE, write_arrays

FORMAT = "duelist.piece/2"
STAMP = "stamp"  # the name of the array that says what the other arrays are
MODULE = re.compile(r"[a-z_]+(\.[a-z_0-9]+)+")


@dataclass(frozen=True)
class ResultStore:
    """A folder with the results of one item.

    A result is taken from it only if it is of the same setting, data and code. Results of other settings and
    other data stay beside it; of other code, they are replaced. Equal work makes equal files, byte by byte,
    however often it was interrupted.
    """

    folder: Path
    data: str  # what tells the data from other data

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
                arrays = {name: file[name] for name in file.files if name != STAMP}
                return PieceResult(dict(piece.setting), arrays)
        except FileNotFoundError:
            return None
        except UNREADABLE as error:
            raise FileError(f"{path} is damaged, or not a result of this program; remove it.") from error

    def put(self, piece: Piece, arrays: Arrays) -> None:
        """Write a piece's result."""
        write_arrays(self.file_of(piece), {STAMP: np.array(self.stamp(piece)), **arrays})


@cache
def code_of(module: str) -> str:
    """Return a digest of what a module and all that it imports are made of.

    Of its own package and of duelist the sources count, of others that compute their versions. So results
    outlive a change of what draws or judges them, but not of what made them.
    """
    digest = sha256(repr(sorted(versions().items())).encode())
    for name, file in sorted(sources_of(module).items()):
        digest.update(name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def sources_of(module: str) -> dict[str, Path]:
    """Return the files of a module and of all modules of its package and of duelist that it imports, by name.

    The `__init__` of a package that a module is in counts only where something is imported from it.
    """
    packages, found, waiting = {module.partition(".")[0], "duelist"}, dict[str, Path](), [module]
    while waiting:
        name = waiting.pop()
        file = None if name in found else source_file(name)
        if file is not None:
            found[name] = file
            waiting += [one for one in imported(file) if one.partition(".")[0] in packages]
    return found


@cache
def imported(file: Path) -> tuple[str, ...]:
    """Return the names that a file may import, now or on first use; of `from a import b`, both a and a.b."""
    names = list[str]()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Constant) and MODULE.fullmatch(str(node.value)):
            names.append(str(node.value))
    return tuple(names)


@cache
def source_file(name: str) -> Path | None:
    """Return where a module's source is; None where there is no such module."""
    try:
        spec = find_spec(name)
    except ModuleNotFoundError:  # a part of something that is no package
        return None
    return Path(spec.origin) if spec is not None and spec.origin is not None else None
