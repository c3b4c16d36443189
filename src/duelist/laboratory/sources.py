"""Where data comes from: a folder of the user's, or nowhere, and then it is made up."""

import os
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath

import numpy as np
from numpy.random import default_rng

from duelist.duel import FloatArray
from duelist.errors import FileError, require_whole
from duelist.preferences import as_preferences
from duelist.ranking import RankingData, load_ranking_data

QUALITY_SPREAD = 0.5  # in logits: how much rankers differ in quality
PAIR_SPREAD = 0.2  # in logits: how much pairs differ from what quality says, which makes cycles
LEAST_LEAD = 0.01  # of a Condorcet winner, about as much as that of the best of LETOR's NP2004 rankers


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
        return self.require([name])[0]

    def require(self, names: Iterable[str]) -> list[Path]:
        """Return where files are, or say which of them are missing."""
        found = {name: self.search(name) for name in names}
        missing = ", ".join(name for name, place in found.items() if place is None)
        if missing and self.folder is None:
            raise FileError(f"{missing} cannot be read: no folder of data was given; name one by --data.")
        if missing:
            raise FileError(
                f"no folder in {self.folder} has, plain or .gz: {missing}. Add what is missing, ask for "
                "items that do not need it, or leave --data out to use made-up data."
            )
        return [place for place in found.values() if place is not None]

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
        return load_ranking_data(self.require(names), cache=False)

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


def made_up_preferences(k: int, seed: int = 0, winner: bool = True) -> FloatArray:
    """Return a preference matrix of rankers that differ in quality, with cycles among those nearly as good.

    Parameters
    ----------
    k : int
        The number of rankers.
    seed : int, default 0
        Equal seeds give equal matrices.
    winner : bool, default True
        Make the ranker of the highest quality beat all others, as a Condorcet winner does.

    Examples
    --------
    >>> made_up_preferences(3).round(2)
    array([[0.5 , 0.56, 0.42],
           [0.44, 0.5 , 0.44],
           [0.58, 0.56, 0.5 ]])
    """
    require_whole("k", k, 2)
    require_whole("seed", seed, 0)
    rng = default_rng(seed)
    quality = QUALITY_SPREAD * rng.standard_normal(k)
    pairs = np.triu(PAIR_SPREAD * rng.standard_normal((k, k)), 1)
    chances = 1.0 / (1.0 + np.exp(quality[np.newaxis, :] - quality[:, np.newaxis] + pairs - pairs.T))
    if winner:
        best = int(quality.argmax())
        chances[best] = np.maximum(chances[best], 0.5 + LEAST_LEAD)
        chances[:, best] = 1.0 - chances[best]
        chances[best, best] = 0.5
    return chances
