"""Where data comes from: a folder of the user's, or nowhere, and then it is made up."""

import os
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath

import numpy as np

from duelist.duel import FloatArray
from duelist.errors import FileError
from duelist.preferences import as_preferences
from duelist.ranking import RankingData, load_ranking_data


@dataclass(frozen=True)
class Sources:
    """A folder with LETOR and MSLR files and preference matrices, in any order of folders; or None.

    A file is asked for with the name of its folder, as in mq2008/S1.txt, so that files of the same name are
    told apart. It may be compressed by gzip, and the folder given may be that very folder, mq2008.

    Examples
    --------
    >>> Sources(None).real
    False
    """

    folder: Path | None

    def __post_init__(self) -> None:
        """Refuse what is not a folder, and remember where it is, wherever a worker is."""
        if self.folder is not None:
            if not self.folder.is_dir():
                raise FileError(f"{self.folder} is not a folder; --data takes the one that has the files.")
            object.__setattr__(self, "folder", Path(os.path.abspath(self.folder)))

    @property
    def real(self) -> bool:
        """Whether there is a folder of data."""
        return self.folder is not None

    def find(self, name: str) -> Path:
        """Return where a file is, or say that it is missing."""
        found = self.search(name)
        if found is None:
            raise FileError(self.complaint([name]))
        return found

    def require(self, names: Iterable[str]) -> None:
        """Say which of some files are missing."""
        missing = [name for name in dict.fromkeys(names) if self.search(name) is None]
        if missing:
            raise FileError(self.complaint(missing))

    def search(self, name: str) -> Path | None:
        """Return where a file is, if it is there."""
        if self.folder is None:
            return None
        wanted = PurePosixPath(name)
        for ending in ("", ".gz"):
            for place in sorted(self.folder.rglob(wanted.name + ending)):
                if place.is_file() and place.parent.name.lower() == wanted.parent.name.lower():
                    return place
        return None

    def complaint(self, missing: Sequence[str]) -> str:
        """Return what is missing, and what to do."""
        names = ", ".join(missing)
        if self.folder is None:
            return f"{names} cannot be read, because no folder of data was given; name one by --data."
        return (
            f"no folder in {self.folder} has, plain or .gz: {names}. Add what is missing, ask for items that "
            "do not need it, or leave --data out to use made-up data."
        )

    def matrix(self, name: str, arms: int) -> FloatArray:
        """Return a preference matrix of `arms` arms from a file of comma-separated probabilities."""
        file = self.find(name)
        try:
            matrix = as_preferences(np.loadtxt(file, delimiter=","))
        except (EOFError, OSError, ValueError, zlib.error) as error:
            raise FileError(f"{file} is not a preference matrix: {error}") from error
        if len(matrix) != arms:
            raise FileError(f"{file} has {len(matrix)} arms; {name} is to have {arms}.")
        return matrix

    def documents(self, *names: str) -> RankingData:
        """Return queries and documents from files in the format of LETOR."""
        return load_ranking_data([self.find(name) for name in names], cache=False)

    def fingerprint(self, names: tuple[str, ...]) -> str:
        """Return what tells these files from others; of made-up data, that it is made up."""
        if not names:
            return "none"
        if self.folder is None:
            return "made up"
        digest = sha256()
        for name in names:
            content = self.find(name).read_bytes()
            digest.update(f"{name} {len(content)} ".encode() + content)
        return digest.hexdigest()[:16]
