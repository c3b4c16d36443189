"""Where data comes from: a folder of the user's, or nowhere, and then it is made up."""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath

import numpy as np

from duelist.errors import FileError
from duelist.preferences import as_preferences
from duelist.ranking import RankingData, load_ranking_data
from duelist.types import FloatArray


@dataclass(frozen=True)
class Sources:
    """A folder with LETOR and MSLR files and preference matrices, in any order of folders; or None.

    A file is asked for with the name of its folder, as in mq2008/S1.txt, so that files of the same name are
    told apart. It may be compressed by gzip, and the folder given may be that very folder.

    Examples
    --------
    >>> Sources(None).real
    False
    """

    folder: Path | None

    @property
    def real(self) -> bool:
        """Whether there is a folder of data."""
        return self.folder is not None

    def find(self, name: str) -> Path:
        """Return where a file is, or say what is missing."""
        if self.folder is None:
            raise FileError(f"{name} is not there, because no folder of data was given; name one by --data.")
        if not self.folder.is_dir():
            raise FileError(f"{self.folder} is not a folder; --data takes the one that has {name}.")
        wanted = PurePosixPath(name)
        for ending in ("", ".gz"):
            file = wanted.name + ending
            places = sorted(self.folder.rglob(file))
            for place in (self.folder / file, *places):
                above = place.parent.name
                if place.is_file() and (
                    place.parent == self.folder or above.lower() == wanted.parent.name.lower()
                ):
                    return place
        raise FileError(
            f"{self.folder} has no {name}, plain or .gz, in any of its folders; add it, or leave --data out "
            f"to use made-up data."
        )

    def matrix(self, name: str) -> FloatArray:
        """Return a preference matrix from a file of comma-separated probabilities."""
        file = self.find(name)
        try:
            return as_preferences(np.loadtxt(file, delimiter=","))
        except ValueError as error:
            raise FileError(f"{file} is not a preference matrix: {error}") from error

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
            digest.update(self.find(name).read_bytes())
        return digest.hexdigest()[:16]
