"""The store of results: a file for every piece of work, stamped with a fingerprint of its code."""

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
STAMP = "stamp"  # the name of the array that identifies the other arrays
MODULE = re.compile(r"[a-z_]+(\.[a-z_0-9]+)+")


@dataclass(frozen=True)
class ResultStore:
    """A folder with the results of one item.

    A stored result is used only if its setting, data and code are the same. Results of other settings and
    other data are kept alongside; results of other code are replaced. Equal work gives identical files,
    however often it was interrupted.
    """

    folder: Path
    data: str  # the fingerprint of the data

    def file_of(self, piece: Piece) -> Path:
        """Return the path of a piece's result, which depends on its setting and data."""
        identity = json.dumps(self.identity(piece), sort_keys=True)
        return self.folder / f"{piece.name}-{sha256(identity.encode()).hexdigest()[:8]}.npz"

    def identity(self, piece: Piece) -> dict[str, Any]:
        """Return what identifies a piece's result, apart from the code."""
        work = f"{piece.work.__module__}.{piece.work.__qualname__}"
        return {"format": FORMAT, "work": work, "setting": dict(piece.setting), "data": self.data}

    def stamp(self, piece: Piece) -> str:
        """Return what identifies a piece's result, with the fingerprint of the code."""
        return json.dumps({**self.identity(piece), "code": code_of(piece.work.__module__)}, sort_keys=True)

    def take(self, piece: Piece) -> PieceResult | None:
        """Return a piece's result if it is stored and the code is unchanged."""
        path = self.file_of(piece)
        try:
            # opened here because NumPy does not close files that it cannot read
            with path.open("rb") as content, np.load(content, allow_pickle=False) as file:
                if str(file[STAMP]) != self.stamp(piece):
                    return None
                arrays = {name: file[name] for name in file.files if name != STAMP}
                return PieceResult(dict(piece.setting), arrays)
        except FileNotFoundError:
            return None
        except UNREADABLE as error:
            raise FileError(f"{path} is damaged, or not a result of this program; delete it.") from error

    def put(self, piece: Piece, arrays: Arrays) -> None:
        write_arrays(self.file_of(piece), {STAMP: np.array(self.stamp(piece)), **arrays})


@cache
def code_of(module: str) -> str:
    """Return a fingerprint of a module and everything that it imports.

    Modules of its own package and of duelist count by source, other packages that affect results by version.
    Results therefore survive changes of the code that draws or judges them, but not of the code that computes
    them.
    """
    digest = sha256(repr(sorted(versions().items())).encode())
    for name, file in sorted(sources_of(module).items()):
        digest.update(name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def sources_of(module: str) -> dict[str, Path]:
    """Return the files of a module and of all modules of its package and of duelist that it imports, by name.

    The `__init__` of a package counts only if something is imported from it.
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
    """Return the names that a file may import, now or on first use; for `from a import b`, both a and a.b."""
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
    """Return the path of a module's source; None if there is no such module."""
    try:
        spec = find_spec(name)
    except ModuleNotFoundError:  # the parent is not a package
        return None
    return Path(spec.origin) if spec is not None and spec.origin is not None else None
