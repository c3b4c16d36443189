"""Preference matrices: their checks, and the few facts that every definition of a winner needs."""

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
"""How far a pair's two probabilities may sum from 1, because published tables are rounded."""

MOST_ROUNDED = 0.05  # how far they may sum from 1 and still be divided by their sum, if that is asked for

MOST = 1e15  # the largest count: sums of larger ones lose single wins

ROUNDING = 1e-12  # how far two computed numbers may lie apart and still count as equal


class Preferences:
    """A preference matrix that has been checked, and what every definition of a winner computes from it.

    Every function of a preference matrix takes it for one; it is not checked again, and gaps are computed
    once for all of them.

    Parameters
    ----------
    matrix : array of shape (K, K)
        `matrix[i, j]` is the probability that arm i beats arm j.

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
        """Return a matrix that has been checked: as it is if it was, or checked now."""
        return matrix if isinstance(matrix, Preferences) else cls(matrix)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        """Return the probabilities, for NumPy."""
        return np.array(self.matrix, dtype=dtype, copy=copy)

    def __len__(self) -> int:
        return len(self.matrix)

    @cached_property
    def gaps(self) -> FloatArray:
        """By how much each arm beats each other: see `gaps`."""
        # Half the difference of a pair's entries: in a rounded table both could lie above 1/2.
        differences = (self.matrix - self.matrix.T) / 2.0
        differences[np.abs(differences) <= ROUNDING] = 0.0
        differences.flags.writeable = False
        return differences

    @cached_property
    def beats(self) -> BoolArray:
        """Which arm beats which."""
        return self.gaps > 0.0

    def among(self, arms: Sequence[int]) -> "Preferences":
        """Return the preferences between some of the arms, in that order."""
        return self if list(arms) == list(range(len(self))) else Preferences(self.matrix[np.ix_(arms, arms)])


def as_preferences(matrix: ArrayLike) -> FloatArray:
    """Return a checked, read-only copy of a preference matrix, its values unchanged.

    `matrix[i, j]` is the probability that arm i beats arm j: the diagonal is 1/2, and the two entries of a
    pair sum to 1, both up to 1e-6. An error names the first entry that is wrong, row by row.
    """
    if isinstance(matrix, Preferences):
        return matrix.matrix
    try:
        preferences = np.array(matrix, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise PreferenceError(f"matrix is not a table of numbers ({error}); give K rows of K.") from error
    if preferences.ndim != 2 or preferences.shape[0] != preferences.shape[1]:
        raise PreferenceError(
            f"matrix has shape {preferences.shape}; give a square one, K rows of K numbers."
        )
    if len(preferences) < 2:
        raise PreferenceError(
            f"matrix has {counted(len(preferences), 'arm')}; give at least 2, because a duel needs two."
        )
    for i, j in np.argwhere(~np.isfinite(preferences))[:1]:
        raise PreferenceError(
            f"matrix[{i}, {j}] = {preferences[i, j]} is not a number that can be compared; "
            f"give the probability that arm {i} beats arm {j}."
        )
    for i, j in np.argwhere((preferences < 0.0) | (preferences > 1.0))[:1]:
        raise PreferenceError(
            f"matrix[{i}, {j}] = {preferences[i, j]} is outside [0, 1]; give the probability that "
            f"arm {i} beats arm {j} (for a margin m in [-1, 1] that is (1 + m) / 2; counts of "
            "wins have zeros on the diagonal and are for MatrixProblem.from_wins)."
        )
    # Rounded first: 0.333333 + 0.666666 misses 1 by a hair more than 1e-6 in binary.
    distance = np.abs(preferences + preferences.T - 1.0).round(12)
    for i, j in np.argwhere(distance > COMPLEMENT_TOLERANCE)[:1]:
        if i == j:
            raise PreferenceError(
                f"matrix[{i}, {i}] = {preferences[i, i]} is not 0.5; an arm ties with itself, "
                "so set the diagonal to 0.5 (counts of wins are for MatrixProblem.from_wins)."
            )
        raise PreferenceError(
            f"matrix[{i}, {j}] = {preferences[i, j]} and matrix[{j}, {i}] = {preferences[j, i]} sum to "
            f"{preferences[i, j] + preferences[j, i]:.10g}, not 1; set one to 1 minus the other, or let both "
            "be divided by their sum: normalize=True, --normalize."
        )
    preferences.flags.writeable = False
    return preferences


def normalized(matrix: ArrayLike) -> FloatArray:
    """Return checked preferences in which the two entries of a pair are divided by their sum.

    A sum that is not 1 for having been rounded lies near it: one that is further away than 0.05 is refused.
    """
    try:
        given = np.array(matrix, dtype=np.float64)
    except (TypeError, ValueError):
        return as_preferences(matrix)  # which says what is wrong with it
    if given.ndim == 2 and given.shape[0] == given.shape[1]:
        sums = given + given.T
        near = np.abs(sums - 1.0) <= MOST_ROUNDED
        given = np.divide(given, sums, out=given, where=near)
    return as_preferences(given)


def gaps(matrix: ArrayLike) -> FloatArray:
    """Return by how much each arm beats each other: `P[i, j]` - 1/2, exactly skew-symmetric.

    Gaps up to `ROUNDING` are ties, and 0: this is where all of the package learns who beats whom.
    """
    return Preferences.of(matrix).gaps


def beats(matrix: ArrayLike) -> BoolArray:
    """Return which arm beats which: `P[i, j]` > 1/2; two tied arms do not beat each other."""
    return Preferences.of(matrix).beats


def leaders(scores: FloatArray) -> tuple[int, ...]:
    """Return the arms with the largest score, all of them if they tie up to rounding."""
    return tuple(np.flatnonzero(scores >= scores.max() - ROUNDING).tolist())


def as_name(where: str, name: Any) -> str:
    """Return an arm's name as a string that any file can hold; whole numbers are names too."""
    text = name if type(name) is str else str(name) if isinstance(name, str | int | np.integer) else ""
    if not is_name(text):
        raise PreferenceError(f"{where}: {name!r} is not a name; give one line of text, no spaces around it.")
    return text


def as_labels(labels: Iterable[str | int]) -> tuple[str, ...]:
    """Return the arms' names, each one line of text and no two alike."""
    try:
        given = list(labels)
    except TypeError as error:
        raise PreferenceError(f"labels must be a list of names; got {labels!r}.") from error
    arms: dict[str, int] = {}
    for arm, label in enumerate(given):
        name = as_name(f"labels[{arm}]", label)
        if name in arms:
            raise PreferenceError(f"labels[{arm}]: {name!r} is arm {arms[name]} too; name each once.")
        arms[name] = arm
    return tuple(arms)


@lru_cache(maxsize=2**16)
def is_name(text: str) -> bool:
    """Return whether a text is one line without spaces around it; remembered, because names come again."""
    return text.strip() == text and len(text.splitlines()) == 1


def as_counts(name: str, counts: ArrayLike) -> FloatArray:
    """Return counts of pairs as a square array of numbers from 0 to `MOST`."""
    try:
        array = np.array(counts, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise PreferenceError(f"{name} is not a table of numbers ({error}); give K rows of K.") from error
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise PreferenceError(f"{name} has shape {array.shape}; give one row and one column for each arm.")
    for i, j in np.argwhere(~((array >= 0.0) & (array <= MOST))):
        raise PreferenceError(
            f"{name}[{i}, {j}] is {array[i, j]}; give finite counts, 0 or more, {MOST:.0e} at most."
        )
    return array


def estimate(wins: ArrayLike, prior: float = 0.0) -> FloatArray:
    """Estimate the preferences: the share of its duels that arm i won against arm j, `wins[i, j]` times.

    The prior is added to the wins on both sides of every pair, which draws rarely compared ones towards 1/2,
    the estimate of a pair never compared.

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
    """Return lower and upper bounds of each preference: Wilson's score interval, also valid for few duels.

    The bounds of a pair never compared are 0 and 1. Each interval holds by itself, if votes are independent.

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
    # Arm i wins as often as arm j loses, so the two bounds are one.
    return lower, 1.0 - lower.T
