"""Preference matrices: validation, and the quantities that every definition of a winner needs."""

from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from math import isfinite
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from duelist.duel import BoolArray, FloatArray
from duelist.errors import ParameterError, PreferenceError, require_confidence
from duelist.text import counted

COMPLEMENT_TOLERANCE = 1e-6
"""How far the sum of a pair's two probabilities may be from 1, because published tables are rounded."""

MOST_ROUNDED = 0.05  # how far it may be from 1 if normalisation is requested

MOST = 1e15  # the largest count: sums of larger counts lose single wins

ROUNDING = 1e-12  # computed numbers that differ by at most this count as equal


class Preferences:
    """A validated preference matrix, with quantities that every definition of a winner needs.

    Every function that takes a preference matrix also takes this object, which is not validated again, and
    whose gaps are computed only once.

    Parameters
    ----------
    matrix : array of shape (K, K)
        `matrix[i, j]` is the probability that arm i beats arm j.

    Raises
    ------
    PreferenceError
        If the matrix is invalid.

    Examples
    --------
    >>> preferences = Preferences([[0.5, 0.9], [0.1, 0.5]])
    >>> preferences.beats.tolist(), len(preferences)
    ([[False, True], [False, False]], 2)
    """

    matrix: FloatArray
    """The probabilities, read-only."""

    def __init__(self, matrix: ArrayLike) -> None:
        self.matrix = as_preferences(matrix)

    @classmethod
    def of(cls, matrix: "ArrayLike | Preferences") -> "Preferences":
        """Return validated preferences.

        Parameters
        ----------
        matrix : array of shape (K, K) or Preferences
            The matrix, which is returned as it is if it has been validated before.

        Returns
        -------
        Preferences
            The validated preferences.

        Raises
        ------
        PreferenceError
            If the matrix is invalid.
        """
        return matrix if isinstance(matrix, Preferences) else cls(matrix)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        """Return a copy of the probabilities."""
        return np.array(self.matrix, dtype=dtype, copy=copy)

    def __len__(self) -> int:
        return len(self.matrix)

    @cached_property
    def gaps(self) -> FloatArray:
        """The margin by which each arm beats each other arm; see `gaps`."""
        # Half the difference of a pair's entries, because in a rounded table both may exceed 1/2.
        differences = (self.matrix - self.matrix.T) / 2.0
        differences[np.abs(differences) <= ROUNDING] = 0.0
        differences.flags.writeable = False
        return differences

    @cached_property
    def beats(self) -> BoolArray:
        """Whether each arm beats each other arm; see `beats`."""
        return self.gaps > 0.0

    def among(self, arms: Sequence[int]) -> "Preferences":
        """Return the preferences between some of the arms.

        Parameters
        ----------
        arms : sequence of int
            The numbers of the arms, in the order of the new matrix.

        Returns
        -------
        Preferences
            The smaller matrix.
        """
        return self if list(arms) == list(range(len(self))) else Preferences(self.matrix[np.ix_(arms, arms)])


def as_preferences(matrix: ArrayLike) -> FloatArray:
    """Return a validated, read-only copy of a preference matrix, with unchanged values.

    The diagonal must be 1/2, and the two entries of each pair must sum to 1, both up to 1e-6. The error names
    the first invalid entry, row by row.

    Parameters
    ----------
    matrix : array of shape (K, K)
        `matrix[i, j]` is the probability that arm i beats arm j.

    Returns
    -------
    array of shape (K, K)
        The copy.

    Raises
    ------
    PreferenceError
        If the matrix is invalid.
    """
    if isinstance(matrix, Preferences):
        return matrix.matrix
    try:
        preferences = np.array(matrix, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise PreferenceError(
            f"matrix is not a table of numbers ({error}); give K rows of K numbers."
        ) from error
    if preferences.ndim != 2 or preferences.shape[0] != preferences.shape[1]:
        raise PreferenceError(
            f"matrix has shape {preferences.shape}; give a square matrix, K rows of K numbers."
        )
    if len(preferences) < 2:
        raise PreferenceError(
            f"matrix has {counted(len(preferences), 'arm')}; give at least 2, because a duel needs two."
        )
    for i, j in np.argwhere(~np.isfinite(preferences))[:1]:
        raise PreferenceError(
            f"matrix[{i}, {j}] = {preferences[i, j]} is not a finite number; give the probability that "
            f"arm {i} beats arm {j}."
        )
    for i, j in np.argwhere((preferences < 0.0) | (preferences > 1.0))[:1]:
        raise PreferenceError(
            f"matrix[{i}, {j}] = {preferences[i, j]} is outside [0, 1]; give the probability that arm {i} "
            f"beats arm {j}. For a margin m in [-1, 1] that is (1 + m) / 2; for counts of wins, use "
            "MatrixProblem.from_wins."
        )
    # Rounded first, because in binary 0.333333 + 0.666666 differs from 1 by slightly more than 1e-6.
    distance = np.abs(preferences + preferences.T - 1.0).round(12)
    for i, j in np.argwhere(distance > COMPLEMENT_TOLERANCE)[:1]:
        if i == j:
            raise PreferenceError(
                f"matrix[{i}, {i}] = {preferences[i, i]} is not 0.5; an arm ties with itself, so set the "
                "diagonal to 0.5. For counts of wins, use MatrixProblem.from_wins."
            )
        raise PreferenceError(
            f"matrix[{i}, {j}] = {preferences[i, j]} and matrix[{j}, {i}] = {preferences[j, i]} sum to "
            f"{preferences[i, j] + preferences[j, i]:.10g}, not 1; set one to 1 minus the other, or divide "
            "both by their sum with normalize=True or --normalize."
        )
    preferences.flags.writeable = False
    return preferences


def normalized(matrix: ArrayLike) -> FloatArray:
    """Return a validated matrix in which the two entries of each pair are divided by their sum.

    This corrects rounding only: a sum that differs from 1 by more than 0.05 is an error.
    """
    try:
        given = np.array(matrix, dtype=np.float64)
    except (TypeError, ValueError):
        return as_preferences(matrix)  # raises the error
    if given.ndim == 2 and given.shape[0] == given.shape[1]:
        sums = given + given.T
        near = np.abs(sums - 1.0) <= MOST_ROUNDED
        given = np.divide(given, sums, out=given, where=near)
    return as_preferences(given)


def gaps(matrix: ArrayLike) -> FloatArray:
    """Return the margin by which each arm beats each other arm: `P[i, j]` - 1/2, exactly skew-symmetric.

    Margins up to `ROUNDING` are ties and set to 0. The whole package uses this definition of who beats whom.
    """
    return Preferences.of(matrix).gaps


def beats(matrix: ArrayLike) -> BoolArray:
    """Return whether arm i beats arm j, that is, `P[i, j]` > 1/2; tied arms do not beat each other."""
    return Preferences.of(matrix).beats


def leaders(scores: FloatArray) -> tuple[int, ...]:
    """Return the arms with the largest score, including ties up to rounding."""
    return tuple(np.flatnonzero(scores >= scores.max() - ROUNDING).tolist())


def as_name(where: str, name: Any) -> str:
    """Return an arm's name as a string that any file can hold; a whole number is converted."""
    text = name if type(name) is str else str(name) if isinstance(name, str | int | np.integer) else ""
    if not is_name(text):
        raise PreferenceError(
            f"{where}: {name!r} is not a valid name; give one line of text without spaces around it."
        )
    return text


def as_labels(labels: Iterable[str | int]) -> tuple[str, ...]:
    """Return the names of arms as distinct strings of one line each."""
    try:
        given = list(labels)
    except TypeError as error:
        raise PreferenceError(f"labels must be a list of names; got {labels!r}.") from error
    arms: dict[str, int] = {}
    for arm, label in enumerate(given):
        name = as_name(f"labels[{arm}]", label)
        if name in arms:
            raise PreferenceError(
                f"labels[{arm}]: {name!r} is already the name of arm {arms[name]}; use each name once."
            )
        arms[name] = arm
    return tuple(arms)


@lru_cache(maxsize=2**16)
def is_name(text: str) -> bool:
    """Return whether a text is one line without spaces around it; cached, because names are repeated."""
    return text.strip() == text and len(text.splitlines()) == 1


def as_counts(name: str, counts: ArrayLike) -> FloatArray:
    """Return counts of pairs as a square array, after checking that they lie from 0 to `MOST`."""
    try:
        array = np.array(counts, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise PreferenceError(
            f"{name} is not a table of numbers ({error}); give K rows of K numbers."
        ) from error
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise PreferenceError(f"{name} has shape {array.shape}; give one row and one column for each arm.")
    for i, j in np.argwhere(~((array >= 0.0) & (array <= MOST))):
        raise PreferenceError(f"{name}[{i}, {j}] is {array[i, j]}; give finite counts from 0 to {MOST:.0e}.")
    return array


def estimate(wins: ArrayLike, prior: float = 0.0) -> FloatArray:
    """Estimate preferences from counts of wins.

    The estimate is the share of their duels that arm i won against arm j, or 1/2 for a pair that was never
    compared.

    Parameters
    ----------
    wins : array of shape (K, K)
        `wins[i, j]` is the number of times arm i beat arm j.
    prior : float, default 0.0
        Number of wins to add to both sides of every pair, which shrinks the estimates towards 1/2.

    Returns
    -------
    array of shape (K, K)
        A preference matrix.

    Raises
    ------
    PreferenceError
        If the counts are invalid.
    ParameterError
        If the prior is negative or not finite.

    Examples
    --------
    >>> estimate([[0, 3], [1, 0]]).tolist()
    [[0.5, 0.75], [0.25, 0.5]]
    >>> estimate([[0, 3], [1, 0]], prior=1.0)[0, 1].round(3).item()
    0.667
    """
    if not (isfinite(prior) and prior >= 0.0):
        raise ParameterError(f"prior must be a finite number of wins, 0 or more; got {prior}.")
    won = as_counts("wins", wins) + prior
    played = won + won.T
    matrix = np.divide(won, played, out=np.full_like(won, 0.5), where=played > 0.0)
    np.fill_diagonal(matrix, 0.5)
    return as_preferences(matrix)


def wilson_interval(wins: ArrayLike, confidence: float = 0.95) -> tuple[FloatArray, FloatArray]:
    """Return confidence intervals of all preferences: Wilson's score intervals, which also suit few duels.

    The intervals are not simultaneous, and assume independent votes. The bounds of a pair that was never
    compared are 0 and 1.

    Parameters
    ----------
    wins : array of shape (K, K)
        `wins[i, j]` is the number of times arm i beat arm j.
    confidence : float, default 0.95
        Confidence level of each interval.

    Returns
    -------
    lower, upper : arrays of shape (K, K)
        The bounds of the probability that arm i beats arm j.

    Raises
    ------
    PreferenceError
        If the counts are invalid.
    ParameterError
        If the level does not lie between 0 and 1.

    References
    ----------
    Wilson (1927). Probable inference, the law of succession, and statistical inference. JASA 22.

    Examples
    --------
    >>> lower, upper = wilson_interval([[0, 30], [10, 0]])
    >>> lower[0, 1].round(3).item(), upper[0, 1].round(3).item()
    (0.598, 0.858)
    """
    require_confidence(confidence)
    won = as_counts("wins", wins)
    played = won + won.T
    z = NormalDist().inv_cdf((1.0 + confidence) / 2.0)
    variance = np.divide(won * won.T, played, out=np.zeros_like(won), where=played > 0.0)
    lower = (won + z * z / 2.0 - z * np.sqrt(variance + z * z / 4.0)) / (played + z * z)
    lower = np.clip(lower, 0.0, 1.0)
    np.fill_diagonal(lower, 0.5)
    # Arm i wins as often as arm j loses, so one bound determines the other.
    return lower, 1.0 - lower.T
