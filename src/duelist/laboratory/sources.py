"""Data of reproductions: a folder of files, or made-up data."""

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

QUALITY_SPREAD = 0.5  # the standard deviation of rankers' qualities, in logits
PAIR_SPREAD = (
    0.2  # the standard deviation of pairs around their difference in quality, in logits; makes cycles
)
LEAST_LEAD = 0.01  # the lead of a Condorcet winner, similar to that of the best of LETOR's NP2004 rankers


@dataclass(frozen=True)
class Sources:
    """A folder with LETOR and MSLR files and preference matrices, in any subfolders; or None.

    Files are identified by the name of their folder too, as in mq2008/S1.txt. They may be compressed by gzip,
    and the given folder may itself be that folder, mq2008.

    Parameters
    ----------
    folder : path or None
        The folder; None for made-up data.

    Raises
    ------
    FileError
        If the folder does not exist.

    Examples
    --------
    >>> Sources(None).real
    False
    """

    folder: Path | None

    def __post_init__(self) -> None:
        """Make the path absolute, for workers with another working directory."""
        if self.folder is not None:
            if not self.folder.is_dir():
                raise FileError(
                    f"{self.folder} is not a folder; give the folder of the data files as --data FOLDER."
                )
            object.__setattr__(self, "folder", Path(os.path.abspath(self.folder)))

    @property
    def real(self) -> bool:
        """Whether there is a folder of data."""
        return self.folder is not None

    def find(self, name: str) -> Path:
        r"""Return the path of a file.

        Parameters
        ----------
        name : str
            FOLDER/FILE.

        Returns
        -------
        pathlib.Path
            The path.

        Raises
        ------
        FileError
            If the file is missing.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     (Path(folder) / "mq2008").mkdir()
        ...     _ = (Path(folder) / "mq2008" / "S1.txt").write_text("1 qid:1 1:0.5\n")
        ...     Sources(Path(folder)).find("mq2008/S1.txt").name
        'S1.txt'
        """
        return self.require([name])[0]

    def require(self, names: Iterable[str]) -> list[Path]:
        """Return the paths of files.

        Parameters
        ----------
        names : iterable of str
            Their names, FOLDER/FILE.

        Returns
        -------
        list of pathlib.Path
            The paths.

        Raises
        ------
        FileError
            If files are missing; the message lists all of them.

        Examples
        --------
        >>> Sources(None).require([])
        []
        """
        found = {name: self.search(name) for name in names}
        missing = ", ".join(name for name, path in found.items() if path is None)
        if missing and self.folder is None:
            raise FileError(f"{missing} cannot be read without a data folder; give one with --data.")
        if missing:
            raise FileError(
                f"{self.folder} lacks {missing} (plain or .gz, in any subfolder). Add the missing files, "
                "choose items that do not need them, or omit --data to use synthetic data."
            )
        return [path for path in found.values() if path is not None]

    def search(self, name: str) -> Path | None:
        """Return the path of a file, if it exists.

        Parameters
        ----------
        name : str
            FOLDER/FILE.

        Returns
        -------
        pathlib.Path or None
            The path.

        Examples
        --------
        >>> Sources(None).search("mq2008/S1.txt") is None
        True
        """
        if self.folder is None:
            return None
        wanted = PurePosixPath(name)
        for ending in ("", ".gz"):
            for path in sorted(self.folder.rglob(wanted.name + ending)):
                if path.is_file() and path.parent.name.lower() == wanted.parent.name.lower():
                    return path
        return None

    def matrix(self, name: str, arms: int) -> FloatArray:
        r"""Read a preference matrix from a file of comma-separated probabilities.

        Parameters
        ----------
        name : str
            FOLDER/FILE.
        arms : int
            The expected number of arms.

        Returns
        -------
        array of shape (arms, arms)
            The matrix.

        Raises
        ------
        FileError
            If the file is missing, or not a preference matrix of this size.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     (Path(folder) / "preferences").mkdir()
        ...     _ = (Path(folder) / "preferences" / "two.csv").write_text("0.5,0.75\n0.25,0.5\n")
        ...     Sources(Path(folder)).matrix("preferences/two.csv", 2)
        array([[0.5 , 0.75],
               [0.25, 0.5 ]])
        """
        file = self.find(name)
        try:
            matrix = as_preferences(np.loadtxt(file, delimiter=","))
        except (EOFError, OSError, ValueError, zlib.error) as error:
            raise FileError(f"{file} is not a preference matrix: {error}") from error
        if len(matrix) != arms:
            raise FileError(f"{file} has {len(matrix)} arms; {name} must have {arms}.")
        return matrix

    def documents(self, *names: str) -> RankingData:
        r"""Read queries and documents from LETOR files.

        Parameters
        ----------
        *names : str
            Their names, FOLDER/FILE.

        Returns
        -------
        RankingData
            The documents of all files.

        Raises
        ------
        FileError
            If a file is missing or malformed.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     (Path(folder) / "mq2008").mkdir()
        ...     _ = (Path(folder) / "mq2008" / "S1.txt").write_text("1 qid:1 1:0.5\n")
        ...     Sources(Path(folder)).documents("mq2008/S1.txt")
        RankingData(1 query, 1 document, 1 feature, grades 0-1)
        """
        return load_ranking_data(self.require(names), cache=False)

    def fingerprint(self, names: tuple[str, ...]) -> str:
        """Return a fingerprint of files; for made-up data, "made up".

        Parameters
        ----------
        names : tuple of str
            Their names, FOLDER/FILE.

        Returns
        -------
        str
            The fingerprint.

        Raises
        ------
        FileError
            If a file is missing.

        Examples
        --------
        >>> Sources(None).fingerprint(("mq2008/S1.txt",))
        'made up'
        """
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
    """Generate a preference matrix of rankers of different quality, with cycles among similar ones.

    Parameters
    ----------
    k : int
        The number of rankers.
    seed : int, default 0
        The seed; equal seeds give equal matrices.
    winner : bool, default True
        Whether to make the best ranker a Condorcet winner, which beats all others.

    Returns
    -------
    array of shape (k, k)
        The matrix.

    Raises
    ------
    ParameterError
        If `k` is below 2 or `seed` is negative.

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
