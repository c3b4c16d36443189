"""A K-armed problem given by its preference matrix."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Self, TypeAlias

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from duelist.duel import Duel, FloatArray
from duelist.errors import FileError, ParameterError, PreferenceError, require_known
from duelist.menus import Arms
from duelist.preferences import Preferences, as_counts, as_labels, estimate, normalized
from duelist.problems.action_duels import play_duel
from duelist.text import counted
from duelist.votes.counting import Repeats, count
from duelist.votes.loading import Matrix, Source, as_votes, read_source
from duelist.votes.writing import write_counts, write_matrix

Labels: TypeAlias = Sequence[str | int] | None  # the arms' names; None for "0", "1" and so on


@dataclass(frozen=True, eq=False, init=False)
class MatrixProblem:
    """Arms that beat each other with fixed probabilities.

    Parameters
    ----------
    matrix : array of shape (K, K)
        `matrix[i, j]` is the probability that arm i beats arm j.
    labels : sequence of str or int, optional
        The arms' names; by default "0", "1" and so on.
    counts : array of shape (K, K), optional
        The number of recorded comparisons behind each probability, if known.
    normalize : bool, default False
        Divide the two probabilities of each pair by their sum, for matrices with rounded entries.

    Raises
    ------
    PreferenceError
        If `matrix` is not a preference matrix, or if `labels` or `counts` do not fit it.

    Examples
    --------
    >>> problem = MatrixProblem([[0.5, 0.9], [0.1, 0.5]], labels=["dense", "bm25"])
    >>> problem
    MatrixProblem(labels=('dense', 'bm25'))
    >>> problem.play(Duel(0, 1), np.random.default_rng(0))
    1.0
    """

    matrix: FloatArray = field(repr=False)
    labels: tuple[str, ...]
    counts: FloatArray | None = field(repr=False)
    preferences: Preferences = field(init=False, repr=False)
    """The validated matrix; functions of preferences accept it without validating it again."""

    in_kernels: ClassVar[tuple[str, ...]] = ("menu", "play")

    def __init__(
        self,
        matrix: ArrayLike,
        labels: Labels = None,
        counts: ArrayLike | None = None,
        *,
        normalize: bool = False,
    ) -> None:
        preferences = Preferences(normalized(matrix) if normalize else matrix)
        k = len(preferences)
        names = as_labels(map(str, range(k)) if labels is None else labels)
        if len(names) != k:
            raise PreferenceError(f"labels has {counted(len(names), 'name')} for {k} arms; give one per arm.")
        known = None if counts is None else as_counts("counts", counts)
        if known is not None:
            if len(known) != k:
                raise PreferenceError(
                    f"counts has {counted(len(known), 'row')} for {k} arms; give one per arm."
                )
            known.flags.writeable = False
        vars(self).update(matrix=preferences.matrix, preferences=preferences, labels=names, counts=known)

    @classmethod
    def from_csv(
        cls, path: str | os.PathLike[str], *, normalize: bool = False, encoding: str | None = None
    ) -> Self:
        """Read a problem from a file with a preference matrix.

        The matrix may have a header row of names, and then a first column with the same names. For a file of
        votes, use `MatrixProblem.from_votes(load_votes(path))`.

        Parameters
        ----------
        path : path
            A CSV or JSON file.
        normalize : bool, default False
            Divide the two probabilities of each pair by their sum, for matrices with rounded entries.
        encoding : str, optional
            The encoding of the file; detected by default.

        Returns
        -------
        MatrixProblem
            The problem.

        Raises
        ------
        FileError
            If the file cannot be read, or has votes instead of a matrix.
        PreferenceError
            If the matrix is not a preference matrix.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = MatrixProblem([[0.5, 0.25], [0.75, 0.5]]).to_csv(Path(folder) / "matrix.csv")
        ...     MatrixProblem.from_csv(path).matrix[1, 0].item()
        0.75
        """
        found = read_source(path, encoding=encoding)
        if not isinstance(found, Matrix):
            raise FileError(
                f"{path} has votes instead of a preference matrix; estimate a problem with "
                "MatrixProblem.from_votes(load_votes(path))."
            )
        try:
            return cls(found.matrix, found.labels, normalize=normalize)
        except PreferenceError as error:
            raise PreferenceError(f"{path}: {error}") from error

    @classmethod
    def from_votes(cls, votes: Source, prior: float = 0.0, repeats: Repeats = "first") -> Self:
        """Estimate a problem from recorded votes.

        Parameters
        ----------
        votes : Votes, path, data frame, or rows
            The votes, in any form that `load_votes` accepts.
        prior : float, default 0.0
            Pseudo-wins added to both sides of each pair; see `estimate`.
        repeats : str, default "first"
            How repeated votes of a voter on a pair count; see `votes.count`.

        Returns
        -------
        MatrixProblem
            The estimated problem, with its counts.

        Raises
        ------
        FileError
            If a file cannot be read.
        PreferenceError
            If the votes are malformed.

        Examples
        --------
        >>> from duelist import load_votes
        >>> problem = MatrixProblem.from_votes(load_votes([("dense", "bm25", 3), ("bm25", "dense", 1)]))
        >>> problem.labels, problem.matrix[1, 0].item(), problem.counts[0, 1].item()
        (('bm25', 'dense'), 0.75, 4.0)
        """
        recorded = as_votes(votes)
        return cls.from_wins(count(recorded, repeats).scores, recorded.arms, prior)

    @classmethod
    def from_wins(cls, wins: ArrayLike, labels: Labels = None, prior: float = 0.0) -> Self:
        """Estimate a problem from a matrix of win counts.

        Parameters
        ----------
        wins : array of shape (K, K)
            `wins[i, j]` is how often arm i beat arm j; a tie is half a win for both.
        labels : sequence of str or int, optional
            The arms' names; by default "0", "1" and so on.
        prior : float, default 0.0
            Pseudo-wins added to both sides of each pair; see `estimate`.

        Returns
        -------
        MatrixProblem
            The estimated problem, with its counts.

        Raises
        ------
        PreferenceError
            If `wins` is not a square matrix of finite numbers from 0, or `labels` do not fit it.

        Examples
        --------
        >>> MatrixProblem.from_wins([[0, 3], [1, 0]]).matrix[0, 1].item()
        0.75
        """
        won = as_counts("wins", wins)
        return cls(estimate(won, prior), labels, counts=won + won.T)

    @property
    def k(self) -> int:
        """Return the number of arms."""
        return len(self.labels)

    def menu(self, rng: Generator | None = None) -> Arms:
        """Return the arms, which are the same in every round.

        Parameters
        ----------
        rng : numpy.random.Generator, optional
            Ignored.

        Returns
        -------
        Arms
            The number of arms.

        Examples
        --------
        >>> MatrixProblem([[0.5, 0.9], [0.1, 0.5]]).menu()
        Arms(k=2)
        """
        return Arms(self.k)

    def play(self, duel: Duel, rng: Generator) -> float:
        """Draw the outcome of a duel.

        Parameters
        ----------
        duel : Duel
            Two arms.
        rng : numpy.random.Generator
            Draws the outcome.

        Returns
        -------
        float
            1 if the left arm wins, 0 if the right one does; 0.5 if an arm meets itself.

        Raises
        ------
        OutcomeError
            If a side is not an arm.

        Examples
        --------
        >>> MatrixProblem([[0.5, 1.0], [0.0, 0.5]]).play(Duel(0, 1), np.random.default_rng(0))
        1.0
        """
        return play_duel(self.matrix, duel, rng, "an arm of the menu")

    def index(self, arm: int | str) -> int:
        """Return the index of an arm.

        Parameters
        ----------
        arm : int or str
            The arm's index or label.

        Returns
        -------
        int
            The index.

        Raises
        ------
        UnknownNameError
            If no arm has this label.
        ParameterError
            If the index is out of range.

        Examples
        --------
        >>> MatrixProblem([[0.5, 0.9], [0.1, 0.5]], labels=["dense", "bm25"]).index("bm25")
        1
        """
        if isinstance(arm, str):
            require_known("arm", arm, self.labels)
            return self.labels.index(arm)
        if not (isinstance(arm, int | np.integer) and 0 <= arm < self.k):
            raise ParameterError(f"arm must be a label or an index from 0 to {self.k - 1}; got {arm!r}.")
        return int(arm)

    def subset(self, arms: Iterable[int | str]) -> Self:
        """Return the problem restricted to some of the arms.

        Parameters
        ----------
        arms : iterable of int or str
            The indices or labels of the arms to keep, in their new order.

        Returns
        -------
        MatrixProblem
            The smaller problem.

        Raises
        ------
        UnknownNameError, ParameterError
            If an arm does not exist.

        Examples
        --------
        >>> problem = MatrixProblem([[0.5, 0.9, 0.8], [0.1, 0.5, 0.6], [0.2, 0.4, 0.5]], labels="abc")
        >>> problem.subset(["c", "a"]).matrix.tolist()
        [[0.5, 0.2], [0.8, 0.5]]
        """
        kept = [self.index(arm) for arm in arms]
        block = np.ix_(kept, kept)
        counts = None if self.counts is None else self.counts[block]
        return type(self)(self.matrix[block], [self.labels[arm] for arm in kept], counts)

    def to_csv(self, path: str | os.PathLike[str]) -> Path:
        """Write the matrix and the labels to a CSV file that `from_csv` reads back exactly.

        The counts are not written.

        Parameters
        ----------
        path : path
            The file to write.

        Returns
        -------
        pathlib.Path
            The path of the file.

        Examples
        --------
        >>> import tempfile
        >>> problem = MatrixProblem([[0.5, 0.9], [0.1, 0.5]], labels=["dense", "bm25"])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     MatrixProblem.from_csv(problem.to_csv(Path(folder) / "matrix.csv"))
        MatrixProblem(labels=('dense', 'bm25'))
        """
        return write_matrix(path, self.matrix, self.labels)

    def to_votes(self, path: str | os.PathLike[str]) -> Path:
        """Write the win counts behind the matrix to a file of votes that `load_votes` reads back.

        Parameters
        ----------
        path : path
            The file to write.

        Returns
        -------
        pathlib.Path
            The path of the file.

        Raises
        ------
        PreferenceError
            If the counts are unknown.

        Examples
        --------
        >>> import tempfile
        >>> from duelist import load_votes
        >>> problem = MatrixProblem.from_wins([[0, 3], [1, 0]])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     votes = load_votes(problem.to_votes(Path(folder) / "votes.csv"))
        >>> MatrixProblem.from_votes(votes).counts[0, 1].item()
        4.0
        """
        if self.counts is None:
            raise PreferenceError("counts is None, so there are no votes to write; use to_csv.")
        return write_counts(path, self.matrix * self.counts, self.labels)
